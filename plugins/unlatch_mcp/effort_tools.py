"""The toolset `efforts`: conversations that are concluded and reopened."""

# Annotations are read when a tool is registered, so they are no texts here.
from typing import Annotated

from anyio.to_thread import run_sync
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from unlatch_mcp.calls import Calls, Document
from unlatch_mcp.errors import answering
from unlatch_mcp.secrets import refuse_secrets

READS = ToolAnnotations(readOnlyHint=True, openWorldHint=False)
WRITES = ToolAnnotations(readOnlyHint=False, destructiveHint=False, openWorldHint=False)
_SEEN_WITH = "unlatch effort list"
Id = Annotated[str, Field(description="ID of an effort, or the beginning or a word of it.")]
Count = Annotated[int, Field(ge=1, le=200, description="Number of messages, the newest.")]


def add_efforts(server: MCPServer, calls: Calls, *, allow_writes: bool) -> None:
    """Register the tools of efforts; without writes those that change nothing."""

    @server.tool(description="List efforts with status and summary.", annotations=READS)
    @answering
    async def effort_status() -> Document:
        return await run_sync(lambda: calls.run("effort", "list"))

    @server.tool(
        description="Find efforts by words in titles, summaries and logs. "
        "Call it before you open an effort.",
        annotations=READS,
    )
    @answering
    async def search_efforts(query: str) -> Document:
        return await run_sync(lambda: calls.run("effort", "search", words=(query,)))

    @server.tool(
        description="Read an effort and the end of its log, without reopening it.",
        annotations=READS,
    )
    @answering
    async def expand_effort(id: Id, lines: Count = 20) -> Document:
        options = ("effort", "show", f"--lines={lines}")
        return await run_sync(lambda: calls.run(*options, words=(id,)))

    if allow_writes:
        _add_writing(server, calls)


def _add_writing(server: MCPServer, calls: Calls) -> None:
    @server.tool(
        description="Open an effort for work on a topic, and make it the active one. "
        "A concluded one of that name is offered to reopen.",
        annotations=WRITES,
    )
    @answering
    async def open_effort(
        name: Annotated[str, Field(description="A short name, as in auth-bug.")],
    ) -> Document:
        refuse_secrets(name=name)
        return await run_sync(
            lambda: calls.run("effort", "open", words=(name,), seen_with=_SEEN_WITH)
        )

    @server.tool(
        description="Conclude an effort. Only when the user says that the work is done.",
        annotations=WRITES,
    )
    @answering
    async def close_effort(
        id: Id,
        summary: Annotated[str, Field(description="What was done, decided and rejected.")],
    ) -> Document:
        refuse_secrets(summary=summary)
        options = ("effort", "close", f"--summary={summary}")
        return await run_sync(lambda: calls.run(*options, words=(id,), seen_with=_SEEN_WITH))

    @server.tool(
        description="Reopen a concluded effort, to continue its log. "
        "If several can be meant, ask the user.",
        annotations=WRITES,
    )
    @answering
    async def reopen_effort(
        id: Id, reason: Annotated[str, Field(description="Why, in the user's words.")]
    ) -> Document:
        refuse_secrets(reason=reason)
        options = ("effort", "reopen", f"--reason={reason}")
        return await run_sync(lambda: calls.run(*options, words=(id,), seen_with=_SEEN_WITH))

    @server.tool(
        description="Make another open effort the active one; `ambient` for none.",
        annotations=WRITES,
    )
    @answering
    async def switch_effort(id: Id) -> Document:
        return await run_sync(
            lambda: calls.run("effort", "switch", words=(id,), seen_with=_SEEN_WITH)
        )
