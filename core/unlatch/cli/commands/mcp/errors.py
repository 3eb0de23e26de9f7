"""Errors of commands as answers of tools."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError

from unlatch.errors import UnlatchError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

P = ParamSpec("P")
T = TypeVar("T")


def answering(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Make the errors of a tool answers with their id, message and next step."""

    @wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except UnlatchError as error:
            hint = f"; next: {error.hint}" if error.hint else ""
            raise ToolError(f"error[{error.id}]: {error.message}{hint}") from error

    return call
