"""The toolset `efforts`: the tools that a chat model has in `unlatch effort chat`."""

from __future__ import annotations

from inspect import Parameter, Signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from anyio.to_thread import run_sync
from mcp_types import ToolAnnotations
from pydantic import Field

from unlatch.cli.commands.mcp.calls import Calls, Document
from unlatch.cli.commands.mcp.errors import answering
from unlatch.efforts.tools import DEFINITIONS

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

# The command for each tool, and the parameter that is an option; the others are arguments.
_COMMANDS = MappingProxyType(
    {
        "open_effort": ("open", None),
        "close_effort": ("close", None),
        "conclude_effort": ("close", "summary"),
        "effort_status": ("list", None),
        "expand_effort": ("expand", None),
        "collapse_effort": ("collapse", None),
        "switch_effort": ("switch", None),
        "reopen_effort": ("reopen", None),
        "search_efforts": ("search", None),
    }
)
_READING = frozenset({"effort_status", "search_efforts"})


def add_efforts(server: MCPServer, calls: Calls, *, allow_writes: bool) -> None:
    """Register the tools of efforts; without writes those that change nothing."""
    for definition in DEFINITIONS:
        function = definition["function"]
        name = function["name"]
        if allow_writes or name in _READING:
            hints = ToolAnnotations(
                readOnlyHint=name in _READING, destructiveHint=False, openWorldHint=False
            )
            add = server.tool(name=name, description=function["description"], annotations=hints)
            add(_tool(calls, name, function["parameters"]))


def _tool(calls: Calls, name: str, schema: dict[str, Any]) -> Any:
    command, option = _COMMANDS[name]

    async def call(**given: str | None) -> Document:
        typed = {key: value for key, value in given.items() if value is not None}
        chosen = [f"--{option}={typed.pop(option)}"] if option in typed else []
        words = tuple(typed.values())
        return await run_sync(lambda: calls.run("effort", command, *chosen, words=words))

    parameters = [
        Parameter(
            key,
            Parameter.KEYWORD_ONLY,
            annotation=_type(text, required=key in schema["required"]),
            default=Parameter.empty if key in schema["required"] else None,
        )
        for key, text in schema["properties"].items()
    ]
    made: Any = answering(call)
    made.__signature__ = Signature(parameters, return_annotation=Document)
    made.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": Document}
    made.__name__ = name
    return made


def _type(text: dict[str, str], *, required: bool) -> Any:
    kind = str if required else str | None
    return Annotated[kind, Field(description=text["description"])]
