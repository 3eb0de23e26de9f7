"""unlatch effort open, close, reopen, switch, expand and collapse."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import BY, text_argument, text_option, together, with_json
from unlatch.cli.options.reason import about_name, reason_option, reason_to_reopen
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.terminal import output
from unlatch_efforts.cli.chosen import complete_effort
from unlatch_efforts.cli.conversation import CONVERSATION, store_of, tell, tools_of

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context

_EFFORT = click.argument("effort", metavar="ID", shell_complete=complete_effort)
_KEYS = {
    "status": "status",
    "effort_id": "effortId",
    "active": "active",
    "summary": "summary",
    "prior_summary": "priorSummary",
    "tokens_loaded": "tokensLoaded",
}


_options = together(CONVERSATION, BY, with_json)


def _run(context: Context, tool: str, typed: dict[str, Any], /, **arguments: Any) -> int:
    """Run one tool, and show its answer."""
    with tools_of(context, typed["conversation"], typed["by"]) as tools:
        answer = tools.run(tool, **arguments)
        active = tools.active
    code = UNDECIDED if answer["status"] == "concluded" and "candidates" in answer else 0
    if typed["as_json"]:
        fields = {there: answer.get(here) for here, there in _KEYS.items()} | {"active": active}
        candidates = answer.get("candidates", [])
        output.document("effort", code, **fields, candidates=candidates)
        return code
    tell(tools)
    if code:
        (hit,) = answer["candidates"]
        output.talk(
            f"The effort {hit['id']} is concluded: {output.clean(hit['summary'] or '')}",
            f"Next: unlatch effort reopen {quote(hit['id'])}",
        )
    elif answer.get("active") or not tools.banners:
        output.talk(f"The active effort is {active}." if active else "No effort is active.")
    kept = answer.get("summary") if tool == "close_effort" and not arguments["summary"] else None
    if kept and not code:
        output.note(f"no summary was given; the earlier one is kept: {kept}")
    if summary := answer.get("prior_summary"):
        output.data(output.clean(summary))
    return code


@click.command("open", help="Open an effort and make it active. (local)")
@text_argument("name")
@_options
def open_effort(context: Context, *, name: str, **typed: Any) -> int:
    return _run(context, "open_effort", typed, name=name)


@click.command("close", help="Conclude an effort, by default the active one. (local)")
@click.argument("effort", metavar="[ID]", required=False, shell_complete=complete_effort)
@text_option("--summary", metavar="TEXT", help="Summary: what was done, decided and rejected.")
@_options
def close_effort(context: Context, *, effort: str | None, summary: str | None, **typed: Any) -> int:
    return _run(context, "close_effort", typed, id=effort, summary=summary)


@click.command("reopen", help="Reopen a concluded effort and continue its log. (local)")
@_EFFORT
@reason_option("Record this reason; required without a terminal.", about=about_name)
@_options
def reopen_effort(context: Context, *, effort: str, reason: str | None, **typed: Any) -> int:
    record = store_of(context, typed["by"]).find(effort)
    if not record.is_open:
        ref, command = f"effort:{quote(record.id)}", f"unlatch effort reopen {quote(record.id)}"
        reason = reason_to_reopen(context, reason, ref=ref, command=command)
    return _run(context, "reopen_effort", typed, id=effort, reason=reason)


@click.command("switch", help="Switch to another open effort, or to none (`ambient`). (local)")
@_EFFORT
@_options
def switch_effort(context: Context, *, effort: str, **typed: Any) -> int:
    return _run(context, "switch_effort", typed, id=effort)


@click.command("expand", help="Load the log of a concluded effort into the context. (local)")
@_EFFORT
@_options
def expand_effort(context: Context, *, effort: str, **typed: Any) -> int:
    return _run(context, "expand_effort", typed, id=effort)


@click.command("collapse", help="Remove an expanded log from the context again. (local)")
@_EFFORT
@_options
def collapse_effort(context: Context, *, effort: str, **typed: Any) -> int:
    return _run(context, "collapse_effort", typed, id=effort)
