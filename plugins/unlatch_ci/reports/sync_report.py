"""Report a sync to the CI system: annotations, a summary in Markdown, and outputs."""

from collections.abc import Iterable, Iterator, Sequence

from unlatch.cli.commands.trackers.box_text import is_drifting
from unlatch.cli.commands.trackers.not_checked import (
    NotChecked,
    checked_part,
    excluded_lines,
    left_out_lines,
    names,
    title,
)
from unlatch.cli.commands.trackers.sync_next import find_decisions
from unlatch.cli.commands.trackers.sync_render import (
    HEADINGS,
    action_of,
    is_partial,
    left_links,
    link_row,
    shown_links,
)
from unlatch.cli.render.describe import brief, times, tracker_title
from unlatch.cli.runtime.context import Context
from unlatch.cli.terminal import output
from unlatch.delivery.task import Delivery
from unlatch.errors import UnlatchError
from unlatch.increments.files.paths import METADATA
from unlatch.increments.model.increment import Increment
from unlatch.lifecycle.deliver import DeliveryResult
from unlatch.sync.compare import Compared, Verdict
from unlatch.sync.plan import Move, SyncPlan
from unlatch.sync.publishing import PublishResult
from unlatch.sync.sync import SyncPreview, SyncResult
from unlatch_ci.reports import formats as ci
from unlatch_ci.reports.formats import Annotation, Level

_UNDECIDED = frozenset({Verdict.ASK, Verdict.CONFLICT})
_DIFFERS = _UNDECIDED | {Verdict.DRIFT, Verdict.PUSH, Verdict.PULL}


def report_preview(
    context: Context,
    preview: SyncPreview,
    missed: Sequence[NotChecked],
    waiting: Sequence[Increment],
    *,
    check: bool,
    code: int,
) -> None:
    """Report the plan; `waiting` are the records of items with pending operations."""
    job = ci.job()
    if job is None:
        return
    plan, broken = checked_part(preview.plan, missed), preview.broken
    level = Level.ERROR if check else Level.WARNING
    differences = [*_differences(plan, level), *_waiting(waiting, level)]
    ci.annotate(job, [*_missed(context, preview, missed), *differences])
    is_whole = not (missed or broken or is_partial(preview))
    adrift = plan.has_drift or bool(waiting)
    lines = [
        f"### {_heading(plan, adrift=adrift, is_whole=is_whole)}",
        "",
        *_table(shown_links(plan)),
        *_decision_lines(context, plan),
        *_missed_lines(context, preview, missed),
    ]
    ci.summarise(job, lines, id=context.workspace.new_id())
    count = sum(_differs(link) for link in plan.links)
    summary = f"{times(count, 'link')} not in sync{_missed_sum(preview, missed)}"
    if waiting:
        summary += f", {times(len(waiting), 'item')} with pending operations"
    ci.tell_outputs(job, _outputs(code, summary, adrift=adrift, changed=False))


def _heading(plan: SyncPlan, *, adrift: bool, is_whole: bool) -> str:
    if adrift:
        return "Increments and items differ"
    if not plan.links:
        return "No items were compared"
    rest = "" if is_whole else " as far as they were compared"
    return f"Increments and items are in sync{rest}"


def report_result(
    context: Context,
    result: SyncResult,
    missed: Sequence[NotChecked],
    published: PublishResult,
    *,
    code: int,
    retry: output.Json,
) -> None:
    """Report the result; `retry` says whether to sync again, and when."""
    job = ci.job()
    if job is None:
        return
    plan, commit = result.plan, None if isinstance(published, UnlatchError) else published
    annotations = _annotations(result, published)
    ci.annotate(job, [*_missed(context, result, missed), *annotations])
    moved = [move for move in result.moved if move.error is None]
    served = [
        delivery
        for each in result.delivered
        for delivery in each.deliveries
        if delivery.error is None
    ]
    is_unchanged = result.refused or result.other_branch is not None
    left = shown_links(plan) if is_unchanged else left_links(plan)
    pending = sum(each.left for each in result.delivered)
    summary = _sums(
        (len(moved), "increment", "changed"),
        (len(result.moved) - len(moved), "increment", "not changed"),
        (len(served), "operation", "delivered"),
        (pending, "operation", "not delivered"),
        (sum(map(_differs, left)), "link", "not in sync"),
    )
    summary += _missed_sum(result, missed) + (", too many items" if result.refused else "")
    command = "ingest" if result.event else "sync"
    lines = [f"### unlatch {command}: {summary}", "", *map(_moved_line, result.moved)]
    lines += [
        _line(context, each, delivery) for each in result.delivered for delivery in each.deliveries
    ]
    if commit is not None:
        lines += ["", f"Committed to {ci.words(commit.branch)}."]
        lines += [f"<{url}>" for url in [commit.proposal] if url]
    lines += ["", *_table(left), *_decision_lines(context, plan)]
    lines += _missed_lines(context, result, missed)
    ci.summarise(job, lines, id=context.workspace.new_id())
    changed = bool(moved or served or commit)
    outputs = _outputs(code, summary, adrift=_is_adrift(result), changed=changed)
    outputs |= {"retry": retry["retry"], "retry-at": retry["retryAt"] or ""}
    if commit is not None:
        outputs |= {"branch": commit.branch, "proposal": commit.proposal or ""}
    ci.tell_outputs(job, outputs)


