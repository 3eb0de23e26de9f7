"""unlatch link --file and --suggest: many increments and many items at once."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.cli.commands.overview.list import tell_left_out
from unlatch.cli.commands.overview.show import item_entry
from unlatch.cli.render.describe import seen_line, times
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import problem_entry
from unlatch.errors import UsageError
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.lifecycle.link_file import HEADER, LinkPlan, apply_links, as_text, plan_links
from unlatch.lifecycle.link_suggestions import (
    MOST_LISTED,
    Ground,
    Proposal,
    Suggestions,
    suggest_links,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.session import Session

_STDIN = "-"
_GROUNDS = {Ground.MARKER: "made for it", Ground.TITLE: "the same title"}


def link_file(session: Session, file: str, *, by: str | None, dry_run: bool, as_json: bool) -> int:
    """Tie what a CSV file lists; the exit code.

    Raises:
        UsageError: `file-unreadable`, or `links-invalid`; nothing was written.
    """
    workspace = session.workspace
    text = _text(file)
    with session.trackers() as trackers:
        ties = plan_links(workspace, trackers, text, where=_name(file))
    if not dry_run:
        apply_links(workspace, ties, by=session.who(by))
    code = max((tie.error.exit_code for tie in ties if tie.error), default=0)
    if as_json:
        output.document(
            "link-file",
            code,
            increments=[_tie_entry(tie) for tie in ties],
            dryRun=dry_run,
        )
        return code
    for line in (line for tie in ties for line in _tie_lines(session, tie)):
        output.data(line)
    output.talk(_tied(ties, dry_run=dry_run))
    return code


def _text(file: str) -> str:
    try:
        if file == _STDIN:
            return sys.stdin.read()
        return Path(file).read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise UsageError(
            "links-file-unreadable",
            f"the links cannot be read: {reason}",
            where=_name(file),
            hint="name a CSV file with the columns increment,url; - is standard input",
        ) from error


def _name(file: str) -> str:
    return "standard input" if file == _STDIN else file


def _tie_lines(session: Session, tie: LinkPlan) -> Iterator[str]:
    registry = session.workspace.registry
    mark = output.bad(output.sign("no")) if tie.error else output.good(output.sign("ok"))
    yield f"{mark} {output.strong(tie.increment.id)}"
    for one in tie.items:
        yield seen_line(registry, one, columns=14)
    for one in tie.known:
        yield output.faint(f"    {output.clean(one.name)} is linked already")
    if tie.error is not None:
        yield f"    not linked: {output.clean(tie.error.message)} [{tie.error.id}]"


def _tied(ties: Sequence[LinkPlan], *, dry_run: bool) -> str:
    done = [tie for tie in ties if tie.items and not tie.error]
    items = times(sum(len(tie.items) for tie in done), "item")
    known = sum(len(tie.known) for tie in ties)
    already = f"; {known} linked already" if known else ""
    where = times(len(done), "increment")
    if dry_run:
        return f"{items} would be linked to {where}{already}; nothing was written."
    failed = sum(tie.error is not None for tie in ties)
    told = f"; {times(failed, 'increment')} failed, repeat the command for these" if failed else ""
    return f"{items} linked to {where}{already}{told}; nothing was posted."


def _tie_entry(tie: LinkPlan) -> output.Json:
    return {
        "id": tie.increment.id,
        "linked": [item_entry(one) for one in tie.items],
        "already": [item_entry(one) for one in tie.known],
        "error": problem_entry(tie.error) if tie.error else None,
    }


def link_suggest(session: Session, wanted: Sequence[str], *, as_json: bool) -> int:
    """Propose items for increments without one, as a CSV file for `--file`; the exit code."""
    workspace = session.workspace
    workspace.check_config()
    listed = workspace.manager.list()
    everything = [one for one in listed if not isinstance(one, BrokenIncrement)]
    chosen = [one for one in everything if not one.archived]
    # The items of those that cannot be read may be proposed for others.
    left_out = tell_left_out([one for one in listed if isinstance(one, BrokenIncrement)])
    if wanted:
        named = [workspace.manager.read(one) for one in wanted]
        chosen = list({one.id: one for one in named}.values())
    with session.trackers() as trackers:
        found = suggest_links(workspace, trackers, chosen, everything)
        names = {
            item.ref: trackers.settings(item.ref.tracker).name(item.ref)
            for one in found.proposals
            for item in one.items
        }
    if found.errors and not found.listed:
        raise next(iter(found.errors.values()))
    code = 1 if found.errors else left_out
    if as_json:
        output.document(
            "link-suggest",
            code,
            proposals=[_proposal_entry(one) for one in found.proposals],
            listed=dict(found.listed),
            lacking=dict(found.lacking),
            errors=[
                {"tracker": name, **problem_entry(error)} for name, error in found.errors.items()
            ],
        )
        return code
    for proposal in found.proposals:
        for item in proposal.items:
            output.talk(_proposed(proposal, names[item.ref], item.title))
    for line in _csv(found.proposals):
        output.data(line)
    for line in _sums(session, found):
        output.talk(line)
    return code


def _proposed(proposal: Proposal, name: str, title: str) -> str:
    why = _GROUNDS[proposal.ground]
    mark, open_ = output.good(output.sign("ok", sys.stderr)), ""
    if not proposal.is_clear:
        mark, open_ = output.warn("?"), ", not the only one"
    what = f'{output.clean(name)} "{output.clean(title)}"'
    return f"{mark} {proposal.increment.id}: {what} ({why}{open_})"


def _csv(proposals: Sequence[Proposal]) -> Iterator[str]:
    clear = [one for one in proposals if one.is_clear]
    if clear:
        yield _row(HEADER)
    yield from (_row((one.increment.id, one.items[0].ref.url)) for one in clear)


def _row(cells: Sequence[str]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(map(as_text, cells))
    return stream.getvalue()


def _sums(session: Session, found: Suggestions) -> Iterator[str]:
    registry = session.workspace.registry
    for name, count in found.listed.items():
        full = f", the newest {MOST_LISTED} alone" if count == MOST_LISTED else ""
        told = times(found.lacking[name], "increment")
        title = registry.manifest(name).title
        yield output.faint(f"{title}: {told} without an item; {times(count, 'item')} read{full}.")
    for name, error in found.errors.items():
        title = registry.manifest(name).title
        yield output.warn(f"{title}: {output.clean(error.message)} [{error.id}]")
    if any(one.is_clear for one in found.proposals):
        yield "Nothing was linked. Keep the lines that are right: unlatch link --file FILE"
    elif not found.proposals:
        yield "No item is proposed, and nothing was linked."
    if not all(one.is_clear for one in found.proposals):
        yield "Between those marked ? somebody has to choose: unlatch link ID URL"


def _proposal_entry(proposal: Proposal) -> output.Json:
    return {
        "increment": proposal.increment.id,
        "tracker": proposal.tracker,
        "ground": proposal.ground.value,
        "clear": proposal.is_clear,
        "items": [
            {"id": item.ref.id, "url": item.ref.url, "title": item.title} for item in proposal.items
        ],
    }
