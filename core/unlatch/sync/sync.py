"""Sync increments with their items: deliver, compare, apply, and deliver the changes."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Protocol

from unlatch.delivery.duplicates import Duplicates, check_recent
from unlatch.errors import ConsentMissing, UnlatchError, UsageError
from unlatch.increments.records.links import identity, link_of
from unlatch.lifecycle.deliver import DeliveryResult, deliver_all, find_excess, read_back
from unlatch.lifecycle.units.adoption import Adoption, adopt, find_adoption
from unlatch.project.git.revisions import other_branch
from unlatch.project.git.sparse import sparse_increments
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Operation, OperationKey
from unlatch.sync.choose import Chosen, choose
from unlatch.sync.compare import Compared, Decision, Verdict
from unlatch.sync.plan import Move, SyncPlan, make_plan, plan_sync
from unlatch.sync.refused_labels import missing_labels, without_tried
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from unlatch.delivery.preview import Previewed
    from unlatch.delivery.task import Delivery
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemEvent
    from unlatch.sync.ingest import MatchedEvent


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """The increments to sync, and how.

    Args:
        ids: increments by name; empty for all.
        changed_since: only increments that this branch changed since it left this ref.
        max_items: maximum number of items to write to; None for the configured one.
        written: the number of other items that this command has written to.
        force: also complete increments that have open tasks.
        retry_refused: ask again for everything that trackers refused.
        event: a tracker's name and its event; only increments that link to the event's item.
    """

    delivery: DeliveryOptions = AS_CONFIGURED
    ids: tuple[str, ...] = ()
    changed_since: str | None = None
    max_items: int | None = None
    written: int = 0
    force: bool = False
    retry_refused: bool = False
    event: tuple[str, ItemEvent] | None = None

    @property
    def retries_refused(self) -> bool:
        """Whether refused labels are asked for again."""
        return bool(self.ids) or self.retry_refused

    @property
    def retries_blocked(self) -> bool:
        """Whether blocked operations are tried again: increments or an option were named."""
        return self.retries_refused or self.delivery != AS_CONFIGURED


class SyncListener(Protocol):
    """Receives the progress of a sync, and answers its questions."""

    def agree(self, increments: Sequence[Increment]) -> None:
        """Their pending operations are delivered next; UnlatchError if the user has to agree."""

    def delivering(
        self, increments: Sequence[Increment], operations: int
    ) -> AbstractContextManager[Callable[[str, Delivery], None]]:
        """Deliveries begin; the function it yields receives each, with the increment's id."""

    def applied(self, plan: SyncPlan, moved: Sequence[Move], other_branch: str | None) -> None:
        """The plan was applied; on another branch than the compared one, it was not."""

    def choose(self, compared: Compared) -> Verdict | None:
        """PUSH, PULL or DRIFT for a link that needs a decision; None to leave it open."""


@dataclass(frozen=True, slots=True)
class SyncPreview:
    """The plan of a sync, the requests that it would send, and the increments that it chose.

    Args:
        due: the part of the plan that would be carried out: on `other_branch`, which is not the
            compared one, only deliveries.
        refused: why the sync would be refused, if so.
        adoptions: statuses that other tools' files show, and the sync would record.
        alone: the requests about items that belong to no increment.
        duplicates: as in the result, none of them deleted.
    """

    plan: SyncPlan = field(default_factory=SyncPlan)
    due: SyncPlan = field(default_factory=SyncPlan)
    chosen: Chosen = field(default_factory=lambda: Chosen(()))
    items: tuple[Previewed, ...] = ()
    other_branch: str | None = None
    broken: Sequence[BrokenIncrement] = ()
    refused: UsageError | None = None
    adoptions: tuple[Adoption, ...] = ()
    alone: tuple[Previewed, ...] = ()
    duplicates: tuple[Duplicates, ...] = ()

    @property
    def previewed(self) -> tuple[Previewed, ...]:
        return (*self.items, *self.alone)

    @property
    def written(self) -> int:
        """The number of items that would be written to."""
        return self.due.items + len({identity(item.link) for item in self.alone})


@dataclass(frozen=True, slots=True)
class SyncResult:
    """The result of a sync.

    Args:
        chosen: the increments to sync.
        delivered: the increments with pending operations, including those that were skipped.
        blocked: the number of blocked operations that were not tried.
        other_branch: as in the preview.
        refused: why the plan was not applied after deliveries: `too-many-items`, or the user did
            not agree to the words that it sends.
        adoptions: statuses that other tools' files show, and the sync recorded.
        duplicates: comments of the last hour that were posted twice.
        missing_labels: the links whose items lack labels that their trackers refused.
    """

    plan: SyncPlan
    chosen: Chosen
    moved: tuple[Move, ...]
    delivered: tuple[DeliveryResult, ...]
    blocked: int
    other_branch: str | None
    event: MatchedEvent | None
    broken: Sequence[BrokenIncrement]
    refused: UnlatchError | None
    adoptions: tuple[Adoption, ...] = ()
    duplicates: tuple[Duplicates, ...] = ()
    missing_labels: tuple[Compared, ...] = ()


