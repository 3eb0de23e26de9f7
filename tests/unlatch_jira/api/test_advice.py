"""Each known refusal of Jira: its id and next step."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.unlatch_jira.making import (
    OP,
    REOPEN,
    comments,
    deliver,
    done_issue,
    plugin_for,
    ref,
    settings_for,
)

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    NotFound,
    Rejected,
    TrackerError,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.transport import for_tests
from unlatch_jira.plugin import JiraPlugin
from unlatch_sandbox import Fault, Sandbox

STALE = {"errorMessages": ["Transition id '21' is not valid for this issue."], "errors": {}}
OFF_SCREEN = {
    "errorMessages": [],
    "errors": {"summary": "Field 'summary' cannot be set. It is not on the appropriate screen."},
}
SAID = {"errorMessages": ["Said \x1b[31mso"], "errors": {"priority": "Not \nallowed"}}
DENIED = {"errorMessages": ["You do not have the permission to comment."], "errors": {}}
CAPTCHA = {"X-Authentication-Denied-Reason": "CAPTCHA_CHALLENGE; login-url=https://x/login.jsp"}
FAILED = {"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"}
QUOTA = "jira-quota-global-based"


@dataclass(frozen=True)
class Row:
    """The message for a request with this answer."""

    kind: type[TrackerError]
    id: str
    hint: str
    method: str
    answer: Mapping[str, Any] = field(default_factory=dict)
    fault: str = "status"


def bucket(reason: str) -> dict[str, Any]:
    return {"form": "reason", "reason": reason, "seconds": 3600}


REFUSED = "credential-refused"
ROWS = {
    "401": Row(Unauthorised, REFUSED, "replace it, or", "GET", {"code": 401}),
    "401, a scoped token on the site": Row(
        Unauthorised, REFUSED, "gateway = true", "GET", {"code": 401}
    ),
    "403 CAPTCHA": Row(
        *(Unauthorised, "captcha", "log in once in a browser", "GET"),
        {"code": 403, "headers": CAPTCHA},
    ),
    "200 of a login that failed": Row(
        Unauthorised, REFUSED, "replace it, or", "GET", {"code": 200, "headers": FAILED}
    ),
    "200 for nobody": Row(
        *(Unauthorised, REFUSED, "replace it, or", "GET"),
        {"code": 200, "headers": {"X-AUSERNAME": "anonymous"}, "body": {}},
    ),
    "403": Row(Forbidden, "forbidden", "Transition Issues", "POST", {"code": 403, "body": SAID}),
    "400 without the permission": Row(
        Forbidden, "forbidden", "Transition Issues", "GET", {"code": 400, "body": DENIED}
    ),
    "404": Row(NotFound, "item-not-found", "may browse its project", "GET", {"code": 404}),
    "400 Transition id not valid": Row(
        *(Conflict, "transition-stale", "reads the transitions again", "POST"),
        {"code": 400, "body": STALE},
    ),
    "400 not on the appropriate screen": Row(
        Rejected, "field-not-on-screen", "administrator", "POST", {"code": 400, "body": OFF_SCREEN}
    ),
    "400": Row(Rejected, "tracker-rejected", "", "GET", {"code": 400, "body": SAID}),
    "409": Row(Conflict, "conflict", "unlatch sync", "POST", {"code": 409, "body": SAID}),
    "410": Row(Rejected, "api-gone", "upgrade", "GET", {"code": 410, "body": SAID}),
    "413": Row(Rejected, "item-full", "--comment none", "PUT", {"code": 413, "body": SAID}),
    "422": Row(Rejected, "tracker-rejected", "", "GET", {"code": 422, "body": SAID}),
    "429, quota": Row(
        Limited, "rate-limited", "after the reset", "GET", bucket(QUOTA), "rate-limit"
    ),
    "429, burst": Row(
        Limited, "rate-limited", "of one kind", "GET", bucket("jira-burst-based"), "rate-limit"
    ),
    "429, per issue": Row(
        *(Limited, "rate-limited", "to one issue", "PUT"),
        *(bucket("jira-per-issue-on-write"), "rate-limit"),
    ),
    "429, a bucket of Data Center": Row(
        *(Limited, "rate-limited", "an administrator limits", "GET"),
        {
            "code": 429,
            "headers": {"X-RateLimit-Interval-Seconds": "3600", "X-RateLimit-FillRate": "1"},
        },
    ),
    "502 on a write": Row(
        UnknownOutcome, "unknown-outcome", "unlatch sync", "PUT", {}, "error-after"
    ),
    "a reset on a write": Row(
        UnknownOutcome, "unknown-outcome", "unlatch sync", "PUT", {}, "drop-after"
    ),
}


@pytest.mark.sample(at=(10, 18, 24))
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_refusal_has_a_name_and_an_advice(either: Sandbox, row: Row) -> None:
    key = done_issue(either)
    fault = Fault("jira", row.fault, method=row.method, path=f"/issue/{key}", times=9, **row.answer)
    either.faults.add(fault)

    with pytest.raises(TrackerError) as caught:
        deliver(plugin_for(either), ref(either, key), REOPEN)

    assert (type(caught.value).mro().count(row.kind), caught.value.id) == (1, row.id)
    assert row.hint in (caught.value.hint or "")
    assert "\x1b" not in caught.value.message
    if "reason" in row.answer:
        assert (caught.value.retry_after, row.answer["reason"] in caught.value.message) == (
            3600,
            True,
        )
    assert row.id != "item-full" or caught.value.remedy == "--comment none"
    if row.kind is not UnknownOutcome:
        assert caught.value.status == row.answer.get("code", 429)


def test_a_lost_answer_to_a_transition_that_moved_nothing_leaves_the_state_to_be_written(
    either: Sandbox,
) -> None:
    key = done_issue(either)
    either.faults.add(Fault("jira", "status", method="POST", code=204))
    either.faults.add(Fault("jira", "drop-after", method="PUT"))
    plugin = plugin_for(either)

    with pytest.raises(UnknownOutcome) as caught:
        deliver(plugin, ref(either, key), REOPEN)

    assert caught.value.done is not None
    assert not caught.value.done.commented
    assert len(plugin.find_comments(ref(either, key), OP)) == 1
    again = deliver(plugin, ref(either, key), replace(REOPEN, comment=None))
    assert (again.after.state, len(comments(either, key))) == ("In Progress", 1)


@pytest.mark.parametrize(
    "fault", [Fault("jira", "status", method="PUT", code=403), Fault("jira", "drop", method="PUT")]
)
def test_an_edit_that_fails_after_the_transition_says_that_the_state_was_changed(
    either: Sandbox, fault: Fault
) -> None:
    key = done_issue(either)
    either.faults.add(fault)

    with pytest.raises(TrackerError) as caught:
        deliver(plugin_for(either), ref(either, key), REOPEN)

    done = caught.value.done
    assert done is not None
    assert (done.after.state, done.after.category.is_open) == ("In Progress", True)
    assert (done.after.labels, done.commented) == (("completed", "mine"), False)


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"X-RateLimit-Interval-Seconds": "5", "X-RateLimit-FillRate": "10"}, 5),
        ({"Retry-After": "7", "X-RateLimit-Interval-Seconds": "5"}, 7),
        # A bucket that is never filled, and one that says nothing: as long as is usual.
        ({"X-RateLimit-Interval-Seconds": "5", "X-RateLimit-FillRate": "0"}, 60),
        ({"X-RateLimit-Interval-Seconds": "soon", "X-RateLimit-FillRate": "1"}, 60),
        ({}, 60),
    ],
)
def test_data_centers_bucket_is_waited_for(
    server: Sandbox, headers: dict[str, str], waited: float
) -> None:
    key = done_issue(server)
    server.faults.add(Fault("jira", "status", code=429, headers=headers))
    waits: list[float] = []
    transport = for_tests(
        "jira",
        server.jira.site,
        token=server.jira.pat,
        on_wait=lambda one: waits.append(one.seconds),
    )
    plugin = JiraPlugin(settings_for(server), transport)

    deliver(plugin, ref(server, key), REOPEN)

    assert [round(one) for one in waits] == [waited]
    assert len(comments(server, key)) == 1
