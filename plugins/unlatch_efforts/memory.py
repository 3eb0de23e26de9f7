"""The context for a model: bounded, with the active effort last.

Only the system prompt has the role of the system. Summaries and logs come from people, models and
tools, so they are the content of a user message that names their source.
"""

from __future__ import annotations

from dataclasses import field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from unlatch.chat_model import estimate
from unlatch.related.highlights import highlights
from unlatch.values import dataclass
from unlatch_efforts.transcript import SEPARATOR, Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from unlatch_efforts.conversation import Conversation
    from unlatch_efforts.effort_model import Effort
    from unlatch_efforts.state import State

# Turns without a reference until an expanded effort is collapsed, and until a summary is dropped.
COLLAPSE_AFTER, EVICT_AFTER = 3, 20
# Ambient exchanges: a message of the user, and the answers to it.
WINDOW = 10
# Tokens; and the overhead of each message, which providers count too.
CEILING, _AROUND = 24_000, 4
# The maximum share of the remaining tokens for one part.
_TURN, _ACTIVE, _HIGHLIGHTS, _SUMMARIES, _AMBIENT, _EXPANDED = 0.7, 0.6, 0.3, 0.4, 0.5, 0.8
_REOPENED = 0.3
_STANDING, _NOTE = 500, 150
# Bytes at the end of a log for each token of the ceiling; JSON and ids take some of them.
_TAIL = 8
_CUT = " [... cut ...]"
# Members of a message that servers require.
_NEEDED = frozenset({"role", "tool_call_id"})
_PLAIN = frozenset({"user", "assistant"})

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChatContext:
    """The messages for a model, and their tokens; `cut` names the parts that did not fit."""

    messages: tuple[Message, ...]
    tokens: int
    cut: tuple[str, ...] = ()


def system_prompt() -> str:
    """The text that explains efforts and their tools to a model."""
    return files("unlatch_efforts").joinpath("prompts/system.md").read_text(encoding="utf-8")


def build(
    conversation: Conversation,
    state: State,
    turn: Sequence[Message],
    *,
    candidates: Sequence[Effort] = (),
    hint: str = "",
    count: Callable[[str], int] = estimate,
    ceiling: int = CEILING,
    is_shared: bool = False,
) -> ChatContext:
    """The context of a turn, with at most `ceiling` tokens.

    Args:
        turn: the messages of this turn, not logged yet: the user's, replies and results.
        candidates: the concluded efforts that the user's message resembles.
        hint: what fits the user's message.
        count: the tokens of a text.
        is_shared: whether others may have written the logs, whose messages are then records only.
    """
    return _Builder(conversation, state, count, ceiling, is_shared).build(turn, candidates, hint)


