"""Many processes at work on a few increments: nothing is lost, nothing is done twice.

    python -m tests.crash.crowd [--processes N] [--commands N] [--seed N]

Each process is a fork of a warmed one and runs commands drawn by chance: resume, pause and
complete, most of them with --offline. Meanwhile all files are read again and again, and must be
whole each time. At the end one `unlatch sync` delivers the rest. Prints one JSON document.
"""

import argparse
import contextlib
import io
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.crash.boundaries import in_fork
from tests.crash.stage import Case, Stage

from unlatch.cli.main import run
from unlatch.increments.model.status import Status

INCREMENTS = 5
TRACKERS = ("github", "ado", "jira")
# What a command may say when another was faster; anything else is a mistake.
FASTER = {"already-active", "transition-refused", "not-completed", "finished"}


class Crowd:
    """Processes that all start at one moment."""

    def __init__(self, stage: Stage, *, seed: int) -> None:
        self._stage = stage
        self._random = random.Random(seed)
        names = [f"{number:04d}-shared" for number in range(1, INCREMENTS + 1)]
        self.cases = [stage.case("crowd", increment=name) for name in names]
        self.told: list[dict[str, Any]] = []
        self.polls = 0
        self.torn: list[str] = []

    def work(self, processes: int, commands: int) -> None:
        """Let all processes run their commands, and look at the files all the while."""
        gate, opener = os.pipe()
        reports, reporter = os.pipe()
        children = []
        for number in range(processes):
            drawn = [self._drawn(f"{number}-{turn}") for turn in range(commands)]
            if (child := os.fork()) == 0:
                os.close(opener)
                self._be_one(gate, reporter, drawn)
            children.append(child)
        os.close(gate)
        os.close(reporter)
        os.close(opener)  # everybody was waiting for this
        while children:
            children = [child for child in children if os.waitpid(child, os.WNOHANG) == (0, 0)]
            self.poll()
        with os.fdopen(reports) as told:
            self.told = [json.loads(line) for line in told]

    def _drawn(self, reason: str) -> list[str]:
        case = self._random.choice(self.cases)
        verb = self._random.choice(["resume", "resume", "pause", "complete", "complete"])
        command = [verb, case.increment, "--by", "Dana", "--json"]
        if verb == "resume":
            command += ["--reason", f"reason {reason}", "--yes"]
        if verb != "pause" and self._random.random() < 0.7:
            command.append("--offline")
        return command

    def _be_one(self, gate: int, reporter: int, commands: list[list[str]]) -> None:
        code = 1
        try:
            os.environ.update(self._stage.environ)
            os.read(gate, 1)  # ends when the gate is closed
            for command in commands:
                os.write(reporter, f"{json.dumps(self._run(command))}\n".encode())
            code = 0
        finally:
            os._exit(code)

    def _run(self, command: list[str]) -> dict[str, Any]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = run(["--root", str(self.cases[0].root), *command])
        error = json.loads(out.getvalue()).get("error")
        return {"verb": command[0], "code": code, "error": error["id"] if error else None}

    def poll(self) -> None:
        """Read every file; each has to be whole."""
        self.polls += 1
        for case in self.cases:
            with contextlib.suppress(FileNotFoundError):
                self.torn += _torn(case)

    def sync(self) -> int:
        """Deliver the rest in a process of its own; returns how it ended."""

        def finish() -> None:
            os.environ.update(self._stage.environ)
            with contextlib.redirect_stdout(io.StringIO()):
                assert run(["--root", str(self.cases[0].root), "sync", "--yes"]) == 0

        return in_fork(finish)

    def wrong(self) -> list[str]:
        """Everything that is not as it should be in the end."""
        return [
            *self.torn,
            *(f"{one}" for one in self.told if not _may_be(one)),
            *(problem for case in self.cases for problem in self._problems(case)),
        ]

    def _problems(self, case: Case) -> Iterator[str]:
        data, events = case.metadata, _events(case)
        reopens = [entry["id"] for entry in data.get("reopenHistory", [])]
        moves = [event for event in events if event["event"] in ("reopened", "transitioned")]
        ends = ["completed", *(move["to"] for move in moves)]
        finished = Status(data["status"]).is_finished
        once = dict.fromkeys(reopens, 1)
        facts: dict[str, tuple[object, object]] = {
            "ids": (len({event["id"] for event in events}), len(events)),
            "reopens": ([m["id"] for m in moves if m["event"] == "reopened"], reopens),
            "moves follow each other": ([m["from"] for m in moves], ends[:-1]),
            "status": (data["status"], ends[-1]),
            "pending": (data.get("pending", []), []),
            "open": (self._stage.open_items(case), dict.fromkeys(TRACKERS, not finished)),
            "comments": (self._stage.marked(case), dict.fromkeys(TRACKERS, once)),
            "synced": (
                [sorted(entry["syncedTo"]) for entry in data.get("reopenHistory", [])],
                [sorted(TRACKERS)] * len(reopens),
            ),
        }
        for name, (got, wanted) in facts.items():
            if got != wanted:
                yield f"{case.increment}: {name}: {got!r}, not {wanted!r}"


def _may_be(told: dict[str, Any]) -> bool:
    if told["code"] == 1:
        return told["error"] in FASTER
    return told["code"] in (0, 3)


def _events(case: Case) -> list[dict[str, Any]]:
    raw = (case.folder / "events.jsonl").read_text()
    return [json.loads(line) for line in raw.split("\n") if line]


def _torn(case: Case) -> Iterator[str]:
    for name in ("metadata.json", "events.jsonl"):
        raw = (case.folder / name).read_bytes()
        for text in [raw] if name == "metadata.json" else raw.split(b"\n")[:-1]:
            try:
                json.loads(text)
            except ValueError:
                yield f"{case.increment}/{name}: {text!r}"


def main() -> None:
    """Let a crowd work; the exit code is 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=50)
    parser.add_argument("--commands", type=int, default=2, help="how many each of them runs")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with Stage() as stage:
        crowd = Crowd(stage, seed=options.seed)
        crowd.work(options.processes, options.commands)
        synced = crowd.sync()
        wrong = crowd.wrong()
        history = [case.metadata.get("reopenHistory", []) for case in crowd.cases]
    document = {
        "processes": options.processes,
        "commands": len(crowd.told),
        "ended": Counter(f"{one['verb']} {one['error'] or one['code']}" for one in crowd.told),
        "reopens": sum(map(len, history)),
        "polls": crowd.polls,
        "sync": synced,
        "wrong": wrong,
    }
    print(json.dumps(document, indent=1))  # noqa: T201
    sys.exit(1 if wrong or synced else 0)


if __name__ == "__main__":
    main()
