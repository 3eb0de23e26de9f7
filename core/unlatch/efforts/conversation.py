"""A conversation: its turns, the active effort, and the efforts that are expanded in it.

A project can have several, each with a name. The state follows from the events; messages outside of
efforts are in ambient.jsonl. A conversation is locked during a turn, and all its writes go through
one pen.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from unlatch.efforts.events import (
    EVENTS,
    Activated,
    Collapsed,
    Expanded,
    Referenced,
    TurnBegan,
    TurnLogged,
)
from unlatch.efforts.limits import check_message
from unlatch.efforts.model import EFFORT_ID
from unlatch.efforts.state import State
from unlatch.efforts.transcript import Transcript
from unlatch.errors import StoreError, UsageError
from unlatch.worklog.collection import listing
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.private_folder import make_private
from unlatch.worklog.disk.safe_open import open_folder, read_file
from unlatch.worklog.event_log import parse_line
from unlatch.worklog.record import NUMBER, BadRecord, object_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from unlatch.efforts.store import EffortStore
    from unlatch.efforts.transcript import Pen

AMBIENT = "ambient.jsonl"
STATE = "conversation.json"
FOLDER = "_conversations"
# Seconds. The other process is in a turn, and waits for a model.
PATIENCE = 300.0
_MOMENT = 1.0


class Conversation:
    """One conversation over the efforts of a store; UsageError `conversation-name`.

    Args:
        on_wait: called if another process holds the lock for more than a moment.
    """

    def __init__(
        self,
        efforts: EffortStore,
        name: str = "main",
        *,
        on_wait: Callable[[], None] = lambda: None,
    ) -> None:
        if not EFFORT_ID.fullmatch(name):
            hint = "use lower-case letters, digits and hyphens"
            raise UsageError("conversation-name", f"'{name}' cannot name a conversation", hint=hint)
        folder = efforts.root / FOLDER / name
        self.efforts, self.name, self._on_wait = efforts, name, on_wait
        self.ambient = Transcript(folder, AMBIENT, efforts.author)

    @staticmethod
    def names(efforts: EffortStore) -> list[str]:
        """The names of all conversations."""
        place = efforts.root / FOLDER
        with listing(place), open_folder(place) as opened:
            return [name for name in opened.folders() if EFFORT_ID.fullmatch(name)]
        return []

    def state(self) -> State:
        """The state by the events; those of earlier turns are already folded."""
        state, place = self._kept()
        lines = self.ambient.events_from(place)
        if lines is None:  # the events of the cached state are gone
            state, lines = State(), self.ambient.events_from(0)
        return _folded(state, lines or ())

    def is_false(self) -> bool:
        """Whether the cached state differs from the events."""
        kept, place = self._kept()
        lines = self.ambient.events_from(0) or []
        sizes = accumulate(len(line) + 1 for line in lines)
        before = [line for line, end in zip(lines, sizes, strict=True) if end <= place]
        return kept != _folded(State(), before)

    def rebuild(self) -> None:
        """Rebuild the cached state from the events."""
        lines = self.ambient.events_from(0) or []
        self._keep(_folded(State(), lines), sum(len(line) + 1 for line in lines))

    def _kept(self) -> tuple[State, int]:
        """The cached state after the last turn, and the size of the events at that time."""
        with contextlib.suppress(OSError, BadRecord):
            raw = read_file(self.ambient.folder / STATE).decode(errors="replace")
            found = object_in(parse_line(raw), "")
            if (place := NUMBER.read(found.get("events"))) >= 0:
                return State.read(found.get("state")), place
        return State(), 0

    def _keep(self, state: State, events: int) -> None:
        content = json.dumps({"state": asdict(state), "events": events}).encode()
        with contextlib.suppress(StoreError):  # it is a cache
            replace_file(self.ambient.folder / STATE, content, mode=PRIVATE)

    @contextlib.contextmanager
    def lock(self) -> Iterator[Turn]:
        """Lock the conversation and finish the turn of a process that died.

        Raises:
            StoreError: `locked` if another process is in a turn for too long; as
                `Transcript.lock`.
        """
        self.efforts.prepare()
        for folder in (self.ambient.folder.parent, self.ambient.folder):
            make_private(folder)
        with self._pen() as pen:
            turn = Turn(self, pen, self.state())
            turn.log()
            yield turn
            self._keep(turn.state, pen.end())

    @contextlib.contextmanager
    def _pen(self) -> Iterator[Pen]:
        with contextlib.ExitStack() as held:
            try:
                pen = held.enter_context(self.ambient.lock(patience=_MOMENT))
            except StoreError as error:
                if error.id != "locked":
                    raise
                self._on_wait()
                pen = held.enter_context(self.ambient.lock(patience=PATIENCE))
            yield pen


def _folded(state: State, lines: Iterable[bytes]) -> State:
    for line in lines:
        if event := EVENTS.parse(line.decode(errors="replace")):
            state.apply(event)
    return state


class Turn:
    """A conversation whose lock is held."""

    def __init__(self, conversation: Conversation, pen: Pen, state: State) -> None:
        self.efforts, self.state = conversation.efforts, state
        self._pen = pen

    def begin(self, text: str) -> None:
        """Begin a turn with a message of the user, and write it durably.

        UsageError `message-too-long`: nothing is written.
        """
        check_message(text)
        author = self.efforts.author
        message = {"id": author.new_id(), "role": "user", "content": text}
        self._record(TurnBegan, message=json.dumps(message, ensure_ascii=False))
        self.activate(self._target())

    def log(self, *entries: Mapping[str, Any]) -> None:
        """Add the turn's message and further lines to the log of the active effort, or ambient."""
        message, target = self.state.message, self._target()
        if message and not self._has(target, message["id"]):
            entries = (message, *entries)
        if entries and target:
            self.efforts.transcript(target).append(*entries)
        elif entries:
            self._pen.log(*entries)
        if message:
            self._record(TurnLogged, effort=target)

    def activate(self, effort: str | None) -> None:
        if effort != self.state.active:
            self._record(Activated, effort=effort)

    def expand(self, effort: str) -> None:
        self._record(Expanded, effort=effort)

    def collapse(self, effort: str, *, automatic: bool = False) -> None:
        self._record(Collapsed, effort=effort, automatic=automatic)

    def refer(self, efforts: Iterable[str]) -> None:
        """Record that the message of this turn refers to efforts."""
        if named := tuple(efforts):
            self._record(Referenced, efforts=named)

    def _target(self) -> str | None:
        """The active effort if it takes lines; it may be concluded elsewhere, or damaged."""
        with contextlib.suppress(StoreError):
            effort = self.efforts.get(self.state.active) if self.state.active else None
            return effort.id if effort and effort.is_open else None
        return None

    def _record(self, kind: type[Any], **facts: Any) -> None:
        self.state.apply(self._pen.record(kind, **facts))

    def _has(self, target: str | None, id: str) -> bool:
        """Whether a message is already in the log: its writer may have died before the event."""
        written = self.efforts.transcript(target) if target else self._pen.transcript
        return written.has(id)
