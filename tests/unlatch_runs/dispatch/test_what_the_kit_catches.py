"""The kit for dispatchers passes a reference, and fails each that breaks a promise."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import pytest
from tests.unlatch_runs.dispatch.memory import Crash, MemoryDispatcher, MemoryHarness, Row, Worker

from unlatch_runs.dispatch.port import (
    Assignment,
    End,
    Ended,
    Lease,
    LeaseLost,
    ObservedLease,
    Recovery,
    Report,
)
from unlatch_runs.dispatch.protocol import Noise
from unlatch_runs.testing.conformance import DispatchConformance


class TestMemory(DispatchConformance):
    @pytest.fixture
    def harness(self) -> MemoryHarness:
        return MemoryHarness()


class StartsAgain(MemoryDispatcher):
    def claim(self, assignment: Assignment, *, epoch: int) -> Lease:
        if assignment.run_id in self.storage.rows:
            self.start(assignment)
        return super().claim(assignment, epoch=epoch)


class StartsWhatEnded(MemoryDispatcher):
    def claim(self, assignment: Assignment, *, epoch: int) -> Lease:
        row = self.storage.rows.get(assignment.run_id)
        if row and not row.is_active:
            del self.storage.rows[assignment.run_id]
            self.claimed = [one for one in self.claimed if one != assignment.run_id]
        return super().claim(assignment, epoch=epoch)


class SharesRunIds(MemoryDispatcher):
    def is_own(self, row: Row) -> bool:
        return True


class SharesTasks(MemoryDispatcher):
    def check_free(self, task_id: str) -> None:
        pass


class FreesTaskAtExit(MemoryDispatcher):
    def check_free(self, task_id: str) -> None:
        for row in self.storage.rows.values():
            row.is_active = row.is_active and bool(row.worker and row.worker.processes)
        super().check_free(task_id)


class IgnoresEpochs(MemoryDispatcher):
    def admit(self, epoch: int) -> None:
        self.storage.epoch = epoch


class RecoversWithoutEpoch(MemoryDispatcher):
    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        before = self.storage.epoch
        recovery = super().recover(epoch, keep)
        self.storage.epoch = before
        return recovery


class TakesResultsTwice(MemoryDispatcher):
    def complete(self, lease: Lease) -> None:
        self.end(lease.run_id, End.RELEASED)


class ExtendsWhatEnded(MemoryDispatcher):
    def heartbeat(self, lease: Lease) -> Lease:
        return replace(lease, until=self.until())


class ExtendsNothing(MemoryDispatcher):
    def heartbeat(self, lease: Lease) -> Lease:
        return self.check(lease).lease


class LosesLeasesOfTheDead(MemoryDispatcher):
    def heartbeat(self, lease: Lease) -> Lease:
        if not self.storage.rows[lease.run_id].worker.processes:  # type: ignore[union-attr]  # started
            raise LeaseLost("lease-lost", "its worker ended")
        return super().heartbeat(lease)


class NeverExpires(MemoryDispatcher):
    def is_expired(self, row: Row) -> bool:
        return False


class KeepsExpiredWorkers(MemoryDispatcher):
    def limit(self, row: Row, worker: Worker) -> None:
        if not self.is_expired(row):
            super().limit(row, worker)

    def check_free(self, task_id: str) -> None:
        for row in self.storage.rows.values():
            row.is_active = row.is_active and not self.is_expired(row)
        super().check_free(task_id)


class KeepsEarlierLeases(MemoryDispatcher):
    def is_valid(self, row: Row) -> bool:
        return row.is_active and not self.is_expired(row)


class HasEndlessRoom(MemoryDispatcher):
    def room(self) -> int:
        return 9


class ReportsTheEndFirst(MemoryDispatcher):
    def poll(self, timeout: float) -> Sequence[Report]:
        return super().poll(timeout)[::-1]


class ReportsTheEndTwice(MemoryDispatcher):
    def poll(self, timeout: float) -> Sequence[Report]:
        found = super().poll(timeout)
        self.reported.clear()
        return found


class ReportsOneWorker(MemoryDispatcher):
    def poll(self, timeout: float) -> Sequence[Report]:
        return [one for one in super().poll(timeout) if one.run_id == self.claimed[0]]


class ReportsWithoutNews(MemoryDispatcher):
    def poll(self, timeout: float) -> Sequence[Report]:
        return super().poll(timeout) or [Report(self.claimed[-1], Noise("still there"))]


class TakesNoiseForAnError(MemoryDispatcher):
    def reports_of(self, run_id: str) -> list[Report]:
        found = super().reports_of(run_id)
        if any(isinstance(one.message, Noise) for one in found):
            raise ValueError("not a message")
        return found


class HidesSignals(MemoryDispatcher):
    def reports_of(self, run_id: str) -> list[Report]:
        ended = Ended(End.EXIT, 1)
        return [
            replace(one, message=ended) if one.message == Ended(End.SIGNAL, 9) else one
            for one in super().reports_of(run_id)
        ]


class LeavesChildrenOfReleased(MemoryDispatcher):
    def end(self, run_id: str, how: End) -> None:
        worker = self.storage.rows[run_id].worker
        children = {"child"} & worker.processes if worker else set()
        super().end(run_id, how)
        if worker:
            worker.processes |= children


class LeavesChildrenOfEnded(MemoryDispatcher):
    def start(self, assignment: Assignment) -> None:
        super().start(assignment)
        worker = self.storage.rows[assignment.run_id].worker
        if worker and ["child"] in json.loads(assignment.text):
            worker.processes.add("child")


class ReleasesWithoutReport(MemoryDispatcher):
    def release(self, lease: Lease) -> None:
        super().release(lease)
        self.reported.add(lease.run_id)


class TakesResultsOfTheLiving(MemoryDispatcher):
    def complete(self, lease: Lease) -> None:
        self.check(lease).is_active = False


class WaitsForTheAnswered(MemoryDispatcher):
    def limit(self, row: Row, worker: Worker) -> None:
        if not worker.output.answer:
            super().limit(row, worker)


class HasNoTimeOut(MemoryDispatcher):
    def limit(self, row: Row, worker: Worker) -> None:
        worker.started = self.storage.now
        super().limit(row, worker)


class ClosesNothing(MemoryDispatcher):
    def close(self) -> None:
        pass


class AssumesLife(MemoryDispatcher):
    def leases(self) -> Sequence[ObservedLease]:
        return [replace(one, is_alive=True) for one in super().leases()]


class SeesItsOwn(MemoryDispatcher):
    def leases(self) -> Sequence[ObservedLease]:
        return [one for one in super().leases() if one.lease.run_id in self.claimed]


class RecoversOnPaper(MemoryDispatcher):
    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        workers = {one: row.worker for one, row in self.storage.rows.items()}
        alive = {one: {*worker.processes} for one, worker in workers.items() if worker}
        recovery = super().recover(epoch, keep)
        for run_id, processes in alive.items():
            self.storage.rows[run_id].worker.processes = processes  # type: ignore[union-attr]  # started
        return recovery


class RecoversTwice(MemoryDispatcher):
    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        super().recover(epoch, keep)
        return Recovery(tuple(row.lease for row in self.storage.rows.values()), ())


class RecoversItself(MemoryDispatcher):
    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        self.close()
        return super().recover(epoch, keep)


class KeepsNobody(MemoryDispatcher):
    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        return super().recover(epoch)


class KeepsWithoutWords(MemoryDispatcher):
    def take_over(self, row: Row, epoch: int) -> Lease:
        lease = super().take_over(row, epoch)
        row.worker.messages.clear()  # type: ignore[union-attr]  # started
        return lease


class StartsBeforeTheLease(MemoryDispatcher):
    def claim(self, assignment: Assignment, *, epoch: int) -> Lease:
        if self.crashes == "before the lease":
            self.admit(epoch)
            lease = Lease(assignment.run_id, assignment.task_id, epoch, self.until())
            self.storage.rows[lease.run_id] = Row(lease, Worker(self.storage.now), is_active=False)
            raise Crash
        return super().claim(assignment, epoch=epoch)


class StartsLate(MemoryDispatcher):
    """Starts from a queue, and recovery does not empty it."""

    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        found = super().recover(epoch, keep)
        self.queue = [
            lease.run_id for lease in found.ended if not self.storage.starts[lease.run_id]
        ]
        return found

    def poll(self, timeout: float) -> Sequence[Report]:
        for run_id in self.queue:
            self.storage.starts[run_id] += 1
            self.storage.rows[run_id].worker = Worker(self.storage.now)
        return super().poll(timeout)


BROKEN: list[tuple[type[MemoryDispatcher], str]] = [
    (StartsAgain, "test_a_run_id_that_is_claimed_twice_starts_once"),
    (SharesRunIds, "test_a_run_id_belongs_to_the_dispatcher_that_claimed_it"),
    (StartsWhatEnded, "test_a_run_id_is_used_up_when_its_lease_ended"),
    (StartsWhatEnded, "test_a_recovered_task_starts_under_another_run_id_alone"),
    (SharesTasks, "test_a_task_is_leased_to_one_run_id"),
    (FreesTaskAtExit, "test_a_task_stays_leased_until_its_result_is_taken"),
    (IgnoresEpochs, "test_a_lower_epoch_is_refused"),
    (RecoversWithoutEpoch, "test_an_epoch_counts_from_recovery_on"),
    (TakesResultsTwice, "test_a_result_counts_once"),
    (TakesResultsTwice, "test_a_released_lease_has_no_result"),
    (ExtendsWhatEnded, "test_a_released_lease_has_no_result"),
    (ExtendsNothing, "test_a_heartbeat_extends_a_lease"),
    (LosesLeasesOfTheDead, "test_a_heartbeat_extends_a_lease"),
    (NeverExpires, "test_a_lease_ends_without_heartbeats"),
    (KeepsExpiredWorkers, "test_a_lease_ends_without_heartbeats"),
    (KeepsExpiredWorkers, "test_a_worker_whose_lease_ran_out_is_ended"),
    (KeepsEarlierLeases, "test_a_later_epoch_ends_earlier_leases"),
    (HasEndlessRoom, "test_as_many_workers_start_as_there_is_room"),
    (ReportsTheEndFirst, "test_messages_come_in_their_order_and_the_end_last"),
    (ReportsTheEndTwice, "test_messages_come_in_their_order_and_the_end_last"),
    (ReportsOneWorker, "test_workers_report_side_by_side"),
    (ReportsWithoutNews, "test_polling_ends_when_nothing_is_reported"),
    (TakesNoiseForAnError, "test_output_that_is_no_message_is_harmless"),
    (HidesSignals, "test_a_signal_is_named"),
    (LeavesChildrenOfReleased, "test_a_release_ends_a_worker_with_its_children"),
    (ReleasesWithoutReport, "test_a_release_ends_a_worker_with_its_children"),
    (LeavesChildrenOfEnded, "test_a_child_ends_with_its_worker"),
    (TakesResultsOfTheLiving, "test_a_taken_result_ends_a_live_worker"),
    (WaitsForTheAnswered, "test_a_worker_that_answered_and_stays_is_ended"),
    (HasNoTimeOut, "test_a_worker_that_takes_too_long_is_ended"),
    (ClosesNothing, "test_a_coordinator_that_ends_leaves_no_worker"),
    (AssumesLife, "test_leases_are_seen_as_they_are"),
    (SeesItsOwn, "test_workers_of_a_dead_coordinator_are_seen_and_ended"),
    (RecoversOnPaper, "test_workers_of_a_dead_coordinator_are_seen_and_ended"),
    (RecoversTwice, "test_workers_of_a_dead_coordinator_are_seen_and_ended"),
    (KeepsNobody, "test_a_worker_that_is_kept_goes_on_and_is_heard_from_the_beginning"),
    (KeepsWithoutWords, "test_a_worker_that_is_kept_goes_on_and_is_heard_from_the_beginning"),
    (RecoversItself, "test_recovery_leaves_the_leases_of_its_own_epoch"),
    (StartsBeforeTheLease, "test_a_crash_in_a_claim_leaves_at_most_one_start"),
    (StartsLate, "test_a_crash_in_a_claim_leaves_at_most_one_start"),
]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unlatch_runs.testing.stage.PATIENCE", 1.0)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("broken", "name"), BROKEN, ids=lambda one: getattr(one, "__name__", one))
def test_a_broken_promise_is_noticed(broken: type[MemoryDispatcher], name: str) -> None:
    test: Callable[[MemoryHarness], None] = getattr(DispatchConformance(), name)
    test(MemoryHarness())
    with pytest.raises((AssertionError, LeaseLost, ValueError, pytest.fail.Exception)):
        test(MemoryHarness(broken))


def test_each_test_of_the_kit_fails_for_a_broken_dispatcher() -> None:
    tests = {name for name in dir(DispatchConformance) if name.startswith("test_")}
    assert tests == {name for _, name in BROKEN}
