"""What others send: webhook events, comments, events of agents' hooks, and requests over MCP."""

import io
import json
import logging
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
from mcp.server.stdio import stdio_server
from tests.fuzz.target import Target, text_of

from unlatch.errors import UsageError
from unlatch.spi import Category, ItemEvent
from unlatch.worklog.programs import Finished
from unlatch_agents.hooks import hook_event
from unlatch_agents.hooks.hook_event import HookEvent
from unlatch_ci.comments.asked_reason import quoted_reason
from unlatch_ci.comments.command import Command, SeveralCommands, Verb, read_command
from unlatch_github import webhook
from unlatch_mcp import calls, stdio
from unlatch_mcp.server import TOOLSETS, Server, build_server

_ISSUE = {
    "html_url": "https://github.com/octo/widgets/issues/5",
    "state": "closed",
    "state_reason": "completed",
    "updated_at": "2026-07-01T12:00:00Z",
}
_WEBHOOK = {"action": "closed", "issue": _ISSUE, "sender": {"login": "dana"}}
_HOOK = {"hook_event_name": "SessionStart", "cwd": "/project", "session_id": "s1"}
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "agent", "version": "1"},
}
_SHOW = {"name": "show_increment", "arguments": {"id": "7"}}
_REQUESTS = (
    {"id": 2, "method": "tools/list"},
    {"id": 3, "method": "tools/call", "params": _SHOW},
    {"id": "a", "method": "ping"},
    {"method": "notifications/cancelled", "params": {"requestId": 3}},
)


def _read_webhook(data: bytes) -> ItemEvent | None:
    try:
        return webhook.read_event(data)
    except ValueError:
        return None


def _read_hook(data: bytes) -> HookEvent | None:
    try:
        return hook_event.read_event(data)
    except UsageError:
        return None


def _read_comment(data: bytes) -> Command | None:
    try:
        command = read_command(text_of(data))
    except SeveralCommands:
        return None
    assert command is None or "\n" not in quoted_reason(command.reason)
    return command


def _line(id: int | str | None = None, **members: Any) -> str:
    numbered = members if id is None else {"id": id, **members}
    return json.dumps({"jsonrpc": "2.0", **numbered}) + "\n"


_HANDSHAKE = _line(0, method="initialize", params=_HELLO) + _line(
    method="notifications/initialized"
)


@cache
def _server() -> Server:
    return build_server(calls.Calls(Path("/"), {}), toolsets=TOOLSETS, allow_writes=True)


def _serve(data: bytes) -> list[str]:
    """The commands that a server runs for these messages, which it answers one by one."""
    commands: list[str] = []

    def run(argv: list[str], **_: Any) -> Finished:
        options = argv[argv.index("unlatch.cli") + 1 : argv.index("--")]
        assert all(isinstance(word, str) and "\0" not in word for word in argv)
        commands.append(options[0])
        return Finished(0, b'{"entries": [{"id": "0007-search", "title": "Search"}]}', b"")

    given, written = io.StringIO(_HANDSHAKE + text_of(data)), io.StringIO()
    streams = partial(stdio_server, anyio.wrap_file(given), anyio.wrap_file(written))
    with patch.object(calls, "run", run), patch.object(stdio, "stdio_server", streams):
        anyio.run(_server().run_stdio_async)
    answers = [json.loads(line) for line in written.getvalue().split("\n") if line]
    assert answers[0]["result"]["serverInfo"]["name"] == "unlatch"
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    return commands


logging.disable()  # the library reports what the answers say
TARGETS = {
    "webhook": Target(
        _read_webhook,
        lambda: [json.dumps(_WEBHOOK).encode()],
        lambda event: event is not None and event.category is Category.DROPPED,
    ),
    "comment": Target(
        _read_comment,
        lambda: [
            b"> /close\n\n`code`\n/reopen it fails\n\nsince 2.1",
            b" /close fixed",
            b"<pre>\n</pre>\n<!--\n-->\n/undo\n```\nlog\n```",
        ],
        lambda command: command is not None and command.verb is Verb.CLOSE,
    ),
    "hook": Target(
        _read_hook,
        lambda: [json.dumps(_HOOK).encode()],
        lambda event: event is not None and event.transcript is not None,
    ),
    "mcp": Target(
        _serve,
        lambda: ["".join(_line(**one) for one in _REQUESTS).encode()],
        lambda commands: len(commands) > 1,
    ),
}
