"""The port for chat models: a function that sends messages and tools and returns the reply.

Those that talk with a model call it, and a package brings its adapters: it registers a function
like `open_model` by an entry point of the group `unlatch.chat_models`, by the name of the provider.
Messages and tools are JSON as in OpenAI's Chat Completions API, and a reply has the attributes of
the responses of `openai` and `litellm`: `reply.choices[0].message.tool_calls[0].function.name`
(platform.openai.com/docs/api-reference/chat).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from unlatch.errors import PluginBroken
from unlatch.values import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.config.tables import LlmConfig
    from unlatch.transport.breaker import TransportOptions

_GROUP = "unlatch.chat_models"

Json = Mapping[str, Any]
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Function:
    """The function of a call."""

    name: str
    # As the model wrote them: usually a JSON object, but a model makes mistakes. "{}" for none.
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model; the tool message with its result has the same id."""

    id: str  # unique in the reply
    function: Function
    type: str = "function"
    # Members that the server requires back with the call, such as Gemini's thought signature.
    extra: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """The message of the assistant: text, calls, or both."""

    content: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    role: str = "assistant"
    # Members that the server requires back with the message, such as DeepSeek's reasoning.
    extra: Json = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The message for the next request."""
        message: dict[str, Any] = {"role": self.role, "content": self.content or ""}
        if self.tool_calls:
            # Only with calls: without them, DeepSeek ignores its reasoning, and others refuse it.
            message |= self.extra
            message["tool_calls"] = [_call_as_json(call) for call in self.tool_calls]
        return message


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the replies; each request is for one."""

    message: Message
    # For display only: servers send "stop" with calls, and "length" for a cut text.
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a model."""

    choices: tuple[Choice, ...]
    usage: Usage | None = None
    model: str = ""  # as the server names it

    @classmethod
    def of(cls, message: Message) -> Reply:
        """A reply with one message."""
        return cls((Choice(message),))


class Complete(Protocol):
    """Sends messages to a model.

    `on_text` gets each piece of text as it arrives; with it, the reply is streamed. Only unanswered
    requests are repeated. Raises ModelError; an exception of `on_text` ends the request.
    """

    def __call__(
        self,
        messages: Sequence[Json],
        tools: Sequence[Json] = (),
        *,
        on_text: OnText | None = None,
    ) -> Reply: ...


def _call_as_json(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.function.name, "arguments": call.function.arguments}
    return {"id": call.id, "type": call.type, "function": function, **call.extra}


def estimate(text: str) -> int:
    """The tokens of a text, as four characters each."""
    return -(-len(text) // 4)


def open_model(
    config: LlmConfig, *, environ: Mapping[str, str], where: Path, options: TransportOptions
) -> Complete:
    """The configured model; nothing is sent.

    `where` is the user's own configuration, for errors. The time-outs in `options` are replaced by
    the configured one, except that for connecting.

    ModelError: `llm-unconfigured`, `llm-extra-missing`; ModelUnauthorised: `llm-key-missing`;
    UnlatchError: the key or the address cannot be used, or the package of the provider is broken.
    """
    from unlatch.worklog.entry_points import entry_points  # noqa: PLC0415  (only to open one)

    target = entry_points(_GROUP)[config.provider]
    module, _, attribute = target.partition(":")
    try:
        opener = getattr(import_module(module), attribute)
    except Exception as error:
        message = f"the chat models of '{config.provider}' cannot be loaded: {error}"
        raise PluginBroken("plugin-broken", message, where=target) from error
    model: Complete = opener(config, environ=environ, where=where, options=options)
    return model
