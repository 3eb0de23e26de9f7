"""Reports: messages in order, and the end as the last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from unlatch_runs.dispatch.port import End, Ended
from unlatch_runs.dispatch.protocol import Checkpoint, Done, Message, Noise, Question, Usage
from unlatch_runs.testing.stage import (
    DONE,
    HANG,
    READY,
    assign,
    deadline,
    messages,
    poll_until,
    the_end,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_runs.testing.harness import DispatchHarness

_MANY = 200
_FLOOD = 20_000_000


class Reports:
    """Tests of `poll`."""

    def test_messages_come_in_their_order_and_the_end_last(self, harness: DispatchHarness) -> None:
        dispatcher = harness.dispatcher()
        texts = [str(number) for number in range(_MANY)]
        steps = [["say", {"type": "checkpoint", "text": text}] for text in texts]
        assignment = assign(harness, *steps, ["say", {"type": "usage", "input_tokens": 7}], DONE)
        lease = dispatcher.claim(assignment, epoch=1)
        reported = poll_until(dispatcher, assignment.run_id, Ended)
        assert reported == [*map(Checkpoint, texts), Usage(7), Done(), Ended(End.EXIT, 0)]
        dispatcher.complete(lease)
        assert messages(dispatcher.poll(0), assignment.run_id) == []

    def test_workers_report_side_by_side(self, harness: DispatchHarness) -> None:
        dispatcher = harness.dispatcher()
        loud = assign(harness, ["flood", _FLOOD], READY, HANG, task="1-1")
        asks = assign(harness, ["say", {"type": "question", "text": "Which?"}], task="1-2")
        fails = assign(harness, ["exit", 3], task="1-3")
        for assignment in (loud, asks, fails):
            dispatcher.claim(assignment, epoch=1)
        by_run: dict[str, list[Message | Ended]] = {
            assignment.run_id: [] for assignment in (loud, asks, fails)
        }
        end = deadline()
        while not all(map(_is_through, by_run.values())):
            assert time.monotonic() < end, "a worker reports nothing"
            reports = dispatcher.poll(1)
            for run_id, reported in by_run.items():
                reported.extend(messages(reports, run_id))
        assert by_run[asks.run_id] == [Question("Which?"), Ended(End.EXIT, 0)]
        assert by_run[fails.run_id] == [Ended(End.EXIT, 3)]
        assert {type(message) for message in by_run[loud.run_id]} == {Noise, Checkpoint}
        dispatcher.close()

    def test_polling_ends_when_nothing_is_reported(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, READY, HANG)
        lease = dispatcher.claim(assignment, epoch=1)
        poll_until(dispatcher, assignment.run_id, Checkpoint)
        start = time.monotonic()
        assert not dispatcher.poll(0.2)
        assert time.monotonic() - start < 10  # noqa: PLR2004  (seconds)
        dispatcher.release(lease)

    def test_output_that_is_no_message_is_harmless(self, harness: DispatchHarness) -> None:
        dispatcher = harness.dispatcher()
        garbage = "".join(map(chr, range(256)))
        assignment = assign(harness, ["raw", f"Building...\n{garbage}\n"], DONE)
        dispatcher.claim(assignment, epoch=1)
        *reported, ended = poll_until(dispatcher, assignment.run_id, Ended)
        assert reported[-1] == Done()
        assert {type(message) for message in reported[:-1]} == {Noise}
        assert ended == Ended(End.EXIT, 0, noise=len(reported) - 1)

    def test_a_signal_is_named(self, harness: DispatchHarness) -> None:
        dispatcher, assignment = harness.dispatcher(), assign(harness, ["signal", 9])
        dispatcher.claim(assignment, epoch=1)
        assert the_end(dispatcher, assignment.run_id) == Ended(End.SIGNAL, 9)


def _is_through(reported: Iterable[Message | Ended]) -> bool:
    return any(isinstance(message, Ended | Checkpoint) for message in reported)
