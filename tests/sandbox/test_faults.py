from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
import requests

from unlatch_sandbox import Fault, Sandbox

Call = Callable[..., requests.Response]
COMMENTS = "/repos/octo/widgets/issues/4/comments"


@pytest.fixture(autouse=True)
def issue(sandbox: Sandbox) -> None:
    sandbox.github.add_issue(number=4, title="Smart")


def comments(sandbox: Sandbox) -> int:
    return len(sandbox.github.comments("octo/widgets", 4))


def test_a_status_is_answered_as_given_and_nothing_happens(sandbox: Sandbox, github: Call) -> None:
    headers = {"Retry-After": "3"}
    sandbox.faults.add(Fault("github", "status", code=503, headers=headers, body={"message": "no"}))
    answer = github("POST", COMMENTS, json={"body": "x"})
    assert (
        answer.status_code,
        answer.headers["Retry-After"],
        answer.json(),
        comments(sandbox),
    ) == (503, "3", {"message": "no"}, 0)
    assert github("POST", COMMENTS, json={"body": "x"}).status_code == 201


@pytest.mark.parametrize("code", [429, 503])
def test_a_status_with_effect_hides_that_it_happened(
    sandbox: Sandbox, github: Call, code: int
) -> None:
    headers = {"Retry-After": "3"}
    sandbox.faults.add(Fault("github", "status", code=code, headers=headers, effect=True))
    answer = github("POST", COMMENTS, json={"body": "x"})
    assert (code, "3", 1) == (
        answer.status_code,
        answer.headers["Retry-After"],
        comments(sandbox),
    )


def test_an_error_after_hides_that_it_happened(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "error-after", code=500))
    assert github("POST", COMMENTS, json={"body": "x"}).status_code == 500
    assert comments(sandbox) == 1


@pytest.mark.parametrize(("kind", "expected"), [("drop", 0), ("drop-after", 1)])
def test_a_dropped_connection_before_or_after_the_effect(
    sandbox: Sandbox, github: Call, kind: str, expected: int
) -> None:
    sandbox.faults.add(Fault("github", kind))
    with pytest.raises(requests.ConnectionError):
        github("POST", COMMENTS, json={"body": "x"})
    assert expected == comments(sandbox)
    assert [request.status for request in sandbox.requests.entries("github")] == [None]


@pytest.mark.parametrize(("effect", "expected"), [(False, 0), (True, 1)])
def test_a_hanging_request_times_out_before_or_after_the_effect(
    sandbox: Sandbox, github: Call, effect: bool, expected: int
) -> None:
    sandbox.faults.add(Fault("github", "timeout", seconds=30, effect=effect))
    with pytest.raises(requests.ReadTimeout):
        github("POST", COMMENTS, json={"body": "x"}, timeout=0.2)
    assert expected == comments(sandbox)


def test_stopping_does_not_wait_for_a_hanging_request() -> None:
    with Sandbox() as sandbox:
        sandbox.faults.add(Fault("github", "timeout", seconds=30))
        with pytest.raises(requests.ReadTimeout):
            requests.get(f"{sandbox.github.api_url}/user", timeout=0.1)
        began = time.monotonic()
    assert time.monotonic() - began < 5


def test_a_truncated_answer_is_no_json_but_happened(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "truncate"))
    answer = github("POST", COMMENTS, json={"body": "x"})
    with pytest.raises(requests.JSONDecodeError):
        answer.json()
    assert (answer.status_code, comments(sandbox)) == (201, 1)


def test_a_gateway_answers_html(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "html"))
    answer = github("POST", COMMENTS, json={"body": "x"})
    assert (
        answer.status_code,
        answer.headers["Content-Type"].partition(";")[0],
        comments(sandbox),
    ) == (502, "text/html", 0)


def test_a_redirect_leads_elsewhere(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "redirect", location="http://127.0.0.1:1/x", code=307))
    answer = github("POST", COMMENTS, json={"body": "x"})
    assert (answer.status_code, answer.headers["Location"]) == (307, "http://127.0.0.1:1/x")


@pytest.mark.parametrize(("shows", "state"), [("wanted", "closed"), ("kept", "open")])
def test_success_without_effect_shows_what_was_wanted_or_what_was_kept(
    sandbox: Sandbox, github: Call, shows: str, state: str
) -> None:
    sandbox.faults.add(Fault("github", "no-effect", shows=shows))
    answer = github("PATCH", "/repos/octo/widgets/issues/4", json={"state": "closed"})
    assert (200, state) == (answer.status_code, answer.json()["state"])
    assert "open" == sandbox.github.issue("octo/widgets", 4)["state"]


