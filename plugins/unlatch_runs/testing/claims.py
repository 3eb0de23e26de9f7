"""Claims, epochs and leases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch_runs.dispatch.port import End, LeaseLost, NoRoom, StaleEpoch, TaskLeased
from unlatch_runs.dispatch.protocol import Checkpoint
from unlatch_runs.testing.stage import DONE, HANG, READY, assign, poll_until, the_end

if TYPE_CHECKING:
    from unlatch_runs.testing.harness import DispatchHarness


class Claims:
    """Tests of `claim`, `room`, `heartbeat` and `complete`."""

    def test_a_run_id_that_is_claimed_twice_starts_once(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, READY, HANG)
        lease = dispatcher.claim(assignment, epoch=1)
        assert dispatcher.claim(assignment, epoch=1) == lease
        poll_until(dispatcher, assignment.run_id, Checkpoint)
        assert dispatcher.claim(assignment, epoch=1) == lease
        assert (lease.run_id, lease.task_id, lease.epoch) == (assignment.run_id, "1-1", 1)
        dispatcher.release(lease)
        assert harness.starts(assignment.run_id) == 1

    def test_a_run_id_belongs_to_the_dispatcher_that_claimed_it(
        self, harness: DispatchHarness
    ) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, READY, HANG)
        lease = dispatcher.claim(assignment, epoch=1)
        poll_until(dispatcher, assignment.run_id, Checkpoint)
        with pytest.raises(LeaseLost):
            harness.dispatcher().claim(assignment, epoch=1)
        assert dispatcher.heartbeat(lease).run_id == lease.run_id
        dispatcher.release(lease)
        assert harness.starts(assignment.run_id) == 1

    def test_a_run_id_is_used_up_when_its_lease_ended(self, harness: DispatchHarness) -> None:
        dispatcher = harness.dispatcher()
        for end in (dispatcher.complete, dispatcher.release):
            assignment = assign(harness, DONE)
            lease = dispatcher.claim(assignment, epoch=1)
            the_end(dispatcher, assignment.run_id)
            end(lease)
            with pytest.raises(LeaseLost):
                dispatcher.claim(assignment, epoch=1)
            with pytest.raises(LeaseLost):
                harness.dispatcher().claim(assignment, epoch=1)
            assert harness.starts(assignment.run_id) == 1

    def test_a_task_is_leased_to_one_run_id(self, harness: DispatchHarness) -> None:
        dispatcher, first = harness.dispatcher(), assign(harness, READY, HANG)
        lease = dispatcher.claim(first, epoch=1)
        second = assign(harness, DONE)
        with pytest.raises(TaskLeased):
            dispatcher.claim(second, epoch=1)
        with pytest.raises(TaskLeased):
            harness.dispatcher().claim(second, epoch=2)
        assert harness.starts(second.run_id) == 0
        dispatcher.release(lease)

    def test_a_task_stays_leased_until_its_result_is_taken(self, harness: DispatchHarness) -> None:
        dispatcher, first = harness.dispatcher(), assign(harness, DONE)
        lease = dispatcher.claim(first, epoch=1)
        the_end(dispatcher, first.run_id)
        second = assign(harness, DONE)
        with pytest.raises(TaskLeased):
            dispatcher.claim(second, epoch=1)
        dispatcher.complete(lease)
        dispatcher.claim(second, epoch=1)
        assert the_end(dispatcher, second.run_id).end is End.EXIT

    def test_a_lower_epoch_is_refused(self, harness: DispatchHarness) -> None:
        old, new = harness.dispatcher(), harness.dispatcher()
        lease = new.claim(assign(harness, DONE, task="1-2"), epoch=5)
        late = assign(harness, DONE)
        for dispatcher in (old, new, harness.dispatcher()):
            with pytest.raises(StaleEpoch):
                dispatcher.claim(late, epoch=4)
            with pytest.raises(StaleEpoch):
                dispatcher.recover(4)
        assert harness.starts(late.run_id) == 0
        new.release(lease)

    def test_an_epoch_counts_from_recovery_on(self, harness: DispatchHarness) -> None:
        old = harness.dispatcher()
        harness.dispatcher().recover(7)
        with pytest.raises(StaleEpoch):
            old.claim(assign(harness, DONE), epoch=6)

    def test_a_result_counts_once(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, DONE)
        lease = dispatcher.claim(assignment, epoch=1)
        the_end(dispatcher, assignment.run_id)
        dispatcher.complete(lease)
        with pytest.raises(LeaseLost):
            dispatcher.complete(lease)
        with pytest.raises(LeaseLost):
            dispatcher.heartbeat(lease)

    def test_a_released_lease_has_no_result(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, DONE)
        lease = dispatcher.claim(assignment, epoch=1)
        the_end(dispatcher, assignment.run_id)
        dispatcher.release(lease)
        dispatcher.release(lease)
        for use in (dispatcher.complete, dispatcher.heartbeat):
            with pytest.raises(LeaseLost):
                use(lease)

    def test_a_heartbeat_extends_a_lease(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, DONE)
        lease = dispatcher.claim(assignment, epoch=1)
        the_end(dispatcher, assignment.run_id)
        for _ in range(3):
            harness.advance(harness.lease_seconds * 0.75)
            later = dispatcher.heartbeat(lease)
            assert later.until > lease.until
            lease = later
        dispatcher.complete(lease)

    def test_a_lease_ends_without_heartbeats(self, harness: DispatchHarness) -> None:
        dispatcher, first = harness.dispatcher(), assign(harness, READY, HANG)
        lease = dispatcher.claim(first, epoch=1)
        poll_until(dispatcher, first.run_id, Checkpoint)
        harness.advance(harness.lease_seconds + 1)
        for use in (dispatcher.heartbeat, dispatcher.complete):
            with pytest.raises(LeaseLost):
                use(lease)
        second = assign(harness, DONE)
        dispatcher.claim(second, epoch=1)
        assert not harness.is_alive(first.run_id)
        assert the_end(dispatcher, second.run_id).end is End.EXIT

    def test_a_worker_whose_lease_ran_out_is_ended(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, READY, HANG)
        dispatcher.claim(assignment, epoch=1)
        poll_until(dispatcher, assignment.run_id, Checkpoint)
        harness.advance(harness.lease_seconds + 1)
        assert the_end(dispatcher, assignment.run_id).end is End.EXPIRED
        assert not harness.is_alive(assignment.run_id)
        assert list(dispatcher.leases()) == []

    def test_a_later_epoch_ends_earlier_leases(self, harness: DispatchHarness) -> None:
        old, assignment = harness.dispatcher(), assign(harness, DONE)
        lease = old.claim(assignment, epoch=1)
        the_end(old, assignment.run_id)
        new = harness.dispatcher()
        other = new.claim(assign(harness, DONE, task="1-2"), epoch=2)
        for use in (old.heartbeat, old.complete):
            with pytest.raises(LeaseLost):
                use(lease)
        new.release(other)

    def test_as_many_workers_start_as_there_is_room(self, harness: DispatchHarness) -> None:
        dispatcher = harness.dispatcher()
        leases = []
        for number in range(harness.jobs):
            assert dispatcher.room() == harness.jobs - number
            assignment = assign(harness, HANG, task=f"1-{number}")
            leases.append(dispatcher.claim(assignment, epoch=1))
        one_more = assign(harness, DONE, task="2-1")
        assert dispatcher.room() == 0
        with pytest.raises(NoRoom):
            dispatcher.claim(one_more, epoch=1)
        dispatcher.release(leases[0])
        dispatcher.claim(one_more, epoch=1)
        the_end(dispatcher, one_more.run_id)
        dispatcher.close()
