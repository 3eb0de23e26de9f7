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
from unlatch_sessions.markup import call_line, decision, prose

if TYPE_CHECKING:
    from collections.abc import Iterator

PART = "sessions"
COUNT, PHASES = 5000, 5
ROUNDS = 9
COMMANDS = ("list --json", "query --agent agent-3", "stats --by agent")
_FIRST = f"{COMMANDS[1]}, the first"
FLOOR = """
import pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("*.md"):
    path.read_bytes()
"""


def figures(other: str | None = None) -> Iterator[Figure]:
    """Each command in a process, alternating with reading the files; first without an index.

    Args:
        other: the path of another `unlatch`, such as an earlier version, to compare with.
    """
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        sessions = write_sessions(root)
        programs = [UNLATCH, *([other] if other else [])]
        env = {
            program: os.environ | {"XDG_STATE_HOME": str(root / f"state-{at}")}
            for at, program in enumerate(programs)
        }
        floor = (sys.executable, "-c", FLOOR, str(sessions))
        lines = [(program, command) for command in COMMANDS for program in programs]
        cold = {
            program: run((program, "session", *COMMANDS[1].split()), cwd=root, env=env[program])
            for program in programs
        }
        rounds = [
            [
                run(floor),
                *(
                    run((program, "session", *command.split()), cwd=root, env=env[program])
                    for program, command in lines
                ),
            ]
            for _ in range(ROUNDS)
        ]
    base, *others = (minimum(column) for column in zip(*rounds, strict=True))
    spent = dict(zip(lines, others, strict=True))
    spent |= {(program, _FIRST): cold[program] for program in programs}
    for command in (_FIRST, *COMMANDS):
        what = f"`session {command}`, {COUNT:,} sessions (CPU)"
        mine = spent[UNLATCH, command].cpu
        yield Figure(PART, what, mine, "ms", base.cpu, None, "reading the files")
        if other:
            yield Figure(PART, what, mine, "ms", spent[other, command].cpu, None, other)


def write_sessions(root: Path, number: int = COUNT) -> Path:
    """Write sessions below a project's root; their folder."""
    folder = root / ".unlatch" / "sessions"
    folder.mkdir(parents=True)
    for at in range(number):
        name = f"2026-01-01-session-{at}"
        (folder / f"{name}.md").write_text(_session(name, at), encoding="utf-8")
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
