"""unlatch sync: deliver pending operations, and sync with the trackers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.trackers.publish import COMMIT, alone, begin, finish
from unlatch.cli.commands.trackers.sync_plan import (
    adrift_code,
    broken_entries,
    compared_entry,
    move_entry,
    tell_compared,
    tell_moves,
    tell_plan,
)
from unlatch.cli.commands.trackers.sync_questions import answered
from unlatch.cli.commands.trackers.sync_report import report_plan, report_sync
from unlatch.cli.options.delivery import YES, serving
from unlatch.cli.render.deliveries import show_deliveries, tell_all_left
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import delivered_code, delivery_entry
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.session import BY, JSON, Session, with_session
from unlatch.delivery.run import DeliveryRun
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.records.links import identity, link_of
from unlatch.lifecycle.deliver import check_item_count, deliver_all, read_back
from unlatch.project.git.branch import changed_since, other_branch
from unlatch.spi.operation import Kind
from unlatch.spi.options import AS_CONFIGURED
from unlatch.sync.apply import Moved, apply_sync_plan
from unlatch.sync.ingest import Heard, attributed, concerned
from unlatch.sync.plan import SyncPlan, compare

if TYPE_CHECKING:
    from unlatch.cli.contracts.syncing import EventEntry, SyncDocument
    from unlatch.cli.table import Entry
    from unlatch.delivery.task import Delivery
    from unlatch.project.trackers import Trackers
    from unlatch.publish.target import PublishTarget
    from unlatch.spi import ItemEvent
    from unlatch.spi.options import DeliveryOptions


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What was typed.

    Args:
        ids: increments; nothing for all.
        changed_since: only increments that this branch touched since it left a ref.
        plan: show what would change, and change nothing.
        check: as plan, and end with 5 where anything drifts.
        max_items: how many items may be written to; None for what is configured.
        commit: how what has changed is given back to git.
        message: a tracker's name and what it told of an item; only what is linked to that is
            looked at.
    """

    delivery: DeliveryOptions
    ids: tuple[str, ...] = ()
    everything: bool = False
    changed_since: str | None = None
    plan: bool = False
    check: bool = False
    max_items: int | None = None
    yes: bool = False
    force: bool = False
    commit: str = "none"
    message: tuple[str, ItemEvent] | None = None


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @click.argument("ids", metavar="[ID...]", nargs=-1)
    @click.option(
        "--all", "everything", is_flag=True, help="All increments; so it is without an ID, too."
    )
    @click.option(
        "--changed-since", metavar="REF", help="Only increments that this branch has touched."
    )
    @click.option(
        "--plan",
        "--dry-run",
        "plan",
        is_flag=True,
        help="Show what would change on both sides, and write nothing.",
    )
    @click.option("--check", is_flag=True, help="As --plan; exit code 5 where anything drifts.")
    @click.option(
        "--max-items", type=click.IntRange(min=1), help="How many items may be written to."
    )
    @click.option("--force", is_flag=True, help="Complete increments whose tasks are open, too.")
    @COMMIT
    @BY
    @YES
    @serving(*Kind)
    @JSON
    @with_session
    def run(session: Session, *, by: str | None, as_json: bool, **typed: Any) -> int:
        wanted = SyncOptions(**typed)
        if wanted.ids and wanted.everything:
            raise click.UsageError("name increments, or --all")
        session.workspace.check_config()
        with session.trackers() as trackers:
            if wanted.plan or wanted.check:
                return _show(session, trackers, wanted, by=by, as_json=as_json)
            done = Sync(session, trackers, wanted, by=session.who(by), silent=as_json)
            return done.run(as_json=as_json)

    return run


def _show(
    session: Session, trackers: Trackers, wanted: SyncOptions, *, by: str | None, as_json: bool
) -> int:
    everything = _sound(session)
    chosen = _chosen(session, wanted, everything)
    plan = compare(session.workspace, trackers, chosen, everything)
    broken = _broken(session, wanted)
    code = (adrift_code(plan) or (UNDECIDED if broken else 0)) if wanted.check else 0
    if not as_json:
        _tell_broken(broken)
    tell_plan(
        session,
        DeliveryRun(session.workspace, trackers, options=wanted.delivery, named=bool(wanted.ids)),
        plan,
        chosen,
        by=session.who(by),
        other=_other_branch(session),
        requests=wanted.plan,
        as_json=as_json,
        code=code,
        broken=broken,
    )
    report_plan(session, plan, check=wanted.check, code=code)
    return code


