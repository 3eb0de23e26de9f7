"""What unlatch asks of a tracker's plugin: its settings, and reading and writing its items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.errors import TrackerError
    from unlatch.spi.inspection import Examination, PlannedRequest
    from unlatch.spi.item import CommentRef, ItemRef, Listed, RemoteItem, Snapshot
    from unlatch.spi.operation import Change, Outcome


class Settings(Protocol):
    """What `[trackers.NAME]` holds: where requests go and what items are called.

    Implemented by a frozen pydantic model with `extra="forbid"`. Its fields are documented by their
    descriptions, which doctor and the JSON Schema show.
    """

    @property
    def base_url(self) -> str:
        """Where requests go; its host must be trusted."""

    @property
    def target(self) -> str | None:
        """Where new items go ("octo/widgets"); None if nothing is configured."""

    def recognise(self, url: str) -> ItemRef | None:
        """The item that a pasted browser address means, or None if it is not one of ours."""

    def locate(self, item: str, url: str | None) -> ItemRef:
        """The item that a link means, by its address if there is one, else by its id.

        Raises:
            ConfigError: no address is known and the configuration does not say where it would be.
        """

    def name(self, ref: ItemRef) -> str:
        """How people call the item: "octo/widgets#4", "fabrikam/widgets 101", "SCRUM-28"."""

    def allows(self, ref: ItemRef) -> bool:
        """Whether the item belongs to a configured target."""


class SyncPlugin(ABC):
    """One tracker.

    Constructed with its settings and an `unlatch.transport.Transport`. All methods may raise
    `TrackerError`; the transport raises it by the plugin's own error table. Methods are called from
    several threads at once, for different items.
    """

    @abstractmethod
    def __init__(self, settings: Any, transport: Any) -> None: ...

    @abstractmethod
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        """Read one item, with everything that `write` needs to know; writes nothing.

        Args:
            change: what is about to be asked of the item, so that one request can read whatever
                that takes; None if it is only looked at.

        Raises:
            NotFound: it is gone, or hidden from this credential.
            Moved: it is elsewhere.
        """

    @abstractmethod
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        """Bring an item to `change.goal`, then comment, then relabel; with a draft, rewrite it.

        Writes only what differs from the snapshot; with nothing to do it sends nothing. The
        comment carries the marker of `change.op`. What the answers show is returned as it is:
        delivery judges whether the goal was reached. A label that the tracker refuses for good
        does not end the write; it is named in `Outcome.refused`. With a draft, title and the kept
        part of the body are set; what people wrote around that part stays.

        Raises:
            Conflict: the item changed since the snapshot, and nothing of this request was taken.
            UnknownOutcome: a request was sent and no trustworthy answer came.
            TrackerError: anything else; parts done before are in its `done` (use `Progress`).
        """

    def create(self, change: Change) -> Outcome:
        """Create an item from `change.draft` in the configured target; asked only with CREATE.

        Its body carries the marker of `change.op`. `add_labels` are its first labels; the other
        parts of the change are empty.
        """
        raise NotImplementedError

    @abstractmethod
    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        """The requests that `read` and `write` would send for `change`, in order.

        Decided by the same code as `write`, with a client that lists requests in place of sending
        them. Sends no write; may read what `write` would read before it decides. An answer that
        only the tracker can give is not guessed: `what` says that it is open.

        Args:
            snapshot: the item as `read` returned it for this change; None for a create.
        """

    @abstractmethod
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op` and count, oldest first.

        All comments are looked through: clocks differ, so no filter by time is safe. A comment
        counts if its author may write to the item; where that cannot be determined it counts with
        a note. Where anybody may comment, a stranger's does not count.
        """

    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        """The operations whose markers stand in comments that count, oldest first.

        Tells a reopen of ours that another branch made from one that a person made by hand. A
        plugin that cannot tell them apart returns nothing.
        """
        _ = self, ref
        return ()

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The item whose body carries the marker of `op`, among the newest ones of the target.

        Never by title, and never by an index that lags behind. Whether a marker counts is decided
        as in `find_comments`. Asked only with CREATE.

        Args:
            since: when the intent was made, by a clock that may be wrong: at least the newest
                thousand items are looked through, and older ones back to a day before this time.
        """
        raise NotImplementedError

    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        """Ask the tracker whether it would take what `plan` lists; asked only with APPROVE.

        Raises:
            TrackerError: it would not; what `write` or `create` would raise.
        """
        raise NotImplementedError

    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        """Read many items in few requests; asked only with STATUS_OF_MANY.

        Every item has its own answer or its own error.

        Args:
            change: one of the changes that are about to be asked of them; they have the same goal.

        Raises:
            TrackerError: none of them could be read.
        """
        raise NotImplementedError

    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        """Reopen and close many items in few requests; asked only with BATCH.

        Each item is changed as a whole, as its snapshot has it, or not at all.

        Args:
            wanted: at most two hundred, each item once.

        Returns:
            In the same order, the result of each: its outcome; Conflict, if it changed meanwhile;
            UnknownOutcome, if that is not known; or None if it was not changed and has to be
            written by itself, which also shows why.

        Raises:
            TrackerError: the result of all of them.
        """
        raise NotImplementedError

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The items of the configured target, newest first; asked only with LIST.

        The caller stops when it has enough, so that no more pages than needed are read. Nothing if
        no target is configured.

        Args:
            since: nothing that was created before needs to be listed; None for no limit.
        """
        raise NotImplementedError

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Find out what the credential may do, writing nothing; asked only with EXAMINE.

        Args:
            refs: items that are linked, in the configured places.

        Raises:
            TrackerError: nothing could be found out at all.
        """
        raise NotImplementedError

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment that carries our marker; asked only with RETRACT.

        One that is gone already is success.

        Raises:
            Forbidden: this credential may not delete it.
        """
        raise NotImplementedError
