"""The interface between unlatch and what it knows about one tracker.

A plugin is a distribution with an entry point in the group `unlatch.plugins` that names a
`Manifest`. The manifest is data and loads nothing; the settings and the plugin are loaded when
they are used, so that `unlatch list` never imports an SDK.

The engine decides what is to be done, in which order, and whether it was done before. A plugin
turns one request of the engine into requests to its tracker, and returns what the tracker
answered. It never writes files, prints, prompts, exits, or retries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from unlatch.domain.asked import Access, Examination, PlannedRequest, Remark
from unlatch.domain.increment import LinkShape
from unlatch.domain.item import Category, CommentRef, ItemRef, Listed, RemoteItem
from unlatch.domain.item_event import ItemEvent
from unlatch.domain.manifest import (
    SPI_VERSION,
    Capability,
    CommandToken,
    EnvToken,
    Manifest,
    Option,
    Scheme,
)
from unlatch.domain.marker import hidden, ops_in, visible
from unlatch.domain.operation import (
    Change,
    Draft,
    Goal,
    Outcome,
    Result,
    is_held_closed,
    must_move,
    result_of,
)
from unlatch.domain.render import adf, as_html, markdown, plain, wiki

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.errors import TrackerError

__all__ = [
    "SPI_VERSION",
    "Access",
    "Capability",
    "Category",
    "Change",
    "CommandToken",
    "CommentRef",
    "Draft",
    "EnvToken",
    "Examination",
    "Goal",
    "ItemEvent",
    "ItemRef",
    "LinkShape",
    "Listed",
    "Manifest",
    "Option",
    "Outcome",
    "PlannedRequest",
    "Remark",
    "RemoteItem",
    "Result",
    "Scheme",
    "Settings",
    "SyncPlugin",
    "adf",
    "as_html",
    "hidden",
    "is_held_closed",
    "markdown",
    "must_move",
    "ops_in",
    "plain",
    "result_of",
    "visible",
    "wiki",
]


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
        """Whether the item lies in a configured target."""


class SyncPlugin(ABC):
    """One tracker.

    Constructed with its settings and an `unlatch.transport.Transport`. All methods may raise
    `TrackerError`; the transport raises it by the plugin's own error table. Methods are called from
    several threads at once, for different items.
    """

    @abstractmethod
    def __init__(self, settings: Any, transport: Any) -> None: ...

    @abstractmethod
    def get_issue_status(self, ref: ItemRef) -> RemoteItem:
        """Read one item.

        Raises:
            NotFound: it is gone, or hidden from this credential.
        """

    @abstractmethod
    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Bring an item into an open state, then comment, then relabel.

        An item that is open already still gets the comment and the labels. With `change.goal`
        None the state is left alone. The comment carries the marker of `change.op`.

        Raises:
            Rejected: `deliberately-closed`, unless `change.even_if_deliberate`.
            Conflict: the item changed while it was being changed.
            UnknownOutcome: a write was sent and its answer never came.
        """

    @abstractmethod
    def close_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Bring an item into a closed state, then comment, then relabel; else as reopen_issue."""

    @abstractmethod
    def create_issue(self, draft: Draft, change: Change) -> Outcome:
        """Create an item in the configured target; its body carries the marker of `change.op`."""

    @abstractmethod
    def update_issue(self, ref: ItemRef, draft: Draft, change: Change) -> Outcome:
        """Set the title and the kept part of the body; what people wrote around it stays."""

    @abstractmethod
    def find_comments(self, ref: ItemRef, op: str, since: datetime) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, oldest first, whoever posted them.

        Args:
            since: nothing older needs to be looked at; a day of leeway is in it already.
        """

    def find_ops(self, ref: ItemRef, since: datetime) -> tuple[str, ...]:
        """The operations whose markers stand in the item's comments, oldest first.

        It tells a reopen of ours that another branch made from one that a person made by hand. A
        plugin that cannot tell them returns nothing.
        """
        _ = self, ref, since
        return ()

    @abstractmethod
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The item whose body carries the marker of `op`, among the newest ones of the target.

        Never by title, and never by an index that lags behind.
        """

    @abstractmethod
    def plan(
        self, item: RemoteItem | None, change: Change, draft: Draft | None = None
    ) -> tuple[PlannedRequest, ...]:
        """The requests that the method for `change` would send, in order.

        Sends nothing itself; what it needs to know besides the item is in the settings, or is kept
        from reading the item. The same code decides here and there what is left to be done. What
        only the tracker's answers can tell (which transition an issue offers, a request to repeat
        in a smaller form) is not guessed: `what` says that it is open. A change that would be
        refused ends with the request whose answer it is refused for.

        Args:
            item: the item as this plugin read it a moment ago; None for create_issue.
            draft: for create_issue and update_issue, what the item shall say. What it says now is
                not among the item's facts, so the request that sets it is planned, with the words
                "where they differ".
        """

    def approve(self, item: RemoteItem | None, change: Change, draft: Draft | None = None) -> None:
        """Ask the tracker whether it would take what `plan` lists, without any effect.

        Only asked of plugins that declare APPROVE.

        Raises:
            TrackerError: it would not; what the method for `change` would raise.
        """
        raise NotImplementedError

    def get_statuses(self, refs: Sequence[ItemRef]) -> Mapping[ItemRef, RemoteItem | TrackerError]:
        """Read many items in few requests; only asked of plugins that declare STATUS_OF_MANY.

        Every item has its own answer or its own error.

        Raises:
            TrackerError: none of them could be read.
        """
        raise NotImplementedError

    def change_many(
        self, wanted: Sequence[tuple[ItemRef, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        """Reopen and close many items in few requests; only asked with BATCH declared.

        Each item is changed as a whole, as it was read, or not at all. Never asked for an operation
        that may have been delivered before.

        Args:
            wanted: at most two hundred, each item once.

        Returns:
            In the same order what became of each: its outcome; Conflict, if somebody changed it
            meanwhile; UnknownOutcome, if that is not known; or None if it was not changed and is to
            be sent by itself, which also tells why.

        Raises:
            TrackerError: what became of all of them.
        """
        raise NotImplementedError

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The items of the configured target, newest first; only asked with LIST declared.

        Whoever asks stops when it has enough, so that no more pages than needed are read. None if
        no target is configured.

        Args:
            since: nothing that was made before needs to be listed; None for no limit.
        """
        raise NotImplementedError

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Find out what the credential may do, writing nothing; only asked with EXAMINE declared.

        Args:
            refs: items that are linked, in the configured places.

        Raises:
            TrackerError: nothing could be found out at all.
        """
        raise NotImplementedError

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment that carries our marker; only asked of plugins that declare RETRACT."""
        raise NotImplementedError