class Sync:
    """One run that writes."""

    def __init__(
        self, session: Session, trackers: Trackers, wanted: SyncOptions, *, by: str, silent: bool
    ) -> None:
        self._session = session
        self._trackers = trackers
        self._wanted = wanted
        self._by = by
        self._silent = silent
        self._delivered: dict[str, list[Delivery]] = {}
        # Increments whose pending operations are all blocked, and the count of blocked operations.
        self._passed_over: list[Increment] = []
        self._blocked = 0
        self._heard: Heard | None = None

    def run(self, *, as_json: bool) -> int:
        """Deliver, compare, settle, deliver what came of it, give it back; the exit code."""
        with alone(self._session, self._wanted.commit):
            return self._run(as_json=as_json)

    def _run(self, *, as_json: bool) -> int:
        publishing = begin(self._session, self._wanted.commit, by=self._by)
        try:
            plan, moved, other = self._work()
        except UnlatchError:
            # What was delivered before it went wrong is recorded, and stays so.
            finish(self._session, publishing, silent=self._silent)
            raise
        return self._end(plan, moved, other, publishing, as_json=as_json)

    def _work(self) -> tuple[SyncPlan, list[Moved], str | None]:
        workspace, trackers = self._session.workspace, self._trackers
        chosen = self._chosen()
        due = [one for one in chosen if self._is_due(one)]
        if not self._is_named:
            self._passed_over = [one for one in chosen if one.pending and one not in due]
            self._blocked = sum(op.is_blocked for one in chosen for op in one.pending)
        pending = {identity(link_of(one, operation)) for one in due for operation in one.pending}
        command = "unlatch sync --plan"
        check_item_count(workspace, len(pending), self._wanted.max_items, command=command)
        self._deliver(due)
        everything = _sound(self._session)
        names = {one.id for one in chosen}
        again = [one for one in everything if one.id in names]
        plan = compare(workspace, trackers, again, everything)
        plan = attributed(plan, self._heard) if self._heard else plan
        other, moved = _other_branch(self._session), list[Moved]()
        if other is None:
            plan = answered(plan, yes=self._wanted.yes, silent=self._silent)
            self._check_size(plan, len(pending))
            done = apply_sync_plan(workspace, plan, by=self._by, force=self._wanted.force)
            moved = list(done.moved)
            self._tell(plan, moved)
            left = [one for one in map(workspace.manager.read, sorted(names)) if one.pending]
            due = [one for one in left if any(op.op in done.made for op in one.pending)]
            self._deliver(due, done.fresh)
        elif not self._silent:
            output.talk(f"On branch {other} only what is pending is delivered.")
            tell_compared(plan)
        return plan, moved, other

    def _is_due(self, increment: Increment) -> bool:
        """Whether an increment has operations that this run is to try."""
        return any(self._is_named or not one.is_blocked for one in increment.pending)

    @property
    def _is_named(self) -> bool:
        """Whether blocked operations are tried again: increments, or an option, were named."""
        return bool(self._wanted.ids) or self._wanted.delivery != AS_CONFIGURED

    def _check_size(self, plan: SyncPlan, served: int) -> None:
        """Refuse to write to more items than was agreed, those that were served included."""
        if plan.items:
            items = plan.items + served
            command = "unlatch sync --plan"
            check_item_count(
                self._session.workspace, items, self._wanted.max_items, command=command
            )

    def _chosen(self) -> list[Increment]:
        everything = _sound(self._session)
        if self._wanted.message is None:
            return _chosen(self._session, self._wanted, everything)
        self._heard = concerned(self._trackers, *self._wanted.message, everything)
        if self._heard.ref and not self._heard.increments and not self._silent:
            output.talk(f"No increment is linked to {self._heard.ref.url}.")
        return list(self._heard.increments)

    def _deliver(self, due: list[Increment], fresh: frozenset[str] = frozenset()) -> None:
        run = DeliveryRun(
            self._session.workspace,
            self._trackers,
            options=self._wanted.delivery,
            fresh=fresh,
            named=bool(self._wanted.ids),
        )
        if len(due) == 1 and not self._silent:
            pending = times(sum(map(run.will_attempt, due[0].pending)), "operation")
            output.talk(f"{due[0].id}: delivering {pending}")
        total = sum(run.will_attempt(operation) for each in due for operation in each.pending)
        with show_deliveries(self._session, total, silent=self._silent) as report:
            done = deliver_all(run, due, report)
        for name, made in done.items():
            self._delivered.setdefault(name, []).extend(made)

    def _tell(self, plan: SyncPlan, moved: list[Moved]) -> None:
        if not self._silent:
            tell_moves(moved)
            tell_compared(plan, moves=False)

    def _end(
        self,
        plan: SyncPlan,
        moved: list[Moved],
        other: str | None,
        publishing: PublishTarget | None,
        *,
        as_json: bool,
    ) -> int:
        passed_over: dict[str, list[Delivery]] = {one.id: [] for one in self._passed_over}
        made = {**passed_over, **self._delivered}
        manager = self._session.workspace.manager
        ended = [
            read_back(self._session.workspace, manager.read(name), made[name]) for name in made
        ]
        codes = [delivered_code(one.deliveries, one.left) for one in ended]
        given = finish(self._session, publishing, silent=self._silent)
        broken = _broken(self._session, self._wanted)
        unchecked = UNDECIDED if broken else 0
        code = max(codes, default=0) or _plan_code(plan, moved) or given.code or unchecked
        report_sync(self._session, plan, moved, ended, given, code=code)
        if as_json:
            document: SyncDocument = {
                "schema": "unlatch.sync/1",
                "increments": [
                    {
                        "id": one.increment.id,
                        "trackers": [delivery_entry(delivery) for delivery in one.deliveries],
                        "left": one.left,
                    }
                    for one in ended
                ],
                "compared": [compared_entry(one) for one in plan.told],
                "moves": [move_entry(one.move, one.error) for one in moved],
                "otherBranch": other,
                "commit": given.entry,
                "event": _event_entry(self._heard) if self._heard else None,
                "broken": broken_entries(broken),
                "exitCode": code,
            }
            output.document(document)
            return code
        tell_all_left([one for one in ended if one.deliveries])
        if self._blocked:
            blocked = times(self._blocked, "blocked operation")
            output.talk(f"{output.warn(f'{blocked} passed over.')} unlatch status lists them.")
        _tell_broken(broken)
        if not ended and not plan.told and not moved and not broken:
            output.talk("Nothing is pending, and both sides are in step.")
        return code


