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

from unlatch.errors import StoreError, UsageError
from unlatch.worklog.collection import listing
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.private_folder import make_private
from unlatch.worklog.disk.safe_open import open_folder, read_file
from unlatch.worklog.json_text import json_object
from unlatch.worklog.record import NUMBER, BadRecord
from unlatch.worklog.times import stamp
from unlatch_efforts.effort_model import EFFORT_ID, Effort
from unlatch_efforts.events import (
    EVENTS,
    Activated,
    Collapsed,
    Expanded,
    Referenced,
    TurnBegan,
    TurnLogged,
    TurnSaid,
)
from unlatch_efforts.limits import check_message
from unlatch_efforts.state import State
from unlatch_efforts.transcript import Pen, Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from unlatch_efforts.store import EffortStore

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
            fields = json_object(raw)
            if (place := NUMBER.read(fields.get("events"))) >= 0:
                return State.read(fields.get("state")), place
        return State(), 0

    def _keep(self, state: State, events: int) -> None:
        content = json.dumps({"state": asdict(state), "events": events}).encode()
        with contextlib.suppress(StoreError):  # it is a cache
            replace_file(self.ambient.folder / STATE, content, mode=PRIVATE)

    @contextlib.contextmanager
    def lock(self) -> Iterator[Turn]:
        """Lock the conversation and finish the turn of a process that died.

        Raises:
            StoreError: `locked` if another process is in a turn for too long;
                `not-writable` or `effort-damaged`.
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
        self._record(TurnBegan, message=self._line({"role": "user", "content": text}))
        active = self._effort(self.state.active)
        self.activate(active.id if active and active.is_open else None)

    def say(self, *entries: Mapping[str, Any]) -> None:
        """Write more lines of the turn durably."""
        if entries:
            self._record(TurnSaid, said=tuple(map(self._line, entries)))

    def log(self) -> str | None:
        """Move the turn to one log: that of the effort in which it ends, or the ambient one.

        Returns the effort. A process may have died after it had written some of the lines.
        """
        if not self.state.said:
            return None
        home, was_left = self._effort(self.state.home), self.state.home != self.state.active
        # The turn itself concluded the one that it left; another may be concluded elsewhere.
        target = home.id if home and (home.is_open or was_left) else None
        if target:
            with self.efforts.transcript(target).lock() as pen:
                self._move(pen)
        else:
            self._move(self._pen)
        self._record(TurnLogged, effort=target)
        return target

    def _move(self, pen: Pen) -> None:
        logged = pen.transcript.having(line["id"] for line in self.state.said)
        if lines := [line for line in self.state.said if line["id"] not in logged]:
            pen.log(*lines)

    def activate(self, effort: str | None, *, follows: bool = False) -> None:
        """Make an effort the active one, and the turn its own.

        Args:
            follows: the active one was concluded, and the turn stays that one's.
        """
        if effort != self.state.active or (effort != self.state.home and not follows):
            self._record(Activated, effort=effort, follows=follows)

    def expand(self, effort: str) -> None:
        self._record(Expanded, effort=effort)

    def collapse(self, effort: str, *, automatic: bool = False) -> None:
        self._record(Collapsed, effort=effort, automatic=automatic)

    def refer(self, efforts: Iterable[str]) -> None:
        """Record that the message of this turn refers to efforts."""
        if named := tuple(efforts):
            self._record(Referenced, efforts=named)

    def _effort(self, id: str | None) -> Effort | None:
        """An effort, which may be damaged."""
        with contextlib.suppress(StoreError):
            return self.efforts.get(id) if id else None
        return None

    def _line(self, entry: Mapping[str, Any]) -> str:
        author = self.efforts.author
        facts = {"ts": stamp(author.clock()), "id": author.new_id()}
        return json.dumps({**facts, **entry}, ensure_ascii=False)

    def _record(self, kind: type[Any], **facts: Any) -> None:
        self.state.apply(self._pen.record(kind, **facts))
