"""Show the progress of a sync, and ask its questions."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unlatch.cli.commands.trackers import sync_render
from unlatch.cli.render.agreement import agree_to_pending
from unlatch.cli.render.deliveries import show_deliveries
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.failure import error_lines
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UnlatchError
from unlatch.increments.model.increment import Increment
from unlatch.lifecycle.items.places import ItemGroup
from unlatch.sync.compare import Compared, Side, Verdict, local_side, remote_side
from unlatch.sync.plan import Move, SyncPlan
from unlatch.sync.publishing import PublishResult

if TYPE_CHECKING:
    from unlatch.delivery.task import Delivery


class Listener:
    """Shows the progress of a sync, and asks its questions.

    Args:
        alone: the items alone whose pending operations the sync delivers as well.
    """

    def __init__(
        self,
        context: Context,
        *,
        yes: bool,
        silent: bool,
        alone: Sequence[tuple[ItemGroup, Sequence[Increment]]] = (),
    ) -> None:
        self._context = context
        self._yes, self._silent, self._alone = yes, silent, alone
        self._asks = not yes and not silent and is_interactive()

    def agree(self, increments: Sequence[Increment]) -> None:
        own = self._context, increments
        alone = ((self._context.over(group.workspace), records) for group, records in self._alone)
        agree_to_pending([own, *alone], yes=self._yes, silent=self._silent)

    @contextmanager
    def delivering(
        self, increments: Sequence[Increment], operations: int
    ) -> Iterator[Callable[[str, "Delivery"], None]]:
        if len(increments) == 1 and not self._silent:
            output.talk(f"{increments[0].id}: delivering {times(operations, 'operation')}")
        with show_deliveries(self._context, operations, silent=self._silent) as report:
            yield report

    def applied(self, plan: SyncPlan, moved: Sequence[Move], other_branch: str | None) -> None:
        if self._silent:
            return
        if other_branch is not None:
            place = sync_render.place_of(other_branch)
            output.talk(f"{place} only pending operations are delivered.")
        sync_render.tell_moves(moved)
        if other_branch is None:
            sync_render.tell_pulled(plan)
        sync_render.tell_compared(plan, changes=other_branch is not None)

    def choose(self, compared: Compared) -> Verdict | None:
        return _ask(compared) if self._asks else None

    def published(self, result: PublishResult) -> None:
        """Show the commit, or the reason for none."""
        if isinstance(result, UnlatchError):
            self._context.trace(result)
            output.talk(*error_lines(result))
        elif result and not self._silent:
            names = ", ".join(result.increments) or "increments"
            line = f"committed and pushed to {result.remote} {result.branch}: {names}"
            output.ok(output.clean(line))
            if result.skipped_hooks:
                hooks = ", ".join(result.skipped_hooks)
                output.note(f"hooks of this checkout did not run: {hooks}")
                output.talk("To let them run: unlatch agents trust")
            if result.brought:
                names = output.clean(", ".join(result.brought))
                output.note(f"other commits brought pending operations: {names}")
                output.talk("Next: unlatch sync")
            if result.proposal:
                output.talk(f"Next: {output.clean(result.proposal)}")


def _ask(link: Compared) -> Verdict | None:
    item = link.seen.item
    if item is None or link.decision is None:
        return None
    output.talk(
        f"{output.warn('!')} {output.strong(link.increment.id)} is {link.increment.status}; "
        f"{output.clean(link.seen.name)} is {output.clean(item.state)}: {link.decision.why}"
    )
    push = "reopen" if local_side(link.increment.status) is Side.OPEN else "close"
    pulls = {Side.OPEN: "reopen", Side.DONE: "complete", Side.DROPPED: "abandon"}
    pull = pulls[remote_side(item.category)]
    # The sides differ, and so do the words.
    verdicts = {push[0]: Verdict.PUSH, pull[0]: Verdict.PULL, "l": Verdict.DRIFT}
    try:
        answer = prompts.prompt(
            f"  {push[0]} = {push} the item, {pull[0]} = {pull} the increment, l = leave both",
            choices=[*verdicts],
            default="l",
            show_choices=False,
        )
    except prompts.Unanswered as end:
        raise KeyboardInterrupt from end  # earlier operations may have been delivered
    return verdicts[answer]
