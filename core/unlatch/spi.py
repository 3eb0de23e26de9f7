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
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from unlatch.domain.increment import LinkShape
from unlatch.domain.item import Category, CommentRef, ItemRef, RemoteItem
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
from unlatch.domain.render import adf, as_html, markdown, wiki

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

SPI_VERSION = 1

__all__ = [
    "SPI_VERSION",
    "Capability",
    "Category",
    "Change",
    "CommandToken",
    "CommentRef",
    "Draft",
    "EnvToken",
    "Goal",
    "ItemRef",
    "LinkShape",
    "Manifest",
    "Outcome",
    "PlannedRequest",
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
    "result_of",
    "visible",
    "wiki",
]


class Capability(StrEnum):
    """What a plugin can do. What it does not declare is not asked of it."""

    CREATE = "create"
    UPDATE = "update"
    CLOSE = "close"
    REOPEN = "reopen"
    STATUS = "status"
    # Comment and labels land in one request, so that a marker that is found proves both.
    ATOMIC_COMMENT = "atomic-comment"
    # A comment of ours can be deleted again (two clones that delivered at once converge by it).
    RETRACT = "retract"


class Scheme(StrEnum):
    """How a token is sent."""

    BEARER = "bearer"
    BASIC = "basic"


@dataclass(frozen=True, slots=True)
class EnvToken:
    """A token from the environment.

    Args:
        token: the variable that holds it.
        scheme: how it is sent.
        user: the variable that holds the user name that goes with it, if one does.
    """

    token: str
    scheme: Scheme
    user: str | None = None


@dataclass(frozen=True, slots=True)
class CommandToken:
    """A token that the vendor's own program prints.

    Args:
        argv: program and arguments; `{host}` stands for the host that the token is for.
        scheme: how it is sent.
    """

    argv: tuple[str, ...]
    scheme: Scheme


@dataclass(frozen=True, slots=True)
class Manifest:
    """What unlatch has to know of a tracker before it loads the plugin.

    Args:
        name: the plugin's name, and the tracker's in files and commands ("github").
        title: its name for people ("GitHub").
        noun: what an item is called there ("issue", "work item").
        link: the keys of its link block in metadata.json.
        synced: the keys of its entries in syncedTo.
        settings: "module:Class" of the pydantic model of `[trackers.NAME]`; see `Settings`.
        plugin: "module:Class" of the `SyncPlugin`, called with the settings and a transport.
        requires: the module of the SDK, and the extra that installs it.
        capabilities: what the plugin can do.
        tokens: where its token may come from, first match first; the keyring is asked after the
            environment and before programs.
        hosts: host names that a token may be sent to by default, "*.example.com" for subdomains.
        host_env: environment variables that name a further host, or its URL.
        label_problem: what is wrong with a label or tag, or None.
        settle: seconds that a write may still take effect after its connection ended; so long is
            waited before an item is asked whether it did.
        spi_version: the version of this interface that the plugin was written for.
    """

    name: str
    title: str
    noun: str
    link: LinkShape
    synced: LinkShape
    settings: str
    plugin: str
    requires: tuple[str, str]
    capabilities: frozenset[Capability]
    tokens: tuple[EnvToken | CommandToken, ...]
    hosts: tuple[str, ...]
    label_problem: Callable[[str], str | None]
    host_env: tuple[str, ...] = ()
    settle: float = 0.0
    spi_version: int = SPI_VERSION

    @property
    def slug(self) -> str:
        """The noun as commands spell it: `create-work-item`."""
        return self.noun.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request that a change would send.

    Args:
        method: the HTTP method.
        url: where it would go, in full, without its query.
        what: what it is for, in a few words ("set state to open", "add label reopened").
    """

    method: str
    url: str
    what: str


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

    @abstractmethod
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The item whose body carries the marker of `op`, among the newest ones of the target.

        Never by title, and never by an index that lags behind.
        """

    @abstractmethod
    def plan(
        self, item: RemoteItem, change: Change, draft: Draft | None = None
    ) -> tuple[PlannedRequest, ...]:
        """The requests that reopen_issue or close_issue would send for `change`, in order.

        Sends nothing itself; what it needs to know besides the item is in the settings, or is kept
        from reading the item. The same code decides here and there what is left to be done. What
        only the tracker's answers can tell (which transition an issue offers, a request to repeat
        in a smaller form) is not guessed: `what` says that it is open. A change that would be
        refused ends with the request whose answer it is refused for.

        Args:
            item: the item as this plugin read it a moment ago.
            draft: for update_issue, what the item shall say. What it says now is not among the
                item's facts, so the request that sets it is planned, with the words "where they
                differ".
        """

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment that carries our marker; only asked of plugins that declare RETRACT."""
        raise NotImplementedError
