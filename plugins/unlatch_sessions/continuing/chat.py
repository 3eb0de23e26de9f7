"""Turns of a person with a chat model, recorded in a session."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.chat_model import Complete, Json, OnText, estimate
from unlatch.values import dataclass
from unlatch_sessions import changes
from unlatch_sessions.context import resume_context
from unlatch_sessions.continuing.message import context_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch_sessions.recorder import Recorder

PHASE = "Chat"
INTERRUPTED = "(The answer was interrupted.)"


@dataclass
class SessionChat:
    """A chat that continues a session.

    Args:
        session: its id.
        recorder: of the session, which is active.
        context: the context when it was resumed.
        mask: replaces probable secrets in the log sent to the model.
        budget: the largest number of tokens of the context, and of the messages so far.
    """

    session: str
    recorder: Recorder
    model: Complete
    context: str
    mask: Callable[[str], str]
    budget: int | None = None
    messages: list[Json] = field(default_factory=list)
    has_phase: bool = False

    def turn(
        self, words: str, *, on_text: OnText | None, on_logged: Callable[[], None] = lambda: None
    ) -> str:
        """Record the user's words, then send them; returns the recorded answer.

        Args:
            on_text: gets each piece of the answer as it arrives.
            on_logged: called when the words are in the session's file.

        Raises:
            UsageError: `text-missing`, or `context-budget`.
            ModelError: the session has the words, and the beginning of the answer.
            StoreError: the session was ended or paused meanwhile.
        """
        changes.check_text(words)
        request = self._request(words)
        if not self.has_phase:
            self.recorder.phase(PHASE)
        self.recorder.user(words)
        self.recorder.save()
        self.has_phase = True
        on_logged()
        answer = self._answer(request, on_text)
        self.messages = [*request, {"role": "assistant", "content": answer}]
        return answer

    def _answer(self, request: list[Json], on_text: OnText | None) -> str:
        heard: list[str] = []

        def hear(piece: str) -> None:
            heard.append(piece)
            if on_text:
                on_text(piece)

        try:
            reply = self.model(request, on_text=hear)
        except BaseException:
            if text := "".join(heard).strip():
                self._record(f"{text}\n\n{INTERRUPTED}")
            raise
        text = reply.choices[0].message.content or ""
        self._record(text, reply.usage.total_tokens if reply.usage else 0)
        return text

    def _record(self, text: str, tokens: int = 0) -> None:
        if text.strip():
            self.recorder.prose(text)
        if tokens:
            self.recorder.tokens(tokens)
        self.recorder.save()

    def _request(self, words: str) -> list[Json]:
        """The messages so far and a new one; over the budget, the log takes their place."""
        said = {"role": "user", "content": words}
        size = sum(estimate(str(message["content"])) for message in self.messages)
        if self.messages and (self.budget is None or size <= self.budget):
            return [*self.messages, said]
        if self.has_phase:
            store = self.recorder.store
            session = store.read(self.recorder.path).session
            self.context = resume_context(store, session, budget=self.budget).text
        opening = context_message(self.session, self.mask(self.context))
        return [{"role": "user", "content": f"{opening}\n{words}"}]
