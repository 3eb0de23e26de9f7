"""The other work that a resume of an increment would change: in plans, prompts and documents."""

from __future__ import annotations

from dataclasses import replace
from shlex import join, quote
from typing import TYPE_CHECKING

from unlatch.cli.options.reason import ask_reason
from unlatch.cli.options.resume import INCREMENT
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.terminal import output, prompts
from unlatch.cli.terminal.progress import FEW
from unlatch.errors import UsageError, unexpected
from unlatch.increments.model.reason import checked_reason
from unlatch.related.places import may_have_related

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.change import ChangeOptions
    from unlatch.lifecycle.resume import Resume
    from unlatch.lifecycle.resume_plan import ResumeRequest
    from unlatch.related.belonging import Related
    from unlatch.related.kinds import Step


def chosen_related(context: Context, increment: Increment, kinds: Collection[str]) -> Related:
    """The work of an increment, of these kinds."""
    from unlatch.related.belonging import find_related  # noqa: PLC0415  (most have no other work)

    related = find_related(context.workspace, increment)
    return replace(
        related,
        others=tuple(work for work in related.others if f"{work.kind}s" in kinds),
        filed=related.filed if {*kinds} - {INCREMENT} else None,
        kinds=kinds,
    )


def due_work(
    context: Context,
    increment: Increment,
    request: ResumeRequest,
    options: ChangeOptions,
    kinds: Collection[str],
) -> list[Step]:
    """The efforts, sessions and runs that a resume would change, of the chosen kinds.

    Empty where they are not shown, and if they cannot be read: `resume_others` reports that.
    """
    is_decided = increment.status.is_finished and options.yes and request.reason is not None
    if is_decided and not options.dry_run:
        return []
    return _due(context, increment, kinds)


def _due(context: Context, increment: Increment, kinds: Collection[str]) -> list[Step]:
    try:
        if not may_have_related(context.workspace, increment):
            return []
        from unlatch.related.resume_related import plan_related  # noqa: PLC0415  (as above)

        related = chosen_related(context, increment, kinds)
        return [step for step in plan_related(context.workspace, related, by="") if step.is_due]
    except Exception as error:  # noqa: BLE001  # it cannot stop the resume of the increment
        context.trace(unexpected(error))
        return []


def left_work(
    context: Context, increments: Iterable[Increment], kinds: Collection[str]
) -> dict[str, list[Step]]:
    """The other work of many increments, which a resume of them all leaves as it is."""
    steps_of = {increment.id: _due(context, increment, kinds) for increment in increments}
    return {name: steps for name, steps in steps_of.items() if steps}


def tell_left_work(steps_of: Mapping[str, Sequence[Step]]) -> None:
    """Name the other work of each increment, with the command that resumes it."""
    for name, steps in [*steps_of.items()][:FEW]:
        kinds = "".join(f" --only {kind}" for kind in _kinds(steps))
        reason = " --reason TEXT" if any(step.is_finished for step in steps) else ""
        output.talk(f"{output.warn('!')} {output.clean(name)}: not resumed: {_named(steps)}")
        output.talk(f"    To resume it: unlatch resume {quote(name)}{kinds}{reason}")
    if len(steps_of) > FEW:
        output.talk(f"{times(len(steps_of) - FEW, 'more increment')} with other work: see --json")


def left_keys(steps: Iterable[Step]) -> output.Json:
    """The key `related` for work that stays as it is; none without any."""
    entries = [{"ref": step.ref, "status": step.before} for step in steps]
    return {"related": entries} if entries else {}


def _kinds(steps: Sequence[Step]) -> Iterable[str]:
    return dict.fromkeys(f"{step.ref.partition(':')[0]}s" for step in steps)


def tell_work(steps: Sequence[Step]) -> None:
    """Name the other work below the announcement of a resume."""
    if steps:
        output.talk(f"  It also resumes {_named(steps)}.")


def foreseen_keys(steps: Iterable[Step]) -> output.Json:
    """The key `related` of a dry run's document; none without other work."""
    entries = [output.fields(step, "ref", "before") | {"status": step.goal} for step in steps]
    return {"related": entries} if entries else {}


def ask_for_work(plan: Resume, context: Context, steps: Sequence[Step]) -> Resume:
    """The plan with a reason for finished work, if the increment itself needs none."""
    finished = [step for step in steps if step.is_finished]
    if not finished or plan.request.reason is not None or not is_interactive():
        return plan
    if not prompts.confirm(f"Other work has ended: {_named(finished)}; reopen it, too?"):
        return plan
    return replace(plan, request=replace(plan.request, reason=ask_reason(context)))


def needed_reason(
    context: Context,
    increment: Increment,
    request: ResumeRequest,
    options: ChangeOptions,
    kinds: Collection[str],
) -> str | None:
    """The reason for other work without the increment; asks for a missing one.

    Raises:
        UsageError: `reason-missing`: other work needs one, and there is no terminal to ask at.
    """
    steps = due_work(context, increment, request, options, kinds)
    if request.reason is not None:
        return checked_reason(request.reason)
    if not any(step.is_finished for step in steps):
        return None
    if options.yes or not is_interactive():
        only = [word for kind in sorted(kinds) for word in ("--only", kind)]
        command = join(["unlatch", "resume", increment.id, *only, "--reason", "TEXT"])
        raise UsageError(
            "reason-missing", f"reopening {_named(steps)} needs a reason", hint=command
        )
    tell_work(steps)
    return ask_reason(context)


def _named(steps: Iterable[Step]) -> str:
    return ", ".join(f"{step.ref} ({step.before})" for step in steps)
