"""The interface of a plugin: its settings, reading and writing items, and its answers besides."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from unlatch.errors import TrackerError
from unlatch.spi.change import Change, Outcome
from unlatch.spi.history import Asked, Background, ItemHistory, NewComment
from unlatch.spi.item import CommentRef, ItemRef, Listed, RemoteItem, Snapshot
from unlatch.values import dataclass


@dataclass(frozen=True, slots=True)
class Access:
    """The rights of a credential in one place.

    Args:
        target: its name, as in `ItemRef.target` ("octo/widgets").
        rights: whether each of "read", "reopen", "comment", "label", "create" and "retract" is
            allowed; None if that cannot be determined without writing. A right that the plugin does
            not check is left out, such as that of a capability that it does not declare.
        hint: how to grant the missing rights.
    """

    target: str
    rights: Mapping[str, bool | None]
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """A problem found on a tracker, such as a mapped state that does not exist.

    Args:
        id: in kebab case.
        message: the problem.
        where: its place.
        hint: the next step.
        is_error: whether commands will fail.
    """

    id: str
    message: str
    where: str | None = None
    hint: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of checking a credential and the configuration against a tracker.

    Args:
        login: the author of comments, by the name of `RemoteItem.changed_by`; None if unknown.
        places: the configured ones, and those of the linked items, as in `ItemRef.target`.
        remarks: problems found.
    """

    login: str | None
    places: tuple[Access, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request that a change would send.

    Args:
        method: in capitals.
        url: without a query.
        what: its purpose ("set state to open", "add label reopened").
    """

    method: str
    url: str
    what: str


class Settings(Protocol):
    """The table `[trackers.NAME]`: addresses, and the names of items.

    Implemented by a frozen pydantic model with `extra="forbid"`. Doctor and the JSON Schema show
    the descriptions of its fields.
    """

    @property
    def base_url(self) -> str:
        """The address of the API; its host must be trusted.

        Where this does not say below which address targets have their names, `target_base` does: a
        fleet allows HOST/TARGET.
        """

    @property
    def target(self) -> str | None:
        """The place of new items, and their `ItemRef.target`; None if not configured."""

    def recognise(self, url: str) -> ItemRef | None:
        """The item at a pasted browser address, or None if it is not this tracker's.

        Ignores what does not name the item, such as a fragment with the id of a comment. The id
        may be in the query; the rest of it is ignored.
        """

    def locate(self, item: str, url: str | None) -> ItemRef:
        """The item of a link, by its address if known, else by its id.

        The id may have its target in front ("octo/widgets#4"), or be the name, with # for a space:
        commands accept what `name` shows. An id with another target is not that of the configured
        place.

        ConfigError: neither the address nor the configuration defines the item's place.
        """

    def name(self, ref: ItemRef) -> str:
        """The item's name for people: "octo/widgets#4", "fabrikam/widgets 101" or "SCRUM-28".

        It has one of these three forms, by which commands tell items from increments.
        """

    def allows(self, ref: ItemRef) -> bool:
        """Whether the item belongs to a configured target."""


class SyncPlugin(ABC):
    """One tracker.

    Constructed with its settings and an `unlatch.transport.Transport`. All methods may raise
    `TrackerError`; the transport raises it by the plugin's own error table. Methods are called from
    several threads at once, for different items. A method that searches or reads many raises the
    error of a request that failed, or gives it to each item; it never returns less. All times,
    passed and returned, have a time zone; `read_stamp` reads ISO 8601, and takes a time without an
    offset for UTC.
    """

    @abstractmethod
    def __init__(self, settings: Any, transport: Any) -> None: ...

    @abstractmethod
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        """Read one item, with everything that `write` needs; writes nothing.

        `change` is the change that will follow, so that one request can read all that it needs;
        None for a read alone. NotFound: the item is gone, or hidden from this credential. Moved: it
        is elsewhere.
        """

    @abstractmethod
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        """Bring an item to `change.goal`, then comment, then relabel; with a draft, rewrite it.

        Writes only differences from the snapshot; without any it sends nothing. The comment
        carries the marker of `change.op`, even if another one does: delivery searches for it
        before a write. The outcome is returned as the answers show it: delivery
        decides whether the goal was reached. A label that the tracker refuses for good does not
        end the write; `Outcome.refused` lists it. With a draft, the title and the generated part
        of the body are set; text that people wrote around that part stays, and so do the parts of
        other increments. If both are as the draft wants them, nothing is sent, and the outcome has
        `unchanged`.

        Raises:
            Conflict: the item changed since the snapshot, and nothing of this request was taken.
            UnknownOutcome: a request was sent and no trustworthy answer came.
            TrackerError: any other failure; its `done` holds the parts done (use `Progress`).
        """

    def create(self, change: Change) -> Outcome:
        """Create an item from `change.draft` in the configured target; requires CREATE.

        Its body has the text of the draft, between marks as an update writes them, and the marker
        of `change.op`. `add_labels` are its first labels. Nothing else is in the change: no goal,
        no comment, no labels to remove. ConfigError: no target is configured.
        """
        raise NotImplementedError

    @abstractmethod
    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        """The requests that `read` and `write` would send for `change`, in order.

        Reads are among them: those of the item, those that the change needs, and those that follow
        a write. Only requests whose answers are cached for longer than a run are left out.

        Decided by the same code as `write`, with a client that lists requests instead of sending
        them. It sends no writes, but may read as `write` does. An answer that only the tracker can
        give is not guessed: `what` marks it as open. The snapshot is the item as `read` returned it
        for this change; None for a create, whose requests are those of `create`.
        """

    @abstractmethod
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op` and count, oldest first.

        All comments are read: clocks differ, so no filter by time is safe. A comment counts if its
        author may write to the item; if that cannot be determined, it counts with a note. Where
        everybody may comment, a stranger's does not count.
        """

    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        """The operation that posted each comment that counts (`op_posted`), oldest first.

        A comment that only mentions or quotes a marker is not among them. Distinguishes a reopen
        by another branch from one by hand, and finds operations that were posted twice. A plugin
        that cannot distinguish them returns nothing.
        """
        _ = self, ref
        return ()

    def find_author(self, ref: ItemRef) -> str | None:
        """The person who last changed the item's state, by the name of `RemoteItem.changed_by`.

        None if unknown. Called for items that changed on the tracker, where `read` does not show
        `changed_by`.
        """
        _ = self, ref
        return None

    def sees_place(self, ref: ItemRef) -> bool:
        """Whether the credential sees the repository or project of an item.

        Then an item that `read` does not find does not exist. A TrackerError means no.
        """
        _ = self, ref
        return False

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The newest item of the target whose body carries the marker of `op`; requires CREATE.

        It is not found by title, nor by an index that lags behind. Markers count as in
        `find_comments`. `since` is the time of the intent, by a clock that may be wrong: at least
        the newest thousand items are read, and older ones back to a day before this time.
        """
        raise NotImplementedError

    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        """Ask the tracker whether it would accept the planned requests; requires APPROVE.

        Raises the error that `write` or `create` would raise.
        """
        raise NotImplementedError

    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        """Read many items in few requests, each with its own result; requires STATUS_OF_MANY.

        `change` is one of the changes that will follow; they have the same goal. An error that is
        raised means that none of them could be read.
        """
        raise NotImplementedError

    @property
    def reads_ahead(self) -> int:
        """How many items delivery reads with one `read_many` before it writes to each.

        One, the default: it reads each item right before its write. More need STATUS_OF_MANY, and
        save requests where one request reads many items with all that their writes need. A snapshot
        is then up to half a minute old when it is written. With BATCH it has no effect.
        """
        return 1

    @property
    def writes_together(self) -> int:
        """How many items one `write_many` changes at most; two hundred by default."""
        return 200

    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        """Reopen and close several different items with one request; requires BATCH.

        Each is changed completely, from the state of its snapshot, or not at all. An error that is
        raised is the result of all of them. At the end of a command's time delivery makes no
        further call, and the request of the last one is sent.

        Returns:
            The result of each, in the same order: its outcome; Conflict, if it changed meanwhile;
            UnknownOutcome, if that is unknown; or None if it was not changed and must be written
            alone, which also shows the cause.
        """
        raise NotImplementedError

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The items of the configured target, newest first; requires LIST.

        The caller may stop early, so that only needed pages are read. Empty without a target. Items
        created before `since` may be left out.
        """
        raise NotImplementedError

    def read_history(self, ref: ItemRef) -> ItemHistory:
        """Read an item's comments with markers, and its changes of state; requires HISTORY.

        Writes nothing, and lists the comments once. TrackerError: they cannot be read.
        """
        raise NotImplementedError

    def read_background(
        self, refs: Sequence[ItemRef]
    ) -> Mapping[ItemRef, Background | TrackerError]:
        """Read what many items say, and the commits that closed them; requires BACKGROUND.

        In few requests, each item with its own result. An error that is raised means that none of
        them could be read.
        """
        raise NotImplementedError

    def read_asked(self, ref: ItemRef, comment: str, groups: Sequence[str] = ()) -> "Asked | None":
        """Read a comment with its author's rights and the item's last close; requires COMMANDS.

        None if it asks for nothing, as it is gone, was edited, belongs to another item, or was not
        written by a person. Of `groups` ("team:support"), those that the author is certainly in
        are in `Asker.teams`. TrackerError: it cannot be read.
        """
        raise NotImplementedError

    def new_comments(self, since: datetime) -> "Iterator[NewComment]":
        """The comments of all configured places since a time, oldest first; requires COMMANDS.

        One request for a place and page, and none for a comment. Comments on places that are not
        configured, and those of programs, are left out where the list shows that.
        """
        raise NotImplementedError

    def acknowledge(self, ref: ItemRef, comment: str) -> None:
        """Show on a comment that its command was carried out; requires COMMANDS.

        Repeated, it changes nothing. A tracker without reactions does nothing.
        """
        raise NotImplementedError

    def present_name(self, target: str) -> str | None:
        """The configured target that had this name before, or None; requires RENAMES.

        The former name may be configured, too. Its items are then read under that name, and their
        links take the new one.
        """
        raise NotImplementedError

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Determine the rights of the credential without writing; requires EXAMINE.

        `refs` are linked items in the configured places. TrackerError: nothing could be determined.
        """
        raise NotImplementedError

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete one comment, which carries our marker; requires RETRACT.

        If it is gone already, that is a success, not NotFound. Forbidden: this credential may not
        delete it.
        """
        raise NotImplementedError
