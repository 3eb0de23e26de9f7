"""A stand-in for the API of a model, with prepared replies."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Event, Thread
from typing import Any

from tests.coding_agents.wires import WIRES, WITHOUT_TOOLS, Block

_CALLS = count(1)


def text(value: str) -> Block:
    return {"type": "text", "text": value}


def call(name: str, **arguments: Any) -> Block:
    return {"type": "tool_use", "id": f"toolu_{next(_CALLS)}", "name": name, "input": arguments}


class Model(ThreadingHTTPServer):
    """Answers with one prepared reply after another; a status instead of a block is an error.

    Attributes:
        reply_to: chooses the reply to the messages of a request; None to let it wait until `ends`.
        aside: the reply to a request that offers no tools, such as for a title or a summary.
        asked: the messages of each request of the conversation.
        waits: set when a request waits.
    """

    daemon_threads = True

    def __init__(self, replies: Sequence[Block | int]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        prepared = iter(replies)
        self.reply_to: Callable[[str], Block | int | None] = lambda _: next(prepared, None)
        self.aside = text("A title")
        self.asked: list[str] = []
        self.waits, self.ends = Event(), Event()
        self.numbers = count(1)

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
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        path = self.path.partition("?")[0]
        wire = next((wire for end, wire in WIRES.items() if path.endswith(end)), None)
        if wire is None:
            self._answer(404, b"{}")
            return
        request = json.loads(body)
        reply: Block | int | None = self.server.aside
        if request.get("tools") or path.endswith(WITHOUT_TOOLS):
            asked = json.dumps(request[wire[1]], ensure_ascii=False)
            self.server.asked.append(asked)
            reply = self.server.reply_to(asked)
        if reply is None:
            self.server.waits.set()
            self.server.ends.wait(60)
        elif isinstance(reply, int):
            error = {"type": "invalid_request_error", "message": "no credit"}
            self._answer(reply, json.dumps({"type": "error", "error": error}).encode())
        else:
            is_whole = path.endswith((":generateContent", WITHOUT_TOOLS))
            kind = "application/json" if is_whole else "text/event-stream"
            self._answer(200, wire[0](reply, next(self.server.numbers)), kind)

    def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


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
