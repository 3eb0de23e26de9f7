"""The commands that decide about increments and items which a sync leaves as they are."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.terminal import output
from unlatch.increments.model.status import Status
from unlatch.sync.compare import Side, Verdict, local_side

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.session import Session
    from unlatch.sync.compare import Compared
    from unlatch.sync.plan import SyncPlan

_LEFT = frozenset({Verdict.ASK, Verdict.CONFLICT, Verdict.DRIFT})
# Increments whose commands are shown.
_MOST = 3


def tell_decisions(session: Session, plan: SyncPlan) -> None:
    """Name the commands that bring an increment and its items together, one a line."""
    for heading, commands in find_decisions(session, plan):
        output.talk(output.clean(heading), *(f"  {command}" for command in commands))


def find_decisions(session: Session, plan: SyncPlan) -> Iterator[tuple[str, Sequence[str]]]:
    """A heading and the commands for each increment to decide about; then the number of others."""
    groups: dict[str, list[Compared]] = {}
    for one in plan.links:
        if one.verdict in _LEFT and not one.pending:
            groups.setdefault(one.increment.id, []).append(one)
    for name, group in [*groups.items()][:_MOST]:
        yield f"Next for {name}, one of:", [*_commands(session, group)]
    if len(groups) > _MOST:
        yield f"and so on for {times(len(groups) - _MOST, 'more increment')}", ()


def _commands(session: Session, group: Sequence[Compared]) -> Iterator[str]:
    """First the one by which the increment follows, then those by which its items do."""
    increment = group[0].increment
    name, is_open = quote(increment.id), local_side(increment.status) is Side.OPEN
    if not is_open:
        yield f"unlatch resume {name} --reason TEXT"
    elif increment.status.can_become(Status.COMPLETED):
        yield f"unlatch complete {name}"
    for tracker in dict.fromkeys(one.link.tracker for one in group):
        manifest = session.workspace.registry.manifest(tracker)
        if is_open:
            yield f"unlatch {manifest.name} reopen-{manifest.slug} {name} --reason TEXT"
        else:
            yield f"unlatch {manifest.name} close-{manifest.slug} {name}"
