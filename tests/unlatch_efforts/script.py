"""A conversation with scripted models."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unlatch.chat_model import estimate
from unlatch_efforts import llm
from unlatch_efforts.chat import Answered, Chat
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.llm import OnText, Reply, Scripted, ToolCall
from unlatch_efforts.llm import said as reply
from unlatch_efforts.memory import CEILING
from unlatch_efforts.store import EffortStore

__all__ = ["Talk", "call", "context", "reply"]


def call(name: str, /, **arguments: Any) -> ToolCall:
    """A call of a tool."""
    return llm.call(name, arguments)


def context(model: Scripted, request: int = -1) -> str:
    """All text of a request."""
    return "\n".join(str(one.get("content")) for one in model.requests[request].messages)


@dataclass
class Talk:
    """A conversation with scripted models."""

    store: EffortStore
    hits: list[dict[str, Any]] = field(default_factory=list)
    count: Callable[[str], int] = estimate
    ceiling: int = CEILING

    def __call__(
        self, text: str, *replies: Reply, name: str = "main", on_text: OnText | None = None
    ) -> tuple[Answered, Scripted]:
        """Say something; the model answers with the replies, all of them.

        ModelError `llm-script-ended`: it is asked once more.
        """
        model = Scripted(replies)
        conversation = Conversation(self.store, name)
        chat = Chat(conversation, model, lambda _: self.hits, self.count, self.ceiling)
        answered = chat.turn(text, on_text=on_text)
        assert len(model.requests) == len(replies)
        return answered, model

    def log(self, effort: str) -> list[tuple[str, str]]:
        return [(one["role"], one["content"]) for one in self.store.transcript(effort).read()]

    def ambient(self) -> list[str]:
        lines = Conversation(self.store).ambient.read()
        return [one["content"] for one in lines if one["role"] == "user"]

    def active(self, name: str = "main") -> str | None:
        return Conversation(self.store, name).state().active

    def expanded(self) -> list[str]:
        return list(Conversation(self.store).state().expanded)
