from __future__ import annotations

import threading

from unlatch.project.load_order import LoadOrder


def test_a_tracker_loads_after_the_first_request_of_the_one_before() -> None:
    order, loaded = LoadOrder(["one", "two", "three"]), []

    def load(name: str) -> None:
        order.wait(name)
        loaded.append(name)
        order.end(name)

    threads = [threading.Thread(target=load, args=(name,)) for name in ("three", "two", "one")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ["one", "two", "three"] == loaded


def test_a_tracker_that_does_not_come_delays_the_next_one_only_for_a_time() -> None:
    order = LoadOrder(["one", "two"], longest=0.01)

    order.wait("two")


def test_other_trackers_have_no_turn_to_wait_for() -> None:
    order = LoadOrder()

    order.wait("one")
    order.end("one")
