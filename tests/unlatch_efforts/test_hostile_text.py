"""Texts and numbers that are made to take long, or much memory."""

import json
from time import process_time

import pytest

from unlatch.related.highlights import highlights
from unlatch_efforts.events import EVENTS
from unlatch_efforts.store import LOG, EffortStore
from unlatch_efforts.verify import verify

# With texts as long as a message can be, each of these took from 20 seconds to minutes: with a
# third of that, a tenth of the time.
SECONDS = 1.5


@pytest.mark.sample(count=6)
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "a.",
            "1.",
            ".a/",
            "A1-",
            "tried ",
            "a/",
            "a_",
            "`a",
            "x-",
            "/.",
            "~/",
            "../",
            "/a",
            "a/a#",
        ),
        *("A_", "$A", "--a", "-a", "1.1", "a.a", "a@", "https://", "use a ", "- a:\n", "TODO:"),
    ],
)
def test_highlights_of_a_repeated_piece_are_found_at_once(piece: str) -> None:
    text = piece * (30_000 // len(piece))
    started = process_time()
    highlights([(1, {"role": "user", "content": text})])
    assert process_time() - started < SECONDS


def test_events_that_claim_a_number_of_lines_are_not_believed(store: EffortStore) -> None:
    store.open("auth-bug")
    transcript = store.transcript("auth-bug")
    transcript.append({"role": "user", "content": "one"})
    (*_, last) = transcript.lines(EVENTS.name)
    with (transcript.folder / EVENTS.name).open("a") as events:
        events.write(json.dumps(json.loads(last) | {"lines": 10**12, "hashes": []}) + "\n")
    assert (EVENTS.name, 2) in [(one.file, one.line) for one in verify(transcript)]


@pytest.mark.sweep
def test_a_long_log_whose_lines_were_all_replaced_is_checked_at_once(store: EffortStore) -> None:
    store.open("auth-bug")
    transcript = store.transcript("auth-bug")
    transcript.append(*({"role": "user", "content": str(number)} for number in range(20_000)))
    log = transcript.folder / LOG
    log.write_text(log.read_text().replace("user", "none"))
    started = process_time()
    assert {one.kind for one in verify(transcript)} == {"changed"}
    assert process_time() - started < SECONDS
