"""What complete, abandon and undo ask and show."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.cli.commands.work.finish_consent import confirm_finish
from unlatch.cli.commands.work.finish_ending import end_change
from unlatch.cli.render.describe import times
from unlatch.cli.render.dialog import Dialog
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.terminal import output
from unlatch.lifecycle.change import Done
from unlatch.spi.operation import Kind
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import Amendment
    from unlatch.lifecycle.change import ChangeOptions, Ended, Outcome
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.status_change import StatusChange

# The keys of an increment in the documents for many.
_UNDO_KEYS = ("error", "trackers", "left", "undone")
_MANY_KEYS = ("error", "trackers", "spared", "forced", "warnings", "left", "evidence")


class FinishDialog(Dialog):
    """The prompts and the report of complete, abandon and undo.

    Attributes:
        archive: archive the units; by default the command for it is shown.
        briefing: write the briefings; None asks at a terminal, or names the command.
    """

    keys = ("spared", "undone", "trackers", "forced", "evidence", "warnings")

    def __init__(
        self, context: Context, options: ChangeOptions, *, archive: bool, briefing: bool | None
    ) -> None:
        super().__init__(context, options)
        is_asked = not (options.as_json or options.is_many)  # several are not asked about
        self.archive, self.briefing = archive, briefing if is_asked else bool(briefing)
        self.keys_of_many = _UNDO_KEYS if options.command == "undo" else _MANY_KEYS

    def leave_idle(self, changes: Sequence[StatusChange]) -> list[StatusChange]:
        """The changes of increments that do not have the status already."""
        if idle := [change for change in changes if change.is_idle]:
            count, verb = times(len(idle), "increment"), "is" if len(idle) == 1 else "are"
            output.talk(f"{count} {verb} already {idle[0].to}; nothing to do.")
        return [change for change in changes if change not in idle]

    def confirm(self, changes: Sequence[StatusChange]) -> Sequence[StatusChange] | None:
        if self.options.yes:
            return changes
        command, silent = self.options.command, self.options.as_json
        return confirm_finish(self.context, command, changes, silent=silent)

    def tell(self, done: Done) -> None:
        change: Any = done.change
        _tell_change(change, done.outcome)

    def ended(self, ended: Sequence[Ended]) -> int:
        done = [change for change in ended if isinstance(change, Done)]
        if not (self.options.as_json or self.options.offline):
            self.tell_left(done)
        more: output.Json = {}
        for change in done:
            failed, more = end_change(
                *(self.context, change.id, self.options),
                archive=self.archive,
                briefing=self.briefing,
            )
            change.failed = tuple(failed)
        code = self.code_of(ended)
        if self.options.as_json:
            self.write_document(ended, code, **({} if self.options.is_many else more))
        return code

    def tell_left(self, done: Sequence[Done]) -> None:
        super().tell_left(done)
        for change in done if self.options.command == "undo" else ():
            if change.delivered is not None:
                _tell_undecided(self.context, change.delivered)

    def code(self, done: Done) -> int:
        return super().code(done) or (UNDECIDED if done.failed else 0)


def _tell_change(plan: StatusChange, result: Outcome) -> None:
    before, after = result.before.status, result.increment.status
    undone = result.undone or plan.undone
    moved = f" is already {after}" if before is after else f": {before} -> {after}"
    if not result.increment.is_item:
        output.ok(f"Increment {result.increment.id}{moved}")
    if result.is_reason_lost:
        output.remark("this reason was not recorded")
    for link, needed in result.spared:
        output.data(f"  {link.key} stays open: {', '.join(needed)} needs it")
    _tell_withdrawn(plan.subject, result.increment)
    tell_remarks(result.increment)
    tell_warnings(plan.approval.warnings)
    if len(undone) > 1:
        why = (
            " of the open item" if plan.subject.is_item else ": git merged them from several clones"
        )
        output.remark(f"undid {len(undone)} reopens{why}")
    if undone and any(result.increment.folder.parent.glob("_*")):
        output.remark(
            "its folder is not moved; if the reopen took it out of the archive, move it back"
        )
    _tell_kept([reopen.amendment for reopen in undone if reopen.amendment])


def _tell_withdrawn(before: Increment, after: Increment) -> None:
    """Name the items whose refused reopen is no longer pending."""
    kept = {operation.key for operation in after.pending}
    for operation in before.pending:
        if operation.kind is Kind.REOPEN and operation.is_blocked and operation.key not in kept:
            output.remark(
                f"the reopen of {operation.item} was withdrawn: it was refused ({operation.cause})"
            )


def _tell_kept(amendments: Sequence[Amendment]) -> None:
    if parts := list(dict.fromkeys(part for amendment in amendments for part in amendment.parts)):
        output.remark(f"not ticked again: {first_of(parts)}; tick what is done, or use git")
    if any(amendment.change is not None for amendment in amendments):
        output.remark("the documents keep the text of the reopen; remove it by hand or with git")


def _tell_undecided(context: Context, delivered: DeliveryResult) -> None:
    """Name the commands that close items which undo left open."""
    manifests = context.workspace.registry.manifests
    undecided = [delivery for delivery in delivered.deliveries if delivery.undecided is not None]
    for name in dict.fromkeys(delivery.operation.tracker for delivery in undecided):
        close = f"{name} close-{manifests[name].slug}"
        output.talk(f"To close the item: unlatch {close} {quote(delivered.increment.id)}")