def preview(
    workspace: Workspace,
    trackers: Trackers,
    options: SyncOptions,
    *,
    by: str,
    requests: bool,
    alone: Sequence[Previewed] = (),
) -> SyncPreview:
    """Compare and plan a sync, with each request if `requests`; nothing is written.

    Args:
        alone: the previews of operations on items alone, which the sync delivers first.
    """
    everything, broken = workspace.manager.read_all()
    chosen = choose(workspace, everything, ids=options.ids, since=options.changed_since)
    other = _other_branch(workspace)
    plan = plan_sync(workspace, trackers, chosen.increments, everything, boxes=other is None)
    plan = replace(plan, retries_refused=options.retries_refused, is_named=bool(options.ids))
    plan = replace(plan, tries_blocked=options.retries_blocked)
    due = plan if other is None else plan.only_pending
    items: tuple[Previewed, ...] = ()
    if requests and due.links:
        from unlatch.delivery.run import DeliveryRun  # noqa: PLC0415  (slow to load)
        from unlatch.sync.apply import preview_sync  # noqa: PLC0415

        run = DeliveryRun(
            workspace, trackers, options=options.delivery, named=options.retries_refused
        )
        items = preview_sync(run, due, by=by)
    unchecked = [] if options.ids else broken
    found_adoptions = map(find_adoption, () if other else chosen.increments)
    adoptions = tuple(filter(None, found_adoptions))
    synced = SyncPreview(
        plan, due, chosen, items, other, unchecked, adoptions=adoptions, alone=tuple(alone)
    )
    now = workspace.clock()
    duplicates = check_recent(trackers, chosen.increments, now=now, delete=False)
    refused = _refusal(workspace, options, synced.written)
    return replace(synced, refused=refused, duplicates=duplicates)


