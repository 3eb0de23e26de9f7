"""A checkout of an older version and one of this take turns over one repository.

Each delivers, merges and undoes what the other recorded. The older version makes random ids, so at
one moment both post their comments (docs/upgrade.md).
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.crash.members import Member, Team
from tests.machines.cells import LOST, NONE
from tests.machines.strike import Strike
from tests.machines.tracked_items import read_items

from unlatch_sandbox import Sandbox

VERSION = "f1c98431"
_ROOT = Path(__file__).parents[2]
_PROGRAM = '#!/bin/sh\nPYTHONPATH={path} exec {python} -m unlatch.cli "$@"\n'


@dataclass(frozen=True)
class OlderMember(Member):
    """A clone that is used with an older version, also by git's merges.

    Args:
        programs: the folder of its `unlatch`.
    """

    programs: Path = Path()

    @property
    def environ(self) -> dict[str, str]:
        return older_environ(super().environ, self.programs)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.programs / "unlatch", *arguments],
            cwd=self.root,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def older_environ(environ: Mapping[str, str], programs: Path) -> dict[str, str]:
    """The environment of the older version, whose `unlatch` is in the folder `programs`."""
    own = {
        "PATH": f"{programs}:{environ['PATH']}",
        # It does not know for which tracker a host is.
        "UNLATCH_TRUSTED_HOSTS": re.sub(r"\w+=", "", environ["UNLATCH_TRUSTED_HOSTS"]),
    }
    return {**environ, **own}


def take_out(folder: Path) -> str | None:
    """Take the older version out of the history of this repository; the reason if that fails."""
    git = ("git", "-C", str(_ROOT))
    packed = subprocess.run(
        [*git, "archive", VERSION, "core", "plugins"], capture_output=True, check=False
    )
    if packed.returncode:
        return f"{VERSION} is not in this clone: {packed.stderr.decode().strip()}"
    folder.mkdir(parents=True)
    subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
    program = folder / "bin" / "unlatch"
    program.parent.mkdir()
    path = f"{folder / 'core'}:{folder / 'plugins'}"
    program.write_text(_PROGRAM.format(path=path, python=sys.executable))
    program.chmod(0o755)
    return None


class Turns:
    """The turns of two members over one repository, and what went wrong.

    Args:
        first: who records first; the other one delivers that.
    """

    def __init__(self, team: Team, first: Member, second: Member) -> None:
        self._team, self._first, self._second = team, first, second
        self._posted: list[str] = []

    def take(self) -> Iterator[str]:
        """Take all turns; yields the mistakes of each."""
        for turn, is_open in (
            (self._deliver, True),
            (self._complete, False),
            (self._merge, True),
            (self._undo, False),
        ):
            problems = [*turn(), *self._problems(is_open=is_open)]
            yield from (f"{turn.__name__.strip('_')}: {problem}" for problem in problems)

    def _deliver(self) -> Iterator[str]:
        yield from self._run(self._first, "resume", "--offline", reason="First reason")
        self._first.push("Record")
        yield from self._pull_and_sync(self._second)
        self._second.push("Deliver")
        yield from self._pull_and_sync(self._first)

    def _complete(self) -> Iterator[str]:
        yield from self._run(self._second, "complete", reason="All is done")
        self._second.push("Complete")
        yield from self._pull_and_sync(self._first)

    def _merge(self) -> Iterator[str]:
        """Both deliver what the first one lost the answers of, and git merges their records."""
        strike = Strike(self._team.box, LOST)
        strike.release()
        yield from self._run(self._first, "resume", reason="Second reason", code=3)
        self._first.push("Record")
        yield from self._pull_and_sync(self._second)
        yield from self._sync(self._first)
        self._second.push("Deliver")
        self._first.git("commit", "--quiet", "--all", "--allow-empty", "--message", "Deliver, too")
        yield from self._pull_and_sync(self._first)
        self._first.push("Merge")
        yield from self._pull_and_sync(self._second)

    def _undo(self) -> Iterator[str]:
        yield from self._run(self._second, "undo", reason="Taken back")
        self._second.push("Undo")
        yield from self._pull_and_sync(self._first)

    def _run(
        self, member: Member, name: str, *options: str, reason: str, code: int = 0
    ) -> Iterator[str]:
        self._posted.append(reason)
        words = (name, "7", "--yes", "--reason", reason, *options)
        yield from _failed(member, words, code=code)

    def _pull_and_sync(self, member: Member) -> Iterator[str]:
        if code := member.pull():
            yield f"git merge exited with {code}"
        yield from self._sync(member)

    def _sync(self, member: Member) -> Iterator[str]:
        yield from _failed(member, ("sync", "--yes"))

    def _problems(self, *, is_open: bool) -> Iterator[str]:
        for tracker, item in read_items(self._team.box, self._team.ids).items():
            said = [sum(reason in text for text in item.comments) for reason in self._posted]
            if said != [1] * len(self._posted) or len(item.comments) != len(said):
                yield f"{tracker}: {item.comments}"
            if item.is_open is not is_open:
                yield f"{tracker}: it is {'open' if item.is_open else 'closed'}"
        for member in (self._first, self._second):
            if member.pending:
                yield f"{member.root.name}: pending {member.pending}"


def _failed(member: Member, words: tuple[str, ...], code: int = 0) -> Iterator[str]:
    process = member.start(*words)
    said = process.communicate(timeout=120)[0]
    if process.returncode != code:
        yield f"{words[0]} in {member.root.name} exited with {process.returncode}: {said}"


def take_turns(box: Sandbox, folder: Path) -> dict[str, Any]:
    """Let each version record first; the mistakes, and what both do at one moment."""
    if why := take_out(folder / VERSION):
        return {"skipped": why}
    wrong: list[str] = []
    for name in ("older", "newer"):
        team, older = meet_older(box, folder / name)
        order = (older, team.colleague) if name == "older" else (team.colleague, older)
        wrong += [f"{name} first, {problem}" for problem in Turns(team, *order).take()]
    return {"wrong": wrong, "comments of both at one moment": _act_at_once(box, folder / "at once")}


def meet_older(box: Sandbox, folder: Path) -> tuple[Team, OlderMember]:
    """A team in which the laptop has the older version."""
    box.reset()
    team = Team.meet(box, folder)
    programs = folder.parent / VERSION / "bin"
    return team, OlderMember(team.laptop.root, extra=team.laptop.extra, programs=programs)


def _act_at_once(box: Sandbox, folder: Path) -> dict[str, int]:
    """How many comments a reopen has that both versions make at one moment, by tracker."""
    team, older = meet_older(box, folder)
    strike = Strike(box, NONE)
    words = ("resume", "7", "--yes", "--reason", "At once")
    first = older.start(*words)
    strike.await_requests(first)
    second = team.colleague.start(*words)
    second.communicate(timeout=120)
    strike.release()
    first.communicate(timeout=120)
    return {name: len(item.comments) for name, item in read_items(box, team.ids).items()}
