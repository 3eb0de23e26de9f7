"""The commands that decide about increments and items which a sync leaves as they are."""

from __future__ import annotations

from shlex import join, quote
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.terminal import output
from unlatch.increments.model.status import Status
from unlatch.sync.compare import Compared, Side, Verdict, local_side
from unlatch.worklog.ids import number_of
from unlatch.worklog.name_matching import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.sync.plan import SyncPlan

_LEFT = frozenset({Verdict.ASK, Verdict.CONFLICT, Verdict.DRIFT})
# Increments whose commands are shown.
_MOST = 3


def tell_decisions(context: Context, plan: SyncPlan) -> None:
    """Name the commands that bring an increment and its items together, one a line."""
    for heading, commands in find_decisions(context, plan):
        output.talk(output.clean(heading), *(f"  {command}" for command in commands))


def find_decisions(context: Context, plan: SyncPlan) -> Iterator[tuple[str, Sequence[str]]]:
    """A heading and the commands for each increment to decide about.

    Unless they were named, these are the first; then the number of others, and how to list them.
    """
    groups: dict[str, list[Compared]] = {}
    for compared in plan.links:
        if compared.verdict in _LEFT and not compared.pending:
            groups.setdefault(compared.increment.id, []).append(compared)
    names = [*groups]
    count = len(names) if plan.is_named else _MOST
    for name in names[:count]:
        yield f"Next for {name}, one of:", [*_commands(context, groups[name])]
    if others := names[count:]:
        heading = f"and so on for {times(len(others), 'more increment')}; to list their commands:"
        yield heading, [join(["unlatch", "sync", "--check", *_shortened(others)])]


def _shortened(names: Sequence[str]) -> Sequence[str]:
    """The range of the names' numbers, if it has all of them; else the names."""
    numbers = [number_of(name) or 0 for name in names]
    whole = f"{min(numbers)}-{max(numbers)}"
    return [whole] if len(in_range(names, whole)) == len(names) > 1 else names


def _commands(context: Context, group: Sequence[Compared]) -> Iterator[str]:
    """First the one by which the increment follows, then those by which its items do."""
    increment = group[0].increment
    name, is_open = quote(increment.id), local_side(increment.status) is Side.OPEN
    if not is_open:
        yield f"unlatch resume {name} --reason TEXT"
    elif increment.status.can_become(Status.COMPLETED):
        yield f"unlatch complete {name}"
    for tracker in dict.fromkeys(compared.link.tracker for compared in group):
        manifest = context.workspace.registry.manifest(tracker)
        if is_open:
            yield f"unlatch {manifest.name} reopen-{manifest.slug} {name} --reason TEXT"
        else:
            yield f"unlatch {manifest.name} close-{manifest.slug} {name}"
