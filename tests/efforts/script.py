"""A model that answers from a script, in the shape of the OpenAI API."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from unlatch.efforts.chat import Chat
from unlatch.efforts.conversation import Conversation
from unlatch.efforts.memory import CEILING, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.efforts.chat import Answered
    from unlatch.efforts.store import EffortStore


def call(name: str, /, **arguments: Any) -> Any:
    """A call of a tool."""
    function = SimpleNamespace(name=name, arguments=json.dumps(arguments))
    return SimpleNamespace(id=f"call-{name}", function=function)


def reply(text: str | None = None, *calls: Any) -> Any:
    message = SimpleNamespace(content=text, tool_calls=list(calls) or None)
    return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")])


@dataclass
class Script:
    """Gives its replies in order, and keeps the requests; an exception is raised."""

    replies: list[Any]
    requests: list[tuple[list[dict[str, Any]], list[Any]]] = field(default_factory=list)

    def __call__(self, messages: Sequence[dict[str, Any]], tools: Sequence[Any]) -> Any:
        self.requests.append((list(messages), list(tools)))
        answer = self.replies.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def context(self, request: int = -1) -> str:
        """All text of a request."""
        return "\n".join(str(one.get("content")) for one in self.requests[request][0])


@dataclass
class Talk:
    """A conversation with scripted models."""

    store: EffortStore
    hits: list[dict[str, Any]] = field(default_factory=list)
    count: Callable[[str], int] = estimate
    ceiling: int = CEILING

    def __call__(self, text: str, *replies: Any, name: str = "main") -> tuple[Answered, Script]:
        """Say something; the model answers with the replies, all of them."""
        model = Script(list(replies))
        conversation = Conversation(self.store, name)
        chat = Chat(conversation, model, lambda _: self.hits, self.count, self.ceiling)
        answered = chat.turn(text)
        assert model.replies == []
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