@dataclass
class Sync:
    """Deliver pending operations, compare, apply the plan, and deliver the changes.

    On another branch than the compared one only pending operations are delivered.

    Args:
        by: returns the user's name; called only if something is written.
        first: called before the first delivery, for the options from then on.
    """

    workspace: Workspace
    trackers: Trackers
    options: SyncOptions
    by: Callable[[], str]
    listener: SyncListener
    first: Callable[[SyncOptions], SyncOptions] = lambda options: options
    made: dict[str, list[Delivery]] = field(default_factory=dict)
    event: MatchedEvent | None = None
    refused: UnlatchError | None = None
    adoptions: tuple[Adoption, ...] = ()

    def run(self) -> SyncResult:
        """Run the sync, once.

        Raises:
            UsageError: `too-many-items` before any delivery, `unknown-ref`, `no-git`, or the
                increments are not known.
            ConsentMissing: the user has to agree to operations; nothing was changed.
            UnlatchError: an increment cannot be read or written; deliveries so far are recorded.
        """
        selection = self._chosen()
        chosen = selection.increments
        due = [increment for increment in chosen if any(map(self._is_attempted, increment.pending))]
        names = {increment.id for increment in due}
        skipped = [
            increment for increment in chosen if increment.pending and increment.id not in names
        ]
        operations = [(increment, op) for increment in chosen for op in increment.pending]
        served = {identity(link_of(*tried)) for tried in operations if self._is_attempted(tried[1])}
        blocked = sum(not self._is_attempted(op) for _, op in operations)
        self.listener.agree(due)
        self.options = self.first(self.options)
        if refused := _refusal(self.workspace, self.options, len(served)):
            raise refused
        self.made = {increment.id: [] for increment in skipped}
        other = _other_branch(self.workspace)
        adopted = map(self._adopt, () if other else chosen)
        self.adoptions = tuple(filter(None, adopted))
        self._deliver(due)
        plan, broken = self._compare({increment.id for increment in chosen}, boxes=other is None)
        moved: tuple[Move, ...] = ()
        if other is None:
            plan, moved = self._apply(plan, served)
        else:
            self.listener.applied(plan, (), other)
        duplicates = self._delete_duplicates(chosen)
        read, by_increment = self.workspace.manager.read, self.made.items()
        delivered = tuple(
            read_back(self.workspace, read(name), deliveries) for name, deliveries in by_increment
        )
        return SyncResult(
            plan,
            selection,
            moved,
            delivered,
            blocked,
            other,
            self.event,
            broken,
            self.refused,
            self.adoptions,
            duplicates,
            tuple(missing_labels(self.workspace, plan, self.made.keys(), self._tried)),
        )

    def _is_attempted(self, operation: Operation) -> bool:
        """Whether this sync tries to deliver an operation."""
        return self.options.retries_blocked or not operation.is_blocked

    @property
    def _tried(self) -> set[OperationKey]:
        """The operations that this sync has delivered or tried."""
        return {
            delivery.operation.key for deliveries in self.made.values() for delivery in deliveries
        }

    def _delete_duplicates(self, chosen: Sequence[Increment]) -> tuple[Duplicates, ...]:
        """Look at what other clones, or an earlier command, delivered within the last hour."""
        apart = {op for op, _, _ in self._tried}
        now = self.workspace.clock()
        return check_recent(self.trackers, chosen, now=now, apart=apart, delete=True)

    def _adopt(self, increment: Increment) -> Adoption | None:
        return adopt(self.workspace, increment, by=self.by)

    def _chosen(self) -> Chosen:
        everything, _ = self.workspace.manager.read_all()
        options = self.options
        if options.event is None:
            since = options.changed_since
            return choose(self.workspace, everything, ids=options.ids, since=since)
        from unlatch.sync.ingest import match_event  # noqa: PLC0415  (slow to load)

        self.event = match_event(self.trackers, *options.event, everything)
        return Chosen(
            self.event.increments, left_out=tuple(sparse_increments(self.workspace.paths))
        )

    def _deliver(self, due: Sequence[Increment], fresh: frozenset[str] = frozenset()) -> None:
        if not due:
            return
        from unlatch.delivery.run import DeliveryRun  # noqa: PLC0415  (slow to load)

        options, named = self.options.delivery, self.options.retries_refused
        run = DeliveryRun(self.workspace, self.trackers, options, fresh=fresh, named=named)
        operations = sum(run.will_attempt(op) for increment in due for op in increment.pending)
        with self.listener.delivering(due, operations) as report:
            for name, deliveries in deliver_all(run, due, report).items():
                self.made.setdefault(name, []).extend(deliveries)

    def _compare(
        self, names: set[str], *, boxes: bool
    ) -> tuple[SyncPlan, Sequence[BrokenIncrement]]:
        everything, broken = self.workspace.manager.read_all()
        chosen = [increment for increment in everything if increment.id in names]
        plan = plan_sync(self.workspace, self.trackers, chosen, everything, boxes=boxes)
        plan = without_tried(plan, self._tried)
        options = self.options
        plan = replace(plan, retries_refused=options.retries_refused)
        plan = replace(plan, tries_blocked=options.retries_blocked)
        if self.event:
            from unlatch.sync.ingest import attribute_change  # noqa: PLC0415  (as above)

            return attribute_change(plan, self.event), []
        # A named increment that cannot be read ends the command.
        return plan, [] if self.options.ids else broken

    def _disagreement(self, plan: SyncPlan) -> UnlatchError | None:
        """Why the words that a plan would send are not sent, if the user does not agree."""
        if not plan.having(Verdict.PUSH):
            return None
        from unlatch.sync.apply import pushed_words  # noqa: PLC0415  (slow to load)

        try:
            if sending := [*pushed_words(self.workspace, plan)]:
                self.listener.agree(sending)
        except (ConsentMissing, UsageError) as error:
            return error
        return None

    def _apply(
        self, plan: SyncPlan, served: set[tuple[str, str]]
    ) -> tuple[SyncPlan, tuple[Move, ...]]:
        plan = _ask_decisions(plan, self.listener)
        written = served - plan.due
        self.refused = _refusal(self.workspace, self.options, plan.items, written=len(written))
        self.refused = self.refused or self._disagreement(plan)
        if self.refused is not None:
            if not (served or self.adoptions):
                raise self.refused
            self.listener.applied(plan, (), None)
            return plan, ()
        if plan.is_empty:
            self.listener.applied(plan, (), None)
            return plan, ()
        from unlatch.sync.apply import apply_sync_plan  # noqa: PLC0415  (as above)
        from unlatch.sync.apply_boxes import leave_boxes  # noqa: PLC0415

        done = apply_sync_plan(self.workspace, plan, by=self.by(), force=self.options.force)
        plan = leave_boxes(plan, done.left)
        self.listener.applied(plan, done.moves, None)
        names = sorted({compared.increment.id for compared in plan.links})
        left = map(self.workspace.manager.read, names)
        due = [
            increment
            for increment in left
            if any(op.op in done.enqueued for op in increment.pending)
        ]
        self._deliver(due, done.fresh)
        return plan, done.moves


def _refusal(
    workspace: Workspace, options: SyncOptions, items: int, *, written: int = 0
) -> UsageError | None:
    """Return why so many items are too many, if so."""
    command = "unlatch sync --dry-run"
    written += options.written
    return find_excess(workspace, items, options.max_items, command=command, written=written)


def _ask_decisions(plan: SyncPlan, listener: SyncListener) -> SyncPlan:
    """The plan with the decisions of a person; other questions stay open."""
    answers: dict[int, Compared] = {}
    for compared in plan.having(Verdict.ASK):
        if compared.decision and (verdict := listener.choose(compared)):
            answers[id(compared)] = replace(
                compared, decision=Decision(verdict, compared.decision.why)
            )
    if not answers:
        return plan
    return make_plan((answers.get(id(compared), compared) for compared in plan.links), plan)


def _other_branch(workspace: Workspace) -> str | None:
    return other_branch(workspace.paths.root, workspace.environ, workspace.config.sync.branch)
