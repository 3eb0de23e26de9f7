"""Ends: after any end of a worker, none of its processes is left, and its end is reported once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_runs.dispatch.port import End, Ended
from unlatch_runs.dispatch.protocol import Checkpoint
from unlatch_runs.testing.stage import DONE, HANG, READY, assign, messages, poll_until, the_end

if TYPE_CHECKING:
    from unlatch_runs.testing.harness import DispatchHarness


class Ends:
    """Tests of `release`, `complete`, `close` and of time-outs."""

    def test_a_release_ends_a_worker_with_its_children(self, harness: DispatchHarness) -> None:
        dispatcher = harness.dispatcher()
        assignment = assign(harness, ["ignore"], ["child"], READY, HANG)
        lease = dispatcher.claim(assignment, epoch=1)
        poll_until(dispatcher, assignment.run_id, Checkpoint)
        dispatcher.release(lease)
        assert not harness.is_alive(assignment.run_id)
        assert dispatcher.leases() == []
        assert the_end(dispatcher, assignment.run_id).end is End.RELEASED
        dispatcher.release(lease)
        assert messages(dispatcher.poll(0), assignment.run_id) == []

    def test_a_child_ends_with_its_worker(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, ["child"], DONE)
        lease = dispatcher.claim(assignment, epoch=1)
        assert the_end(dispatcher, assignment.run_id) == Ended(End.EXIT, 0)
        assert not harness.is_alive(assignment.run_id)
        dispatcher.complete(lease)

    def test_a_taken_result_ends_a_live_worker(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, READY, HANG)
        lease = dispatcher.claim(assignment, epoch=1)
        poll_until(dispatcher, assignment.run_id, Checkpoint)
        dispatcher.complete(lease)
        assert not harness.is_alive(assignment.run_id)
        assert the_end(dispatcher, assignment.run_id).end is End.RELEASED

    def test_a_worker_that_answered_and_stays_is_ended(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, DONE, HANG)
        lease = dispatcher.claim(assignment, epoch=1)
        assert the_end(dispatcher, assignment.run_id).end is End.LINGERED
        assert not harness.is_alive(assignment.run_id)
        dispatcher.complete(lease)

    def test_a_worker_that_takes_too_long_is_ended(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, READY, HANG)
        lease = dispatcher.claim(assignment, epoch=1)
        poll_until(dispatcher, assignment.run_id, Checkpoint)
        passed = 0.0
        while passed < harness.timeout_seconds:
            assert harness.is_alive(assignment.run_id)
            harness.advance(harness.lease_seconds / 2)
            passed += harness.lease_seconds / 2
            lease = dispatcher.heartbeat(lease)
            if passed < harness.timeout_seconds:
                assert not dispatcher.poll(0)
        assert the_end(dispatcher, assignment.run_id).end is End.TIMEOUT
        assert not harness.is_alive(assignment.run_id)
        dispatcher.complete(lease)

    def test_a_coordinator_that_ends_leaves_no_worker(self, harness: DispatchHarness) -> None:
        dispatcher = harness.dispatcher()
        assignments = [assign(harness, READY, HANG, task=task) for task in ("1-1", "1-2")]
        for assignment in assignments:
            dispatcher.claim(assignment, epoch=1)
            poll_until(dispatcher, assignment.run_id, Checkpoint)
        dispatcher.close()
        assert dispatcher.leases() == []
        reports = dispatcher.poll(0)
        for assignment in assignments:
            assert not harness.is_alive(assignment.run_id)
            (end,) = [
                message
                for message in messages(reports, assignment.run_id)
                if isinstance(message, Ended)
            ]
            assert end.end is End.RELEASED
