"""The result of unlatch resume with one id, for people."""

from collections.abc import Collection, Iterable, Iterator
from os.path import relpath
from shlex import join, quote

from unlatch.cli.commands.work.resume_options import ResumeOptions
from unlatch.cli.render.deliveries import tell_left
from unlatch.cli.render.describe import document_lines, sum_lines, times
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.render.refused import link_name, tell_known_refusals
from unlatch.cli.runtime.context import Context
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.increments.model.increment import Amendment, Increment
from unlatch.lifecycle.deliver import DeliveryResult
from unlatch.lifecycle.resume import ResumeResult
from unlatch.lifecycle.resume_plan import ResumePlan, ResumeStep
from unlatch.lifecycle.scoping.scope import Scope
from unlatch.spi import Capability
from unlatch.worklog.name_matching import first_of

# The characters of a change of the work that name it.
_LONGEST = 80


def is_repeated(result: ResumeResult) -> bool:
    """Whether all that was asked for is a change of the work that was made before."""
    return result.known is not None and result.step is ResumeStep.NOTHING


def tell_result(context: Context, result: ResumeResult, *, offline: bool) -> None:
    """Say what was changed, before the delivery; `offline`, nothing will be delivered."""
    increment = result.increment
    if result.known and is_repeated(result):
        output.talk(_why_known(result.known))
        return
    output.ok(f"Increment {increment.id} {_description(result, offline=offline)}")
    if result.scope:
        output.data(*document_lines(result.scope))
        output.talk(*_undescribed_lines(context, increment, result.scope))
    if result.known:
        output.talk(f"    {_why_known(result.known)}")
    if result.before.archived:
        place = increment.unit.place if increment.unit else increment.folder
        output.ok(f"Moved out of the archive: {output.clean(relpath(place))}")
    tell_remarks(increment)
    if result.outrun:
        output.talk("    Another process resumed it first; this reason was not recorded.")
    if result.step is ResumeStep.REOPEN and not increment.links:
        output.talk("    It has no linked items; unlatch link adds some.")


def _undescribed_lines(context: Context, increment: Increment, scope: Scope) -> Iterator[str]:
    """The items that do not list the new tasks, with the command that lists them there."""
    for name in dict.fromkeys(link.tracker for link in scope.undescribed):
        manifest = context.workspace.registry.manifest(name)
        if Capability.UPDATE in manifest.capabilities:
            links = [link for link in scope.undescribed if link.tracker == name]
            items = first_of([output.clean(link_name(context, link)) for link in links])
            verb = "does not list" if len(links) == 1 else "do not list"
            command = join(["unlatch", name, f"update-{manifest.slug}", increment.id])
            yield f"    {items} {verb} the new tasks: {command}"


def tell_problems(
    context: Context,
    plan: ResumePlan,
    result: ResumeResult,
    typed: ResumeOptions,
    shown: Collection[str],
) -> None:
    """Show the warnings, without those whose ids were shown before."""
    tell_warnings(result.warnings, known=shown)
    output.talk(*(f"    {one.hint}" for one in plan.warnings if one.hint))
    if result.entry and typed.yes:
        warn_of_frequency(context, result.increment, shown=result.warnings)


def _why_known(amendment: Amendment) -> str:
    if amendment.change is not None:
        tasks = f" ({', '.join(map(output.clean, amendment.ids))})" if amendment.ids else ""
        return f"Not repeated, because it was made before: {_shortened(amendment.change)}{tasks}"
    parts = ", ".join(map(output.clean, amendment.parts))
    return f"Not done yet, so there is nothing to untick: {parts}"


def _shortened(text: str) -> str:
    line = " ".join(output.clean(text).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _description(result: ResumeResult, *, offline: bool) -> str:
    increment, entry = result.increment, result.entry
    if result.step in _ACTIVE:
        return f"is {active_line(result, offline=offline)}"
    moved = f"{result.before.status} -> {increment.status}"
    if entry is None:
        return f"resumed: {moved}"
    return f"reopened: {moved} (by {output.clean(entry.reopened_by)})"


def active_line(result: ResumeResult, *, offline: bool) -> str:
    """The effect on an increment that is active already."""
    effects = _ACTIVE | (_ACTIVE_OFFLINE if offline else {})
    count = times(len(result.increment.pending), "operation")
    return f"already active; {effects[result.step].format(count=count)}"


def tell_end(context: Context, result: ResumeResult, delivered: DeliveryResult, code: int) -> None:
    """Say what is left to do after the delivery, and the next step."""
    if is_repeated(result):
        return
    if result.step is ResumeStep.NOTHING and tell_known_refusals(context, result.increment):
        return
    if result.scope:
        output.data(*sum_lines(result.scope))
    if unwritten := result.increment.unwritten:
        left = f"{output.warn('Not written yet:')} {', '.join(unwritten)}."
        output.talk(f"{left} Next: unlatch resume {quote(result.increment.id)}")
    elif code:
        tell_left(delivered)
    elif not delivered.left:  # else the line before names the next step
        output.talk(f"Next: unlatch show {quote(output.clean(result.increment.id))}")


# The effects on an active increment, in words.
_ACTIVE = {
    ResumeStep.NOTHING: "nothing to do",
    ResumeStep.DELIVER: "delivering {count}",
    ResumeStep.AMEND: "its work was changed",
    ResumeStep.REOPEN_ITEMS: "reopening its closed items",
}
_ACTIVE_OFFLINE = {
    ResumeStep.DELIVER: "nothing is delivered with --offline",
    ResumeStep.REOPEN_ITEMS: "the reopen of its items is recorded",
}


def warn_of_frequency(
    context: Context, increment: Increment, *, more: int = 0, shown: Iterable[UnlatchError] = ()
) -> None:
    """Warn about an increment that was reopened often, or will be with `more` reopens.

    Shows nothing if the warnings `shown` say the same.
    """
    count = increment.effective_reopens + more
    if count < context.workspace.config.frequent_reopens:
        return
    if not any(one.id == "reopened-too-often" for one in shown):
        done = f"This will be reopen number {count}" if more else f"Reopened {count} times"
        advice = "Consider a new increment: unlatch new TITLE"
        output.talk(output.warn(f"    {done}. {advice}"))
