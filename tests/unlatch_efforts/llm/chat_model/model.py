"""A stand-in for a server with OpenAI's Chat Completions API, which answers from a script.

It tests how a program talks with a model, not how a model decides.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, Self

from flask import Flask, Response, request
from tests.unlatch_efforts.llm.chat_model.checks import checked, refuse
from tests.unlatch_efforts.llm.chat_model.script import Cut, Failure, chunks, document, message_of

from unlatch_sandbox.answers import new_app, reply
from unlatch_sandbox.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Entry = str | Mapping[str, Any] | Cut | Failure

# By an estimate without a vocabulary.
_CHARACTERS = 4


class ChatModel:
    """A model that gives prepared replies over HTTP, between start and stop.

    A reply is a text, or an object with `content` and `tool_calls`, each with `name` and
    `arguments` (an object, or a text that is sent unchanged). A request after the last reply gets
    501.

    Args:
        replies: in the order of the requests; more can be added with `add`.
        name: the model's name; another one is unknown.
        key: the required key; None for a server without keys.
    """

    def __init__(
        self,
        replies: Iterable[Entry] = (),
        *,
        name: str = "scripted",
        key: str | None = "sandbox-key",
        port: int = 0,
    ) -> None:
        self.name = name
        self.key = key
        # The bodies of the requests answered from the script.
        self.requests: list[dict[str, Any]] = []
        self._replies = deque(replies)
        self._lock = threading.Lock()
        self._port = port

    def add(self, *replies: Entry) -> None:
        """Add replies to the script."""
        with self._lock:
            self._replies.extend(replies)

    @property
    def base_url(self) -> str:
        """The address for the configuration of a client."""
        return f"{self._server.url}/v1"

    def __enter__(self) -> Self:
        self._server = Server(self._port)
        self._server.serve(self._app())
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    def _app(self) -> Flask:
        app = new_app("chat-model")
        app.add_url_rule("/v1/chat/completions", view_func=self._complete, methods=["POST"])
        app.add_url_rule("/v1/models", view_func=self._list, methods=["GET"])
        return app

    def _list(self) -> Response:
        self._authenticate()
        return reply({"object": "list", "data": [{"id": self.name, "object": "model"}]})

    def _complete(self) -> Response:
        self._authenticate()
        body = checked(request.get_json(force=True, silent=True), self.name)
        entry, number = self._next(body)
        if isinstance(entry, Failure):
            refusal = refuse(entry.message, status=entry.status).response()
            refusal.headers.update(entry.headers)
            return refusal
        message = message_of(entry.reply if isinstance(entry, Cut) else entry, number)
        usage = _usage(body["messages"], message)
        if not body.get("stream"):
            return reply(document(message, model=self.name, usage=usage))
        wants_usage = (body.get("stream_options") or {}).get("include_usage")
        data = chunks(message, model=self.name, usage=usage if wants_usage else None)
        events = _cut(data, entry.after) if isinstance(entry, Cut) else _events(data)
        return Response(events, content_type="text/event-stream")

    def _authenticate(self) -> None:
        if self.key is not None and request.headers.get("Authorization") != f"Bearer {self.key}":
            message = "Incorrect API key provided."
            raise refuse(message, status=401, code="invalid_api_key")

    def _next(self, body: dict[str, Any]) -> tuple[Entry, int]:
        with self._lock:
            self.requests.append(body)
            number = len(self.requests)
            if self._replies:
                return self._replies.popleft(), number
        raise refuse(f"the script has no reply to request {number}", status=501)


def _events(data: Iterable[dict[str, Any]]) -> Iterator[str]:
    for one in data:
        yield f"data: {json.dumps(one)}\n\n"
    yield "data: [DONE]\n\n"


def _cut(data: Iterable[dict[str, Any]], after: int) -> Iterator[str]:
    for _, one in zip(range(after), _events(data), strict=False):
        yield one


def _usage(messages: list[dict[str, Any]], message: dict[str, Any]) -> dict[str, int]:
    prompt, completion = (-(-len(json.dumps(part)) // _CHARACTERS) for part in (messages, message))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
