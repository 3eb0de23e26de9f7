"""--dry-run of several increments: the sums, each increment, and those that stay as they are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times, tracker_title
from unlatch.cli.render.notes import tell_excess, tell_unread
from unlatch.cli.render.preview import foreseen_code, preview_document, show_preview, unread_items
from unlatch.cli.runtime.failure import code_of_many, problem_entry
from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.terminal import output
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.preview import Preview
    from unlatch.lifecycle.change import DryRun, Refusal
    from unlatch.project.registry import Registry


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