@pytest.mark.parametrize(("shows", "names"), [("wanted", []), ("kept", ["bug"])])
def test_a_label_stays_though_its_removal_was_answered_with_success(
    sandbox: Sandbox, github: Call, shows: str, names: list[str]
) -> None:
    sandbox.github.edit("octo/widgets", 4, labels=["bug"])
    sandbox.faults.add(Fault("github", "no-effect", shows=shows))
    answer = github("DELETE", "/repos/octo/widgets/issues/4/labels/bug")
    assert (200, names) == (answer.status_code, [label["name"] for label in answer.json()])
    assert ["bug"] == sandbox.github.items()[0].labels


def test_a_refusal_stays_one_where_nothing_is_to_happen(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "no-effect"))
    assert github("DELETE", f"{COMMENTS}/x").status_code == 501


def test_a_transition_is_answered_with_success_and_does_not_move(
    sandbox: Sandbox, jira: Call
) -> None:
    key = sandbox.jira.add_issue(summary="S", status="Done")
    moves = jira("GET", f"/3/issue/{key}/transitions").json()["transitions"]
    sandbox.faults.add(Fault("jira", "no-effect", method="POST", shows="kept"))
    wanted = {"transition": {"id": moves[0]["id"]}}
    assert jira("POST", f"/3/issue/{key}/transitions", json=wanted).status_code == 204
    assert ["Done"] == [item.state for item in sandbox.jira.items()]


def test_an_edit_shows_the_issue_as_it_was_kept(sandbox: Sandbox, jira: Call) -> None:
    key = sandbox.jira.add_issue(summary="S")
    sandbox.faults.add(Fault("jira", "no-effect", shows="kept"))
    wanted = {"fields": {"summary": "T"}}
    answer = jira("PUT", f"/3/issue/{key}?returnIssue=true", json=wanted)
    assert (200, "S") == (answer.status_code, answer.json()["fields"]["summary"])


def test_azure_devops_shows_a_work_item_that_it_did_not_change(
    sandbox: Sandbox, patch: Call
) -> None:
    sandbox.ado.add_work_item(id=101, title="T")
    sandbox.faults.add(Fault("ado", "no-effect", shows="kept"))
    answer = patch("/_apis/wit/workitems/101?api-version=7.1", ("add", "/fields/System.Title", "U"))
    assert (200, "T") == (answer.status_code, answer.json()["fields"]["System.Title"])


def test_a_late_effect_comes_after_its_connection_ended(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "late", seconds=0.2))
    with pytest.raises(requests.ConnectionError):
        github("POST", COMMENTS, json={"body": "x"})
    assert comments(sandbox) == 0
    sandbox.settle()
    assert comments(sandbox) == 1


def test_a_late_effect_does_not_reach_a_sandbox_that_was_reset(
    sandbox: Sandbox, github: Call
) -> None:
    sandbox.faults.add(Fault("github", "late", seconds=30))
    with pytest.raises(requests.ConnectionError):
        github("POST", COMMENTS, json={"body": "x"})
    began = time.monotonic()
    sandbox.reset()
    sandbox.settle()
    assert time.monotonic() - began < 5


def test_an_account_may_be_forbidden_to_delete_a_comment(
    sandbox: Sandbox, github: Call, jira: Call
) -> None:
    comment = sandbox.github.add_comment("octo/widgets", 4, "x")
    key = sandbox.jira.add_issue(summary="S")
    other = sandbox.jira.add_comment(key, "x")
    for tracker in ("github", "jira"):
        sandbox.faults.add(Fault(tracker, "forbidden", method="DELETE"))
    codes = [
        github("DELETE", f"/repos/octo/widgets/issues/comments/{comment}").status_code,
        jira("DELETE", f"/3/issue/{key}/comment/{other}").status_code,
    ]
    assert [403, 400] == codes
    assert (1, 1) == (comments(sandbox), len(sandbox.jira.comments(key)))


def test_latency_is_added_to_one_request(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "latency", seconds=0.15))
    began = time.monotonic()
    github("GET", "/user")
    assert time.monotonic() - began >= 0.15


