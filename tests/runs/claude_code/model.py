"""A stand-in for the API of a model, with prepared replies.

Shapes: https://docs.claude.com/en/api/messages and .../messages-streaming. It counts no tokens:
each reply says 12 in, of which 3 are cached, and 9 out.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

INPUT, OUTPUT = 12, 9
_USAGE = {"input_tokens": INPUT - 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 3}

Block = dict[str, Any]


def text(value: str) -> Block:
    return {"type": "text", "text": value}


def call(name: str, **arguments: Any) -> Block:
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}


class Model(ThreadingHTTPServer):
    """Answers with one prepared reply after another; a status instead of a block is an error.

    Attributes:
        asked: the messages of each request.
        waits: set when a request came for which there is no reply; it waits until `ends`.
    """

    daemon_threads = True

    def __init__(self, replies: Sequence[Block | int]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = iter(replies)
        self.asked: list[str] = []
        self.waits, self.ends = Event(), Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(404, b"")

    do_GET = do_HEAD  # noqa: N815  (the standard library's name)

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.path.startswith("/v1/messages?"):
            self._answer(404, b"{}")
            return
        self.server.asked.append(json.dumps(request["messages"], ensure_ascii=False))
        reply = next(self.server.replies, None)
        if reply is None:
            self.server.waits.set()
            self.server.ends.wait(60)
        elif isinstance(reply, int):
            error = {"type": "invalid_request_error", "message": "no credit"}
            self._answer(reply, json.dumps({"type": "error", "error": error}).encode())
        else:
            self._answer(200, _stream(reply), "text/event-stream")

    def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _stream(block: Block) -> bytes:
    is_text = block["type"] == "text"
    message: Block = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted"}
    message |= {"content": [], "stop_reason": None, "usage": {**_USAGE, "output_tokens": 1}}
    begin = {**block, "text": ""} if is_text else {**block, "input": {}}
    part = {"type": "text_delta", "text": block["text"]} if is_text else _arguments(block)
    stop = "end_turn" if is_text else "tool_use"
    events: list[Block] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": begin},
        {"type": "content_block_delta", "index": 0, "delta": part},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": OUTPUT},
        },
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


def _arguments(block: Block) -> Block:
    return {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


@contextmanager
def serving(*replies: Block | int) -> Iterator[Model]:
    """Serve replies on a free port."""
    with Model(replies) as model:
        thread = Thread(target=model.serve_forever, daemon=True)
        thread.start()
        try:
            yield model
        finally:
            model.ends.set()
            model.shutdown()
            thread.join()
