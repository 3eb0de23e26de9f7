"""Comments that were posted twice, as by two clones at once.

Of the comments of one operation the earliest that counts stays. A later one is deleted if this
account posted it, nobody has changed it, and the one that stays has the same text: the ids of
operations can be computed by strangers, and a person may quote a comment with its marker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.errors import TrackerError, UnlatchError
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import identity, link_of
from unlatch.patterns import pattern
from unlatch.spi import Capability
from unlatch.spi.operation import Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from unlatch.increments.model.increment import Increment, Link
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


def recent_deliveries(increment: Increment, now: datetime) -> Iterator[tuple[str, Link]]:
    """The operations whose comments were delivered lately, each with its item, each once."""
    if increment.last_activity is not None and now - increment.last_activity > RECENT:
        return
    found: dict[tuple[str, tuple[str, str]], Link] = {}
    for event in read_events(increment.folder):
        if isinstance(event, Delivered) and event.commented and event.kind != Kind.CREATE:
            link = link_of(increment, event)
            if now - event.at <= RECENT:
                found[event.op, identity(link)] = link
    for (op, _), link in found.items():
        yield op, link


def check_recent(
    trackers: Trackers,
    increments: Iterable[Increment],
    *,
    now: datetime,
    apart: Collection[str] = (),
    delete: bool,
) -> tuple[Duplicates, ...]:
    """Look for comments that were posted twice within the last hour; one request an operation.

    An item that cannot be read is left to the comparison, which reports it.

    Args:
        apart: operations that this command has delivered.
        delete: whether to delete them, or only to count.
    """
    found = []
    for increment in increments:
        for op, link in recent_deliveries(increment, now):
            if op in apart:
                continue
            try:
                if duplicates := _look(trackers, link, op, delete=delete):
                    found.append(duplicates)
            except UnlatchError:
                continue
    return tuple(found)


def _look(trackers: Trackers, link: Link, op: str, *, delete: bool) -> Duplicates | None:
    ref = trackers.locate(link)
    comments = trackers.open(ref.tracker).find_comments(ref, op)
    if len(comments) < 2:  # noqa: PLR2004  (a second one)
        return None
    name = trackers.settings(ref.tracker).name(ref)
    can_delete = Capability.RETRACT in trackers.registry.manifest(ref.tracker).capabilities
    if delete and can_delete:
        notes = _delete_later(trackers, ref, comments)
    else:
        notes = tuple(f"the comment was posted twice: {other.id}" for other in comments[1:])
    return Duplicates(op, name, notes, len(notes))
