"""The toolset `work`: increments and their items."""

# Annotations are read when a tool is registered, so they are no texts here.
from collections.abc import Awaitable, Callable
from shlex import quote
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    Elicit,
    ElicitationResult,
    MCPServer,
    Resolve,
)
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from unlatch.cli.runtime.work_references import Reference, read_reference
from unlatch.worklog.text.neutral import visible
from unlatch_mcp.calls import ASK, CallFailed, Calls, Document
from unlatch_mcp.errors import answering
from unlatch_mcp.plans import Plans
from unlatch_mcp.secrets import refuse_secrets

LOCAL = ToolAnnotations(readOnlyHint=True, openWorldHint=False)
READS = ToolAnnotations(readOnlyHint=True, openWorldHint=True)
PLANS = READS
WRITES = ToolAnnotations(
    readOnlyHint=False, destructiveHint=False, idempotentHint=False, openWorldHint=True
)
# Each text is of the type `str` itself: of others, the library parses text that is JSON
# (findings/mcp-json-text.sh).
Id = Annotated[str, Field(description="Number, name, part of a name, path, or a linked item.")]
Items = Annotated[list[str], Field(min_length=1, description="URLs, octo/widgets#4, or SCRUM-28.")]
Deliberate = Annotated[
    bool, Field(description="Also items closed on purpose; only if the user says so.")
]
Reason = Annotated[str, Field(description="Why, in the user's words; posted on each item.")]

Limit = Annotated[int, Field(ge=1, le=100)]
Skip = Annotated[int, Field(ge=0)]


class Chosen(BaseModel):
    """The increment that the user means."""

    id: str = Field(description="The increment's full name")


def add_reading(server: MCPServer, calls: Calls) -> None:
    """Register the tools that change nothing."""

    async def document(*options: str, words: tuple[str, ...] = ()) -> Document:
        return await run_sync(lambda: calls.run(*options, words=words))

    @server.tool(description="Find work of all kinds by words.", annotations=LOCAL)
    @answering
    async def search(query: str) -> Document:
        return await document("search", words=(query,))

    @server.tool(description="List increments.", annotations=LOCAL)
    @answering
    async def list_increments(
        status: Literal[
            "planning",
            "backlog",
            "active",
            "paused",
            "ready_for_review",
            "completed",
            "abandoned",
        ]
        | None = None,
        limit: Limit = 20,
        skip: Skip = 0,
    ) -> Document:
        answer = await document("list", *(("--status", status) if status else ("--all",)))
        entries = answer["entries"]
        return {"entries": entries[skip : skip + limit], "total": len(entries)}

    @server.tool(
        description="Show an increment: status, reopens, pending operations, other work.",
        annotations=LOCAL,
    )
    @answering
    async def show_increment(id: Id) -> Document:
        return await document("show", "--offline", words=(id,))

    @server.tool(
        description="What was decided, failed, and is left to do. Read it before working.",
        annotations=LOCAL,
    )
    @answering
    async def briefing(id: Id) -> Document:
        answer = await document("show", "--offline", "--briefing", words=(id,))
        if "candidates" in answer:
            return answer
        return {"increment": answer["increment"]["id"], "briefing": answer["briefing"]}

    @server.tool(
        description="The history of an increment, effort:ID, session:ID or run:ID.",
        annotations=LOCAL,
    )
    @answering
    async def history(id: Id) -> Document:
        return await document("history", words=(id,))

    add_overview(server, document)


def add_overview(server: MCPServer, document: Callable[..., Awaitable[Document]]) -> None:
    """Register the tools about all increments, and about items."""

    @server.tool(
        description="What needs attention: active, stale, pending, unfinished.", annotations=LOCAL
    )
    @answering
    async def status() -> Document:
        return await document("status")

    @server.tool(description="Items as their trackers show them now.", annotations=READS)
    @answering
    async def item_status(items: Items) -> Document:
        return await document("status", words=(*items,))

    @server.tool(description="Differences between increments and their items.", annotations=READS)
    @answering
    async def sync_plan() -> Document:
        return await document("sync", "--dry-run")


def add_writing(server: MCPServer, calls: Calls, plans: Plans) -> None:
    """Register the tools that plan and apply changes."""

    async def meant(id: str, ctx: Context[Any, Any]) -> Chosen | Elicit[Chosen]:
        try:
            answer = await run_sync(lambda: calls.run("show", "--offline", words=(id,)))
        except CallFailed:  # plan_resume fails for the same reason
            return Chosen(id=id)
        if "candidates" not in answer or not _can_ask(ctx):
            return Chosen(id=id)
        names = ", ".join(answer["candidates"])
        asked = f"'{id}' can mean several increments: {names}. Which one?"
        return Elicit(visible(asked), Chosen)

    @server.tool(
        description="Plan to reopen a completed increment with its items and other work. "
        "Changes nothing: show the plan to the user, then apply_plan.",
        annotations=PLANS,
    )
    @answering
    async def plan_resume(
        id: Id,  # noqa: ARG001  (the resolver reads it)
        reason: Reason,
        chosen: Annotated[ElicitationResult[Chosen], Resolve(meant)],
        even_if_not_planned: Deliberate = False,
    ) -> Document:
        refuse_secrets(reason=reason)
        if not isinstance(chosen, AcceptedElicitation):
            return {"message": "The user chose none.", "ask": ASK}
        if reference := read_reference(chosen.data.id):
            raise _no_increment(reference)
        options = _options(reason, even_if_not_planned=even_if_not_planned)
        words = (chosen.data.id,)
        return await run_sync(lambda: plans.make("resume", *options, words=words))

    @server.tool(
        description="Plan to reopen items that belong to no increment. "
        "Changes nothing: show the plan to the user, then apply_plan.",
        annotations=PLANS,
    )
    @answering
    async def plan_reopen(
        items: Items,
        reason: Reason,
        even_if_not_planned: Deliberate = False,
        item_only: Annotated[
            bool, Field(description="Leave the item's increment as it is.")
        ] = False,
    ) -> Document:
        refuse_secrets(reason=reason)
        options = _options(reason, even_if_not_planned=even_if_not_planned, item_only=item_only)
        words = (*items,)
        return await run_sync(lambda: plans.make("reopen", *options, words=words))

    @server.tool(
        description="Apply a plan that the user agreed to. A token counts once, for 10 minutes.",
        annotations=WRITES,
    )
    @answering
    async def apply_plan(token: str) -> Document:
        # A thread runs to its end, so a call that is cancelled meanwhile ends between the two.
        checked = await run_sync(lambda: plans.check(token))
        return await run_sync(lambda: plans.apply(checked))


def _options(reason: str, **flags: bool) -> tuple[str, ...]:
    given = [f"--{name.replace('_', '-')}" for name, is_set in flags.items() if is_set]
    return (f"--reason={reason}", *given)


def _no_increment(reference: Reference) -> CallFailed:
    command = f"unlatch {reference.kind} {reference.verb('resume')} {quote(reference.name)}"
    message = f"a plan takes an increment, and {reference} is none"
    return CallFailed("usage", message, hint=f"{command} --reason TEXT")


def _can_ask(ctx: Context[Any, Any]) -> bool:
    capabilities = ctx.client_capabilities
    return capabilities is not None and capabilities.elicitation is not None
