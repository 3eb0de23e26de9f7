"""unlatch link --file and --suggest: many increments and many items at once."""

import codecs
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from unlatch.cli.render.describe import seen_line, times
from unlatch.cli.render.documents import item_entry, warning_entries
from unlatch.cli.render.notes import tell_left_out, tell_warnings
from unlatch.cli.render.refusals import tell_refusals
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import code_of_many, problem_entry
from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.lifecycle.change import Refusal
from unlatch.lifecycle.linking.csv_rows import HEADER
from unlatch.lifecycle.linking.file import LinkPlan, apply_links, plan_links, plan_same
from unlatch.lifecycle.linking.link import fetch_named, shared_items
from unlatch.lifecycle.linking.suggestions import (
    MOST_LISTED,
    Proposal,
    Suggestions,
    suggest_links,
)
from unlatch.lifecycle.many import change_each
from unlatch.spi.item import Listed
from unlatch.worklog.neutral import csv_line

_STDIN = "-"
# Characters; some hundred thousand links.
_MOST = 8 << 20
# The columns that `link --file` reads, and the reasons for people.
_COLUMNS = (*HEADER, "evidence", "title")


def link_file(context: Context, file: str, *, by: str | None, dry_run: bool, as_json: bool) -> int:
    workspace, where = context.workspace, "standard input" if file == _STDIN else file
    text = _read(file, where)
    with context.trackers() as trackers:
        plans = plan_links(workspace, trackers, text, where=where)
    return _link_plans(context, "link-file", plans, by=by, dry_run=dry_run, as_json=as_json)


