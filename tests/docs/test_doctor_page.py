"""docs/doctor.md explains every finding that the doctor can have, and no other."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tests.docs.pages import ROOT, tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAGE = ROOT / "docs/doctor.md"
_ID = re.compile(r"[a-z]+(?:-[a-z0-9]+)+")
# Calls whose words are git's, or name an encoding.
_FOREIGN = ("ask_git", "decode", "encode")


def test_every_finding_is_explained() -> None:
    rows = [row for table in tables(_PAGE) for row in table[1:] if table[0][0] == "Finding"]
    explained = [row[0] for row in rows]
    assert sorted(set(explained)) == sorted(explained)
    found = {*_core_ids(), *_plugin_ids()}
    assert found - set(explained) == set()
    # An id may also reach a finding through a variable; then it stands in the code somewhere.
    written = {text for path in _sources() for text in _literals(path)}
    assert set(explained) - found - written == set()


def test_what_is_mended_is_marked() -> None:
    rows = [row for table in tables(_PAGE) for row in table[1:] if table[0][0] == "Finding"]
    marked = {row[0] for row in rows if row[2] == "--fix"}
    mended = set(_ids(ROOT / "core/unlatch/doctor/fixing.py"))
    assert marked == mended


def _core_ids() -> Iterator[str]:
    for path in sorted((ROOT / "core/unlatch/doctor").glob("*.py")):
        yield from _ids(path)


def _plugin_ids() -> Iterator[str]:
    for path in sorted((ROOT / "plugins").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Remark" and node.args:
                yield from _texts(node.args[0])


def _ids(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    foreign = [call for call in calls if ast.unparse(call.func).endswith(_FOREIGN)]
    passed = {text for call in foreign for text in _texts(call)}
    yield from (text for text in _texts(tree) if text not in passed)


def _texts(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        text = inner.value if isinstance(inner, ast.Constant) else None
        if isinstance(text, str) and _ID.fullmatch(text):
            yield text


def _sources() -> Iterator[Path]:
    for folder in ("core/unlatch/doctor", "plugins"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def _literals(path: Path) -> Iterator[str]:
    yield from re.findall(r'"([a-z-]+)"', path.read_text(encoding="utf-8"))
