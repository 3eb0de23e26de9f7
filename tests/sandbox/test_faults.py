import contextlib
import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
import requests

from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.jira import adf

Call = Callable[..., requests.Response]
COMMENTS = "/repos/octo/widgets/issues/4/comments"


@pytest.fixture(autouse=True)
def issue(box: Sandbox) -> None:
    box.github.add_issue(number=4, title="Smart")


def comments(box: Sandbox) -> int:
    return len(box.github.comments("octo/widgets", 4))


# Each with the status of its answer, None for none, and whether the comment is there nevertheless.
STRIKING: dict[str, tuple[dict[str, Any], int | None, int]] = {
    "status": ({"code": 503}, 503, 0),
    "status with effect": ({"code": 429, "effect": True}, 429, 1),
    "error-after": ({"code": 500}, 500, 1),
    "drop": ({}, None, 0),
    "drop-after": ({}, None, 1),
    "timeout": ({"seconds": 30}, None, 0),
    "timeout with effect": ({"seconds": 30, "effect": True}, None, 1),
    "truncate": ({}, 201, 1),
    "html": ({}, 502, 0),
    "redirect": ({"location": "http://127.0.0.1:1/x", "code": 307}, 307, 0),
}


@pytest.mark.parametrize("struck", STRIKING)
def test_a_fault_hides_whether_anything_happened(box: Sandbox, github: Call, struck: str) -> None:
    options, status, effects = STRIKING[struck]
    box.faults.add(Fault("github", struck.partition(" ")[0], **options))

    if status is None:
        with pytest.raises((requests.ConnectionError, requests.ReadTimeout)):
            github("POST", COMMENTS, json={"body": "x"}, timeout=0.2)
    else:
        assert status == github("POST", COMMENTS, json={"body": "x"}).status_code
    assert effects == comments(box)
    if "drop" in struck:
        assert [None] == [request.status for request in box.requests.entries("github")]


def test_a_fault_answers_as_it_was_told_once(box: Sandbox, github: Call) -> None:
    headers = {"Retry-After": "3"}
    box.faults.add(Fault("github", "status", code=503, headers=headers, body={"message": "no"}))
    answer = github("POST", COMMENTS, json={"body": "x"})
    assert (answer.headers["Retry-After"], answer.json()) == ("3", {"message": "no"})
    assert github("POST", COMMENTS, json={"body": "x"}).status_code == 201
    box.faults.add(Fault("github", "truncate"))
    with pytest.raises(requests.JSONDecodeError):
        github("POST", COMMENTS, json={"body": "x"}).json()
    box.faults.add(Fault("github", "html"))
    assert github("GET", COMMENTS).headers["Content-Type"].startswith("text/html")
    box.faults.add(Fault("github", "redirect", location="http://127.0.0.1:1/x", code=307))
    assert github("GET", COMMENTS).headers["Location"] == "http://127.0.0.1:1/x"


def test_stopping_does_not_wait_for_a_hanging_request() -> None:
    with Sandbox() as sandbox:
        sandbox.faults.add(Fault("github", "timeout", seconds=30))
        with pytest.raises(requests.ReadTimeout):
            requests.get(f"{sandbox.github.api_url}/user", timeout=0.1)
        began = time.monotonic()
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(("shows", "state"), [("wanted", "closed"), ("kept", "open")])
def test_success_without_effect_shows_what_was_wanted_or_what_was_kept(
    box: Sandbox, github: Call, shows: str, state: str
) -> None:
    box.faults.add(Fault("github", "no-effect", shows=shows))
    answer = github("PATCH", "/repos/octo/widgets/issues/4", json={"state": "closed"})
    assert (200, state) == (answer.status_code, answer.json()["state"])
    assert "open" == box.github.issue("octo/widgets", 4)["state"]


@pytest.mark.parametrize(("shows", "names"), [("wanted", []), ("kept", ["bug"])])
def test_a_label_stays_though_its_removal_was_answered_with_success(
    box: Sandbox, github: Call, shows: str, names: list[str]
) -> None:
    box.github.edit("octo/widgets", 4, labels=["bug"])
    box.faults.add(Fault("github", "no-effect", shows=shows))
    answer = github("DELETE", "/repos/octo/widgets/issues/4/labels/bug")
    assert (200, names) == (answer.status_code, [label["name"] for label in answer.json()])
    assert ["bug"] == box.github.items()[0].labels


