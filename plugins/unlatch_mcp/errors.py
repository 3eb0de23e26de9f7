"""Errors of commands as answers of tools."""

from __future__ import annotations

import re
from functools import wraps
from inspect import signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec

from mcp.server.mcpserver.exceptions import ToolError

from unlatch.errors import UnlatchError
from unlatch_mcp.sizes import fitted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Container

    from unlatch_mcp.calls import Document

P = ParamSpec("P")
# The tool for each command in a next step.
_TOOLS = MappingProxyType(
    {
        "list": "list_increments",
        "show": "show_increment",
        "search": "search",
        "history": "history",
        "status": "status",
        "resume": "plan_resume",
        "reopen": "plan_reopen",
        "sync --dry-run": "sync_plan",
        "effort list": "effort_status",
        "effort search": "search_efforts",
        "effort show": "expand_effort",
        "effort open": "open_effort",
        "effort close": "close_effort",
        "effort reopen": "reopen_effort",
        "effort switch": "switch_effort",
    }
)
_COMMAND = re.compile(r"unlatch (effort [a-z]+|sync --dry-run|[a-z]+)")
_NEEDLESS = re.compile(r" --(?:all|yes|offline)\b")
_PARAMETER = re.compile(r"--(reason|summary|status|limit)\b(?: [A-Z]+\b)?")
_FLAG = re.compile(r"--(item-only|even-if-not-planned)\b")


def answering(tool: Callable[P, Awaitable[Document]]) -> Callable[P, Awaitable[Document]]:
    """Cut the result of a tool; make errors answers with their id, message and next step.

    Of other exceptions a model gets no word (findings/mcp-error-words.sh).
    """
    names = frozenset(signature(tool).parameters)

    @wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> Document:
        try:
            return fitted(_with_hints(await tool(*args, **kwargs), names), tool.__name__)
        except UnlatchError as error:
            hint = f"; next: {_for_model(error.hint, names)}" if error.hint else ""
            if error.id == "reason-missing" and "reason" in names:
                hint = "; next: add reason"  # for a person it is the command that was typed
            raise ToolError(f"error[{error.id}]: {error.message}{hint}") from error

    return call


def _with_hints(value: Any, names: Container[str]) -> Any:
    """A document with the next steps of its parts in the words of the tools."""
    if isinstance(value, list):
        return [_with_hints(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    document = {key: _with_hints(member, names) for key, member in value.items()}
    if isinstance(hint := document.get("hint"), str):
        document["hint"] = _for_model(hint, names)
    return document


def _for_model(hint: str, names: Container[str]) -> str:
    """A next step in the words of the tools, or as a command for a person.

    Args:
        names: the arguments of the tool.
    """

    def flag(match: re.Match[str]) -> str:
        name = match[1].replace("-", "_")
        return f"{name}: true" if name in names else match[0]

    text = _COMMAND.sub(lambda match: _TOOLS.get(match[1], match[0]), hint)
    text = _FLAG.sub(flag, _PARAMETER.sub(r"\1", _NEEDLESS.sub("", text)))
    is_command = "unlatch " in text or re.search(r"(?<!\S)--?[a-z]", text)
    return f"the user can do this at a terminal: {hint}" if is_command else text
