"""A model that gives prepared replies, for tests, examples and guides."""

from __future__ import annotations

import json
import re
from collections import deque
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from unlatch.chat_model import Function, Json, Message, OnText, Reply, ToolCall
from unlatch.errors import ModelError
from unlatch.values import dataclass
from unlatch.worklog.json_text import load_json
from unlatch_efforts.llm.assembly import Assembly, InvalidAnswer, new_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


_WORD = re.compile(r"\s*\S+\s*$|\s*\S+|\s+")


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the model."""

    messages: tuple[Json, ...]
    tools: tuple[Json, ...]


def said(text: str | None, *calls: ToolCall) -> Reply:
    """A reply with text, calls, or both."""
    return Reply.of(Message(text, calls))


def call(name: str, arguments: Json | str = "", *, call_id: str = "") -> ToolCall:
    """A tool call; arguments given as text are unchanged, so that they can be invalid."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(call_id or new_id(), Function(name, text or "{}"))


class Scripted:
    """Gives the replies in order, and records the requests.

    A request beyond the last reply raises ModelError `llm-script-ended`.
    """

    def __init__(self, replies: Iterable[Reply]) -> None:
        self._replies = deque(replies)
        self.requests: list[Request] = []

    @classmethod
    def from_file(cls, path: Path) -> Scripted:
        """The model of a JSON file, which is a list of replies.

        A reply is a text, or an object with `content` and `tool_calls`, each of them with `name`
        and `arguments`. ModelError `llm-script-invalid`: it is none.
        """
        try:
            listed = load_json(path.read_bytes())
            if not isinstance(listed, list):
                raise InvalidAnswer("it is not a list")
            return cls([_reply(reply) for reply in listed])
        except (OSError, ValueError) as error:
            message = f"the script cannot be read: {error}"
            hint = 'write a list of replies: ["Hello.", {"tool_calls": [{"name": "..."}]}]'
            raise ModelError("llm-script-invalid", message, where=str(path), hint=hint) from error

    def __call__(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, on_text: OnText | None = None
    ) -> Reply:
        """The next reply, its text word by word; see `port.Complete`."""
        self.requests.append(Request(tuple(deepcopy(messages)), tuple(deepcopy(tools))))
        if not self._replies:
            message = f"the script has no reply to request {len(self.requests)}"
            raise ModelError("llm-script-ended", message, hint="add a reply to the script")
        reply = self._replies.popleft()
        if on_text is not None:
            for word in _WORD.findall(reply.choices[0].message.content or ""):
                on_text(word)
        return reply


def _reply(value: Any) -> Reply:
    """A reply in a script, read like a server's answer."""
    if not isinstance(value, (str, dict)):
        raise InvalidAnswer("a reply is neither a text nor an object")
    message: dict[str, Any] = {"content": value} if isinstance(value, str) else dict(value)
    calls = message.get("tool_calls", [])
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise InvalidAnswer("tool_calls are not a list of objects")
    message["tool_calls"] = [{"function": call, **call} for call in calls]
    assembly = Assembly(None)
    assembly.add({"choices": [{"message": message}]})
    return assembly.reply()
