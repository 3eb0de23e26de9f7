"""Tasks run side by side, and none holds up the others or the end of the process."""

from __future__ import annotations

import threading
import time

import pytest

from unlatch.worklog.parallel import MOST_AT_ONCE, run_parallel


def test_all_results_come_with_their_keys() -> None:
    tasks = {number: (lambda n=number: n * n) for number in range(3 * MOST_AT_ONCE)}

    assert {n: n * n for n in tasks} == dict(run_parallel(tasks))
    assert [] == list(run_parallel({}))


def test_tasks_run_at_the_same_time() -> None:
    meeting = threading.Barrier(MOST_AT_ONCE)

    done = dict(run_parallel({n: lambda: meeting.wait(10) for n in range(MOST_AT_ONCE)}))

    assert set(range(MOST_AT_ONCE)) == set(done.values())


def test_a_result_comes_as_soon_as_it_is_there() -> None:
    release = threading.Event()
    tasks = {"slow": lambda: release.wait(10), "fast": lambda: True}

    results = run_parallel(tasks)

    assert next(results) == ("fast", True)
    release.set()
    assert list(results) == [("slow", True)]


def test_what_takes_too_long_is_left_behind_and_keeps_no_process_from_ending() -> None:
    release = threading.Event()
    tasks = {"slow": lambda: release.wait(30), "fast": lambda: True}
    began = time.monotonic()

    done = dict(run_parallel(tasks, within=0.2))
    took = time.monotonic() - began
    threads = [t for t in threading.enumerate() if t is not threading.main_thread()]
    release.set()

    assert done == {"fast": True}
    assert took < 20
    assert any(thread.daemon for thread in threads)


def test_a_task_that_raises_ends_it_with_its_error() -> None:
    def fail() -> bool:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        list(run_parallel({"one": fail}))


def test_all_lanes_together_run_no_more_than_the_pool_takes() -> None:
    lock, running, most = threading.Lock(), 0, 0
    full = threading.Event()

    def task() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == MOST_AT_ONCE:
                full.set()
        full.wait(10)
        with lock:
            running -= 1

    tasks = {(lane, number): task for lane in "abc" for number in range(MOST_AT_ONCE)}

    done = dict(run_parallel(tasks, lane_of=lambda key: key[0], limits=dict.fromkeys("abc", 8)))

    assert (len(tasks), MOST_AT_ONCE) == (len(done), most)
