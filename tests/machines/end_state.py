"""What a cell has to leave, by rules of its own: nothing here is from unlatch.

Items are read as the trackers keep them, records as git has them. The order of decisions about an
item is that of the tracker's events.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from tests.machines.cells import (
    CLONES,
    FIRST_REOPENED,
    FRESH,
    INTO_FIRST,
    INTO_SECOND,
    PULLED,
    SAME,
    UNDONE,
    Command,
)
from tests.machines.play import Played, Ran
from tests.machines.tracked_items import Item, read_items

_MARKER = re.compile(r"unlatch(?::op=| ref )([0-9A-HJKMNP-TV-Z]{26})")
_OURS = {"reopened", "completed"}
_DELIVERED = 0
# Also not delivered everywhere, or with a question that is left for a person.
_QUESTION = 5
_RECORDED = (_DELIVERED, 3, _QUESTION)


def problems(played: Played) -> list[str]:
    """Everything that is not as it has to be."""
    return [*_Expectation(played).problems()]


class _Expectation:
    def __init__(self, played: Played) -> None:
        self._played, self._cell = played, played.cell
        self._first, self._second = played.cell.commands
        self._items = read_items(played.team.box, played.team.ids)

    def problems(self) -> Iterator[str]:
        played = self._played
        if played.held != len(self._items):
            yield f"only {played.held} requests met with the fault"
        if played.merged:
            yield f"git merge exited with {played.merged}"
        if len(self._made) == 1 and not self._may_refuse:
            yield f"{self._cell.second} exited with {played.second.code}: {played.second.said}"
        for tracker, item in self._items.items():
            for problem in (*self._of_state(tracker, item), *self._of_comments(tracker, item)):
                yield f"{tracker}: {problem}"
        yield from self._of_files()
        yield from self._of_events()
        if played.final.code != _DELIVERED and not self._may_ask:
            yield f"the last sync exited with {played.final.code}: {played.final.said}"

    # Decisions

    @property
    def _made(self) -> list[tuple[Command, Ran]]:
        """The commands that recorded their intent; the first had, before it was struck."""
        played = self._played
        made = [(self._first, played.first)]
        if self._second.is_sync or played.second.code in _RECORDED:
            made.append((self._second, played.second))
        return made

    @property
    def _may_refuse(self) -> bool:
        """Whether the second command may find that the first came before it."""
        needs = self._second.needs
        return self._cell.place in (SAME, FRESH) and needs not in (None, self._first.leaves)

    @property
    def _may_ask(self) -> bool:
        """Whether a person has to decide: about items that were closed alone, or elsewhere."""
        is_alone = any(one.on_items and not one.opens for one, _ in self._made)
        return is_alone or (self._cell.place == CLONES and self._cell.answers)

    def _is_open(self, tracker: str, item: Item) -> bool:
        """Whether an item is open, as last decided."""
        second = self._second
        if self._is_found_open(tracker) or self._is_left(tracker):
            return True
        is_alike = second.is_sync or second.opens is self._first.opens
        if is_alike or len(self._made) == 1:
            return self._first.opens
        if not second.on_items and self._cell.place != CLONES:
            return second.opens
        return self._is_followed or item.was_open(self._played.final.began)

    @property
    def _is_followed(self) -> bool:
        """Whether the last sync let the increment follow items that were reopened alone."""
        is_alone = self._second.on_items and self._second.opens
        return is_alone and self._status == "active"

    def _is_found_open(self, tracker: str) -> bool:
        """Whether an undo takes back what followed a person, who opened the item."""
        is_undone = any(one.reason == UNDONE for one, _ in self._made)
        return is_undone and self._first.is_sync and tracker == "github"

    def _is_left(self, tracker: str) -> bool:
        """Whether an undo left the item to a person, and named it.

        A machine that did not carry the reopen out cannot know that it found the item closed.
        """
        ran, item = self._played.second, self._played.team.ids[tracker]
        is_undo = self._second.reason == UNDONE and self._cell.place != SAME
        return is_undo and ran.code == _QUESTION and f"{item} left open" in ran.said

    def _of_state(self, tracker: str, item: Item) -> Iterator[str]:
        is_open = self._is_open(tracker, item)
        if item.is_open is not is_open:
            yield "it is open" if item.is_open else "it is closed"
        label = "reopened" if is_open and not self._is_found_open(tracker) else "completed"
        if item.labels & _OURS != {label} and not self._has_other_labels(tracker):
            yield f"its labels are {sorted(item.labels)}"

    def _has_other_labels(self, tracker: str) -> bool:
        """Whether an item may keep labels of which the last checkout cannot know."""
        cell = self._cell
        # Machines that move an item in opposite ways at one moment do not see each other's labels.
        is_race = cell.place == CLONES and cell.answers
        # What followed a person died, and this checkout leaves it to the branch that it was on.
        is_half_done = cell.is_lost and self._status == "completed" and tracker == "github"
        return is_race or is_half_done or self._is_left(tracker)

    # Comments

    def _of_comments(self, tracker: str, item: Item) -> Iterator[str]:
        markers = Counter(op for text in item.comments for op in _MARKER.findall(text))
        for op, count in markers.items():
            if count > 1:
                yield f"{count} comments of {op}"
        posted = {one.reason: self._count(item, one.reason) for one, _ in self._made}
        posted[PULLED] = self._count(item, PULLED)
        if self._first.begins == "active":
            posted[FIRST_REOPENED] = self._count(item, FIRST_REOPENED)
        for reason, count in posted.items():
            least, most = self._bounds(tracker, item, reason)
            if reason == UNDONE and self._is_left(tracker):
                least = most = 0
            if not least <= count <= most:
                yield f"{count} comments with {reason!r}"
        if len(item.comments) != sum(posted.values()):
            yield f"comments: {item.comments}"

    def _count(self, item: Item, reason: str) -> int:
        return sum(reason in text for text in item.comments)

    def _bounds(self, tracker: str, item: Item, reason: str) -> tuple[int, int]:
        """The least and the most comments with a reason."""
        makers = [one for one in self._made if one[0].reason == reason]
        if reason == PULLED:
            return self._bounds_of_pull(tracker, item)
        # A reopen of an increment and one of its item alone are two where neither checkout knows of
        # the other; closes are always two.
        kinds = len({command for command, _ in makers})
        is_known = self._cell.place in (SAME, FRESH)
        most = 1 if is_known and makers and makers[0][0].opens else max(1, kinds)
        return (0 if makers and all(self._is_spared(item, *one) for one in makers) else 1), most

    def _bounds_of_pull(self, tracker: str, item: Item) -> tuple[int, int]:
        if not self._first.is_sync:
            # Between the state and the comment of a reopen that this checkout does not know, a sync
            # takes the change for a person's.
            is_elsewhere = self._cell.place not in (SAME, FRESH) and self._first.opens
            return 0, int(is_elsewhere or self._is_followed)
        if tracker == "github":
            return 0, 0  # its author knows
        others = [one.reason for one, _ in self._made if one.opens and not one.is_sync]
        return int(not any(self._count(item, reason) for reason in others)), 1

    def _is_spared(self, item: Item, command: Command, ran: Ran) -> bool:
        """Whether a command may leave an item without a comment."""
        undone = any(one.reason == UNDONE for one, _ in self._made)
        if command.opens and undone and not command.on_items:
            return True  # taken back before it got there
        if ran is self._played.second and self._may_refuse:
            return True  # the increment was there already
        is_there = item.was_ever(command.opens, ran.began, ran.ended)
        return (command.on_items or command.reason == UNDONE) and is_there

    # Records

    @cached_property
    def _records(self) -> dict[str, bytes]:
        """The metadata.json of the increment and of its items alone, by folder."""
        found = (self._played.last.root / ".unlatch").glob("*/*/metadata.json")
        return {"/".join(path.parts[-3:-1]): path.read_bytes() for path in sorted(found)}

    @property
    def _status(self) -> str | None:
        """The increment's; None if its file cannot be read."""
        (raw,) = (text for name, text in self._records.items() if name.startswith("increments/"))
        try:
            return str(json.loads(raw)["status"])
        except ValueError:
            return None

    def _of_events(self) -> Iterator[str]:
        """A log has each line once from each clone: git merges both by union."""
        most = 2 if self._cell.place in (INTO_FIRST, INTO_SECOND) else 1
        for path in (self._played.last.root / ".unlatch").glob("*/*/events.jsonl"):
            events = Counter(path.read_text().splitlines())
            if max(events.values(), default=0) > most or not all(
                json.loads(one)["event"] for one in events
            ):
                yield f"{path.parent.name}: {[*events.elements()]}"

    def _of_files(self) -> Iterator[str]:
        for name, raw in self._records.items():
            try:
                record = json.loads(raw)
            except ValueError as error:
                yield f"{name}: {error}"
                continue
            if pending := record.get("pending"):
                yield f"{name}: pending {pending}"
            ids = Counter(entry["id"] for entry in record.get("reopenHistory", []))
            if any(count > 1 for count in ids.values()):
                yield f"{name}: entries {ids}"
        if self._status not in self._statuses():
            yield f"it is {self._status}"

    def _statuses(self) -> set[str]:
        """The statuses that the increment may have in the last checkout."""
        cell = self._cell
        status = self._first.begins if cell.is_lost else self._first.leaves
        if not self._second.is_sync and cell.place != CLONES and len(self._made) == 2:
            status = status if self._second.on_items else self._second.leaves
        if any(one.on_items and one.opens for one, _ in self._made) or self._second.is_sync:
            # A sync follows an item that was reopened alone, or leaves it to its branch.
            return {status, "active" if self._first.opens or self._is_followed else status}
        return {status}