def test_latency_of_the_whole_sandbox() -> None:
    with Sandbox(latency=0.1) as sandbox:
        began = time.monotonic()
        requests.get(f"{sandbox.github.api_url}/user", timeout=10)
        assert time.monotonic() - began >= 0.1


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
    sandbox: Sandbox, github: Call, form: str, status: int, header: str
) -> None:
    sandbox.faults.add(Fault("github", "rate-limit", form=form, seconds=7))
    answer = github("POST", COMMENTS, json={"body": "x"})
    assert (status, 0) == (answer.status_code, comments(sandbox))
    assert "rate limit" in answer.json()["message"]
    if form == "http-date":
        assert parsedate_to_datetime(answer.headers[header]).tzinfo is not None
    else:
        assert int(answer.headers[header]) >= 7


def test_azure_devops_delays_on_success_and_blocks_with_a_code(sandbox: Sandbox, ado: Call) -> None:
    sandbox.ado.add_work_item(id=101, title="T")
    sandbox.faults.add(Fault("ado", "rate-limit", form="delayed", seconds=5))
    slow = ado("GET", "/_apis/wit/workitems/101")
    assert (slow.status_code, slow.headers["Retry-After"]) == (200, "5")
    sandbox.faults.add(Fault("ado", "rate-limit"))
    blocked = ado("GET", "/_apis/wit/workitems/101")
    assert blocked.status_code == 429
    assert blocked.json()["message"].startswith("TF400733")


def test_jira_gives_the_reason_of_a_limit(sandbox: Sandbox, jira: Call) -> None:
    reason = "jira-per-issue-on-write"
    sandbox.faults.add(Fault("jira", "rate-limit", form="reason", reason=reason))
    answer = jira("GET", "/3/myself")
    assert (429, reason) == (answer.status_code, answer.headers["RateLimit-Reason"])


def test_a_person_acts_between_two_requests(sandbox: Sandbox, github: Call) -> None:
    def label() -> None:
        sandbox.github.edit("octo/widgets", 4, labels=["by hand"])

    sandbox.faults.add(Fault("github", "human", action=label, after=1))
    seen = [
        [one["name"] for one in github("GET", "/repos/octo/widgets/issues/4").json()["labels"]]
        for _ in range(2)
    ]
    assert seen == [[], ["by hand"]]


def test_a_person_acts_before_the_answer_is_sent(sandbox: Sandbox, github: Call) -> None:
    found: list[int] = []
    person = Fault("github", "human", action=lambda: found.append(comments(sandbox)), effect=True)
    sandbox.faults.add(person)
    assert github("POST", COMMENTS, json={"body": "x"}).status_code == 201
    assert found == [1]


def test_a_fault_strikes_what_it_matches_as_often_as_told(sandbox: Sandbox, github: Call) -> None:
    fault = Fault("github", "status", method="POST", path="/comments$", after=1, times=2, code=500)
    sandbox.faults.add(fault)
    assert github("GET", COMMENTS).status_code == 200
    codes = [github("POST", COMMENTS, json={"body": "x"}).status_code for _ in range(4)]
    assert codes == [201, 500, 500, 201]
    assert sandbox.faults.waiting() == []


def test_two_faults_strike_the_same_request(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "human", action=lambda: sandbox.github.add_issue(title="n")))
    sandbox.faults.add(Fault("github", "status", code=500))
    assert github("GET", "/user").status_code == 500
    assert len(sandbox.github.items()) == 2


def test_cleared_faults_do_not_strike(sandbox: Sandbox, github: Call) -> None:
    sandbox.faults.add(Fault("github", "drop"))
    sandbox.faults.clear()
    assert github("GET", "/user").status_code == 200


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
    sandbox: Sandbox, github: Call, *, effect: bool
) -> None:
    held, released = threading.Event(), threading.Event()

    def hold() -> None:
        held.set()
        released.wait()

    def ask() -> None:
        with contextlib.suppress(requests.ConnectionError):
            github("POST", COMMENTS, json={"body": "x"})

    sandbox.faults.add(Fault("github", "human", action=hold, effect=effect))
    asking = threading.Thread(target=ask)
    asking.start()
    held.wait()

    sandbox.reset()
    sandbox.github.add_issue(number=4, title="Another")
    released.set()
    asking.join()

    assert (0, 0) == (sandbox.requests.count(), comments(sandbox))