def link_each(
    context: Context,
    names: Sequence[str],
    urls: Sequence[str],
    *,
    by: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Link the items at addresses to each of several increments; the exit code."""
    manager = context.workspace.manager
    with context.trackers() as trackers:
        seen = fetch_named(trackers, urls)
    found = change_each(context.workspace, names, manager.read)
    plans = plan_same((one for one in found if not isinstance(one, Refusal)), seen)
    refused = [one for one in found if isinstance(one, Refusal)]
    options = {"dry_run": dry_run, "as_json": as_json}
    return _link_plans(context, "link-many", plans, refused, by=by, **options)


def _link_plans(
    context: Context,
    document: str,
    plans: Sequence[LinkPlan],
    refused: Sequence[Refusal] = (),
    *,
    by: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    workspace = context.workspace
    if not dry_run:
        apply_links(workspace, plans, by=context.who(by))
    failed = [Refusal(one.increment.id, one.error, one.increment) for one in plans if one.error]
    refused = [*refused, *failed]
    linked = [(plan.increment, one) for plan in plans for one in plan.items if not plan.error]
    warnings = shared_items(workspace, linked)
    codes = (one.error.exit_code for one in refused)
    code = code_of_many(codes, changed=any(one.items and not one.error for one in plans))
    increments = [_entry(one) for one in plans if not one.error]
    increments += [_refused_entry(one) for one in refused]
    shared = warning_entries(warnings)
    parts = {"increments": increments, "warnings": shared, "dryRun": dry_run}
    about = [one.increment for one in plans]
    read = [one.item for plan in plans for one in plan.items]
    if show_plan(context, document, code, parts, as_json=as_json, about=about, read=read):
        return code
    output.data(*(line for plan in plans if not plan.error for line in _plan_lines(context, plan)))
    tell_refusals(refused)
    tell_warnings(warnings)
    output.talk(_sum(plans, failed=len(refused), dry_run=dry_run))
    return code


def _entry(plan: LinkPlan) -> output.Json:
    linked, already = (list(map(item_entry, items)) for items in (plan.items, plan.known))
    return {"id": plan.increment.id, "linked": linked, "already": already, "error": None}


def _refused_entry(one: Refusal) -> output.Json:
    return {"id": one.id, "linked": [], "already": [], "error": problem_entry(one.error)}


def _read(file: str, where: str) -> str:
    try:
        with prompts.asking():
            text = sys.stdin.read(_MOST + 1) if file == _STDIN else _content(file)
    except OSError as error:
        raise _unreadable(error.strerror or str(error), where) from error
    except UnicodeDecodeError as error:
        raise _unreadable(_encoding(error.object[:2]), where) from error
    if len(text) > _MOST:  # the rest is not read, and may be endless
        raise _unreadable(f"it has more than {_MOST:,} characters", where)
    if "\0" in text:
        raise _unreadable(_encoding(text[:2].encode(errors="surrogateescape")), where)
    return text


def _content(file: str) -> str:
    with Path(file).open(encoding="utf-8-sig", newline="") as opened:
        return opened.read(_MOST + 1)


def _encoding(start: bytes) -> str:
    """The encoding of a text that is not UTF-8, by its first bytes."""
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in start:
        return "it is UTF-16 text; save it as UTF-8"
    return "it is not UTF-8 text"


def _unreadable(reason: str, where: str) -> UsageError:
    return UsageError(
        "links-file-unreadable",
        f"the links cannot be read: {reason}",
        where=where,
        hint="name a CSV file with the columns increment,url; - is standard input",
    )


def _plan_lines(context: Context, plan: LinkPlan) -> Iterator[str]:
    yield f"{output.good(output.sign('ok'))} {output.strong(plan.increment.id)}"
    for one in plan.items:
        yield seen_line(context.workspace.registry, one, columns=14)
    for one in plan.known:
        yield output.faint(f"    {output.clean(one.name)} is linked already")


def _sum(plans: Sequence[LinkPlan], *, failed: int, dry_run: bool) -> str:
    done = [plan for plan in plans if plan.items and not plan.error]
    links = [one.link.key for plan in done for one in plan.items]
    items = times(len(set(links)), "item")
    known = sum(len(plan.known) for plan in plans)
    already = f"; {known} linked already" if known else ""
    each = f" ({len(links)} links)" if len(links) > len(set(links)) else ""
    where = times(len(done), "increment") + each
    if dry_run:
        return f"{items} would be linked to {where}{already}; nothing was written."
    left = f"; {times(failed, 'increment')} failed, repeat the command for these" if failed else ""
    return f"{items} linked to {where}{already}{left}; nothing was posted."


def link_suggest(context: Context, wanted: Sequence[str], *, as_json: bool) -> int:
    """Suggest items for increments without one, as a CSV file for `--file`; the exit code."""
    workspace = context.workspace
    workspace.check_config()
    with context.trackers() as trackers:
        found = suggest_links(workspace, trackers, wanted)
        lines = [
            _suggestion(one, trackers.settings(item.ref.tracker).name(item.ref), item.title)
            for one in found.proposals
            for item in one.items
        ]
    # Items of broken increments may be proposed for other increments.
    left_out = tell_left_out(found.broken)
    if found.errors and not found.listed:
        raise next(iter(found.errors.values()))
    code = 1 if found.errors else left_out
    if as_json:
        output.document("link-suggest", code, **_suggestions_document(found))
        return code
    output.talk(*lines)
    output.data(*_csv(found.proposals))
    output.talk(*_summary(context, found))
    return code


def _suggestion(proposal: Proposal, name: str, title: str) -> str:
    why = output.clean(proposal.evidence(proposal.items[0]))
    mark, rivals = output.good(output.sign("ok", sys.stderr)), ""
    if not proposal.is_clear:
        mark, rivals = output.warn("?"), ", not the only one"
    item = f'{output.clean(name)} "{output.clean(title)}"'
    return f"{mark} {proposal.increment.id}: {item} ({why}{rivals})"


def _csv(proposals: Sequence[Proposal]) -> Iterator[str]:
    rows = [_row(one, one.items[0]) for one in proposals if one.is_clear]
    return map(csv_line, [_COLUMNS, *rows] if rows else [])


def _row(proposal: Proposal, item: Listed) -> tuple[str, ...]:
    facts = (proposal.evidence(item), item.title)
    return (proposal.increment.id, item.ref.url, *map(output.clean, facts))


def _summary(context: Context, found: Suggestions) -> Iterator[str]:
    titles = {name: one.title for name, one in context.workspace.registry.manifests.items()}
    for name, count in found.listed.items():
        full = f", only the newest {MOST_LISTED}" if count == MOST_LISTED else ""
        lacking, read = times(found.lacking[name], "increment"), times(count, "item")
        yield output.faint(f"{titles[name]}: {lacking} without an item; {read} read{full}.")
    for name, error in found.errors.items():
        yield output.warn(f"{titles[name]}: {output.clean(error.message)} [{error.id}]")
    if any(one.is_clear for one in found.proposals):
        yield "Nothing was linked. Keep the lines that are right: unlatch link --file FILE"
    elif not found.proposals:
        yield "No suggestions; nothing was linked."
    if not all(one.is_clear for one in found.proposals):
        yield "To choose between those marked ?: unlatch link ID URL"


def _suggestions_document(found: Suggestions) -> output.Json:
    return {
        "proposals": [
            {
                "increment": one.increment.id,
                **output.fields(one, "tracker", "ground"),
                "clear": one.is_clear,
                "items": [
                    {**output.fields(item.ref, "id", "url"), "title": item.title}
                    for item in one.items
                ],
            }
            for one in found.proposals
        ],
        **output.fields(found, "listed", "lacking"),
        "errors": [{"tracker": name, **problem_entry(one)} for name, one in found.errors.items()],
    }
