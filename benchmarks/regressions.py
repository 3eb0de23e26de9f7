"""Reading a long history and a large report for `unlatch regressions`.

Compared with `git log` and a parser of XML alone. Of both, what the same takes with one commit and
one test is left out: the start of the program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.children import minimum, run
from benchmarks.figures import Figure
from benchmarks.places import UNLATCH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PART = "regressions"
COMMITS, CASES = 10_000, 50_000
ROUNDS = 7
# Commits that begin, make and complete the work.
_BEGIN, _FIX, _COMPLETE = 10, 50, 1_000
_FIRST, _MINUTE = 1_759_300_000, 60
_FOLDER = ".unlatch/increments/0007-search"
_REPORT = "report.xml"
FLOOR = """
import subprocess
from xml.etree import ElementTree
subprocess.run(("git", "log"), stdout=subprocess.PIPE, check=True)
ElementTree.parse("report.xml")
"""


def figures() -> Iterator[Figure]:
    """The CPU time of reading both, in processes that alternate."""
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        roots = [Path(folder) / name for name in ("long", "short")]
        for root, commits, cases in zip(roots, (COMMITS, 1), (CASES, 1), strict=True):
            root.mkdir()
            _make(root, commits, cases)
        env = os.environ | {"XDG_STATE_HOME": f"{folder}/state"}
        ours = (UNLATCH, "regressions", "--junit", _REPORT)
        floor = (sys.executable, "-c", FLOOR)
        lines = [(command, root) for command in (ours, floor) for root in roots]
        rounds = [
            [run(command, cwd=root, env=env) for command, root in lines] for _ in range(ROUNDS)
        ]
    spent = [minimum(column).cpu for column in zip(*rounds, strict=True)]
    what = f"`regressions`, {COMMITS:,} commits and {CASES:,} cases (CPU without the start)"
    base = "git log and parsing"
    yield Figure(PART, what, spent[0] - spent[1], "ms", spent[2] - spent[3], 2.0, base)


def _make(root: Path, commits: int, cases: int) -> None:
    """A repository with finished work that tests guard, and a report in it."""
    _git(root, "init", "--quiet", "--initial-branch=main")
    _git(root, "fast-import", "--quiet", fed=b"".join(map(_commit, range(commits))))
    _git(root, "reset", "--quiet", "--hard")
    (root / _REPORT).write_text(_report(cases), encoding="utf-8")


def _git(root: Path, *arguments: str, fed: bytes | None = None) -> None:
    subprocess.run(("git", *arguments), cwd=root, input=fed, check=True)  # noqa: S607  (as users)


def _commit(number: int) -> bytes:
    """A commit for fast-import."""
    message = (
        f"Change number {number}\n\nIt changes a file of the project, for a reason that users have "
        f"given in\na report about number {number}.\n\nSigned-off-by: Ada <ada@example.com>\n"
    )
    if number == _FIX:
        message = "Search faster\n\n0007-search\n"
    files = {f"src/file{number % 300}.txt": f"line {number}\n" * 5, **_records(number)}
    time = f"committer Ada <ada@example.com> {_FIRST + number * _MINUTE} +0000"
    parts = [f"commit refs/heads/main\n{time}\n{_data(message)}"]
    parts += [f"M 100644 inline {name}\n{_data(text)}" for name, text in files.items()]
    return "".join(parts).encode()


def _records(number: int) -> Mapping[str, str]:
    """The files of the work that a commit changes."""
    content: dict[str, Any] = {"id": "0007-search", "status": "active"}
    content |= {"guards": ["tests.test_42::test_7", "tests.test_43::test_9"]}
    content |= {"created": "2025-10-01T06:00:00Z"}
    metadata = f"{_FOLDER}/metadata.json"
    if number == _COMPLETE:
        content |= {"status": "completed", "completedAt": "2025-10-02T08:00:00Z"}
        return {metadata: json.dumps(content)}
    if number != _BEGIN:
        return {".unlatch/config.toml": ""} if number == 0 else {}
    texts = {name: f"# {name}\n" for name in (f"{_FOLDER}/spec.md", f"{_FOLDER}/tasks.md")}
    return {metadata: json.dumps(content), **texts}


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


def _report(cases: int) -> str:
    """A report of pytest in which one test in a hundred fails."""
    lines = []
    for number in range(cases):
        group, name = divmod(number, 250)
        begin = f'<testcase classname="tests.test_{group}" name="test_{name}" time="0.001"'
        failure = '><failure message="assert 1 == 2">assert 1 == 2</failure></testcase>'
        lines.append(f"{begin}{'/>' if number % 100 else failure}")
    return f'<testsuites><testsuite name="pytest">{"".join(lines)}</testsuite></testsuites>'
