"""Comments that were posted twice, as by two clones at once.

Of the comments of one operation the earliest that counts stays. A later one is deleted if this
account posted it, nobody has changed it, and the one that stays has the same text: the ids of
operations can be computed by strangers, and a person may quote a comment with its marker.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from unlatch.errors import TrackerError, UnlatchError
from unlatch.increments.files.paths import EVENTS
from unlatch.increments.records.links import identity, link_of
from unlatch.patterns import pattern
from unlatch.spi import Capability
from unlatch.spi.operation import Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.trackers import Trackers
    from unlatch.spi import CommentRef, ItemRef

# A delivery is looked at again for so long: clones that posted at once have ended by then.
RECENT = timedelta(hours=1)
# Two checkouts that made the same operation name their users and times.
_AUTHOR = pattern(r"\b[Bb]y [^\n]{1,200}?, (?=\d{4}-\d\d-\d\d \d\d:\d\d UTC)")
_TIME = pattern(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The comments of one operation on one item, if there are several.

    Args:
        name: the item's name for people.
        notes: what happened to each comment but the first.
        left: the number of comments beside the first that stay.
    """

    op: str
    name: str
    notes: tuple[str, ...]
    left: int


def delete_duplicates(
    trackers: Trackers, ref: ItemRef, op: str, *, posted: str | None = None
) -> tuple[str, ...]:
    """Delete the later comments of an operation; returns notes about those that stay.

    Args:
        posted: the id of the comment that this run has posted, if known.

    Raises:
        UnlatchError: the comments cannot be listed.
    """
    if Capability.RETRACT not in trackers.registry.manifest(ref.tracker).capabilities:
        return ()
    comments = trackers.open(ref.tracker).find_comments(ref, op)
    return _delete_later(trackers, ref, comments, posted=posted)


def _delete_later(
    trackers: Trackers, ref: ItemRef, comments: Sequence[CommentRef], *, posted: str | None = None
) -> tuple[str, ...]:
    notes = []
    for comment in comments[1:]:
        why = _reason_to_keep(comments[0], comment, posted=posted)
        if why is None:
            why = _retract(trackers, ref, comment)
        if why is not None:
            notes.append(f"the comment was posted twice; {comment.id} stays: {why}")
    return tuple(notes)


def _reason_to_keep(first: CommentRef, other: CommentRef, *, posted: str | None) -> str | None:
    if not (other.own or other.id == posted):
        return "another account posted it"
    if other.touched:
        return "it was edited or answered"
    if other.visibility != first.visibility:
        return "not everybody sees the first one"
    if _comparable(other.text) != _comparable(first.text):
        return "its text differs from the first one"
    return None


def _comparable(text: str) -> str:
    return " ".join(_TIME.sub("", _AUTHOR.sub("", text)).split())


def _retract(trackers: Trackers, ref: ItemRef, comment: CommentRef) -> str | None:
    try:
        trackers.open(ref.tracker).retract_comment(ref, comment)
    except TrackerError as error:
        return error.message
    return None


def was_delivered_lately(increment: Increment, now: datetime) -> bool:
    """Whether the comment of an operation was delivered within the last hour."""
    with suppress(UnlatchError):  # what reads its history reports why that is not possible
        return any(recent_deliveries(increment, now))
    return False


def recent_deliveries(increment: Increment, now: datetime) -> Iterator[tuple[str, Link]]:
    """The operations whose comments were delivered lately, each with its item, each once."""
    if not _was_logged_lately(increment.folder, now):
        return
    from unlatch.increments.records.events import Delivered, read_events  # noqa: PLC0415  (slow to load)

    links: dict[tuple[str, tuple[str, str]], Link] = {}
    for event in read_events(increment.folder):
        if isinstance(event, Delivered) and event.commented and event.kind != Kind.CREATE:
            link = link_of(increment, event)
            if now - event.at <= RECENT:
                links[event.op, identity(link)] = link
    for (op, _), link in links.items():
        yield op, link


def _was_logged_lately(folder: Path, now: datetime) -> bool:
    """Whether its log may have an event of the last hour: most logs need not be read."""
    try:
        modified = (folder / EVENTS).lstat().st_mtime
    except OSError:
        return False
    return now.timestamp() - modified <= RECENT.total_seconds()


def check_recent(
    trackers: Trackers,
    increments: Iterable[Increment],
    *,
    now: datetime,
    apart: Collection[str] = (),
    delete: bool,
) -> tuple[Duplicates, ...]:
    """Look for comments that were posted twice within the last hour; one request an item.

    An item that cannot be read is left to the comparison, which reports it.

    Args:
        apart: operations that this command has delivered.
        delete: whether to delete them, or only to count.
    """
    ops: dict[tuple[str, str], list[str]] = defaultdict(list)
    links: dict[tuple[str, str], Link] = {}
    for increment in increments:
        with suppress(UnlatchError):
            for op, link in recent_deliveries(increment, now):
                if op not in apart:
                    links[identity(link)] = link
                    ops[identity(link)].append(op)
    duplicates: list[Duplicates] = []
    for item, link in links.items():
        with suppress(UnlatchError):
            duplicates += _look(trackers, link, ops[item], delete=delete)
    return tuple(duplicates)


def _look(
    trackers: Trackers, link: Link, ops: Sequence[str], *, delete: bool
) -> Iterator[Duplicates]:
    ref = trackers.locate(link)
    plugin, name = trackers.open(ref.tracker), trackers.settings(ref.tracker).name(ref)
    if len(ops) > 1:
        posted = Counter(plugin.find_ops(ref))
        # A plugin that cannot tell them apart returns none.
        ops = [op for op in ops if posted[op] > 1 or not posted]
    can_delete = Capability.RETRACT in trackers.registry.manifest(ref.tracker).capabilities
    for op in ops:
        comments = plugin.find_comments(ref, op)
        if len(comments) < 2:  # noqa: PLR2004  (a second one)
            continue
        if delete and can_delete:
            notes = _delete_later(trackers, ref, comments)
        else:
            notes = tuple(f"the comment was posted twice: {other.id}" for other in comments[1:])
        yield Duplicates(op, name, notes, len(notes))