def test_an_edit_shows_the_item_as_it_was_kept(box: Sandbox, jira: Call, patch: Call) -> None:
    key = box.jira.add_issue(summary="S")
    box.ado.add_work_item(id=101, title="S")
    for tracker in ("jira", "ado"):
        box.faults.add(Fault(tracker, "no-effect", shows="kept"))
    answer = jira("PUT", f"/3/issue/{key}?returnIssue=true", json={"fields": {"summary": "T"}})
    assert (200, "S") == (answer.status_code, answer.json()["fields"]["summary"])
    answer = patch("/_apis/wit/workitems/101?api-version=7.1", ("add", "/fields/System.Title", "T"))
    assert (200, "S") == (answer.status_code, answer.json()["fields"]["System.Title"])


def test_a_late_effect_comes_after_its_connection_ended(box: Sandbox, github: Call) -> None:
    box.faults.add(Fault("github", "late", seconds=0.2))
    with pytest.raises(requests.ConnectionError):
        github("POST", COMMENTS, json={"body": "x"})
    assert comments(box) == 0
    box.settle()
    assert comments(box) == 1


def test_a_late_effect_does_not_reach_a_sandbox_that_was_reset(box: Sandbox, github: Call) -> None:
    box.faults.add(Fault("github", "late", seconds=30))
    with pytest.raises(requests.ConnectionError):
        github("POST", COMMENTS, json={"body": "x"})
    began = time.monotonic()
    box.reset()
    box.settle()
    assert time.monotonic() - began < 5


def test_reads_show_a_comment_later_than_its_answer(box: Sandbox, github: Call) -> None:
    box.faults.add(Fault("github", "shown-later", method="POST", reads=2))
    assert 201 == github("POST", COMMENTS, json={"body": "x"}).status_code

    shown = [len(github("GET", COMMENTS).json()) for _ in range(3)]

    assert ([0, 0, 1], 1) == (shown, comments(box))


def test_reads_show_a_state_later_than_the_write_after_it(
    box: Sandbox, jira: Call, github: Call
) -> None:
    key = box.jira.add_issue(summary="S", status="Done")
    box.faults.add(Fault("jira", "shown-later", method="POST", seconds=60, times=2))
    moved = jira("POST", f"/3/issue/{key}/transitions", json={"transition": {"id": "11"}})
    jira("POST", f"/3/issue/{key}/comment", json={"body": adf.from_text("x")})

    fields = jira("GET", f"/3/issue/{key}").json()["fields"]

    assert (204, "Done", []) == (
        moved.status_code,
        fields["status"]["name"],
        fields["comment"]["comments"],
    )
    assert ("To Do", 1) == (box.jira.items()[0].state, len(box.jira.comments(key)))
    assert "open" == github("GET", "/repos/octo/widgets/issues/4").json()["state"]
    box.faults.clear()
    assert "To Do" == jira("GET", f"/3/issue/{key}").json()["fields"]["status"]["name"]


def test_an_account_may_be_forbidden_to_delete_a_comment(
    box: Sandbox, github: Call, jira: Call
) -> None:
    comment = box.github.add_comment("octo/widgets", 4, "x")
    key = box.jira.add_issue(summary="S")
    other = box.jira.add_comment(key, "x")
    for tracker in ("github", "jira"):
        box.faults.add(Fault(tracker, "forbidden", method="DELETE"))
    codes = [
        github("DELETE", f"/repos/octo/widgets/issues/comments/{comment}").status_code,
        jira("DELETE", f"/3/issue/{key}/comment/{other}").status_code,
    ]
    assert [403, 400] == codes
    assert (1, 1) == (comments(box), len(box.jira.comments(key)))


def test_latency_is_added_to_one_request(box: Sandbox, github: Call) -> None:
    box.faults.add(Fault("github", "latency", seconds=0.15))
    began = time.monotonic()
    github("GET", "/user")
    assert time.monotonic() - began >= 0.15


