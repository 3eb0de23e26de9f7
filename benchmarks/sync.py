"""Reopening and comparing many items, compared with the minimum."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from benchmarks import items
from benchmarks.clock import CountingClock
from benchmarks.figures import Figure, NotMeasured
from benchmarks.naive import LOOPS, addresses_of
from benchmarks.places import DAY, write_increment
from unlatch.delivery.dispatch import deliver
from unlatch.delivery.run import DeliveryRun
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.lifecycle.carry_out import apply_each
from unlatch.lifecycle.change import Done, Place
from unlatch.lifecycle.resume import plan_resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.project.plugins.loading import load_plugin
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.sync.plan import plan_sync
from unlatch.transport import Transport, TransportOptions
from unlatch.transport.credentials import find_credential
from unlatch.worklog.disk.user_files import state_folder
from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.items import Project
    from unlatch.delivery.task import Delivery
    from unlatch.increments.model.increment import Increment
    from unlatch.spi import SyncPlugin

PART = "sync"
ITEMS = 1000
# The turns of a loop are alike, so the result of 200 is multiplied.
_TURNS = 200
_TITLES = {"github": "GitHub", "ado": "Azure DevOps", "jira": "Jira Cloud"}


@dataclass(frozen=True, slots=True)
class Minimum:
    """The minimum that a tracker's published limits and batch sizes allow, for a number of items.

    Args:
        reads: requests to compare all.
        requests: requests to read, reopen, comment on and label all.
        why: the description of these requests.
        seconds: the minimum time under limits for writes; None if none are published.
    """

    reads: Callable[[int], int]
    requests: Callable[[int], int]
    why: str
    seconds: Callable[[int], float] | None = None


def _github_seconds(count: int) -> float:
    # 500 comments an hour, 80 a minute.
    hours, rest = divmod(max(0, count - 1), 500)
    return hours * 3600 + rest // 80 * 60


MINIMUM = {
    "github": Minimum(lambda n: ceil(n / 100), lambda n: 4 * n, "4 each", _github_seconds),
    "ado": Minimum(lambda n: ceil(n / 200), lambda n: 2 * ceil(n / 200), "2 for 200"),
    "jira": Minimum(
        lambda n: ceil(n / 100),
        lambda n: ceil(n / 100) + ceil(n / 1000) + n,
        "1 each, the rest in bulk",
    ),
}


@dataclass(frozen=True, slots=True)
class _Taken:
    """The cost of an operation.

    Args:
        cpu: CPU seconds, including the sandbox, which runs in the same process.
        wall: elapsed seconds.
        waited: seconds of waits for limits; the clock only counts them.
    """

    requests: int
    cpu: float
    wall: float
    waited: float = 0.0


def figures(count: int = ITEMS) -> Iterator[Figure]:
    """Each tracker: many items reopened, compared, and reopened by a loop over its SDK."""
    for tracker in MINIMUM:
        with Sandbox() as box, items.project(box) as project:
            _set_up(project, tracker, count)
            reopened, calm = _reopen(project, tracker, count), _compare(project, tracker)
            # Inside, because azure-devops writes to the folder of the project until the end.
            loop = _loop(tracker, count)
        yield from _figures(tracker, count, reopened, calm, loop)


def _figures(
    tracker: str, count: int, reopened: _Taken, calm: _Taken, loop: _Taken
) -> Iterator[Figure]:
    bound, name = MINIMUM[tracker], f"{count:,} items on {_TITLES[tracker]}"
    sent, again = f"{name} reopened", "a loop over the SDK"
    yield Figure(PART, sent, reopened.requests, "requests", bound.requests(count), None, bound.why)
    yield Figure(PART, sent, reopened.requests, "requests", loop.requests, 1, again)
    yield Figure(PART, f"{sent} (CPU)", reopened.cpu, "s", loop.cpu, None, again)
    if allowed := bound.seconds(count) if bound.seconds else 0.0:
        took = reopened.wall + reopened.waited
        why = "80 comments a minute, 500 an hour"
        yield Figure(PART, f"{sent} (with waits)", took, "s", allowed, None, why)
    yield Figure(
        PART, f"{name} compared", calm.requests, "requests", bound.reads(count), 2, "full batches"
    )


def _set_up(project: Project, tracker: str, count: int) -> None:
    """Create closed items, and completed increments that match them."""
    for number in range(1, count + 1):
        block = getattr(items, tracker)(project.box, number)
        block["base"] = {"local": "completed", "remote": "done", "state": "closed"}
        name = f"{number:04d}-something-to-be-done"
        folder = project.root / ".unlatch" / "increments" / name
        fields = {"id": name, "status": "completed", "created": DAY, "completedAt": DAY}
        write_increment(folder, {**fields, tracker: block}, f"# {items.TITLE}\n")


def _reopen(project: Project, tracker: str, count: int) -> _Taken:
    """Resume all increments with one reason, and deliver the operations."""
    with _measured(project, tracker) as (workspace, trackers, taken):
        request = ResumeRequest("the benchmark", "Something was forgotten")
        plans = [plan_resume(increment, request) for increment in _increments(workspace)]
        ended = apply_each(Place(workspace), plans, activates=True)
        done = [result.outcome for result in ended if isinstance(result, Done)]
        fresh = frozenset(op for outcome in done for op in outcome.fresh)
        deliveries: list[Delivery] = []
        deliver(
            DeliveryRun(workspace, trackers, fresh=fresh),
            [outcome.increment for outcome in done],
            lambda _name, delivery: deliveries.append(delivery),
        )
    failed = [delivery.error for delivery in deliveries if delivery.error is not None]
    if failed or len(fresh) != count:
        raise NotMeasured(f"{len(fresh)} of {count} were reopened: {failed[:1]}")
    return taken()


def _compare(project: Project, tracker: str) -> _Taken:
    """Compare all increments with their items; no difference is expected."""
    with _measured(project, tracker) as (workspace, trackers, taken):
        increments = _increments(workspace)
        plan = plan_sync(workspace, trackers, increments, increments, boxes=True)
    if plan.reported:
        raise NotMeasured(
            f"{len(plan.reported)} items are not in step: {plan.reported[0].decision}"
        )
    return taken()


def _increments(workspace: Workspace) -> list[Increment]:
    return [
        increment
        for increment in workspace.manager.list()
        if not isinstance(increment, BrokenIncrement)
    ]


@contextmanager
def _measured(
    project: Project, tracker: str
) -> Iterator[tuple[Workspace, Trackers, Callable[[], _Taken]]]:
    """Measure a block; the cost is available after it."""
    clock = CountingClock()
    workspace = Workspace(
        paths_at(project.root), project.environ, user_config=project.root / "none.toml"
    )
    spent: list[tuple[float, float]] = []
    project.box.requests.clear()
    began = _now()
    yield (
        workspace,
        _Trackers(workspace, clock),
        lambda: _Taken(project.box.requests.count(tracker), *spent[0], clock()),
    )
    spent.append(_since(began))


def _loop(tracker: str, count: int) -> _Taken:
    turns = min(count, _TURNS)
    with Sandbox() as box:
        for number in range(1, turns + 1):
            getattr(items, tracker)(box, number)
        began = _now()
        LOOPS[tracker](addresses_of(box)[tracker], range(1, turns + 1))
        cpu, wall = _since(began)
        requests = box.requests.count(tracker)
    factor = count / turns
    return _Taken(round(requests * factor), cpu * factor, wall * factor)


def _now() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def _since(began: tuple[float, float]) -> tuple[float, float]:
    cpu, wall = _now()
    return cpu - began[0], wall - began[1]


class _Trackers(Trackers):
    """The trackers of a project, with a clock that counts waits."""

    def __init__(self, workspace: Workspace, clock: CountingClock) -> None:
        super().__init__(workspace)
        self._project = workspace
        self._clock = clock

    def _load(self, name: str) -> SyncPlugin:
        manifest, settings = self.registry.manifest(name), self.settings(name)
        cache = state_folder(self._project.paths.root) / "cache" / name
        cache.mkdir(parents=True, exist_ok=True)
        credential = find_credential(
            manifest.tokens,
            tracker=name,
            host="",
            env=self._project.environ,
            keyring_get=lambda _service, _key: None,
            run=lambda _argv: None,
        )
        transport = Transport(
            name,
            origin=settings.base_url,
            credential=credential,
            cache=cache,
            options=TransportOptions(max_wait=1e9, clock=self._clock, sleep=self._clock.sleep),
        )
        self._transport_of[name] = transport
        plugin: SyncPlugin = load_plugin(manifest)(settings, transport)
        return plugin
