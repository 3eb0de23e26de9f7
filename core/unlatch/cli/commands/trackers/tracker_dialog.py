"""What the commands of one tracker show: unlatch TRACKER close-, reopen-, update- and create-."""

from __future__ import annotations

from shlex import join, quote
from typing import TYPE_CHECKING, Any

from unlatch.cli.render.deliveries import tell_done
from unlatch.cli.render.delivery_documents import delivered_code, done_entries
from unlatch.cli.render.dialog import Dialog
from unlatch.cli.render.notes import tell_remarks
from unlatch.cli.render.refused import tell_known_refusals
from unlatch.cli.terminal import output
from unlatch.lifecycle.carry_out import plan_each
from unlatch.lifecycle.items.item_change import leave_done
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.change import ChangeOptions, Done, Place, Refusal
    from unlatch.lifecycle.fetch_items import ItemSnapshot
    from unlatch.lifecycle.items.item_change import ItemChange


class TrackerDialog(Dialog):
    """The report of a change of items of increments on one tracker.

    Args:
        left: the items that the same change left as they are now, by increment.
    """

    moves = False
    keys = ("trackers",)
    keys_of_many = ("error", "trackers")

    def __init__(
        self,
        context: Context,
        options: ChangeOptions,
        kind: Kind,
        left: Mapping[str, Sequence[ItemSnapshot]],
    ) -> None:
        super().__init__(context, options)
        self.document = "tracker-change"
        self.kind, self.left = kind, dict(left)

    def leave_done(
        self, place: Place, changes: Sequence[ItemChange]
    ) -> tuple[list[ItemChange], list[Refusal]]:
        """Leave items out that the same change left as they are now, and show them."""
        by_name = {change.subject.id: change for change in changes}

        def leave(name: str) -> ItemChange:
            change, self.left[name] = leave_done(place.open_trackers, by_name[name])
            return change

        stops = not self.options.is_many
        kept, refused = plan_each(place.workspace, by_name, leave, stops=stops)
        for change in () if self.options.as_json else kept:
            self._tell_done(change.subject)
        return kept, refused

    def _tell_done(self, increment: Increment) -> None:
        done, tracker = self.left[increment.id], self.options.tracker or ""
        for snapshot in done:
            tell_done(self.context.workspace.registry, tracker, snapshot.name, self.kind)
        if done:
            tell_known_refusals(self.context, increment, [snapshot.link for snapshot in done])

    def tell(self, done: Done) -> None:
        tell_remarks(done.outcome.increment)

    def code(self, done: Done) -> int:
        # What was pending on other trackers before stays.
        return delivered_code(done.delivered.deliveries) if done.delivered else 0

    def has_changed(self, _done: Done) -> bool:
        return True

    def tell_left(self, done: Sequence[Done]) -> None:
        super().tell_left([done_change for done_change in done if self.code(done_change)])
        finished = [
            done_change.increment
            for done_change in done
            if done_change.increment.status.is_finished
        ]
        if self.kind is not Kind.REOPEN or not finished:
            return
        resume = f"unlatch resume {join(increment.id for increment in finished)}"
        if self.options.is_many:
            output.talk(f"The status of increments stays. To reopen them: {resume}")
        else:
            name = f"{quote(finished[0].id)} is still {finished[0].status}"
            output.talk(f"Increment {name}. To reopen it: {resume}")

    def print_document(self, name: str, code: int, **parts: Any) -> None:
        about = {"tracker": self.options.tracker, "kind": self.kind}
        super().print_document(name, code, **about, **parts)

    def deliveries(self, done: Done) -> list[output.Json]:
        left = done_entries(self.left.get(done.id, ()), self.kind)
        return [*super().deliveries(done), *left]
