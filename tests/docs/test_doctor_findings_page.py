"""docs/doctor-findings.md explains every finding that the doctor can have, and no other."""

import ast
import re
from collections.abc import Iterator

from tests.docs.pages import ROOT

from unlatch_doctor import online
from unlatch_doctor.checks import ANY_ERROR, CHECKS, checks_of_layouts

_ID = re.compile(r"[a-z]+(?:-[a-z0-9]+)+")


def _rows() -> list[tuple[str, str]]:
    text = (ROOT / "docs/doctor-findings.md").read_text(encoding="utf-8")
    return re.findall(r"^- `([^`]+)`: (.+)$", text, flags=re.MULTILINE)


def test_every_finding_is_explained_once() -> None:
    explained = [row[0] for row in _rows()]
    assert sorted(set(explained)) == sorted(explained)
    checks = (*CHECKS, *checks_of_layouts())
    own = {check.id for check in checks if check.id != ANY_ERROR} | set(online.IDS)
    assert (own | set(_remarks())) - set(explained) == set()
    # A plugin's id may also reach its remark through a variable.
    assert set(explained) - own - set(_words_of_plugins()) == set()


def test_a_fix_is_marked() -> None:
    fixed = {check.id for check in CHECKS if check.fix is not None}
    assert fixed == {row[0] for row in _rows() if row[1].endswith("(*--fix*)")}


def _remarks() -> Iterator[str]:
    for path in sorted((ROOT / "plugins").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "Remark(" in text else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Remark" and node.args:
                yield from _ID.findall(ast.unparse(node.args[0]))


def _words_of_plugins() -> Iterator[str]:
    for path in sorted((ROOT / "plugins").rglob("*.py")):
        yield from re.findall(r'"([a-z-]+)"', path.read_text(encoding="utf-8"))
