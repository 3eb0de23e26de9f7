"""Answers: their fields, and the errors for every status of reads and writes."""

from collections.abc import Callable
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict
from tests.transport.calling import READS, WRITES, call, covering, failure
from tests.transport.faulty import BROKEN_JSON, OK, Faulty, Reply, reply

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    NotFound,
    Redirected,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.transport import Answer, Row, first_error, measure, reading, unreadable
from unlatch.transport.answer import (
    Misread,
    each,
    flag,
    optional,
    required,
    table,
    text,
    whole,
)


@pytest.mark.parametrize("raw", [{}, {"a": None}])
def test_null_counts_as_missing(raw: dict[str, Any]) -> None:
    assert optional(raw, "a", text) is None
    with pytest.raises(Misread, match=r"^at a: is missing$"):
        required(raw, "a", text)


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (text, 7, "a string"),
        (whole, "7", "a whole number"),
        (flag, 1, "true or false"),
        (table, [], "an object"),
        (each(text), {"b": 1}, "a list"),
    ],
)
def test_another_type_is_refused(
    read: Callable[[Any], object], value: object, message: str
) -> None:
    for field in (required, optional):
        with pytest.raises(Misread, match=f"^at a: expected {message}$"):
            field({"a": value}, "a", read)
    with pytest.raises(Misread, match=f"^at its top: expected {message}$"):
        read(value)


def _labels(fields: Any, read: Callable[[Any], str]) -> tuple[str, ...]:
    return required(fields, "labels", each(read))


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


@pytest.mark.parametrize("text", ["", "{", "null", "[1]", '"x"'])
def test_an_answer_that_is_no_object_has_no_fields(text: str) -> None:
    assert _answer(400, text).fields == {}
    assert _answer(400, '{"a": 1}').fields == {"a": 1}


def test_an_unreadable_answer_to_a_write_leaves_its_effect_unknown() -> None:
    error = unreadable("its answer is not clear", write=True, hint="check the address")
    assert isinstance(error, UnknownOutcome)
    assert "unlatch sync" in (error.hint or "")


ALIKE: dict[int, tuple[type[TrackerError], str]] = {
    400: (Rejected, "tracker-rejected"),
    401: (Unauthorised, "unauthorized"),
    402: (Rejected, "tracker-rejected"),
    403: (Forbidden, "forbidden"),
    404: (NotFound, "item-not-found"),
    405: (Rejected, "tracker-rejected"),
    409: (Conflict, "conflict"),
    410: (Rejected, "tracker-rejected"),
    412: (Conflict, "conflict"),
    413: (Rejected, "tracker-rejected"),
    422: (Rejected, "tracker-rejected"),
    429: (Limited, "rate-limited"),
    451: (Rejected, "tracker-rejected"),
}
SERVER_ERRORS = {str(status): status for status in (408, 500, 501, 502, 503, 504, 520, 599)}
REDIRECTS = {str(status): status for status in (301, 302, 303, 307, 308)}


@pytest.mark.parametrize(
    ("status", "method"), covering({str(status): status for status in ALIKE}, ("GET", *WRITES))
)
def test_refusal_means_the_same_for_reads_and_writes(status: int, method: str) -> None:
    with Faulty(otherwise=reply(status, b"because")) as server:
        error = failure(server, method, max_wait=0)

    assert ALIKE[status] == (type(error), error.id)
    assert status == error.status
    assert f"{method} {server.url}/item" == error.where


@pytest.mark.sample(3)
@pytest.mark.parametrize(("status", "method"), covering(SERVER_ERRORS, WRITES))
def test_server_error_leaves_a_write_unknown_and_is_never_sent_again(
    status: int, method: str
) -> None:
    with Faulty(otherwise=reply(status)) as server:
        error = failure(server, method)

    assert (UnknownOutcome, "unknown-outcome") == (type(error), error.id)
    assert [method] == server.methods


@pytest.mark.sample(3)
@pytest.mark.parametrize(("status", "method"), covering(SERVER_ERRORS, READS))
def test_server_error_on_a_read_passes_after_three_attempts(status: int, method: str) -> None:
    with Faulty(otherwise=reply(status)) as server:
        error = failure(server, method)

    assert (Transient, "tracker-unavailable") == (type(error), error.id)
    assert [method] * 3 == server.methods


