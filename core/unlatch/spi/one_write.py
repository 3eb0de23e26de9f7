"""A base class for trackers whose items are read, changed by one request, and read back.

`write`, `create` and `plan` follow from the same methods: a plan runs them with a `Wire` that lists
writing requests in place of sending them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.errors import Rejected, TrackerError, UnknownOutcome
from unlatch.spi.change import Change, Outcome, Progress
from unlatch.spi.interface import PlannedRequest, SyncPlugin
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import requests

    from unlatch.spi.item import ItemRef, RemoteItem, Snapshot

    Parse = Callable[[requests.Response], "Parsed"]

Parsed = TypeVar("Parsed")


class Wire:
    """Sends requests with a session of the transport, and lists them.

    `parse` makes a value of the `requests.Response`, which has a status of success. An answer that
    it cannot read (ValueError, KeyError, TypeError) is an error: Rejected for a read,
    UnknownOutcome for a write. Further arguments are those of `requests`.
    """

    def __init__(self, session: requests.Session, *, sends_writes: bool = True) -> None:
        self.requests: list[PlannedRequest] = []
        self.has_written = False  # in a plan, whether it would have
        self._session = session
        self._sends_writes = sends_writes

    def read(self, url: str, what: str, parse: Parse[Parsed], **arguments: Any) -> Parsed:
        """Send a GET request, also in a plan; `what` is its purpose.

        UnknownOutcome: it failed after a write, whose effect it was to show.
        """
        self.requests.append(PlannedRequest("GET", url, what))
        try:
            return self._read(url, what, parse, **arguments)
        except TrackerError as error:
            if self.has_written and self._sends_writes:
                raise _unread(error) from error
            raise

    def _read(self, url: str, what: str, parse: Parse[Parsed], **arguments: Any) -> Parsed:
        answer = self._session.get(url, **arguments)
        try:
            return parse(answer)
        except (ValueError, KeyError, TypeError) as error:
            raise Rejected("answer-not-understood", f"cannot {what}: {error}", where=url) from error

    def write(
        self,
        method: str,
        url: str,
        what: str,
        parse: Parse[Parsed],
        *,
        expected: Parsed,
        **arguments: Any,
    ) -> Parsed:
        """Send a writing request; a plan goes on with what is `expected` of its answer."""
        self.requests.append(PlannedRequest(method, url, what))
        self.has_written = True
        if not self._sends_writes:
            return expected
        answer = self._session.request(method, url, **arguments)
        try:
            return parse(answer)
        except (ValueError, KeyError, TypeError) as error:
            message = f"{what}: the answer cannot be read: {error}"
            raise UnknownOutcome("unknown-outcome", message, where=url) from error


@dataclass(frozen=True, slots=True)
class _Read:
    """What `read` found, and how; `Snapshot.private`."""

    snapshot: Snapshot  # as the plugin returned it
    item: tuple[PlannedRequest, ...]  # that read the item
    requests: tuple[PlannedRequest, ...]  # all


class OneWritePlugin(SyncPlugin):
    """A plugin that reads an item, writes the differences, and reads it back.

    Its author writes `fetch` and `send`, `prepare` if a change needs further reads, `make` for
    CREATE, and the other methods of `SyncPlugin` that its manifest declares. `read_many` returns
    snapshots as `fetch` does.
    """

    def __init__(self, session: requests.Session) -> None:
        self._session = session

    def wire(self) -> Wire:
        """A wire for requests of other methods, such as `find_comments`."""
        return Wire(self._session)

    @abstractmethod
    def fetch(self, wire: Wire, ref: ItemRef) -> Snapshot:
        """Read one item."""

    def prepare(self, wire: Wire, snapshot: Snapshot, change: Change) -> Snapshot:
        """Read what `change` needs besides, into `Snapshot.private`; nothing if not overridden."""
        _ = self, wire, change
        return snapshot

    @abstractmethod
    def send(self, wire: Wire, snapshot: Snapshot, change: Change, done: Progress) -> None:
        """Write the differences between an item and a change, as `SyncPlugin.write` says.

        `done` gets the comment and refused labels. The item is read back after this. If there are
        several requests, `done.item` gets the item after each that changed it, because an error may
        end the next one.
        """

    def make(self, wire: Wire, change: Change) -> tuple[ItemRef, Sequence[str]]:
        """Create an item, as `SyncPlugin.create` says; returns it, and the refused labels."""
        raise NotImplementedError

    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        wire = self.wire()
        snapshot = self.fetch(wire, ref)
        item = tuple(wire.requests)
        if change is not None:
            snapshot = self.prepare(wire, snapshot, change)
        return replace(snapshot, private=_Read(snapshot, item, tuple(wire.requests)))

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        wire = self.wire()
        with Progress(snapshot.item) as done:
            self.send(wire, self._prepared(snapshot, change), change, done)
            done.unchanged = change.draft is not None and not wire.has_written
            if wire.has_written:
                done.item = self._read_back(snapshot.item.ref)
        return done.outcome

    def create(self, change: Change) -> Outcome:
        ref, refused = self.make(self.wire(), change)
        return Outcome(self._read_back(ref), refused=tuple(refused))

    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        wire = Wire(self._session, sends_writes=False)
        if snapshot is None:
            self.make(wire, change)
            place = wire.requests[-1].url
            return *wire.requests, PlannedRequest("GET", place, "read the item, by its new id")
        seen: _Read = snapshot.private
        self.send(wire, seen.snapshot, change, Progress(snapshot.item))
        return *seen.requests, *wire.requests, *(seen.item if wire.has_written else ())

    def _prepared(self, snapshot: Snapshot, change: Change) -> Snapshot:
        """A snapshot for `send`; one of `read_many` is as `fetch` returns it."""
        if isinstance(snapshot.private, _Read):
            return snapshot.private.snapshot
        return self.prepare(self.wire(), snapshot, change)

    def _read_back(self, ref: ItemRef) -> RemoteItem:
        """Read an item after a write: if that fails, the effect of the write is unknown."""
        try:
            return self.fetch(self.wire(), ref).item
        except TrackerError as error:
            raise _unread(error) from error


def _unread(error: TrackerError) -> UnknownOutcome:
    message = f"the item was written, and cannot be read: {error.message}"
    return UnknownOutcome("unknown-outcome", message, where=error.where)
