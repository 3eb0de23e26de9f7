"""The auditor's process: runs the acceptance commands of a task, then the auditor's own program.

`python -I -m unlatch_runs.audit` reads a JSON object on standard input and answers as a worker does
(`dispatch.protocol`). A command that fails rejects the task; the program decides about the rest.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unlatch.values import dataclass
from unlatch.worklog.json_text import load_json
from unlatch_runs.assignment import with_results
from unlatch_runs.dispatch.commands import run_command
from unlatch_runs.dispatch.protocol import stated_answer

_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class Audit:
    """The work of an auditor.

    Args:
        commands: the acceptance commands.
        auditor: the program that decides after them; empty: they decide alone.
        text: its standard input, before the results of the commands.
        timeout: seconds for each.
    """

    commands: tuple[tuple[str, ...], ...]
    auditor: tuple[str, ...]
    text: str
    timeout: float

    def dump(self) -> str:
        return json.dumps(asdict(self))


def main() -> int:
    """Read an audit, carry it out, and print the verdict."""
    raw = load_json(sys.stdin.read())
    results = []
    for argv in raw["commands"]:
        result = run_command(argv, folder=Path.cwd(), environ=os.environ, timeout=raw["timeout"])
        command = " ".join(argv)
        ended = "timed out" if result.exit_code is None else f"exit code {result.exit_code}"
        _say({"type": "checkpoint", "text": f"{command}: {ended}"})
        if not result.is_success:
            output = result.output[-_SHOWN:].strip()
            _say({"type": "failed", "reason": f"{command}: {ended}\n{output}".rstrip()})
            return 0
        results.append(f"{command}: {ended}")
    if not raw["auditor"]:
        _say({"type": "done", "summary": "\n".join(results)})
        return 0
    return _judge(raw, results)


def _judge(raw: dict[str, Any], results: list[str]) -> int:
    """Let the auditor's program decide; its whole output is passed on."""
    result = run_command(
        raw["auditor"],
        folder=Path.cwd(),
        environ=os.environ,
        timeout=raw["timeout"],
        fed=with_results(raw["text"], results),
        with_errors=False,
    )
    sys.stdout.write(result.output)
    if not result.output.endswith("\n"):
        sys.stdout.write("\n")
    if not result.is_success and stated_answer(result.output) is None:
        sys.stderr.write(f"{raw['auditor'][0]}: exit code {result.exit_code}\n")
        return 1
    return 0


def _say(message: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
