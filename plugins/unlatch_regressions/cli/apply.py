"""What `unlatch regressions --apply` asks, and shows of its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.cli.render.describe import times
from unlatch.cli.render.dialog import Dialog
from unlatch.cli.render.notes import tell_warnings
from unlatch.cli.runtime.context import Context, require_terminal
from unlatch.cli.terminal import output, prompts
from unlatch.lifecycle.carry_out import count_items
from unlatch.lifecycle.change import Change, ChangeOptions, Done, Ended
from unlatch_regressions.cli.recording import recorded_entry
from unlatch_regressions.cli.showing import document_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.terminal.output import Json
    from unlatch_regressions.results.record import Recorded
    from unlatch_regressions.survey import Survey


class ApplyDialog(Dialog):
    """The prompts and reports; reopens and comments are told alike.

    Attributes:
        ended_changes: the changes that were made or refused.
        recorded: the results of tests that were recorded.
    """

    doing = "Reopening"
    moves = False
    keys_of_many = ("reopen", "trackers", "left", "warnings", "error")

    def __init__(self, context: Context, options: ChangeOptions, survey: Survey) -> None:
        super().__init__(context, options)
        self._survey = survey
        self.recorded: Recorded | None = None
        self.ended_changes: Sequence[Ended] = ()

    @property
    def changed_ids(self) -> list[str]:
        """The increments whose files were changed."""
        done = (change for change in self.ended_changes if isinstance(change, Done))
        return [*dict.fromkeys(change.id for change in done)]

    def confirm(self, changes: Sequence[Any]) -> Sequence[Change] | None:
        if self.options.yes:
            return changes
        count = times(len({change.subject.id for change in changes}), "increment")
        items = times(count_items(changes), "item")
        require_terminal(f"{count} would be changed", "repeat with --apply --yes")
        output.talk(f"This will change {count} and write to {items}.")
        return changes if prompts.confirm("Continue?") else None

    def tell(self, done: Done) -> None:
        outcome = done.outcome
        if outcome.before.status is not outcome.increment.status:
            moved = f"{outcome.before.status} -> {outcome.increment.status}"
            output.ok(f"Increment {done.id}: {moved}")
        elif outcome.fresh:
            output.ok(f"Increment {done.id}: further causes recorded")
        tell_warnings(outcome.warnings)

    def parts(self, done: Done) -> Json:
        parts, reopen = super().parts(done), done.outcome.entry
        parts["left"] = len(done.increment.pending)
        return parts | {"reopen": reopen.id if reopen else None}

    def ended(self, ended: Sequence[Ended]) -> int:
        self.ended_changes = ended
        return super().ended(ended)

    def write_document(self, ended: Sequence[Ended], code: int, **more: Any) -> None:
        entries = [self.entry(change) for change in ended]
        parts = document_of(self._survey) | {"recorded": recorded_entry(self.recorded)}
        self.print_document("regressions", code, **parts, increments=entries)
