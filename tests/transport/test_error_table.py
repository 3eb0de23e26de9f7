"""The error table that plugins share: which row matches an answer, and the error it makes."""

from __future__ import annotations

import pytest
from requests.structures import CaseInsensitiveDict

from unlatch.errors import Conflict, Forbidden, Rejected, TrackerError, UnknownOutcome
from unlatch.transport import Answer, Row, first_error, unreadable

URL = "https://tracker.example/api/issues/4?fields=all"


def _answer(status: int, text: str = "", method: str = "PUT", **headers: str) -> Answer:
    return Answer(method, URL, status, CaseInsensitiveDict(headers), text.encode())


def _found(*rows: Row, answer: Answer) -> TrackerError | None:
    return first_error(rows, answer)


def test_the_first_row_that_matches_makes_the_error() -> None:
    rows = (
        Row(409, "stale", Conflict, "conflict", "it changed", "run it again", remedy="--follow"),
        Row(409, "", Rejected, "tracker-rejected", "it refuses: {said}"),
    )
    error = _found(*rows, answer=_answer(409, "a STALE revision"))

    assert isinstance(error, Conflict)
    assert ("conflict", "it changed", "run it again") == (error.id, error.message, error.hint)
    assert (409, "--follow") == (error.status, error.remedy)


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (Row((400, 409), "", Rejected, "x", "x"), _answer(409)),
        (Row(range(400, 500), "", Rejected, "x", "x"), _answer(499)),
        (Row(409, "", Rejected, "x", "x", methods=("PUT",)), _answer(409)),
        (Row(409, "", Rejected, "x", "x", path="/issues/4"), _answer(409)),
        (Row(409, "", Rejected, "x", "x", header="X-Reason"), _answer(409, **{"x-reason": ""})),
        (Row(409, "no", Rejected, "x", "x", header="X-Reason"), _answer(409, **{"x-reason": "No"})),
    ],
)
def test_a_row_matches(row: Row, answer: Answer) -> None:
    assert _found(row, answer=answer) is not None


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (Row(409, "", Rejected, "x", "x"), _answer(400)),
        (Row((400, 409), "", Rejected, "x", "x"), _answer(410)),
        (Row(409, "stale", Rejected, "x", "x"), _answer(409, "other words")),
        (Row(409, "", Rejected, "x", "x", methods=("POST", "DELETE")), _answer(409)),
        (Row(409, "", Rejected, "x", "x", path="/issues"), _answer(409)),
        (Row(409, "", Rejected, "x", "x", header="X-Reason"), _answer(409)),
        (Row(409, "no", Rejected, "x", "x", header="X-Reason"), _answer(409, "no")),
    ],
)
def test_a_row_does_not_match(row: Row, answer: Answer) -> None:
    assert _found(row, answer=answer) is None


def test_the_trackers_text_is_quoted_on_one_short_line() -> None:
    row = Row(403, "", Forbidden, "forbidden", "it refuses: {said}", "it said: {said}")
    text = "no\n{status} \x1b[31m" + "x" * 1000
    error = _found(row, answer=_answer(403, text))

    assert error is not None
    assert error.message.startswith("it refuses: no {status} xxx")
    assert len(error.message) == len("it refuses: ") + 300
    assert (error.hint or "").startswith("it said: no {status}")


def test_an_answer_without_text_is_quoted_by_its_status() -> None:
    error = _found(Row(403, "", Forbidden, "forbidden", "it refuses: {said}"), answer=_answer(403))
    assert error is not None
    assert error.message == "it refuses: HTTP 403"


def test_a_plugin_names_the_message_and_adds_words() -> None:
    row = Row(403, "^closed$", Forbidden, "forbidden", "{said}: ask {owner}")
    answer = _answer(403, '{"error": "closed", "owner": "ann"}')
    error = first_error(
        (row,),
        answer,
        lambda one: str(one.fields["error"]),
        lambda one: {"owner": str(one.fields["owner"])},
    )
    assert error is not None
    assert error.message == "closed: ask ann"


@pytest.mark.parametrize("text", ["", "{", "null", "[1]", '"x"'])
def test_an_answer_that_is_no_object_has_no_fields(text: str) -> None:
    assert _answer(400, text).fields == {}


def test_an_unreadable_answer_to_a_write_leaves_its_effect_unknown() -> None:
    error = unreadable("its answer is not clear", write=True, hint="check the address")
    assert isinstance(error, UnknownOutcome)
    assert "unlatch sync" in (error.hint or "")


def test_an_unreadable_answer_to_a_read_is_a_refusal() -> None:
    error = unreadable("its answer is not clear", write=False, where="a#1", hint="check it")
    assert isinstance(error, Rejected)
    assert ("answer-not-understood", "a#1", "check it") == (error.id, error.where, error.hint)
