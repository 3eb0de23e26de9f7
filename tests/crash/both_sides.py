"""People edit both sides at random while syncs run and die; at rest both sides agree.

    python -m tests.crash.both_sides [--examples N] [--steps N] [--random]

Three increments, two of which share an issue. People open, close, drop, label, rename and comment
on items, between and during syncs; resume, complete and abandon increments, edit their files, link
and unlink items; syncs have policies drawn by chance, meet faults, die at a random boundary, and
run in a second clone. Whenever all rest, a policy that decides is set: after three syncs at most
both sides agree, and one more does nothing. Prints one JSON document.
"""

import os
from collections import Counter
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from tests.crash.acts import ANYTHING, FAILURES, INCREMENT, arguments_of
from tests.crash.at_rest import FINISHED, AtRest
from tests.crash.boundaries import die
from tests.crash.lives import Life, live
from tests.crash.people import Item, click, remember
from tests.crash.shared_project import (
    INCREMENTS,
    OPEN_TASKS,
    TRACKERS,
    Ran,
    SharedProject,
    be_hasty,
)

from unlatch_merge.outcome import Side

MOST_SYNCS = 3
# People who see to what sync tells them; so often it may take them.
MOST_CARES = 4
STATISTICS: Counter[str] = Counter()


class BothSides(Life):
    """The life of three increments and nine items."""

    @initialize(active=st.sets(INCREMENT))
    def begin(self, active: set[str]) -> None:
        """Completed and active increments, their items seen in step."""
        self.project = SharedProject.begin(self.stage, self.begin_next())
        self.items = self.project.items()
        self.owed: set[tuple[str, str]] = set()
        self.words = self.unsettled = 0
        self.excused: set[str] = set()
        self.is_even = True
        for item in self.items.values():
            self._click(item, "label")
        self._sync(self.project)
        for increment in sorted(active):
            self.project.run(*self._command("resume", increment))

    @rule(what=ANYTHING.flatmap(lambda name: st.tuples(st.just(name), arguments_of(name))))
    def happen(self, what: tuple[str, dict[str, Any]]) -> None:
        """Any of the acts below."""
        name, given = what
        getattr(self, name)(**given)
        self._excuse(merged=name == "work_in_two_clones")

    # What unlatch does

    def _sync(self, project: SharedProject, *flags: str) -> Ran:
        return project.run("sync", "--max-items", "99", "--yes", "--by", "Dana", *flags)

    def _note(self, *projects: SharedProject) -> None:
        """Remember the operations with a reason for each item."""
        self.unsettled += 1
        for project in projects or (self.project,):
            for name in INCREMENTS:
                data = project.metadata(name)
                reasons = {entry["id"] for entry in data.get("reopenHistory", [])}
                self.owed |= {
                    (one["op"], one["item"])
                    for one in data.get("pending", [])
                    if (one["op"] in reasons or "reason" in one) and not _is_silent(one)
                }

    def _excuse(self, *, merged: bool) -> None:
        """Remember the items to be closed before another increment with them was resumed."""
        data = {name: self.project.metadata(name) for name in INCREMENTS}
        needed = {
            url
            for name in INCREMENTS
            for url in self.project.links(name)
            if data[name]["status"] not in FINISHED and self.project.is_shared(name, url)
        }
        closing = {
            one["item"]
            for name in INCREMENTS
            for one in data[name].get("pending", [])
            if one["kind"] == "close"
        }
        self.excused |= needed if merged else needed & closing

    def _command(self, what: str, increment: str) -> list[str]:
        self.words += 1
        verb, _, more = what.partition("-")
        typed = [verb, increment, "--by", "Dana"]
        if verb != "pause":
            typed += ["--reason", f"reason {self.words}."]
        if verb == "resume":
            typed += ["--yes", *(["--reopen-items"] if more else [])]
        return [*typed, "--force"] if verb == "complete" else typed

    def command(self, what: str, increment: str, how: str | int) -> None:
        """As unlatch resume, complete, abandon and pause."""
        STATISTICS["commands"] += 1
        typed = self._command(what, increment)
        if isinstance(how, int):
            STATISTICS["deaths"] += self.project.run_struck(how, die, *typed)
        else:
            self.project.run(
                *typed, *(["--offline"] if how == "offline" and what != "pause" else [])
            )
        self._note()

    def sync(self, policies: dict[str, dict[str, str]], at: int | None, force: bool) -> None:
        """As unlatch sync, under any policy."""
        STATISTICS["syncs"] += 1
        self.project.configure(_tables(policies))
        if at is None:
            self._sync(self.project, *(["--force"] if force else []))
        else:
            STATISTICS["deaths"] += self.project.run_struck(
                at, die, "sync", "--max-items", "99", "--yes"
            )
        self._note()

    def click_amid_a_sync(
        self, place: tuple[str, str], act: str, at: int, policies: dict[str, dict[str, str]]
    ) -> None:
        """A person clicks while a sync runs."""
        item, clicked = self._item(place), self.project.root / "clicked"

        def strike(_name: str) -> None:
            click(self.stage, item, act)
            os.close(os.open(clicked, os.O_CREAT))

        self.project.configure(_tables(policies))
        self.project.run_struck(at, strike, "sync", "--max-items", "99", "--yes")
        if clicked.exists():
            clicked.unlink()
            remember(item, act)
            STATISTICS["clicks amid syncs"] += 1
        self._note()

    def work_in_two_clones(
        self,
        ours: list[tuple[str, str]],
        theirs: list[tuple[str, str]],
        policies: dict[str, dict[str, str]],
        take: Side,
    ) -> None:
        """A colleague works in another clone; then both are merged."""
        STATISTICS["merges"] += 1
        self.project.configure(_tables(policies))
        base = {name: self.project.path(name).read_bytes() for name in INCREMENTS}
        there = self.project.clone()
        for clone, acts in ((there, theirs), (self.project, ours)):
            for what, increment in acts:
                if what == "sync":
                    STATISTICS["syncs"] += 1
                    self._sync(clone)
                else:
                    STATISTICS["commands"] += 1
                    clone.run(*self._command(what, increment))
                self._note(clone)
        self.project.merge(base, there, take)

    # What people do

    def _item(self, place: tuple[str, str]) -> Item:
        """The item that an increment has there, or had at first."""
        increment, tracker = place
        linked = [
            url for url in self.project.links(increment) if self.items[url].tracker == tracker
        ]
        return self.items[linked[0] if linked else self.project.urls[place]]

    def click(self, place: tuple[str, str], act: str) -> None:
        """On a tracker."""
        STATISTICS["clicks"] += 1
        self._click(self._item(place), act)
        self.unsettled += 1

    def _click(self, item: Item, act: str) -> None:
        click(self.stage, item, act)
        remember(item, act)

    def click_alone(
        self,
        increment: str,
        closings: dict[str, str],
        command_first: bool,
        at: int | None,
        conflict: str,
    ) -> None:
        """Nothing else changes any more, so that the increment and all its items must follow."""
        if self.unsettled or not self.is_even:
            self.rest(conflict, "both")
        if command_first:
            what = "resume" if self._status(increment) == "completed" else "complete"
            if self.project.run(*self._command(what, increment)).code != 0:
                return
            self._note()
        before = self._status(increment)
        acts = {tracker: "open" if before in FINISHED else act for tracker, act in closings.items()}
        clicked = [act for tracker, act in acts.items() if self._click_own(increment, tracker, act)]
        if at is not None:
            self.project.configure(_deciding(conflict))
            STATISTICS["deaths"] += self.project.run_struck(at, die, "sync", "--yes", "--force")
        self.rest(conflict, "both")
        if clicked and before in ("active", "completed", "abandoned"):
            STATISTICS["clicks that were followed"] += 1
            apart = len(set(clicked)) > 1 and conflict == "local"
            closes = apart is (before in FINISHED)
            assert (self._status(increment) in FINISHED) is closes, (before, clicked, conflict)

    def _status(self, increment: str) -> str:
        return str(self.project.metadata(increment)["status"])

    def _click_own(self, increment: str, tracker: str, act: str) -> bool:
        """Click on an item that is this increment's alone, and in step with it."""
        item = self._item((increment, tracker))
        block = self.project.links(increment).get(item.url, {})
        is_own = not self.project.is_shared(increment, item.url)
        is_open = self.stage.pages()[item.url]["open"]
        fits = "base" in block and is_own and is_open is (act != "open")
        if fits:
            self._click(item, act)
        return fits

    def edit(self, increment: str, status: str) -> None:
        """In an editor: the status alone, as SpecWeave and its agents do."""
        STATISTICS["edits"] += 1
        self.project.edit_status(increment, status)
        self.unsettled += 1

    def plan_tasks(self, increment: str, left: bool) -> None:
        """In tasks.md."""
        self.project.path(increment, "tasks.md").write_text(OPEN_TASKS if left else "# Tasks\n")

    def tie_or_cut(self, increment: str, of: tuple[str, str], foreign: int) -> None:
        """As unlatch link and unlink."""
        url = self.project.urls[of if foreign == 0 else (increment, of[1])]
        if url in self.project.links(increment):
            self._cut(increment, url)
        elif len(self.project.links(increment)) < len(TRACKERS) + 1:
            self.project.run("link", increment, url, "--by", "Dana")
        STATISTICS["ties"] += 1
        self._note()

    def _cut(self, increment: str, url: str) -> None:
        for one in self.project.metadata(increment).get("pending", []):
            self.owed.discard((one["op"], one["item"]) if one["item"] == url else ("", ""))
        self.project.run("unlink", increment, url, "--by", "Dana")

    def forget(self) -> None:
        """Local state may be deleted at any time."""
        self.project.forget_local()

    def fault(self, tracker: str, kind: str, after: int) -> None:
        """Something goes wrong with a request that is yet to come."""
        STATISTICS["faults"] += 1
        options = FAILURES[kind]
        self.stage.fault(tracker=tracker, kind=kind, after=after, **options)

    # What has to be true

    def rest(self, conflict: str, direction: str) -> None:
        """Without further edits, sync decides by itself, and people follow its instructions."""
        STATISTICS["rests"] += 1
        self.unsettled = 0
        self.stage.calm()
        self.is_even = direction == "both"
        self.project.configure(_deciding(conflict, direction))
        flags = ["--force"]
        for _ in range(MOST_CARES):
            if not self._care(self._synced(*flags), flags):
                break
        rested = AtRest(self.project, self.items, self.owed, self.excused, both=self.is_even)
        wrong = rested.wrong()
        assert not wrong, "\n".join(wrong)
        STATISTICS.update(rested.counts)

    def _synced(self, *flags: str) -> Ran:
        """Sync until nothing happens; it must not take long."""
        for turn in range(MOST_SYNCS + 1):
            before = self.project.tree()
            self.stage.writes()
            ran = self._sync(self.project, *flags)
            self._note()
            sent = self.stage.writes()
            if (sent, self.project.tree()) == ([], before):
                STATISTICS[f"calm after {turn}"] += 1
                self.unsettled = 0
                return ran
        raise AssertionError(f"never calm: {sent}, {ran.document}")

    def _care(self, ran: Ran, flags: list[str]) -> bool:
        """Follow the instructions of sync; returns whether there were any."""
        parked = [
            (name, one.get("cause"))
            for name in INCREMENTS
            for one in self.project.metadata(name).get("pending", [])
        ]
        refused = [one for one in ran.document["moves"] if one["error"]]
        for one in refused:
            assert one["error"]["id"] == "transition-refused", one
            STATISTICS["taken up first"] += 1
            self.project.run(*self._command("resume", one["increment"]), "--offline")
        if parked and "--even-if-not-planned" not in flags:
            assert {cause for _, cause in parked} == {"deliberately-closed"}, (parked, ran)
            STATISTICS["reopened on purpose"] += 1
            flags.append("--even-if-not-planned")
            return True
        return bool(refused)

    def teardown(self) -> None:
        """The end of a life."""
        if hasattr(self, "owed"):
            self.rest("remote" if self.words % 2 else "local", "both")


def _is_silent(pending: dict[str, Any]) -> bool:
    """Whether it only labels an item that a person has reopened."""
    return bool(pending.get("options", {}).get("comment") == "none")


def _deciding(conflict: str, direction: str = "both") -> str:
    policy = {"direction": direction, "conflict": conflict, "on_close": "follow"}
    return _tables(dict.fromkeys(TRACKERS, policy))


def _tables(policies: dict[str, dict[str, str]]) -> str:
    tables = []
    for tracker, policy in policies.items():
        tables += [f"[sync.trackers.{tracker}]", *(f'{k} = "{v}"' for k, v in policy.items())]
    return "\n".join([*tables, ""])


if __name__ == "__main__":
    be_hasty()
    live(BothSides, STATISTICS, __doc__)