@pytest.mark.parametrize(("status", "method"), covering(REDIRECTS, WRITES))
def test_redirected_write_is_not_sent_again_and_names_the_new_place(
    status: int, method: str
) -> None:
    moved = reply(status, headers={"Location": "/repositories/7/issues/4"})
    with Faulty(moved, otherwise=OK) as server:
        error = failure(server, method)

    assert (Redirected, "redirected-write") == (type(error), error.id)
    assert "/repositories/7/issues/4" in error.message
    assert [method] == server.methods


def test_json_that_cannot_be_read_is_read_again_and_leaves_a_write_unknown() -> None:
    with Faulty(BROKEN_JSON, OK, BROKEN_JSON) as server:
        assert call(server, "GET").json() == {"ok": True}
        error = failure(server, "PATCH")

    assert (UnknownOutcome, ["GET", "GET", "PATCH"]) == (type(error), server.methods)


def page(status: int) -> Reply:
    body = b"<!DOCTYPE html><title>\n A &amp; B\n</title>"
    return reply(status, body, headers={"Content-Type": "text/html"})


@pytest.mark.parametrize("status", [200, 400, 403, 404, 451])
def test_web_page_instead_of_data_says_to_check_the_address_and_proves_no_write(
    status: int,
) -> None:
    with Faulty(otherwise=page(status)) as server:
        error = failure(server, "GET")
        written = failure(server, "POST")

    assert isinstance(error, Transient)
    assert ("not-the-api", ["GET", "POST"]) == (error.id, server.methods)
    assert f"a web page came instead of data: {status}, A & B" == error.message
    assert isinstance(written, UnknownOutcome)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(("status", "kind"), [(401, Unauthorised), (429, Limited)])
def test_web_page_of_a_tracker_may_refuse_the_token_or_ask_to_wait(
    status: int, kind: type[TrackerError], method: str
) -> None:
    with Faulty(otherwise=page(status)) as server:
        assert isinstance(failure(server, method), kind)


def test_post_that_only_reads_is_a_read() -> None:
    with Faulty(reply(502), OK) as server, reading():
        assert call(server, "POST").json() == {"ok": True}
    with Faulty(reply(502), OK) as server:
        assert isinstance(failure(server, "POST"), UnknownOutcome)


def test_plugin_table_has_the_first_word_on_every_answer() -> None:
    seen: list[int] = []

    def explain(answer: Answer) -> TrackerError | None:
        seen.append(answer.status)
        if answer.headers.get("x-seraph-loginreason") == "AUTHENTICATED_FAILED":
            return Unauthorised("login-failed", f"{answer.method} {answer.json()} {answer.text}")
        return None

    denied = reply(200, {"n": 1}, headers={"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"})
    with Faulty(OK, denied) as server:
        call(server, "POST", explain=explain)
        error = failure(server, "POST", explain=explain)

    assert seen == [200, 200]
    assert ("login-failed", 200) == (error.id, error.status)
    assert "POST {'n': 1} {\"n\": 1}" == error.message


@pytest.mark.sample(count=3)
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "Validation Failed", "errors": [{"code": "x", "message": "too long"}]}, None),
        ({"errorMessages": ["Validation Failed", "too long"], "errors": {}}, None),
        ({"errorMessages": [], "errors": {"summary": "too long"}}, "summary: too long"),
        ({"$id": "1", "message": "TF401320: rule", "errorCode": 0}, "TF401320: rule"),
        (["a list"], ""),
        (b"<html>long page</html>", ""),
    ],
)
def test_tracker_is_quoted_in_its_own_shape(body: Any, said: str | None) -> None:
    with Faulty(reply(400, body)) as server:
        error = failure(server, "GET")

    words = "Validation Failed; too long" if said is None else said
    assert "the tracker refuses the request: 400" + (words and f", {words}") == error.message


def test_quote_is_cut_and_cannot_act_in_a_terminal() -> None:
    with Faulty(reply(400, b"a\x1b[31mb\r\nc\x07" + "\u202e".encode() + b"d" * 1000)) as server:
        message = failure(server, "GET").message

    assert message.startswith("the tracker refuses the request: 400, ab cddd")
    assert (len(message), message.endswith("...")) == (300, True)


def test_every_attempt_is_measured_in_every_meter_around_it() -> None:
    with Faulty(reply(500), OK, OK) as server, measure() as outer:
        with measure() as inner:
            call(server, "GET")
        call(server, "POST")

    assert (inner.requests, outer.requests) == (2, 3)
