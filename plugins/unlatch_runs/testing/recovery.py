"""Recovery: the leftovers of a dead coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch.worklog.ids import new_ulid
from unlatch_runs.dispatch.port import DispatchRefused, End, Ended, LeaseLost, Recovery, TaskLeased
from unlatch_runs.dispatch.protocol import Checkpoint, Done
from unlatch_runs.testing.stage import DONE, HANG, READY, assign, poll_until, the_end

if TYPE_CHECKING:
    from unlatch_runs.dispatch.port import Assignment, Dispatcher
    from unlatch_runs.testing.harness import DispatchHarness


class Recovering:
    """Tests of `recover`, `leases`, and of crashes in `claim`."""

    def test_leases_are_seen_as_they_are(self, harness: DispatchHarness) -> None:
        dispatcher = harness.dispatcher()
        lives, died = assign(harness, READY, HANG), assign(harness, DONE, task="1-2")
        leases = [dispatcher.claim(assignment, epoch=1) for assignment in (lives, died)]
        the_end(dispatcher, died.run_id)
        for observer in (dispatcher, harness.dispatcher()):
            seen = {observed.lease.run_id: observed for observed in observer.leases()}
            assert {lives.run_id: True, died.run_id: False} == {
                run_id: observed.is_alive for run_id, observed in seen.items()
            }
            assert [seen[lease.run_id].lease for lease in leases] == leases
        dispatcher.complete(leases[1])
        assert [observed.lease for observed in harness.dispatcher().leases()] == leases[:1]
        dispatcher.close()
        assert list(harness.dispatcher().leases()) == []

    def test_workers_of_a_dead_coordinator_are_seen_and_ended(
        self, harness: DispatchHarness
    ) -> None:
        old = harness.dispatcher()
        lives = assign(harness, ["ignore"], ["child"], READY, HANG)
        died = assign(harness, DONE, task="1-2")
        leases = {assignment.run_id: old.claim(assignment, epoch=1) for assignment in (lives, died)}
        poll_until(old, lives.run_id, Checkpoint)
        harness.abandon(old)
        new = harness.dispatcher()
        assert {observed.lease.run_id for observed in new.leases()} == {*leases}
        recovery = new.recover(2)
        assert ({lease.run_id: lease for lease in recovery.ended}, recovery.stuck) == (leases, ())
        assert not harness.is_alive(lives.run_id)
        assert list(new.leases()) == []
        assert new.recover(2) == Recovery((), ())

    def test_a_recovered_task_starts_under_another_run_id_alone(
        self, harness: DispatchHarness
    ) -> None:
        old, first = harness.dispatcher(), assign(harness, READY, HANG)
        lease = old.claim(first, epoch=1)
        poll_until(old, first.run_id, Checkpoint)
        harness.abandon(old)
        new = harness.dispatcher()
        new.recover(2)
        for use in (new.heartbeat, new.complete):
            with pytest.raises(LeaseLost):
                use(lease)
        with pytest.raises(LeaseLost):
            new.claim(first, epoch=2)
        second = assign(harness, DONE)
        new.claim(second, epoch=2)
        assert the_end(new, second.run_id).end is End.EXIT
        assert (harness.starts(first.run_id), harness.starts(second.run_id)) == (1, 1)

    def test_a_worker_that_is_kept_goes_on_and_is_heard_from_the_beginning(
        self, harness: DispatchHarness
    ) -> None:
        old = harness.dispatcher()
        lives, died = assign(harness, READY, HANG), assign(harness, READY, DONE, task="1-2")
        leases = [old.claim(lives, epoch=1)]
        poll_until(old, lives.run_id, Checkpoint)
        leases.append(old.claim(died, epoch=1))
        the_end(old, died.run_id)
        harness.abandon(old)
        harness.advance(harness.lease_seconds + 1)
        new = harness.dispatcher()
        recovery = new.recover(2, keep=[*(lease.run_id for lease in leases), new_ulid()])
        kept = {lease.run_id: lease for lease in recovery.kept}
        assert (recovery.ended, recovery.stuck, {*kept}) == ((), (), {lives.run_id, died.run_id})
        said = poll_until(new, died.run_id, Ended)
        # A dispatcher that saw the end can say how it was.
        assert said[:-1] == [Checkpoint("ready"), Done()]
        assert said[-1] in (Ended(End.UNSEEN), Ended(End.EXIT, 0))
        new.complete(kept[died.run_id])
        assert harness.is_alive(lives.run_id)
        for use in (old.heartbeat, old.complete):
            with pytest.raises(LeaseLost):
                use(leases[0])
        old.close()
        assert harness.is_alive(lives.run_id)
        with pytest.raises(TaskLeased):
            new.claim(assign(harness, DONE), epoch=2)
        new.release(new.heartbeat(kept[lives.run_id]))
        assert not harness.is_alive(lives.run_id)
        assert the_end(new, lives.run_id).end is End.RELEASED
        assert (harness.starts(lives.run_id), harness.starts(died.run_id)) == (1, 1)

    def test_recovery_leaves_the_leases_of_its_own_epoch(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, READY, HANG)
        dispatcher.recover(3)
        lease = dispatcher.claim(assignment, epoch=3)
        poll_until(dispatcher, assignment.run_id, Checkpoint)
        assert dispatcher.recover(3) == Recovery((), ())
        assert harness.is_alive(assignment.run_id)
        dispatcher.heartbeat(lease)
        dispatcher.close()

    def test_a_crash_in_a_claim_leaves_at_most_one_start(self, harness: DispatchHarness) -> None:
        assert len(harness.crash_points) > 2  # noqa: PLR2004  (before, between, after)
        for number, point in enumerate(harness.crash_points):
            assignment = assign(harness, READY, HANG, task=f"1-{number}")
            harness.crash_in_claim(assignment, epoch=2 * number + 1, point=point)
            new = harness.dispatcher()
            new.recover(2 * number + 2)
            assert not harness.is_alive(assignment.run_id), point
            starts = harness.starts(assignment.run_id)
            assert starts <= 1, point
            _claim_again(new, assignment, epoch=2 * number + 2)
            assert harness.starts(assignment.run_id) <= 1, point
            second = assign(harness, DONE, task=assignment.task_id)
            lease = new.claim(second, epoch=2 * number + 2)
            assert the_end(new, second.run_id).end is End.EXIT, point
            new.complete(lease)
            assert not harness.is_alive(assignment.run_id), point


def _claim_again(dispatcher: Dispatcher, assignment: Assignment, *, epoch: int) -> None:
    """Claim a run id whose first claim was cut off: it may have had no lease yet."""
    try:
        lease = dispatcher.claim(assignment, epoch=epoch)
    except DispatchRefused:
        return
    poll_until(dispatcher, assignment.run_id, Checkpoint)
    dispatcher.release(lease)
