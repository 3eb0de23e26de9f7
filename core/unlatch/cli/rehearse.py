"""--dry-run: each item, the comment, each request."""

from __future__ import annotations

import shutil
import sys
import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING

from unlatch.cli import output
from unlatch.cli.admission import tell_warnings, warning_entries
from unlatch.cli.describe import seen_line, times
from unlatch.cli.documents import link_entry
from unlatch.cli.failure import problem_entry
from unlatch.cli.scope_report import foreseen_lines, scope_entry
from unlatch.domain.operation import Kind
from unlatch.domain.render import plain
from unlatch.domain.text import without_controls
from unlatch.domain.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.contracts.documents import DryRunDocument
    from unlatch.cli.contracts.rehearsed import RehearsedItem
    from unlatch.cli.session import Session
    from unlatch.domain.text import Block, Text
    from unlatch.engine.registry import Registry
    from unlatch.engine.rehearsal import Rehearsal, Rehearsed
    from unlatch.spi import PlannedRequest

_INDENT = " " * 6
_METHOD = len("OPTIONS")


def tell_rehearsal(session: Session, rehearsal: Rehearsal, *, as_json: bool) -> int:
    """Show what a command would do; the exit code."""
    if as_json:
        output.document(rehearsal_document(rehearsal))
    else:
        for line in _lines(session, rehearsal):
            output.data(line)
        tell_warnings(rehearsal.warnings)
    return 0


def _lines(session: Session, rehearsal: Rehearsal) -> Iterator[str]:
    yield _headline(rehearsal)
    yield from item_lines(session, rehearsal.items)
    for link, needed in rehearsal.spared:
        yield f"    {output.clean(link.key)} stays open: {', '.join(needed)} needs it"
    if rehearsal.scope:
        yield from foreseen_lines(rehearsal.scope)
    yield _sum(rehearsal)


def item_lines(session: Session, items: Sequence[Rehearsed]) -> Iterator[str]:
    """What each item would be told and sent."""
    registry = session.workspace.registry
    columns = 2 + max(len(manifest.title) for manifest in registry.manifests.values())
    requests = _request_lines([one for item in items for one in item.requests])
    said: Text | None = None
    for item in items:
        # Items of one intent follow each other and are told the same, so it is shown once.
        if item.change.comment not in (None, said):
            said = item.change.comment
            yield from _comment_lines(said or (), columns)
        yield _about(registry, item, columns)
        yield from _remarks(item)
        for _ in item.requests:
            yield from next(requests)


def _headline(rehearsal: Rehearsal) -> str:
    before, after = rehearsal.before, rehearsal.after
    would = f"would stay {after}" if before.status is after else f"{before.status} -> {after}"
    moved = ", out of the archive" if before.archived and not after.is_finished else ""
    return f"Increment {output.strong(before.id)}: {would}{moved} (dry run)"


def _about(registry: Registry, item: Rehearsed, columns: int) -> str:
    if item.operation.kind is not Kind.CREATE:
        return seen_line(registry, item.seen, columns=columns)
    manifest = registry.manifest(item.operation.tracker)
    story = f" for {output.clean(item.operation.story)}" if item.operation.story else ""
    target = output.clean(item.operation.item)
    return f"    {manifest.title:<{columns}}{target}: a new {manifest.noun}{story}"


def _remarks(item: Rehearsed) -> Iterator[str]:
    if item.error is not None and item.seen.error is None:
        yield f"{_INDENT}{output.warn(item.error.message)} {output.faint(f'[{item.error.id}]')}"
    if item.error is not None and item.error.hint:
        yield f"{_INDENT}{output.clean(item.error.hint)}"
    if item.owed:
        since = f"owed since {item.operation.at:%Y-%m-%d}"
        yield f"{_INDENT}{since}; it is asked first whether it has been delivered"


def _comment_lines(text: Text, columns: int) -> Iterator[str]:
    lines = "\n\n".join(map(_styled, text)).splitlines()
    for label, line in zip_longest(["Comment"], lines, fillvalue=""):
        yield f"    {label:<{columns}}{line}".rstrip()


def _styled(block: Block) -> str:
    if not isinstance(block, tuple):
        return without_controls(plain((block,)))
    shown = ((without_controls(span.text), span.bold) for span in block)
    return "".join(output.strong(text) if bold else text for text, bold in shown)


def _request_lines(requests: list[PlannedRequest]) -> Iterator[list[str]]:
    """Each request on one line; in a terminal that is too narrow for one of them, each on two."""
    heads = [f"{_INDENT}{one.method:<{_METHOD}} {output.clean(one.url)}" for one in requests]
    words = [output.clean(one.what) for one in requests]
    longest = max(map(len, heads), default=0)
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    if columns is None or longest + 2 + max(map(len, words), default=0) < columns:
        return ([f"{head:<{longest}}  {what}"] for head, what in zip(heads, words, strict=True))
    margin = " " * (len(_INDENT) + _METHOD + 1)
    return (
        [head, *textwrap.wrap(what, columns - 1, initial_indent=margin, subsequent_indent=margin)]
        for head, what in zip(heads, words, strict=True)
    )


def _sum(rehearsal: Rehearsal) -> str:
    reached = {item.seen.link for item in rehearsal.items if item.requests}
    unknown = {item.seen.link for item in rehearsal.items if item.seen.error is not None}
    if not rehearsal.items:
        told = ["no requests"]
    elif not reached and not unknown:
        told = [f"{times(len(rehearsal.items), 'operation')} left for unlatch sync"]
    else:
        exact = "" if rehearsal.is_exact else ", as far as can be told before"
        requests = times(rehearsal.requests, "request")
        told = [f"{requests} to {times(len(reached), 'item')}{exact}"]
    if unknown:
        told.append(f"{times(len(unknown), 'item')} could not be asked")
    return f"{'; '.join(told)}; nothing was written."


def rehearsal_document(rehearsal: Rehearsal) -> DryRunDocument:
    """What a command would do, for scripts."""
    before = rehearsal.before
    return {
        "schema": "unlatch.dry-run/1",
        "increment": {"id": before.id, "status": before.status, "wouldBe": rehearsal.after},
        "items": [rehearsed_entry(item) for item in rehearsal.items],
        "spared": [
            {**link_entry(link), "neededBy": list(needed)} for link, needed in rehearsal.spared
        ],
        "requests": rehearsal.requests,
        "scope": scope_entry(rehearsal.scope),
        "warnings": warning_entries(rehearsal.warnings),
        "exitCode": 0,
    }


def rehearsed_entry(item: Rehearsed) -> RehearsedItem:
    """What one item would be told and sent, for scripts."""
    seen, change = item.seen.item, item.change
    return {
        "tracker": item.operation.tracker,
        "id": seen.ref.id if seen else item.seen.link.item,
        "url": seen.ref.url if seen else item.seen.link.url,
        "state": seen.state if seen else None,
        "comment": None if change.comment is None else plain(change.comment),
        "addLabels": list(change.add_labels),
        "removeLabels": list(change.remove_labels),
        "owedSince": stamp(item.operation.at) if item.owed else None,
        "requests": [{"method": r.method, "url": r.url, "what": r.what} for r in item.requests],
        "error": problem_entry(item.error) if item.error else None,
    }
