"""The result of unlatch resume, for people and for scripts."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from os.path import relpath
from shlex import join, quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.commands.work.foreseen_work import left_keys, left_work, tell_left_work
from unlatch.cli.render.deliveries import tell_all_left, tell_left
from unlatch.cli.render.delivery_documents import NO_RETRY
from unlatch.cli.render.describe import document_lines, lines_of, sum_lines, times
from unlatch.cli.render.dialog import Dialog, deliveries_of
from unlatch.cli.render.documents import link_entry
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.render.related import tell_elsewhere
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED, error_lines
from unlatch.cli.terminal import output
from unlatch.cli.terminal.output import Json
from unlatch.cli.terminal.progress import FEW
from unlatch.errors import UnlatchError, unexpected
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.reopens import Amendment, ReopenEntry
from unlatch.increments.records.reopens import spelled_out, write_reopen
from unlatch.lifecycle.change import ChangeOptions, Done, Ended, Outcome, Refusal
from unlatch.lifecycle.resume import Resume
from unlatch.lifecycle.resume_plan import ResumeRequest, ResumeStep
from unlatch.lifecycle.scoping.change_scope import Scope
from unlatch.related.places import may_have_related
from unlatch.spi import Capability
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from unlatch.related.kinds import Step

# The characters of a change of the work that name it.
_LONGEST = 80
# Other outcomes of deliveries are "skipped" here.
_OUTCOMES = ("reopened", "already-open", "updated", "unchanged", "pending", "failed")


class ResumeReport(Dialog):
    """What a resume shows of its changes, and the steps after them.

    Attributes:
        steps: the other work that the resume of one increment would change.
        idle: the increments that are active already, of many.
        others: the other work of each of many, which stays as it is.
        left_out: the exit code for increments that cannot be read, of many.
        shown: the ids of the warnings that were shown with a prompt.
    """

    doing = "Resuming"
    keys = ("reopen", "trackers", "scope", "warnings")
    keys_of_many = ("reopen", "trackers", "left", "scope", "warnings", "error")
    steps: "Sequence[Step]" = ()
    idle: Sequence[Resume] = ()
    left_out = 0
    shown: frozenset[str] = frozenset()

    def __init__(
        self,
        context: Context,
        options: ChangeOptions,
        request: ResumeRequest,
        kinds: frozenset[str],
    ) -> None:
        super().__init__(context, options)
        self.request, self.kinds = request, kinds
        self.others: Mapping[str, Sequence[Step]] = {}

    def tell(self, done: Done) -> None:
        result, options = done.outcome, self.options
        if options.is_many:
            _tell_briefly(result, options)
            return
        _tell_result(self.context, result, offline=options.offline)
        tell_warnings(result.warnings, shown_ids=self.shown)
        if isinstance(done.change, Resume):
            output.talk(
                *(f"    {warning.hint}" for warning in done.change.warnings if warning.hint)
            )
        if result.entry and options.yes:
            warn_of_frequency(self.context, result.increment, warned=result.warnings)

    def changed(self, ended: Sequence[Ended]) -> None:
        super().changed(ended)
        done = [ended_change.outcome for ended_change in ended if isinstance(ended_change, Done)]
        if not self.options.is_many:
            return
        if (lost := sum(outcome.is_reason_lost for outcome in done)) and not self.options.as_json:
            where = times(lost, "increment")
            output.talk(
                f"Another process resumed {where} first; this reason was not recorded there."
            )
        odd = sum(bool(outcome.increment.warnings) for outcome in done)
        if len(done) > FEW and odd:
            output.note(
                f"{times(odd, 'increment')} with problems in files; unlatch doctor lists them"
            )

    def ended(self, ended: Sequence[Ended]) -> int:
        return self._end_many(ended) if self.options.is_many else self._end_one(ended)

    def code(self, done: Done) -> int:
        return UNDELIVERED if done.outcome.increment.unwritten else super().code(done)

    def has_changed(self, done: Done) -> bool:
        return done.outcome.step is not ResumeStep.NOTHING

    def _end_one(self, ended: Sequence[Ended]) -> int:
        (done,) = (change for change in ended if isinstance(change, Done))
        code, silent = self.code(done), self.options.as_json
        if not silent:
            if self.options.verbose:
                _tell_details(done.outcome, done.increment)
            _tell_end(self.context, done, code)
        unfinished, keys, failed = self._resume_other_work(done.increment)
        code = code or unfinished
        if silent:
            done.failed = tuple(failed)
            self.write_document([done], code, **keys)
        return code

    def entry(self, ended: Ended) -> Json:
        entry = super().entry(ended) | left_keys(self.others.get(ended.id, ()))
        if isinstance(ended, Refusal) and ended.before is not None:
            entry["left"] = len(ended.before.pending)
        return entry

    def parts(self, done: Done) -> Json:
        parts, reopen = super().parts(done), done.outcome.entry
        parts["left"] = len(done.increment.pending)
        if reopen is not None:
            is_many = self.options.is_many
            parts["reopen"] = reopen.id if is_many else _reopen_entry(reopen, done.increment)
        return parts

    def deliveries(self, done: Done) -> list[Json]:
        entries = super().deliveries(done)
        for entry in entries:
            del entry["kind"]
            entry["outcome"] = entry["outcome"] if entry["outcome"] in _OUTCOMES else "skipped"
        if entries or done.outcome.step is not ResumeStep.REVIVE:
            return entries
        # The items of an abandoned increment stay as they are.
        untouched = {"outcome": "skipped", "requests": 0, "notes": [], "error": None, **NO_RETRY}
        return [link_entry(link) | untouched for link in done.outcome.increment.links]

    def _resume_other_work(
        self, increment: Increment
    ) -> tuple[int, Json, Collection[UnlatchError]]:
        """Resume the other work of an increment; loads nothing if there is none.

        Returns:
            The exit code, the keys for the document, and the errors, which are shown: they cannot
            end the command as if nothing was changed.
        """
        context, request = self.context, self.request
        try:
            if not may_have_related(context.workspace, increment):
                tell_elsewhere(context, increment)
                return 0, {}, ()
            from unlatch.cli.commands.work.other_work import resume_others  # noqa: PLC0415

            # Agents read the reasons of other work.
            reason = request.source or request.reason
            return resume_others(
                *(context, increment, self.options), reason=reason, by=request.by, kinds=self.kinds
            )
        except click.Abort:
            raise
        except Exception as error:  # noqa: BLE001  # a bug is reported like any error
            failed = unexpected(error)
            context.trace(failed)
            output.talk(*error_lines(failed))
            return UNDECIDED, {}, (failed,)

    def _end_many(self, ended: Sequence[Ended]) -> int:
        done = [change.outcome.increment for change in ended if isinstance(change, Done)]
        others = left_work(self.context, done, self.kinds)
        if not self.options.as_json:
            tell_left_work(others)
        ended = [*ended, *(Done(plan, _untouched(plan)) for plan in self.idle)]
        code = self.code_of(ended) or self.left_out
        if self.options.as_json:
            self.others = others
            self.write_document(ended, code)
        elif not self.options.offline:
            tell_all_left(deliveries_of([change for change in ended if isinstance(change, Done)]))
        return code


def _untouched(idle: Resume) -> Outcome:
    return Outcome(idle.subject, idle.subject, warnings=idle.warnings, step=idle.step)


def _tell_briefly(result: Outcome, options: ChangeOptions) -> None:
    before, now = result.before, result.increment
    moved = f"{before.status} -> {now.status}"
    if before.status is now.status:
        moved = _active_line(result, offline=options.offline)
    output.ok(f"Increment {now.id}: {moved}")
    tell_warnings(result.warnings)
    if options.verbose:
        _tell_details(result, now)


def _tell_details(result: Outcome, increment: Increment) -> None:
    """Show the reason of a reopen, and the addresses of the items."""
    if result.entry is not None:
        output.data(*lines_of("    ", "Reason: ", result.entry.reason))
    output.data(*(f"    {output.clean(link.url or link.key)}" for link in increment.links))


def _reopen_entry(entry: ReopenEntry, increment: Increment) -> Json:
    """The present entry of reopenHistory, with the items that it reached."""
    written = (w for w in increment.data.get("reopenHistory", []) if w.get("id") == entry.id)
    return dict(spelled_out(next(written, write_reopen(entry))))


def _is_repeated(result: Outcome) -> bool:
    """Whether all that was asked for is a change of the work that was made before."""
    return result.repeated is not None and result.step is ResumeStep.NOTHING


def _tell_result(context: Context, result: Outcome, *, offline: bool) -> None:
    """Say what was changed, before the delivery; `offline`, nothing will be delivered."""
    increment = result.increment
    if result.repeated and _is_repeated(result):
        output.talk(_why_known(result.repeated))
        return
    output.ok(f"Increment {increment.id} {_description(result, offline=offline)}")
    if result.scope:
        output.data(*document_lines(result.scope))
        output.talk(*_undescribed_lines(context, increment, result.scope))
    if result.repeated:
        output.talk(f"    {_why_known(result.repeated)}")
    if result.before.archived:
        place = increment.unit.place if increment.unit else increment.folder
        output.ok(f"Moved out of the archive: {output.clean(relpath(place))}")
    tell_remarks(increment)
    if result.is_reason_lost:
        output.talk("    Another process resumed it first; this reason was not recorded.")
    if result.step is ResumeStep.REOPEN and not increment.links:
        output.talk("    It has no linked items; unlatch link adds some.")


def _undescribed_lines(context: Context, increment: Increment, scope: Scope) -> Iterator[str]:
    """The items that do not list the new tasks, with the command that lists them there."""
    for name in dict.fromkeys(link.tracker for link in scope.undescribed):
        manifest = context.workspace.registry.manifest(name)
        if Capability.UPDATE in manifest.capabilities:
            links = [link for link in scope.undescribed if link.tracker == name]
            from unlatch.cli.render.refused import link_name  # noqa: PLC0415  (rarely needed)

            items = first_of([output.clean(link_name(context, link)) for link in links])
            verb = "does not list" if len(links) == 1 else "do not list"
            command = join(["unlatch", name, f"update-{manifest.slug}", increment.id])
            yield f"    {items} {verb} the new tasks: {command}"


def _why_known(amendment: Amendment) -> str:
    if amendment.change is not None:
        tasks = f" ({', '.join(map(output.clean, amendment.ids))})" if amendment.ids else ""
        return f"Not repeated, because it was made before: {_shortened(amendment.change)}{tasks}"
    parts = ", ".join(map(output.clean, amendment.parts))
    return f"Not done yet, so there is nothing to untick: {parts}"


def _shortened(text: str) -> str:
    line = " ".join(output.clean(text).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _description(result: Outcome, *, offline: bool) -> str:
    increment, entry = result.increment, result.entry
    if result.step in _ACTIVE:
        return f"is {_active_line(result, offline=offline)}"
    moved = f"{result.before.status} -> {increment.status}"
    if entry is None:
        return f"resumed: {moved}"
    return f"reopened: {moved} (by {output.clean(entry.reopened_by)})"


def _active_line(result: Outcome, *, offline: bool) -> str:
    """The effect on an increment that is active already."""
    effects = _ACTIVE | (_ACTIVE_OFFLINE if offline else {})
    count = times(len(result.increment.pending), "operation")
    step = ResumeStep(result.step or ResumeStep.NOTHING)
    return f"already active; {effects[step].format(count=count)}"


def _tell_end(context: Context, done: Done, code: int) -> None:
    """Say what is left to do after the delivery, and the next step."""
    result = done.outcome
    if _is_repeated(result):
        return
    if result.step is ResumeStep.NOTHING:
        from unlatch.cli.render.refused import tell_known_refusals  # noqa: PLC0415  (rarely needed)

        if tell_known_refusals(context, result.increment):
            return
    if result.scope:
        output.data(*sum_lines(result.scope))
    if unwritten := result.increment.unwritten:
        left = f"{output.warn('Not written yet:')} {', '.join(unwritten)}."
        output.talk(f"{left} Next: unlatch resume {quote(result.increment.id)}")
    elif code:
        if done.delivered:
            tell_left(done.delivered)
    elif not (done.delivered and done.delivered.left):  # else the line before names the next step
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
    context: Context, increment: Increment, *, more: int = 0, warned: Iterable[UnlatchError] = ()
) -> None:
    """Warn about an increment that was reopened often, or will be with `more` reopens.

    Shows nothing if the warnings `warned` say the same.
    """
    count = increment.effective_reopens + more
    if count < context.workspace.config.frequent_reopens:
        return
    if not any(warning.id == "reopened-too-often" for warning in warned):
        done = f"This will be reopen number {count}" if more else f"Reopened {count} times"
        advice = "Consider a new increment: unlatch new TITLE"
        output.talk(output.warn(f"    {done}. {advice}"))
