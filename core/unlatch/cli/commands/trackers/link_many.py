"""unlatch link --file and --suggest: many increments and many items at once."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from unlatch.cli.render.describe import seen_line, times
from unlatch.cli.render.documents import item_entry, warning_entries
from unlatch.cli.render.notes import tell_left_out, tell_warnings
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import problem_entry
from unlatch.cli.runtime.session import Session
from unlatch.errors import UsageError
from unlatch.lifecycle.linking.file import HEADER, LinkPlan, apply_links, plan_links
from unlatch.lifecycle.linking.link import shared_items
from unlatch.lifecycle.linking.suggestions import (
    MOST_LISTED,
    Ground,
    Proposal,
    Suggestions,
    suggest_links,
)
from unlatch.worklog.neutral import csv_line

_STDIN = "-"
_GROUNDS = {
    Ground.MARKER: "created for this increment",
    Ground.MENTION: "named in its documents",
    Ground.TITLE: "the same title",
}


def link_file(session: Session, file: str, *, by: str | None, dry_run: bool, as_json: bool) -> int:
    workspace, where = session.workspace, "standard input" if file == _STDIN else file
    text = _read(file, where)
    with session.trackers() as trackers:
        plans = plan_links(workspace, trackers, text, where=where)
    if not dry_run:
        apply_links(workspace, plans, by=session.who(by))
    linked = [(plan.increment, one) for plan in plans for one in plan.items]
    warnings = shared_items(workspace, linked)
    code = max((plan.error.exit_code for plan in plans if plan.error), default=0)
    if as_json:
        increments = [
            {
                "id": one.increment.id,
                "linked": list(map(item_entry, one.items)),
                "already": list(map(item_entry, one.known)),
                "error": problem_entry(one.error) if one.error else None,
            }
            for one in plans
        ]
        shared = warning_entries(warnings)
        output.document("link-file", code, increments=increments, warnings=shared, dryRun=dry_run)
        return code
    output.data(*(line for plan in plans for line in _plan_lines(session, plan)))
    tell_warnings(warnings)
    output.talk(_sum(plans, dry_run=dry_run))
    return code


def _read(file: str, where: str) -> str:
    try:
        if file == _STDIN:
            return sys.stdin.read()
        return Path(file).read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(
            "links-file-unreadable",
            f"the links cannot be read: {reason}",
            where=where,
            hint="name a CSV file with the columns increment,url; - is standard input",
        ) from error


def _plan_lines(session: Session, plan: LinkPlan) -> Iterator[str]:
    mark = output.bad(output.sign("no")) if plan.error else output.good(output.sign("ok"))
    yield f"{mark} {output.strong(plan.increment.id)}"
    for one in plan.items:
        yield seen_line(session.workspace.registry, one, columns=14)
    for one in plan.known:
        yield output.faint(f"    {output.clean(one.name)} is linked already")
    if plan.error is not None:
        yield f"    not linked: {output.clean(plan.error.message)} [{plan.error.id}]"


def _sum(plans: Sequence[LinkPlan], *, dry_run: bool) -> str:
    done = [plan for plan in plans if plan.items and not plan.error]
    items = times(sum(len(plan.items) for plan in done), "item")
    known = sum(len(plan.known) for plan in plans)
    already = f"; {known} linked already" if known else ""
    where = times(len(done), "increment")
    if dry_run:
        return f"{items} would be linked to {where}{already}; nothing was written."
    count = sum(plan.error is not None for plan in plans)
    failed = f"; {times(count, 'increment')} failed, repeat the command for these" if count else ""
    return f"{items} linked to {where}{already}{failed}; nothing was posted."


def link_suggest(session: Session, wanted: Sequence[str], *, as_json: bool) -> int:
    """Suggest items for increments without one, as a CSV file for `--file`; the exit code."""
    workspace = session.workspace
    workspace.check_config()
    with session.trackers() as trackers:
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
    output.talk(*_summary(session, found))
    return code


def _suggestion(proposal: Proposal, name: str, title: str) -> str:
    why = _GROUNDS[proposal.ground]
    mark, rivals = output.good(output.sign("ok", sys.stderr)), ""
    if not proposal.is_clear:
        mark, rivals = output.warn("?"), ", not the only one"
    item = f'{output.clean(name)} "{output.clean(title)}"'
    return f"{mark} {proposal.increment.id}: {item} ({why}{rivals})"


def _csv(proposals: Sequence[Proposal]) -> Iterator[str]:
    clear = [(one.increment.id, one.items[0].ref.url) for one in proposals if one.is_clear]
    return map(csv_line, [HEADER, *clear] if clear else [])


def _summary(session: Session, found: Suggestions) -> Iterator[str]:
    titles = {name: one.title for name, one in session.workspace.registry.manifests.items()}
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
