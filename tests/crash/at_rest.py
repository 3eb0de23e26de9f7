"""The invariants of a project and its items once both sides are at rest."""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from tests.crash.people import Item, lost
from tests.crash.shared_project import INCREMENTS, SharedProject

from unlatch.increments.model.status import Status
from unlatch.increments.records.events import read_events

SCHEMAS = Path(__file__).parents[2] / "schemas"
FINISHED = {"completed", "abandoned"}
# What may stay apart: nobody has seen it in step, nobody may follow, or others have a say in it.
_APART = ("no sync is on record", "belongs to several", "is pushed there", "is pulled from there")


class AtRest:
    """A look at everything.

    Args:
        items: every item with the traces of people.
        owed: all operations with a reason for each item: (operation, item).
        excused: items that may be closed although an increment needs them.
        both: whether the policy lets either side follow the other.
    """

    def __init__(
        self,
        project: SharedProject,
        items: dict[str, Item],
        owed: Collection[tuple[str, str]],
        excused: Collection[str],
        *,
        both: bool,
    ) -> None:
        self._project, self._items, self._owed, self._both = project, items, owed, both
        self._excused = excused
        self._pages = project.stage.pages()
        self._marked = project.marked()
        self._check = project.run("sync", "--check")
        self.counts: Counter[str] = Counter()

    def wrong(self) -> list[str]:
        """Everything that is not as it should be."""
        return [
            *(
                f"{url}: {one}"
                for url, item in self._items.items()
                for one in self._lost(url, item)
            ),
            *self._comments(),
            *(f"{name}: {one}" for name in INCREMENTS for one in self._apart(name)),
            *(f"{name}: {one}" for name in INCREMENTS for one in self._files(name)),
            *self._gate(),
            *self._needed(),
        ]

    def _lost(self, url: str, item: Item) -> Iterator[str]:
        self.counts["people's labels"] += len(item.labels)
        return lost(item, self._pages[url])

    def _comments(self) -> Iterator[str]:
        for url, marked in self._marked.items():
            self.counts["comments"] += len(marked)
            yield from (f"{url}: {op} is told {n} times" for op, n in marked.items() if n > 1)
        spared = {one for name in INCREMENTS for one in self._spared(name)}
        self.counts["comments spared"] += len(spared)
        for op, url in self._owed:
            if self._marked[url][op] != 1 and (op, url) not in spared:
                yield f"{url}: {op} was pending, and is not posted once"
        for name in INCREMENTS:
            for event in self._project.events(name):
                told = event["event"] == "delivered" and event["commented"]
                if told and self._marked[event["item"]][event["op"]] != 1:
                    yield f"{event['item']}: {event['op']} was delivered, and is not told once"

    def _spared(self, name: str) -> Iterator[tuple[str, str]]:
        """Operations without a comment, since a person had closed the item as not to be done.

        They left the item alone, or were blocked until the increment moved on.
        """
        blocked: set[tuple[str, str]] = set()
        for event in self._project.events(name):
            is_silent = event["event"] == "delivered" and not event["commented"]
            was_kept = is_silent and event["result"] == "state-kept"
            # A sync's own close has no reason to post where another increment needs the item.
            if was_kept and event["before"]["category"] == "dropped":
                yield event["op"], event["item"]
            elif event["event"] == "delivered":
                blocked.discard((event["op"], event["item"]))
            elif event["event"] == "parked" and event["cause"] == "deliberately-closed":
                blocked.add((event["op"], event["item"]))
            elif event["event"] == "transitioned":
                yield from blocked

    def _apart(self, name: str) -> Iterator[str]:
        """Links whose two sides differ, and should not."""
        here = self._project.metadata(name)["status"] in FINISHED
        for url, block in self._project.links(name).items():
            self.counts["links"] += 1
            differs = here is self._pages[url]["open"]
            shared = self._project.is_shared(name, url)
            if "base" not in block or shared or not self._both:
                self.counts[
                    "links shared"
                    if shared
                    else "links left alone"
                    if not self._both
                    else "links never in step"
                ] += 1
                why = self._why(name, url)
                if differs and not any(
                    one in why for one in (*_APART, "unfinished increment", "unchanged since")
                ):
                    yield f"{url} differs, and nobody says why: {why!r}"
            elif differs and "unchanged since" in self._why(name, url):
                # An abandoned increment was taken up without its items.
                self.counts["links left apart"] += 1
            elif differs:
                yield f"{url} is {self._pages[url]['state']}: {self._why(name, url)!r}, {block}"
            else:
                self.counts["links in step"] += 1

    def _needed(self) -> Iterator[str]:
        """Items that are closed, although an increment needs them and no person closed them."""
        for name in INCREMENTS:
            if self._project.metadata(name)["status"] in FINISHED:
                continue
            for url, block in self._project.links(name).items():
                closed = not self._pages[url]["open"] and url not in self._excused
                apart = "unchanged since" in self._why(name, url)
                held = not self._items[url].was_closed and not apart
                if closed and "base" in block and held and self._both:
                    yield f"{url} is closed, and {name} needs it: {self._why(name, url)!r}"

    def _why(self, name: str, url: str) -> str:
        found = self._check.document["compared"]
        said = (
            f"{one['verdict']}: {one['why']}"
            for one in found
            if one["increment"] == name and one["url"] == url
        )
        return next(said, "nothing")

    def _gate(self) -> Iterator[str]:
        compared = self._check.document["compared"]
        allowed = [one for one in compared if any(why in one["why"] for why in _APART)]
        adrift = [one for one in compared if one not in allowed and one["verdict"] != "expected"]
        if adrift or self._check.document["moves"]:
            yield f"sync --check finds {adrift}, {self._check.document['moves']}"
        drifts = any(one["verdict"] == "drift" for one in allowed)
        if self._check.code != (5 if drifts else 0):
            yield f"sync --check ends with {self._check.code}: {compared}"
        self.counts["gates passed"] += self._check.code == 0

    def _files(self, name: str) -> Iterator[str]:
        data, events = self._project.metadata(name), self._project.events(name)
        yield from (f"metadata.json: {e.message}" for e in _validator("metadata").iter_errors(data))
        for event in events:
            yield from (f"{event}: {e.message}" for e in _validator("event").iter_errors(event))
        if "pending" in data:
            yield f"pending: {data['pending']}"
        ids = [entry["id"] for entry in data.get("reopenHistory", [])]
        told = Counter(event["id"] for event in events)
        if len(set(ids)) != len(ids):
            yield f"reopenHistory: {ids}"
        yield from (f"event {one} stands {n} times" for one, n in told.items() if n > 1)
        increment = self._project.workspace.manager.read(name)
        # What a death kept from being written is derived from metadata.json.
        known = {event.id for event in read_events(increment.folder, increment.reopens)}
        yield from (f"reopen {one} has no event" for one in ids if one not in known)
        yield from self._moves(events, ids)

    def _moves(self, events: list[dict[str, Any]], ids: list[str]) -> Iterator[str]:
        for event in events:
            if event["event"] == "reopened" and event["id"] not in ids:
                yield f"event {event['id']} tells of no reopen"
            if event["event"] == "transitioned":
                before, after = Status(event["from"]), Status(event["to"])
                if not before.can_become(after):
                    yield f"event {event['id']} moves from {before} to {after}"
        delivered = [(e["op"], e["item"]) for e in events if e["event"] == "delivered"]
        # A clone that finishes what another delivered meanwhile notes that, too.
        self.counts["deliveries"] += len(set(delivered))
        self.counts["reopens"] += len(ids)


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
