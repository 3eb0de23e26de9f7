"""What a CI system is told of a sync: annotations, a summary in Markdown, and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.commands.trackers.sync_plan import NO_TOKEN, what_of
from unlatch.cli.render.describe import times
from unlatch.cli.runtime import ci
from unlatch.cli.runtime.ci import Annotation, Level
from unlatch.increments.files.layout import METADATA
from unlatch.sync.compare import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.commands.trackers.publish import PublishResult
    from unlatch.cli.runtime.session import Session
    from unlatch.delivery.task import Delivery
    from unlatch.lifecycle.deliver import Delivered
    from unlatch.sync.apply import Moved
    from unlatch.sync.compare import Compared
    from unlatch.sync.plan import SyncPlan

_UNDECIDED = frozenset({Verdict.ASK, Verdict.CONFLICT})
_DIFFERS = _UNDECIDED | {Verdict.DRIFT, Verdict.PUSH, Verdict.PULL}


def report_plan(session: Session, plan: SyncPlan, *, check: bool, code: int) -> None:
    """Tell the CI system, if there is one, what `--plan` or `--check` found."""
    job = ci.job()
    if job is None:
        return
    level = Level.ERROR if check else Level.WARNING
    ci.annotate(job, _found(plan, level))
    heading = "Increments and items differ" if plan.is_adrift else "Increments and items agree"
    ci.summarise(job, [f"### {heading}", "", *_table(plan)], id=session.workspace.new_id())
    said = f"{times(len(_differing(plan)), 'link')} out of step"
    ci.tell_outputs(job, _outputs(code, said, adrift=plan.is_adrift, changed=False))


def report_sync(
    session: Session,
    plan: SyncPlan,
    moved: Sequence[Moved],
    ended: Sequence[Delivered],
    given: PublishResult,
    *,
    code: int,
) -> None:
    """Tell the CI system, if there is one, what a sync did."""
    job = ci.job()
    if job is None:
        return
    ci.annotate(job, [*_left(ended), *_unmoved(moved), *_found(plan, None), *_ungiven(given)])
    done = [one for one in moved if one.error is None]
    served = [one for end in ended for one in end.deliveries if one.is_done]
    said = f"{times(len(done), 'increment')} moved, {times(len(served), 'operation')} delivered"
    lines = [f"### unlatch sync: {said}", "", *map(_moved_line, moved), *_lines(session, ended)]
    if given.given is not None:
        lines += ["", f"Committed to {ci.words(given.given.branch)}."]
        lines += [f"<{url}>" for url in [given.given.proposal] if url]
    lines += ["", *_table(plan)]
    ci.summarise(job, lines, id=session.workspace.new_id())
    changed = bool(done or served or given.given)
    outputs = _outputs(code, said, adrift=bool(plan.having(*_UNDECIDED)), changed=changed)
    if given.given is not None:
        outputs |= {"branch": given.given.branch, "proposal": given.given.proposal or ""}
    ci.tell_outputs(job, outputs)


def _outputs(code: int, said: str, *, adrift: bool, changed: bool) -> dict[str, str]:
    truth = {True: "true", False: "false"}
    return {
        "exit-code": str(code),
        "changed": truth[changed],
        "adrift": truth[adrift],
        "summary": said,
    }


def _found(plan: SyncPlan, level: Level | None) -> Iterator[Annotation]:
    """What is not in step; without a level, only what somebody has to see to."""
    for one in plan.told:
        title = f"{one.increment.id} and {one.seen.name}"
        file = one.increment.folder / METADATA
        if one.seen.error is not None:
            is_fork = level is not None and one.seen.error.id in NO_TOKEN
            how = Level.NOTICE if is_fork else Level.ERROR
            yield Annotation(how, title, what_of(one), file)
        elif level is not None and (one.pending or one.verdict in _DIFFERS):
            yield Annotation(level, title, what_of(one), file)
        elif one.verdict in _UNDECIDED:
            yield Annotation(Level.ERROR, title, what_of(one), file)
        elif one.verdict is Verdict.DRIFT:
            yield Annotation(Level.WARNING, title, what_of(one), file)


def _differing(plan: SyncPlan) -> list[Compared]:
    return [one for one in plan.links if one.pending or one.verdict in _DIFFERS]


def _left(ended: Sequence[Delivered]) -> Iterator[Annotation]:
    for end in ended:
        for one in end.deliveries:
            if one.error is not None:
                title = f"{end.increment.id}: {one.name}"
                hint = f"; {one.error.hint}" if one.error.hint else ""
                message = f"{one.error.message} [{one.error.id}]{hint}"
                yield Annotation(Level.ERROR, title, message, end.increment.folder / METADATA)


def _unmoved(moved: Sequence[Moved]) -> Iterator[Annotation]:
    for one in moved:
        if one.error is not None:
            increment = one.move.increment
            message = f"{one.error.message} [{one.error.id}]"
            yield Annotation(Level.ERROR, increment.id, message, increment.folder / METADATA)


def _ungiven(given: PublishResult) -> Iterator[Annotation]:
    if given.error is not None:
        hint = f"; {given.error.hint}" if given.error.hint else ""
        message = f"{given.error.message} [{given.error.id}]{hint}"
        yield Annotation(Level.ERROR, "not given back to git", message)


def _moved_line(one: Moved) -> str:
    move = one.move
    told = f"{move.increment.id}: {move.increment.status} to {move.to} ({move.reason})"
    failed = f", not done: {one.error.message}" if one.error else ""
    return f"- {ci.words(told + failed)}"


def _lines(session: Session, ended: Sequence[Delivered]) -> list[str]:
    return [_line(session, end, one) for end in ended for one in end.deliveries]


def _line(session: Session, end: Delivered, one: Delivery) -> str:
    manifest = session.workspace.registry.manifests.get(one.operation.tracker)
    tracker = manifest.title if manifest else one.operation.tracker
    told = f"{one.operation.kind} delivered" if one.is_done else f"{one.operation.kind} not yet"
    failed = f": {one.error.message}" if one.error else ""
    return f"- {ci.words(f'{end.increment.id}: {tracker} {one.name}: {told}{failed}')}"


def _table(plan: SyncPlan) -> list[str]:
    rows = [_row(one) for one in plan.told]
    return ci.table(("Increment", "Here", "Item", "There", "What"), rows) if rows else []


def _row(one: Compared) -> list[str]:
    item = one.seen.item
    there = item.state if item else "unknown"
    cells = (one.increment.id, one.increment.status.value, one.seen.name, there, what_of(one))
    return [ci.words(cell) for cell in cells]
