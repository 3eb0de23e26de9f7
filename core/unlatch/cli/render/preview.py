"""--dry-run: each item, the comment, each request; of several, the sums and what stays as it is."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import foreseen_lines, seen_line, times, tracker_title
from unlatch.cli.render.documents import scope_entry, spared_entries, warning_entries
from unlatch.cli.render.notes import tell_excess, tell_unread, tell_warnings
from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED, code_of_many, problem_entry
from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.terminal import output
from unlatch.cli.terminal.columns import cells, wrap
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.spi.operation import Kind
from unlatch.spi.render import plain
from unlatch.worklog.name_matching import first_of
from unlatch.worklog.text.neutral import without_controls
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.preview import Preview, Previewed
    from unlatch.increments.files.changes.plans import Plan
    from unlatch.lifecycle.change import DryRun, Refusal
    from unlatch.project.registry import Registry
    from unlatch.spi import PlannedRequest
    from unlatch.spi.text import Block, Text

_INDENT = " " * 6
_METHOD = len("OPTIONS")


def tell_preview(
    context: Context, preview: Preview, *, as_json: bool, more: output.Json | None = None
) -> int:
    code = foreseen_code(preview.items)
    if show_plan(
        context,
        "dry-run",
        code,
        preview_document(preview) | (more or {}),
        as_json=as_json,
        about=[preview.plan.before],
        read=[item.item for item in preview.items],
    ):
        return code
    show_preview(context, preview)
    tell_unread(unread_items(preview.items))
    return code


def foreseen_code(items: Iterable[Previewed]) -> int:
    """The exit code of a dry run: 5 if an item is unread, else 3 if one would not be changed."""
    previews = [*items]
    if any(item.is_unread for item in previews):
        return UNDECIDED
    return UNDELIVERED if any(item.is_refused for item in previews) else 0


def show_preview(context: Context, preview: Preview) -> None:
    """Show a preview as text, without the next steps for unread items."""
    output.data(*_lines(context, preview))
    tell_warnings(preview.warnings)


def unread_items(items: Sequence[Previewed]) -> list[ItemSnapshot]:
    """The items that could not be read; their requests are unknown."""
    return [_snapshot(item) for item in items if item.is_unread]


def _snapshot(item: Previewed) -> ItemSnapshot:
    return ItemSnapshot(item.link, item.name, item.item, item.error if item.is_unread else None)


def _lines(context: Context, preview: Preview) -> Iterator[str]:
    yield from output.hang("", _headline(preview.plan))
    yield from item_lines(context, preview.items)
    for link, needed in preview.spared:
        yield f"    {output.clean(link.key)} stays open: {', '.join(needed)} needs it"
    if preview.scope:
        yield from foreseen_lines(preview.scope)
    yield from output.hang("", _sum(preview))


def item_lines(context: Context, items: Sequence[Previewed]) -> Iterator[str]:
    """The lines about each item: its comment and its requests."""
    registry = context.workspace.registry
    columns = 2 + max(len(manifest.title) for manifest in registry.manifests.values())
    requests = _request_lines([request for item in items for request in item.requests])
    said: Text | None = None
    for item in items:
        # Items of one intent are adjacent and share one comment, which is shown once.
        if item.change.comment not in (None, said):
            said = item.change.comment
            yield from text_lines("Comment", said or (), columns)
        about = _about(registry, item, columns)
        yield from output.hang(about[: 4 + columns], about[4 + columns :])
        for remark in _remarks(item):
            yield from output.hang(_INDENT, remark)
        for _ in item.requests:
            yield from next(requests)


def _headline(plan: Plan) -> str:
    before, after = plan.before, plan.after.status
    if before.is_item:
        return f"{output.strong(output.clean(before.title))} (dry run)"
    would = f"would stay {after}" if before.status is after else f"{before.status} -> {after}"
    moved = ", out of the archive" if before.archived and not after.is_finished else ""
    return f"Increment {output.strong(before.id)}: {would}{moved} (dry run)"


def _about(registry: Registry, item: Previewed, columns: int) -> str:
    if item.operation.kind is not Kind.CREATE:
        return seen_line(registry, _snapshot(item), columns=columns)
    manifest = registry.manifest(item.operation.tracker)
    story = f" for {output.clean(item.operation.story)}" if item.operation.story else ""
    target = output.clean(item.operation.item)
    return f"    {manifest.title:<{columns}}{target}: a new {manifest.noun}{story}"


def _remarks(item: Previewed) -> Iterator[str]:
    if item.error is not None and not item.is_unread:
        yield f"{output.warn(item.error.message)} {output.faint(f'[{item.error.id}]')}"
        if item.error.hint:
            yield output.clean(item.error.hint)
    if item.was_pending:
        since = f"pending since {item.operation.at:%Y-%m-%d}"
        yield f"{since}; whether it was delivered is checked first"


def text_lines(name: str, text: Text, columns: int) -> Iterator[str]:
    """The lines of a text that is posted, behind its name."""
    lines = "\n\n".join(map(_styled, text)).splitlines()
    for label, line in zip_longest([name], lines, fillvalue=""):
        for part in output.hang(f"    {label:<{columns}}", line):
            yield part.rstrip()


def _styled(block: Block) -> str:
    if not isinstance(block, tuple):
        return without_controls(plain((block,)))
    spans = ((without_controls(span.text), span.bold) for span in block)
    return "".join(output.strong(text) if bold else text for text, bold in spans)


def _request_lines(requests: list[PlannedRequest]) -> Iterator[list[str]]:
    """Each request on one line, or on two if the terminal is too narrow for any of them."""
    heads = [
        f"{_INDENT}{request.method:<{_METHOD}} {output.clean(request.url)}" for request in requests
    ]
    words = [output.clean(request.what) for request in requests]
    longest = max(map(len, heads), default=0)
    import shutil  # noqa: PLC0415  (slow to load)

    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    if columns is None or longest + 2 + max(map(cells, words), default=0) < columns:
        return ([f"{head:<{longest}}  {what}"] for head, what in zip(heads, words, strict=True))
    margin = " " * (len(_INDENT) + _METHOD + 1)
    return (
        [head, *(f"{margin}{line}" for line in wrap(what, columns - 1 - len(margin)))]
        for head, what in zip(heads, words, strict=True)
    )


def _sum(preview: Preview) -> str:
    reached = {_target(item) for item in preview.items if item.requests}
    unknown = {item.link for item in preview.items if item.is_unread}
    if not preview.items or (not reached and any(item.error for item in preview.items)):
        parts = ["No requests to send."] if not unknown else []
    elif not reached:
        parts = [f"{times(len(preview.items), 'operation')} left for unlatch sync."]
    else:
        exact = "" if preview.is_exact else " (estimate)"
        requests = times(preview.requests, "request")
        parts = [f"{requests} to {times(len(reached), 'item')}{exact}."]
    if unknown:
        parts.append(f"{times(len(unknown), 'item')} could not be read.")
    return " ".join([*parts, "Nothing was written."])


def _target(item: Previewed) -> object:
    """A new item has no address yet; each creation is an item of its own."""
    return item.operation.op if item.operation.kind is Kind.CREATE else item.link


def preview_document(preview: Preview) -> output.Json:
    before, after = preview.plan.before, preview.plan.after
    return {
        "increment": {"id": before.id, "status": before.status, "wouldBe": after.status},
        "items": [previewed_entry(item) for item in preview.items],
        "spared": spared_entries(preview.spared),
        "requests": preview.requests,
        "scope": scope_entry(preview.scope),
        "warnings": warning_entries(preview.warnings),
    }


def previewed_entry(item: Previewed) -> output.Json:
    seen, change = item.item, item.change
    return {
        "tracker": item.operation.tracker,
        "id": seen.ref.id if seen else item.link.item,
        "url": seen.ref.url if seen else item.link.url,
        "state": seen.state if seen else None,
        "comment": None if change.comment is None else plain(change.comment),
        "addLabels": list(change.add_labels),
        "removeLabels": list(change.remove_labels),
        "pendingSince": stamp(item.operation.at) if item.was_pending else None,
        "requests": [output.fields(request, "method", "url", "what") for request in item.requests],
        "error": problem_entry(item.error) if item.error else None,
    }


def tell_refusals(refusals: Iterable[Refusal]) -> None:
    """Show the first increment for each cause with the next step, and name the others."""
    causes: dict[tuple[str, str], list[Refusal]] = {}
    for refusal in refusals:
        causes.setdefault(_cause(refusal), []).append(refusal)
    for alike in causes.values():
        _tell(alike)


def _cause(refusal: Refusal) -> tuple[str, str]:
    """The error as it is for every increment: without the name of this one."""
    return refusal.error.id, refusal.error.message.replace(refusal.id, "")


def _tell(alike: Sequence[Refusal]) -> None:
    first, error = alike[0], alike[0].error
    stays = f"stays {first.before.status}" if first.before else "stays as it is"
    message = f"{output.clean(error.message)} {output.faint(f'[{error.id}]')}"
    output.failed(f"{output.clean(first.id)} {stays}: {message}", error.hint)
    output.data(*(f"    - {output.clean(problem)}" for problem in error.problems))
    if others := [output.clean(refusal.id) for refusal in alike[1:]]:
        more = times(len(others), "more increment")
        output.data(f"    {more} likewise: {first_of(others)}")


def refused_entry(refusal: Refusal) -> output.Json:
    """An increment among many that stays as it is; its status is null if it cannot be read."""
    status = refusal.before.status if refusal.before else None
    error = problem_entry(refusal.error)
    return {"id": refusal.id, "status": status, "previousStatus": status, "error": error}


_KEYS = ("increment", "items", "spared", "requests", "warnings")
_COLUMNS = 14


def tell_previews(context: Context, dry_run: DryRun, *, command: str, as_json: bool) -> int:
    """Show the changes that a command would make, and what it would refuse; the exit code."""
    previews, refused, excess = dry_run.previews, dry_run.refused, dry_run.excess
    unread = [item for preview in previews for item in unread_items(preview.items)]
    codes = [refusal.error.exit_code for refusal in refused]
    codes += [foreseen_code(preview.items) for preview in previews]
    code = code_of_many(codes, changed=any(map(_changes, previews)))
    parts = {
        "increments": [_entry(preview) for preview in previews],
        "requests": sum(preview.requests for preview in previews),
        "refused": [
            {"id": refusal.id, "error": problem_entry(refusal.error)} for refusal in refused
        ],
        "tooMany": problem_entry(excess) if excess else None,
    }
    read = [item.item for preview in previews for item in preview.items]
    about = [preview.plan.before for preview in previews]
    if show_plan(context, "dry-run-many", code, parts, as_json=as_json, about=about, read=read):
        return code
    with context.paged():
        output.data(*sum_lines(context.workspace.registry, previews, refused))
        for preview in previews:
            output.data("")
            show_preview(context, preview)
        tell_refusals(refused)
        if excess is not None:
            tell_excess(command, excess, dry_run.items)
        tell_unread(unread)
    return code


def _changes(preview: Preview) -> bool:
    plan = preview.plan
    return bool(preview.items) or plan.before.status is not plan.after.status


def _entry(preview: Preview) -> output.Json:
    whole = preview_document(preview)
    return {key: whole[key] for key in _KEYS}


def sum_lines(
    registry: Registry, previews: Sequence[Preview], refused: Sequence[Refusal]
) -> Iterator[str]:
    """The number of changes, by status and by tracker."""
    requests = sum(preview.requests for preview in previews)
    yield f"{times(len(previews), 'increment')}, {times(requests, 'request')} in all."
    if previews:
        yield from _line("Status", _counted(_move(preview) for preview in previews))
    seen: dict[str, dict[object, str]] = {}
    for item in (item for preview in previews for item in preview.items):
        state = item.item.state if item.item else "unknown" if item.is_unread else "not read"
        seen.setdefault(item.operation.tracker, {})[item.link.key] = state
    for tracker, states in seen.items():
        count = times(len(states), "item")
        yield from _line(tracker_title(registry, tracker), f"{count}: {_counted(states.values())}")
    if spared := sum(len(preview.spared) for preview in previews):
        yield from _line("Stay open", times(spared, "item"))
    if refused:
        yield from _line("Refused", _counted(f"[{refusal.error.id}]" for refusal in refused))


def _move(preview: Preview) -> str:
    before, after = preview.plan.before.status, preview.plan.after.status
    return f"stay {after}" if before is after else f"{before} -> {after}"


def _counted(words: Iterable[str]) -> str:
    counts = Counter(map(output.clean, words))
    return ", ".join(f"{count:,} {word}" for word, count in counts.most_common())


def _line(label: str, text: str) -> list[str]:
    return output.hang(f"    {label:<{_COLUMNS}}", text)