@pytest.mark.parametrize(
    ("form", "status", "header"),
    [
        ("seconds", 429, "Retry-After"),
        ("http-date", 429, "Retry-After"),
        ("secondary", 403, "Retry-After"),
        ("primary", 403, "X-RateLimit-Reset"),
    ],
)
def test_githubs_rate_limits_tell_when_to_come_back(
    box: Sandbox, github: Call, form: str, status: int, header: str
) -> None:
    box.faults.add(Fault("github", "rate-limit", form=form, seconds=7))
    answer = github("POST", COMMENTS, json={"body": "x"})
    assert (status, 0) == (answer.status_code, comments(box))
    assert "rate limit" in answer.json()["message"]
    if form == "http-date":
        assert parsedate_to_datetime(answer.headers[header]).tzinfo is not None
    else:
        assert int(answer.headers[header]) >= 7


def test_azure_devops_delays_on_success_and_blocks_with_a_code(box: Sandbox, ado: Call) -> None:
    box.ado.add_work_item(id=101, title="T")
    box.faults.add(Fault("ado", "rate-limit", form="delayed", seconds=5))
    slow = ado("GET", "/_apis/wit/workitems/101")
    assert (slow.status_code, slow.headers["Retry-After"]) == (200, "5")
    box.faults.add(Fault("ado", "rate-limit"))
    blocked = ado("GET", "/_apis/wit/workitems/101")
    assert blocked.status_code == 429
    assert blocked.json()["message"].startswith("TF400733")


def test_a_person_acts_between_two_requests_or_before_the_answer_is_sent(
    box: Sandbox, github: Call
) -> None:
    def label() -> None:
        box.github.edit("octo/widgets", 4, labels=["by hand"])

    box.faults.add(Fault("github", "human", action=label, after=1))
    seen = [
        [one["name"] for one in github("GET", "/repos/octo/widgets/issues/4").json()["labels"]]
        for _ in range(2)
    ]
    assert seen == [[], ["by hand"]]

    found: list[int] = []
    person = Fault("github", "human", action=lambda: found.append(comments(box)), effect=True)
    box.faults.add(person)
    assert github("POST", COMMENTS, json={"body": "x"}).status_code == 201
    assert found == [1]


def test_faults_strike_what_they_match_as_often_as_told_until_they_are_cleared(
    box: Sandbox, github: Call
) -> None:
    box.faults.add(Fault("github", "drop"))
    box.faults.clear()
    assert github("GET", "/user").status_code == 200

    box.faults.add(Fault("github", "human", action=lambda: box.github.add_issue(title="n")))
    box.faults.add(Fault("github", "status", code=500))
    assert github("GET", "/user").status_code == 500
    assert len(box.github.items()) == 2

    fault = Fault("github", "status", method="POST", path="/comments$", after=1, times=2, code=500)
    box.faults.add(fault)
    assert github("GET", COMMENTS).status_code == 200
    codes = [github("POST", COMMENTS, json={"body": "x"}).status_code for _ in range(4)]
    assert codes == [201, 500, 500, 201]
    assert box.faults.waiting() == []


@pytest.mark.parametrize(
    ("tracker", "kind", "options"),
    [
        ("gitlab", "drop", {}),
        ("github", "explode", {}),
        ("github", "drop", {"seconds": 1}),
        ("github", "status", {}),
        ("github", "rate-limit", {"form": "odd"}),
        ("github", "no-effect", {"shows": "odd"}),
    ],
)
def test_a_mistaken_fault_is_refused(tracker: str, kind: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"no |needs "):
        Fault(tracker, kind, **options)


@pytest.mark.parametrize("effect", [False, True])
def test_a_request_that_is_held_up_has_no_part_in_what_begins_anew(
    box: Sandbox, github: Call, *, effect: bool
) -> None:
    held, released = threading.Event(), threading.Event()

    def hold() -> None:
        held.set()
        released.wait()

    def ask() -> None:
        with contextlib.suppress(requests.ConnectionError):
            github("POST", COMMENTS, json={"body": "x"})

    box.faults.add(Fault("github", "human", action=hold, effect=effect))
    asking = threading.Thread(target=ask)
    asking.start()
    held.wait()

    box.reset()
    box.github.add_issue(number=4, title="Another")
    released.set()
    asking.join()

    assert (0, 0) == (box.requests.count(), comments(box))