@dataclass(slots=True)
class _Builder:
    conversation: Conversation
    state: State
    count: Callable[[str], int]
    ceiling: int
    is_shared: bool = False
    cut: list[str] = field(default_factory=list)
    left: int = 0

    def build(
        self, turn: Sequence[Message], candidates: Sequence[Effort], hint: str
    ) -> ChatContext:
        ceiling = self.left = self.ceiling
        every = self.conversation.efforts.all()
        system = {"role": "system", "content": system_prompt()}
        standing = self._shortened(self._standing(every), _STANDING)
        self.left -= self._size(system) + self._size(standing) + _NOTE
        now = [
            *self._candidates(candidates),
            *self._hint(hint),
            *self._turn(turn),
        ]
        # Why open work was taken up again is in every request; older messages are not.
        reopened = self._reopened(every)
        active = self._active(
            next((effort for effort in every if effort.id == self.state.active), None)
        )
        summaries, ambient = self._summaries(every), self._ambient()
        logs = self._other_logs(every)
        older = [*summaries, *ambient, *logs, *active]
        while True:
            parts = [system, standing, *self._note(), *reopened, *older, *now]
            tokens = sum(map(self._size, parts))
            if tokens <= ceiling or not older:
                return ChatContext(tuple(_merged(parts)), tokens, tuple(self.cut))
            older.pop(0)
            self.cut[:0] = [] if "older messages" in self.cut else ["older messages"]

    @property
    def reach(self) -> int:
        return self.ceiling * _TAIL

    def _turn(self, messages: Sequence[Message]) -> list[Message]:
        """All messages of the turn, shortened if needed."""
        room = int(self.left * _TURN)
        if sum(map(self._size, messages)) > room:
            share = room // len(messages)
            messages = [self._shortened(message, share) for message in messages]
            self.cut.append("parts of this turn's messages")
        self.left -= sum(map(self._size, messages))
        return list(messages)

    def _candidates(self, efforts: Sequence[Effort]) -> list[Message]:
        if not efforts:
            return []
        texts = [
            f"- {effort.id}: {effort.summary or '(no summary)'}"
            + (f"; reopened for: {effort.reopens[-1].reason}" if effort.reopens else "")
            for effort in efforts
        ]
        (message,) = self._memory(
            "Concluded efforts that the next message resembles:\n" + "\n".join(map(_quoted, texts))
        )
        message = self._shortened(message, _STANDING)
        self.left -= self._size(message)
        return [message]

    def _hint(self, hint: str) -> list[Message]:
        """What fits a message.

        Small models know the rules of the system prompt only if they stand beside the message too.
        """
        if not hint:
            return []
        message = {"role": "user", "content": f"[hint] {hint}"}
        self.left -= self._size(message)
        return [message]

    def _note(self) -> list[Message]:
        if not self.cut:
            return []
        (note,) = self._memory(f"Not in this context: {'; '.join(self.cut)}.")
        return [self._shortened(note, _NOTE)]

    def _other_logs(self, efforts: Iterable[Effort]) -> list[Message]:
        expanded = [
            effort for effort in efforts if effort.id in self.state.expanded and not effort.is_open
        ]
        background = [
            effort for effort in efforts if effort.is_open and effort.id != self.state.active
        ]
        logs = [self._whole_log(effort, "expanded, read only") for effort in expanded]
        logs += [self._whole_log(effort, "open in the background") for effort in background]
        return [message for log in logs for message in log]

    def _standing(self, efforts: Iterable[Effort]) -> Message:
        """The open efforts, as data: their ids may come from a clone."""
        open_ = [effort.id for effort in efforts if effort.is_open]
        active = self.state.active or "none (messages are ambient)"
        (standing,) = self._memory(
            f"Active effort: {active}. Open efforts: {', '.join(open_) or 'none'}."
        )
        return standing

    def _reopened(self, efforts: Iterable[Effort]) -> list[Message]:
        """The last reason, and the summary, of each reopened effort; the active one is first."""
        again = [effort for effort in efforts if effort.is_open and effort.reopens]
        again.sort(key=lambda effort: effort.id != self.state.active)
        lines = []
        for effort in again:
            reason = effort.reopens[-1].reason or "(no reason)"
            text = f"- {effort.id} was reopened: {reason}"
            if effort.summary:
                text += f"\n  Its summary before: {effort.summary}"
            lines.append({"content": _quoted(text)})
        room = int(self.left * _REOPENED)
        lines[:1] = [self._shortened(line, room) for line in lines[:1]]
        kept = self._newest("reopened efforts", lines[::-1], _REOPENED)[::-1]
        text = "\n".join(line["content"] for line in kept)
        return self._memory(f"Reopened efforts:\n{text}") if kept else []

    def _summaries(self, efforts: Iterable[Effort]) -> list[Message]:
        closed = [
            effort
            for effort in efforts
            if not effort.is_open and effort.id not in self.state.expanded
        ]
        fresh = [effort for effort in closed if self.state.idle(effort.id) <= EVICT_AFTER]
        texts = [f"- {effort.id}: {effort.summary or '(no summary)'}" for effort in fresh]
        lines = [{"content": _quoted(text)} for text in texts]
        kept = self._newest("", lines[::-1], _SUMMARIES)[::-1]
        if missing := len(closed) - len(kept):
            self.cut.append(f"{missing} summaries of concluded efforts (search_efforts finds them)")
        text = "\n".join(line["content"] for line in kept)
        return self._memory(f"Concluded efforts:\n{text}") if kept else []

    def _ambient(self) -> list[Message]:
        messages = self._spoken(self.conversation.ambient, "ambient messages")
        starts = [at for at, message in enumerate(messages) if message["role"] == "user"][-WINDOW:]
        window = self._records(messages[starts[0] :] if starts else [])
        return self._newest("ambient messages", window, _AMBIENT)

    def _active(self, effort: Effort | None) -> list[Message]:
        if effort is None:
            return []
        transcript = self.conversation.efforts.transcript(effort.id)
        head = []
        if effort.reopens:
            quotes = [
                {"content": _quoted(f"- line {highlight.line}, {highlight.kind}: {highlight.text}")}
                for highlight in highlights(transcript.numbered())
            ]
            kept = self._newest(f"highlights of {effort.id}", quotes, _HIGHLIGHTS)
            text = "\n".join(line["content"] for line in kept)
            head = self._memory(f"From the log of {effort.id}, verbatim:\n{text}") if kept else []
        name = f"messages of {effort.id}"
        spoken = self._records(self._spoken(transcript, name))
        return head + self._newest(name, spoken, _ACTIVE)

    def _records(self, messages: Sequence[Message]) -> list[Message]:
        """The messages of a log; quoted where they need not be this user's."""
        if not self.is_shared:
            return [*messages]
        texts = (
            f"Said by the {message['role']}:\n{_quoted(message['content'])}" for message in messages
        )
        return [record for text in texts for record in self._memory(text)]

    def _whole_log(self, effort: Effort, how: str) -> list[Message]:
        """The end of the log of an inactive effort, as one message."""
        name = f"messages of {effort.id}"
        spoken = self._spoken(self.conversation.efforts.transcript(effort.id), name)
        lines = [
            {"content": _quoted(f"{message['role']}: {message['content']}")} for message in spoken
        ]
        kept = self._newest(name, lines, _EXPANDED)
        text = "\n".join(line["content"] for line in kept)
        return self._memory(f"Log of {effort.id} ({how}):\n{text}") if kept else []

    def _spoken(self, transcript: Transcript, name: str) -> list[Message]:
        """The messages at the end of a log."""
        entries, is_whole = transcript.tail(self.reach)
        if not is_whole:
            self.cut.append(f"older {name}")
        return list(filter(None, map(self._spoken_one, entries)))

    def _spoken_one(self, entry: Message) -> Message | None:
        """A message of a user or an assistant, or the separator of a reopen; no call of a tool."""
        role, content = entry.get("role"), entry.get("content")
        if not isinstance(content, str) or not content:
            return None
        if role == "system" and content == SEPARATOR:
            (separator,) = self._memory(SEPARATOR)
            return separator
        return {"role": role, "content": content} if role in _PLAIN else None

    def _newest(self, name: str, messages: Sequence[Message], share: float) -> list[Message]:
        """The last messages that fit into a share of the remaining tokens."""
        room, kept = int(self.left * share), []
        for message in reversed(messages):
            size = self._size(message)
            if size > room:
                break
            kept.append(message)
            room, self.left = room - size, self.left - size
        if name and len(kept) < len(messages):
            self.cut.append(f"{len(messages) - len(kept)} earlier {name}")
        return kept[::-1]

    def _shortened(self, message: Message, room: int) -> Message:
        if self._size(message) <= room:
            return message
        text = message.get("content") or ""
        if self._size({**message, "content": _CUT}) > room:
            message = _without_arguments(message)
        while text and self._size({**message, "content": text + _CUT}) > room:
            text = text[: len(text) * 3 // 4]
        return {**message, "content": text + _CUT}

    def _size(self, message: Message) -> int:
        rest = {key: value for key, value in message.items() if key not in {"role", "content"}}
        return self.count((message.get("content") or "") + (str(rest) if rest else "")) + _AROUND

    def _memory(self, text: str) -> list[Message]:
        return [{"role": "user", "content": f"[memory] {text}"}]


def _without_arguments(message: Message) -> Message:
    """A message without the arguments of its calls, and without reasoning."""
    texts = {
        key: "" for key, value in message.items() if isinstance(value, str) and key not in _NEEDED
    }
    calls = [
        {**call, "function": {**call["function"], "arguments": "{}"}}
        for call in message.get("tool_calls", ())
    ]
    return {**message, **texts, **({"tool_calls": calls} if calls else {})}


def _quoted(text: str) -> str:
    """Quoted lines, of which none looks like the end of the quote."""
    return "\n".join(f"> {line}" for line in text.splitlines())


def _merged(messages: Iterable[Message]) -> list[Message]:
    """Messages with alternating roles, as some providers require; tool calls stay separate."""
    merged: list[Message] = []
    for message in messages:
        last = merged[-1] if merged else {}
        is_plain = message["role"] in _PLAIN and not {"tool_calls"} & (message.keys() | last.keys())
        if is_plain and message["role"] == last.get("role"):
            merged[-1] = {**last, "content": f"{last['content']}\n\n{message['content']}"}
        else:
            merged.append(message)
    return merged
