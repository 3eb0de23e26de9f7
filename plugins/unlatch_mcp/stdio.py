"""Messages over stdio; one that cannot be read is answered with an error, not with silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from unlatch.worklog.json_text import json_object
from unlatch.worklog.text.neutral import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from anyio.streams.memory import MemoryObjectSendStream

Item = SessionMessage | Exception


async def serve_stdio(run: Callable[[Any, Any], Awaitable[None]]) -> None:
    """Run a server on the messages of stdin, until stdin ends."""
    send, receive = anyio.create_memory_object_stream[Item](0)
    # All are closed here: a server that ends at once leaves no time for the task to begin.
    async with (
        stdio_server() as (read, write),
        read,
        write,
        send,
        receive,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(_pass_on, read, write, send)
        await run(receive, write)
        tasks.cancel_scope.cancel()


async def _pass_on(read: Any, write: Any, send: MemoryObjectSendStream[Item]) -> None:
    async with send, read:
        async for item in read:
            if not isinstance(item, ValidationError):
                await send.send(item)
            elif (members := _members(item)) is not None:
                # In place of an answer, its question gets the error.
                is_answer = "method" not in members and ("result" in members or "error" in members)
                await (send if is_answer else write).send(_answer(item, members))


def _members(error: ValidationError) -> dict[str, Any] | None:
    """What a message that was refused has, as far as it can be read; None for a blank line."""
    for detail in error.errors():
        given = detail["input"]
        if detail["type"] == "json_invalid":
            return _read(given) if given.strip() else None
        # A missing member is reported with the whole message.
        if detail["type"] == "missing" and isinstance(given, dict) and "method" in given:
            return given
    return {}


def _read(text: str) -> dict[str, Any]:
    # Unlike pydantic, Python reads half a pair of surrogates.
    return json_object(text)


def _answer(error: ValidationError, members: dict[str, Any]) -> SessionMessage:
    reason = error.errors()[0]
    is_syntax = reason["type"] == "json_invalid"
    text = reason["msg"] if is_syntax else "Invalid message: it is not JSON-RPC 2.0"
    data = ErrorData(code=PARSE_ERROR if is_syntax else INVALID_REQUEST, message=text)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=_id(members.get("id")), error=data))


def _id(given: Any) -> str | int | None:
    # Half a pair of surrogates cannot be sent back.
    is_text = isinstance(given, str) and without_surrogates(given) == given
    return given if is_text or type(given) is int else None