def _event_entry(heard: Heard) -> EventEntry:
    return {
        "tracker": heard.tracker,
        "action": heard.event.action,
        "url": heard.ref.url if heard.ref else None,
        "by": heard.event.by,
        "increments": [one.id for one in heard.increments],
        "note": heard.event.note,
    }


def _plan_code(plan: SyncPlan, moved: list[Moved]) -> int:
    if any(one.error for one in moved) or plan.is_unresolved:
        return 5
    return 5 if any(one.seen.error for one in plan.links) else 0


def _sound(session: Session) -> list[Increment]:
    found = session.workspace.manager.list()
    return [one for one in found if not isinstance(one, BrokenIncrement)]


def _broken(session: Session, wanted: SyncOptions) -> list[BrokenIncrement]:
    """The increments that could not be compared, because they cannot be read."""
    if wanted.ids or wanted.message is not None:
        return []  # a named one that cannot be read ends the command
    found = session.workspace.manager.list()
    return [one for one in found if isinstance(one, BrokenIncrement)]


def _tell_broken(broken: list[BrokenIncrement]) -> None:
    for one in broken:
        mark = output.bad(output.sign("no"))
        output.data(f"{mark} {one.id} cannot be read: {output.clean(one.reason)} [{one.error_id}]")
        if one.hint:
            output.data(f"    {output.clean(one.hint)}")


def _chosen(session: Session, wanted: SyncOptions, everything: list[Increment]) -> list[Increment]:
    if wanted.ids:
        return list(
            {one.id: one for one in map(session.workspace.manager.read, wanted.ids)}.values()
        )
    if wanted.changed_since is None:
        return everything
    root = session.layout.root
    files = changed_since(root, wanted.changed_since, below=session.layout.increments)
    if files is None:
        raise UsageError(
            "unknown-ref",
            f"git knows no {wanted.changed_since!r} here",
            where=str(root),
            hint="fetch it first: git fetch origin BRANCH; in CI check out with the whole history",
        )
    return [one for one in everything if _is_touched(session, one, files)]


def _is_touched(session: Session, increment: Increment, files: frozenset[str]) -> bool:
    folder = increment.folder.relative_to(session.layout.root).as_posix()
    return any(file.startswith(f"{folder}/") for file in files)


def _other_branch(session: Session) -> str | None:
    workspace = session.workspace
    branch = workspace.config.sync.branch
    return other_branch(session.layout.root, workspace.environ, branch)
