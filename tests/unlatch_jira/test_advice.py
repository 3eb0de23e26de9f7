"""Each refusal that Jira is known for: what it is called, and what people are advised to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_jira.making import (
    REOPEN,
    comments,
    done_issue,
    plugin_for,
    ref,
    settings_for,
    status,
)
from tests.unlatch_jira.making import field as field_of

from unlatch.errors import (
    Conflict,
    NotFound,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.sandbox import Fault
from unlatch.transport import for_tests
from unlatch_jira.plugin import JiraPlugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.sandbox import Sandbox

STALE = {"errorMessages": ["Transition id '21' is not valid for this issue."], "errors": {}}
OFF_SCREEN = {
    "errorMessages": [],
    "errors": {"summary": "Field 'summary' cannot be set. It is not on the appropriate screen."},
}
SAID = {"errorMessages": ["So it is."], "errors": {}}
CAPTCHA = {"X-Authentication-Denied-Reason": "CAPTCHA_CHALLENGE; login-url=https://x/login.jsp"}
FAILED = {"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"}
QUOTA = "jira-quota-global-based"


@dataclass(frozen=True)
class Row:
    """A request that is answered so, and what is told of it."""

    kind: type[TrackerError]
    id: str
    hint: str
    method: str
    answer: Mapping[str, Any] = field(default_factory=dict)
    fault: str = "status"


ROWS = {
    "401": Row(Unauthorised, "credential-refused", "unlatch auth login", "GET", {"code": 401}),
    "401, a scoped token on the site": Row(
        Unauthorised, "credential-refused", "gateway = true", "GET", {"code": 401}
    ),
    "403 CAPTCHA": Row(
        Unauthorised, "captcha", "log in once by browser", "GET", {"code": 403, "headers": CAPTCHA}
    ),
    "200 of a login that failed": Row(
        Unauthorised,
        "credential-refused",
        "unlatch auth login",
        "GET",
        {"code": 200, "headers": FAILED},
    ),
    "200 for nobody": Row(
        Unauthorised,
        "credential-refused",
        "unlatch auth login",
        "GET",
        {"code": 200, "headers": {"X-AUSERNAME": "anonymous"}, "body": {}},
    ),
    "403": Row(Unauthorised, "forbidden", "Transition Issues", "POST", {"code": 403, "body": SAID}),
    "404": Row(NotFound, "item-not-found", "may browse its project", "GET", {"code": 404}),
    "400 Transition id not valid": Row(
        Conflict, "transition-stale", "finds out anew", "POST", {"code": 400, "body": STALE}
    ),
    "400 not on the appropriate screen": Row(
        Rejected, "field-not-on-screen", "administrator", "POST", {"code": 400, "body": OFF_SCREEN}
    ),
    "409": Row(Conflict, "conflict", "unlatch sync", "POST", {"code": 409, "body": SAID}),
    "410": Row(Rejected, "api-gone", "upgrade", "GET", {"code": 410, "body": SAID}),
    "413": Row(Rejected, "item-full", "--comment none", "PUT", {"code": 413, "body": SAID}),
    "429, quota": Row(
        Transient,
        "rate-limited",
        "after the reset",
        "GET",
        {"form": "reason", "reason": QUOTA, "seconds": 3600},
        "rate-limit",
    ),
    "429, burst": Row(
        Transient,
        "rate-limited",
        "of one kind",
        "GET",
        {"form": "reason", "reason": "jira-burst-based", "seconds": 3600},
        "rate-limit",
    ),
    "429, per issue": Row(
        Transient,
        "rate-limited",
        "to one issue",
        "PUT",
        {"form": "reason", "reason": "jira-per-issue-on-write", "seconds": 3600},
        "rate-limit",
    ),
    "429, a bucket of Data Center": Row(
        Transient,
        "rate-limited",
        "an administrator limits",
        "GET",
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


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_refusal_has_a_name_and_an_advice(either: Sandbox, row: Row) -> None:
    key = done_issue(either)
    fault = Fault("jira", row.fault, method=row.method, path=f"/issue/{key}", times=9, **row.answer)
    either.faults.add(fault)

    with pytest.raises(TrackerError) as caught:
        plugin_for(either).reopen_issue(ref(either, key), REOPEN)

    assert (type(caught.value).mro().count(row.kind), caught.value.id) == (1, row.id)
    assert row.hint in (caught.value.hint or "")


def test_no_transition_on_offer_asks_for_the_permission(either: Sandbox) -> None:
    key = done_issue(either)
    either.jira.add_project("SCRUM", can_transition=False)
    with pytest.raises(Rejected) as caught:
        plugin_for(either).reopen_issue(ref(either, key), REOPEN)
    assert caught.value.id == "no-transition"
    assert "permission Transition Issues" in (caught.value.hint or "")
    assert "trackers.jira.transitions" in (caught.value.hint or "")


def test_a_transition_that_moves_nothing_names_what_may_be_the_cause(either: Sandbox) -> None:
    key = done_issue(either)
    # It says so, and does nothing.
    either.faults.add(Fault("jira", "status", method="POST", code=204))
    with pytest.raises(Rejected) as caught:
        plugin_for(either).reopen_issue(ref(either, key), REOPEN)
    assert caught.value.id == "transition-had-no-effect"
    assert "a required field, a validator" in (caught.value.hint or "")
    # Nothing is left that would pass for a reopen: the next delivery begins anew.
    assert (status(either, key), comments(either, key)) == ("Done", [])
    assert sorted(field_of(either, key, "labels")) == ["completed", "mine"]
    assert plugin_for(either).reopen_issue(ref(either, key), REOPEN).commented


def test_a_404_for_nobody_is_a_matter_of_the_credential(either: Sandbox) -> None:
    either.faults.add(Fault("jira", "status", path="/myself", code=401))
    with pytest.raises(Unauthorised) as caught:
        plugin_for(either).get_issue_status(ref(either, "SCRUM-999"))
    assert caught.value.id == "credential-refused"


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

    plugin.reopen_issue(ref(server, key), REOPEN)

    assert [round(one) for one in waits] == [waited]
    assert len(comments(server, key)) == 1


def test_an_expired_token_says_the_same_in_every_form(server: Sandbox) -> None:
    key = done_issue(server)
    login = f"{server.jira.site}/login.jsp?os_destination=%2Frest"
    forms = [
        Fault("jira", "status", code=401),
        Fault("jira", "status", code=200, headers=FAILED, body={}),
        Fault("jira", "status", code=200, headers={"X-AUSERNAME": "anonymous"}, body={}),
        Fault("jira", "redirect", location=login),
    ]
    seen = []
    for form in forms:
        server.faults.add(form)
        with pytest.raises(Unauthorised) as caught:
            plugin_for(server).get_issue_status(ref(server, key))
        seen.append(caught.value.id)
    assert seen == ["credential-refused"] * len(forms)
