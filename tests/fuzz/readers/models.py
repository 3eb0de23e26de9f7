"""The answers of chat models, whole or as a stream."""

import io
import json
from contextlib import suppress
from unittest.mock import patch

import requests
import urllib3
from requests.adapters import HTTPAdapter
from tests.fuzz.target import Target

from unlatch.chat_model import Reply
from unlatch.errors import ModelError
from unlatch.transport import TransportOptions
from unlatch_efforts.llm.chat_completions import ChatCompletions

_STATUSES = {b"1": 400, b"2": 401, b"3": 429}
_CALL = {"id": "a", "type": "function", "function": {"name": "search", "arguments": "{}"}}
_USAGE = {"prompt_tokens": 12, "completion_tokens": 3}
_WHOLE = {"choices": [{"message": {"content": "Hello", "tool_calls": [_CALL]}}], "usage": _USAGE}
_PIECES = (
    {"choices": [{"delta": {"role": "assistant", "content": "Hel"}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": 0, **_CALL}]}}]},
    {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": _USAGE},
)


def _read(data: bytes) -> Reply | None:
    """The reply in a body, behind a line that chooses the status and whether it is a stream."""
    head, _, content = data.partition(b"\n")
    status = _STATUSES.get(head[:1], 200)

    def send(_: HTTPAdapter, request: requests.PreparedRequest, **__: object) -> requests.Response:
        body = urllib3.HTTPResponse(io.BytesIO(content), status=status, preload_content=False)
        return HTTPAdapter().build_response(request, body)

    model = ChatCompletions(
        "https://models.example.com/v1",
        model="small",
        credential=None,
        config="config.toml",
        options=TransportOptions(max_wait=0),
    )
    with patch.object(HTTPAdapter, "send", send), suppress(ModelError):
        return model([], on_text=(lambda _: None) if head[1:] == b"s" else None)
    return None


def _seeds() -> list[bytes]:
    events = "".join(f"data: {json.dumps(piece)}\n\n" for piece in _PIECES)
    whole = json.dumps(_WHOLE)
    refused = json.dumps({"error": {"message": "too long", "code": "context_length_exceeded"}})
    texts = f"0\n{whole}", f"0s\n{events}data: [DONE]\n\n", f"1\n{refused}"
    return [text.encode() for text in texts]


TARGETS = {
    "model": Target(
        _read,
        _seeds,
        lambda reply: reply is not None and len(reply.choices[0].message.tool_calls) > 1,
    )
}
