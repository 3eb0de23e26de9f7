"""Increments, items and texts of people as text."""

from __future__ import annotations

from shlex import join
from typing import TYPE_CHECKING

from unlatch.cli.terminal.output import clean, good, hang, sign, warn
from unlatch.worklog.text.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.errors import UnlatchError
    from unlatch.increments.model.link import Link
    from unlatch.lifecycle.fetch_items import ItemSnapshot
    from unlatch.lifecycle.scoping.change_scope import Scope
    from unlatch.project.registry import Registry
    from unlatch.spi.operation import Operation


def ago(moment: datetime, now: datetime) -> str:
    """The time since a moment, in the largest unit that fits."""
    days = (now - moment).days
    if days < 0:
        return "in the future"
    if days == 0:
        return "today"
    return "yesterday" if days == 1 else f"{days} days ago"


def seen_line(registry: Registry, seen: ItemSnapshot, *, columns: int) -> str:
    """A linked item before the prompt: tracker, name, title, and state."""
    return "".join(_seen_parts(registry, seen, columns))


def _seen_parts(registry: Registry, seen: ItemSnapshot, columns: int) -> tuple[str, str]:
    title = registry.manifest(seen.link.tracker).title
    return f"    {title:<{columns}}", f"{clean(seen.name)} {_state_of(seen)}"


def synced_lines(
    registry: Registry,
    seen: ItemSnapshot,
    times: Mapping[Link, datetime],
    *,
    columns: int,
    now: datetime,
) -> list[str]:
    """The same, and when it was last synced."""
    head, text = _seen_parts(registry, seen, columns)
    at = times.get(seen.link)
    return hang(head, f"{text}, last synced {ago(at, now)}" if at else text)


def _state_of(seen: ItemSnapshot) -> str:
    if seen.error is not None:
        causes = "; ".join(seen.error.problems) or seen.error.message
        return warn(f"(unknown: {clean(causes)})")
    if seen.item is None:
        return warn("(unknown)")
    item = seen.item
    facts = [item.type, item.state, f"assigned to {item.assignee}" if item.assignee else None]
    return f'"{clean(item.title)}" ({clean(", ".join(filter(None, facts)))})'


def tracker_title(registry: Registry, tracker: str) -> str:
    """The title of a tracker, or its name if no plugin for it is installed."""
    manifest = registry.manifests.get(tracker)
    return manifest.title if manifest else tracker


def brief(error: UnlatchError) -> str:
    """An error on one line, with its id and hint."""
    return f"{error.message} [{error.id}]" + (f"; {error.hint}" if error.hint else "")


def times(count: int, noun: str) -> str:
    """A count with its noun: 1 time, 3 times, 5,000 repositories."""
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def document_lines(scope: Scope) -> Iterator[str]:
    """The result of a change of scope in the documents, and the unaffected items."""
    amendment, mark = scope.amended.amendment, good(sign("ok"))
    spec, tasks = scope.described_in, scope.listed_in
    if spec and amendment.change is not None and spec not in amendment.unwritten:
        yield f"{mark} {spec}: the scope change is at the end"
    if amendment.ids and tasks not in amendment.unwritten:
        yield f"{mark} {tasks}: {', '.join(map(clean, amendment.ids))}"
    if amendment.parts:
        yield f"{mark} To be done again: {', '.join(map(clean, amendment.parts))}"
    yield from _spared_lines(scope)


def foreseen_lines(scope: Scope) -> Iterator[str]:
    """The same for a dry run, with the resulting work."""
    amendment = scope.amended.amendment
    if amendment.unwritten:
        yield f"    {' and '.join(amendment.unwritten)} would be changed"
    yield from _spared_lines(scope)
    yield from sum_lines(scope)


def _spared_lines(scope: Scope) -> Iterator[str]:
    for link in scope.spared:
        about = clean(link.story or "")
        yield f"    {clean(link.key)} is not changed: it belongs to {about}"


def sum_lines(scope: Scope) -> Iterator[str]:
    """The number of tasks after a change of scope."""
    if scope.amended.amendment.change is not None:
        yield f"Tasks: {scope.total} ({scope.original} original + {scope.new} new)"
        if scope.coverage is not None:
            yield f"Coverage target: {scope.coverage:g}%"


def next_command(increment: str, pending: Sequence[Operation]) -> str:
    """The command that can deliver the remaining operations."""
    return join(["unlatch", "sync", increment, *helpful_options(pending)])


def helpful_options(pending: Sequence[Operation]) -> list[str]:
    """The options of the command that can deliver the remaining operations.

    It has the options for refused operations only if no others remain: these would get the options
    too, and might lose their comment.
    """
    remedies = {
        operation.attempt.remedy
        for operation in pending
        if operation.is_blocked and operation.attempt
    }
    if not remedies or None in remedies or not all(operation.is_blocked for operation in pending):
        remedies = set()
    if "--comment none" in remedies:
        remedies.discard("--comment short")
    return [word for remedy in sorted(filter(None, remedies)) for word in remedy.split()]


def lines_of(head: str, words: str, text: str) -> list[str]:
    """The lines of a text behind our own `head` and `words`; the text's line breaks are kept.

    The lines below the first are indented by a little more than the width of `head`.
    """
    first, *others = without_controls(text).strip().split("\n")
    below = (line for row in others for line in hang(" " * (len(head) + 2), clean(row)))
    return [line.rstrip() for line in (*hang(head, f"{words}{clean(first)}"), *below)]


def first_line(text: str) -> str:
    """The first line of a text, with a sign if there are more."""
    first, *others = without_controls(text).strip().split("\n")
    return f"{clean(first)} {sign('wait')}" if others else clean(first)
