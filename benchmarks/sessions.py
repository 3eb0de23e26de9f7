"""The index of 5,000 sessions, compared with reading their files."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.children import minimum, run
from benchmarks.figures import Figure
from benchmarks.places import UNLATCH
from unlatch.sessions.markup import call_line, decision, prose

if TYPE_CHECKING:
    from collections.abc import Iterator

PART = "sessions"
COUNT, PHASES = 5000, 5
ROUNDS = 3
COMMANDS = ("list --json", "query --agent agent-3", "stats --by agent")
FLOOR = """
import pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("*.md"):
    path.read_bytes()
"""


def figures() -> Iterator[Figure]:
    """Each command in a process, alternating with reading the files; first without an index."""
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        sessions = _make(root)
        env = os.environ | {"XDG_STATE_HOME": str(root / "state")}
        floor = (sys.executable, "-c", FLOOR, str(sessions))
        asked = [floor, *((UNLATCH, "session", *command.split()) for command in COMMANDS)]
        cold = run(asked[2], cwd=root, env=env)
        rounds = [[run(line, cwd=root, env=env) for line in asked] for _ in range(ROUNDS)]
    base, *others = (minimum(column) for column in zip(*rounds, strict=True))
    names = [f"`session {command}`" for command in COMMANDS]
    pairs = [("the first `session query`", cold), *zip(names, others, strict=True)]
    for name, spent in pairs:
        what = f"{name}, {COUNT:,} sessions (CPU)"
        yield Figure(PART, what, spent.cpu, "ms", base.cpu, None, "reading the files")


def _make(root: Path) -> Path:
    folder = root / ".unlatch" / "sessions"
    folder.mkdir(parents=True)
    for number in range(COUNT):
        name = f"2026-01-01-session-{number}"
        (folder / f"{name}.md").write_text(_session(name, number), encoding="utf-8")
    return folder


def _session(name: str, number: int) -> str:
    """About 2.6 kB, like the sessions of agents."""
    lines = [
        *("---", "type: session", f"session_id: {name}", "started: 2026-01-01T09:00:00Z"),
        *("ended: 2026-01-01T10:00:00Z", "status: completed", "channel: dev"),
        *("participants:", f"  - agent-{number % 7}@1.0", f"tokens_used: {number}", "---", ""),
    ]
    for phase in range(PHASES):
        calls = [
            call_line("Read", f"src/{at}.py", "ok", failed=at == number % 9) for at in range(4)
        ]
        lines += [f"## Phase {phase} @agent-{number % 7}@1.0 #dev", "", "**Tool calls:**", *calls]
        lines += ["", *decision(f"Decision {phase}"), "", *prose("Words. " * 25), ""]
    return "\n".join(lines)
