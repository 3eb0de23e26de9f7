"""Play a cell of the two-machine matrix with real git, processes, and the sandbox's trackers."""

import json
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from tests.ci.checkouts import ALLOW_LOCAL
from tests.crash.items import REPOSITORY
from tests.crash.members import TRACKERS, Member, Team
from tests.machines.cells import (
    CLONES,
    COMMANDS,
    FIRST_REOPENED,
    FRESH,
    INTO_FIRST,
    INTO_SECOND,
    KILL,
    SAME,
    Cell,
)
from tests.machines.strike import SETTLE, Strike

from unlatch_sandbox import Sandbox
from unlatch_sandbox.clock import utc_now


@dataclass
class Clock:
    """The trackers' clock; it advances between the commands, since GitHub tells whole seconds."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.ahead

    def advance(self) -> datetime:
        self.ahead += timedelta(seconds=2)
        return self()


@dataclass(frozen=True)
class Ran:
    """The result of a command.

    Args:
        began: by the trackers' clock.
        code: None if it was killed.
    """

    began: datetime
    ended: datetime
    code: int | None
    said: str


@dataclass
class Played:
    """A cell that was played.

    Args:
        last: the checkout that synced last.
        held: how many requests of the first command met with the fault.
        merged: the exit code of git's merge.
    """

    cell: Cell
    team: Team
    last: Member
    held: int
    first: Ran
    second: Ran
    final: Ran
    merged: int


@dataclass
class _Started:
    """A command that runs."""

    began: datetime
    process: subprocess.Popen[str]

    def end(self, clock: Clock) -> Ran:
        try:
            said = self.process.communicate(timeout=60)[0]
        except ValueError:  # it was killed, and its output is closed
            said = ""
        code = self.process.returncode
        return Ran(self.began, clock(), code if code >= 0 else None, said)


class Field:
    """Teams in both states in which cells begin, made once and copied for each cell."""

    def __init__(self, box: Sandbox, clock: Clock, folder: Path) -> None:
        self.box, self.clock, self._folder = box, clock, folder
        self._stages = {status: self._stage(status) for status in ("completed", "active")}
        self._number = 0

    def _stage(self, status: str) -> tuple[Team, sqlite3.Connection]:
        self.box.reset()
        team = Team.meet(self.box, self._folder / status)
        config = team.laptop.root / ".unlatch" / "config.toml"
        text = config.read_text().replace("settle = 0", f"settle = {SETTLE}\npatience = 30")
        config.write_text(text)
        self.clock.advance()
        team.laptop.unlatch("sync", "--yes")
        if status == "active":
            team.laptop.unlatch("resume", "7", "--yes", "--reason", FIRST_REOPENED)
        team.laptop.push("Begin")
        team.colleague.pull()
        return team, self.box.snapshot()

    def play(self, cell: Cell) -> Played:
        team, items = self._stages[COMMANDS[cell.first].begins]
        self._number += 1
        folder = self._folder / f"{self._number}"
        self.box.restore(items)
        try:
            return _Play(cell, team.moved(folder), self.clock).run()
        finally:
            self.box.settle()

    def leave(self, played: Played) -> None:
        shutil.rmtree(played.team.folder)


def _machine(member: Member) -> Member:
    """A clone on a machine of its own, whose user lets git use the origin on this one."""
    state = member.root.parent / f"state of {member.root.name}"
    config = state.with_name("gitconfig")
    config.write_text(ALLOW_LOCAL)
    own = {"XDG_STATE_HOME": str(state), "GIT_CONFIG_GLOBAL": str(config)}
    return replace(member, extra={**member.extra, **own})


class _Play:
    def __init__(self, cell: Cell, team: Team, clock: Clock) -> None:
        self._cell, self._team, self._clock = cell, team, clock
        self._box = team.box
        self._here, self._there = _machine(team.laptop), _machine(team.colleague)

    def run(self) -> Played:
        cell = self._cell
        self._prepare()
        strike = Strike(self._box, cell.fault)
        words = ("sync", "--yes") if cell.is_announced else self._words(self._here, cell.first)
        if self._meets:
            member = self._here if cell.place == SAME else self._there
            first = self._start(self._here, words)
            strike.await_requests(first.process)
            with strike.released_after():
                second = self._run(member, self._words(member, cell.second))
            ended = first.end(self._clock)
        else:
            ended = self._run_alone(words, strike)
            self._hand_over()
            second = self._run(self._there, self._words(self._there, cell.second))
        merged, final = self._merge(), self._run(self._last, ("sync", "--yes"))
        return Played(cell, self._team, self._last, strike.held, ended, second, final, merged)

    def _run_alone(self, words: tuple[str, ...], strike: Strike) -> Ran:
        """Run the first command before the second; only what is killed needs a process."""
        if self._cell.fault == KILL:
            first = self._start(self._here, words)
            strike.await_requests(first.process)
            return first.end(self._clock)
        strike.release()
        ended = self._run(self._here, words)
        self._box.faults.clear()
        return ended

    @property
    def _meets(self) -> bool:
        """Whether the second command runs while the requests of the first are held."""
        first, _ = self._cell.commands
        is_pushed_later = self._cell.answers and first.is_sync
        return self._cell.place == SAME or (self._cell.place == CLONES and not is_pushed_later)

    @property
    def _last(self) -> Member:
        return self._there if self._cell.place in (FRESH, INTO_SECOND) else self._here

    def _prepare(self) -> None:
        """What happens before: a person's click, or the first command recorded and pushed."""
        cell = self._cell
        if COMMANDS[cell.first].is_sync:
            self._clock.advance()
            number = int(self._team.ids["github"])
            self._box.github.edit(REPOSITORY, number, state="open", by="mona")
        if cell.is_announced:
            self._here.unlatch(*self._words(self._here, cell.first), "--offline")
            self._here.push("Announce")
            if cell.place != FRESH:
                self._there.pull()

    def _hand_over(self) -> None:
        """Between the commands: what the second machine has of the first."""
        cell, first = self._cell, COMMANDS[self._cell.first]
        if cell.is_lost:
            # An effect without a record anywhere, after the next command, is like a person's.
            self._box.settle()
        if cell.place == FRESH:
            self._there = _machine(self._team.newcomer("fresh"))
        elif cell.answers and first.is_sync:
            self._here.push("Follow")
            self._there.pull()
            if cell.place != CLONES:  # else there would be nothing to merge
                self._run(self._here, ("sync", "--yes"))

    def _merge(self) -> int:
        """Merge the other clone's work into the last one's; git's exit code."""
        if self._cell.place not in (INTO_FIRST, INTO_SECOND):
            return 0
        last = self._last
        other = self._there if last is self._here else self._here
        for member in (last, other):
            member.git("add", "--all")
            member.git("commit", "--quiet", "--allow-empty", "--message", "Work")
        other.git("push", "--quiet", "origin", "HEAD:refs/heads/work")
        last.git("fetch", "--quiet", "origin")
        return last.try_git("merge", "--quiet", "--no-edit", "origin/work").code

    def _start(self, member: Member, words: tuple[str, ...]) -> _Started:
        return _Started(self._clock.advance(), member.start(*words))

    def _run(self, member: Member, words: tuple[str, ...]) -> Ran:
        """Run a command from beginning to end in this process."""
        began = self._clock.advance()
        done = member.try_unlatch(*words)
        return Ran(began, self._clock(), done.code, done.out + done.err)

    def _words(self, member: Member, name: str) -> tuple[str, ...]:
        """The whole command line of a command."""
        words = COMMANDS[name].words
        if COMMANDS[name].on_items:
            return (*words, *(member.metadata()[tracker]["url"] for tracker in TRACKERS))
        return (*words, str(self._event())) if name == "ingest" else words

    def _event(self) -> Path:
        """The webhook about the issue as it is now."""
        issue = self._box.github.issue(REPOSITORY, int(self._team.ids["github"]))
        message = {
            "action": "closed" if issue["state"] == "closed" else "reopened",
            "issue": issue,
            "repository": {"full_name": REPOSITORY},
            "sender": {"login": "mona", "type": "User"},
        }
        path = self._team.folder / "event.json"
        path.write_text(json.dumps(message))
        return path