def _is_adrift(result: SyncResult) -> bool:
    """Whether a check after the sync would find drift."""
    if result.refused or result.other_branch is not None:
        return result.plan.has_drift
    is_left = any(each.left for each in result.delivered) or any(
        move.error for move in result.moved
    )
    is_left |= any(link.boxes and is_drifting(link.boxes) for link in result.plan.links)
    return is_left or bool(result.plan.having(*_UNDECIDED, Verdict.DRIFT))


def _outputs(code: int, summary: str, *, adrift: bool, changed: bool) -> dict[str, str]:
    flags = {"changed": str(changed).lower(), "adrift": str(adrift).lower()}
    return {"exit-code": str(code), **flags, "summary": summary}


def _annotations(result: SyncResult, published: PublishResult) -> Iterator[Annotation]:
    for each in result.delivered:
        file = each.increment.folder / METADATA
        for delivery in each.deliveries:
            if delivery.error is not None:
                title = f"{each.increment.id}: {delivery.name}"
                yield Annotation(Level.ERROR, title, brief(delivery.error), file)
    for moved in result.moved:
        if error := moved.error:
            increment, message = moved.increment, f"{error.message} [{error.id}]"
            yield Annotation(Level.ERROR, increment.id, message, increment.folder / METADATA)
    yield from _differences(result.plan, None)
    if result.refused:
        yield Annotation(Level.ERROR, "plan not applied", brief(result.refused))
    if isinstance(published, UnlatchError):
        yield Annotation(Level.ERROR, "changes not published", brief(published))


def _differences(plan: SyncPlan, level: Level | None) -> Iterator[Annotation]:
    """Annotations for links not in sync; without a level, only those that need a person."""
    for link in shown_links(plan):
        if severity := _level(link, level):
            title = f"{link.increment.id} and {link.seen.name}"
            yield Annotation(severity, title, action_of(link), link.increment.folder / METADATA)


def _waiting(records: Sequence[Increment], level: Level) -> Iterator[Annotation]:
    for record in records:
        message = f"{times(len(record.pending), 'operation')} pending"
        yield Annotation(level, record.title, message, record.folder / METADATA)


def _level(link: Compared, level: Level | None) -> Level | None:
    if level is not None and _differs(link):
        return level
    if link.verdict in _UNDECIDED:
        return Level.ERROR
    is_drift = link.verdict is Verdict.DRIFT or (link.boxes and is_drifting(link.boxes))
    return Level.WARNING if is_drift else None


def _differs(link: Compared) -> bool:
    differ = link.boxes is not None and link.boxes.differ
    return bool(link.pending) or link.verdict in _DIFFERS or differ


def _missed(
    context: Context, outcome: SyncPreview | SyncResult, missed: Sequence[NotChecked]
) -> Iterator[Annotation]:
    for each in outcome.broken:
        message = f"{each.reason} [{each.error_id}]"
        yield Annotation(Level.ERROR, f"{each.id} not read", message, each.folder / METADATA)
    for name in outcome.chosen.changed_left_out:
        message = "changed on this branch, but not in this sparse checkout"
        yield Annotation(Level.ERROR, f"{name} not compared", message)
    for group in missed:
        level = Level.NOTICE if group.allowed else Level.ERROR
        cause = group.allowed or brief(group.unread.error)
        yield Annotation(level, title(context, group), f"{names(group)}: {cause}")


def _decision_lines(context: Context, plan: SyncPlan) -> Iterator[str]:
    """The commands for the links that need a decision, as the log shows them."""
    for heading, commands in find_decisions(context, plan):
        yield from ("", ci.words(heading), "", *(f"- {ci.words(command)}" for command in commands))


def _missed_lines(
    context: Context, outcome: SyncPreview | SyncResult, missed: Sequence[NotChecked]
) -> list[str]:
    lines = [
        f"{annotation.title}: {annotation.message}"
        for annotation in _missed(context, outcome, missed)
    ]
    lines += [*excluded_lines(context, outcome.plan), *left_out_lines(context, outcome.chosen)]
    return ["", *(f"- {ci.words(line)}" for line in lines)] if lines else []


def _missed_sum(outcome: SyncPreview | SyncResult, missed: Sequence[NotChecked]) -> str:
    counts = (
        (sum(len(group.unread.names) for group in missed), "item", "not checked"),
        (len(outcome.broken), "increment", "not read"),
        (len(outcome.chosen.changed_left_out), "increment", "not compared"),
    )
    return "".join(f", {text}" for text in _counted(counts))


def _moved_line(move: Move) -> str:
    line = f"{move.increment.id}: {move.increment.status} to {move.to} ({move.reason})"
    failed = f", not done: {move.error.message}" if move.error else ""
    return f"- {ci.words(line + failed)}"


def _line(context: Context, each: DeliveryResult, update: Delivery) -> str:
    tracker = tracker_title(context.workspace.registry, update.operation.tracker)
    result = "delivered" if update.error is None else "not yet"
    failed = f": {update.error.message}" if update.error else ""
    line = f"{each.increment.id}: {tracker} {update.name}: {update.operation.kind} {result}{failed}"
    return f"- {ci.words(line)}"


def _sums(*counts: tuple[int, str, str]) -> str:
    return ", ".join(_counted(counts)) or "no changes"


def _counted(counts: Iterable[tuple[int, str, str]]) -> Iterator[str]:
    """The counts that are not zero, as "3 operations delivered"."""
    return (f"{times(n, noun)} {what}" for n, noun, what in counts if n)


def _table(links: Iterable[Compared]) -> list[str]:
    rows = [[ci.words(cell) for cell in link_row(link)] for link in links]
    return ci.table(HEADINGS, rows) if rows else []
