"""Each refusal of GitHub becomes an error with its next step."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict
from tests.unlatch_github.making import (
    REOPEN,
    REPOSITORY,
    act,
    bodies,
    closed_issue,
    labels,
    ref,
    sent,
    state,
)

from unlatch.errors import (
    Forbidden,
    Limited,
    NotFound,
    Redirected,
    Rejected,
    SignOnRequired,
    TrackerError,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.transport import Answer
from unlatch_github.api.error_table import Elsewhere
from unlatch_github.api.errors import explain
from unlatch_github.api.models import read_comment
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Fault, Sandbox

ISSUE = "https://api.github.com/repos/octo/widgets/issues/4"


def _answer(
    status: int,
    body: object = None,
    *,
    method: str = "POST",
    url: str = ISSUE,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Answer(method, url, status, CaseInsensitiveDict(headers or {}), content)


def _says(message: str) -> dict[str, str]:
    return {"message": message, "documentation_url": "https://docs.github.com/rest"}


@dataclass(frozen=True)
class Refusal:
    """An answer of GitHub, as its troubleshooting pages word it, and its error."""

    status: int
    said: str
    kind: type[TrackerError]
    id: str
    advice: str = ""
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)


LIMITED = "rate-limited"
NEEDED = {"X-Accepted-GitHub-Permissions": "issues=write"}
SSO = "https://github.com/orgs/octo/sso?authorization_request=" + "A" * 300
REFUSALS = {
    "token dead": Refusal(401, "Bad credentials", Unauthorised, "unauthorized"),
    "permission": Refusal(
        *(403, "Resource not accessible by integration", Forbidden, "forbidden"),
        *("Issues: write); GitHub says: issues=write", "PATCH"),
        headers=NEEDED,
    ),
    "role": Refusal(403, "Must have admin rights to Repository.", Forbidden, "forbidden"),
    "single sign-on": Refusal(
        *(403, "Resource protected by organization SAML enforcement.", SignOnRequired),
        *("sso-required", f"open {SSO}", "GET"),
        headers={"X-GitHub-SSO": f"required; url={SSO}"},
    ),
    "locked": Refusal(
        *(403, "Unable to create comment because issue is locked.", Rejected),
        *("item-locked", "--comment none"),
    ),
    "archived": Refusal(
        *(403, "Repository was archived so is read-only.", Rejected),
        *("repository-archived", "unarchive it first", "PATCH"),
    ),
    "limited, 403": Refusal(
        403, "API rate limit exceeded for user ID 1.", Limited, LIMITED, "ends by itself", "GET"
    ),
    "limited, 429": Refusal(429, "Too many requests", Limited, LIMITED, "--max-wait"),
    "secondary limit": Refusal(
        403, "You have exceeded a secondary rate limit. Please wait.", Limited, LIMITED
    ),
    "abuse": Refusal(
        403, "You have triggered an abuse detection mechanism", Limited, LIMITED, "--max-wait"
    ),
    "time to wait": Refusal(403, "Slow down", Limited, LIMITED, headers={"retry-after": "5"}),
    "moved, read": Refusal(
        301, "Moved Permanently", Elsewhere, "item-moved", "link it again", "GET"
    ),
    "moved, write": Refusal(
        307, "Temporary Redirect", Redirected, "redirected-write", "unlatch sync"
    ),
    "gone or hidden": Refusal(
        404, "Not Found", NotFound, "item-not-found", "may see the repository", "GET"
    ),
    "deleted": Refusal(
        410, "This issue was deleted", NotFound, "item-deleted", "create a new one", "GET"
    ),
    "issues off": Refusal(
        410, "Issues are disabled for this repo", NotFound, "issues-disabled", "enable them", "GET"
    ),
    "invalid": Refusal(422, "Validation Failed", Rejected, "tracker-rejected"),
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_has_its_error_and_its_advice(refusal: Refusal) -> None:
    said = _says(refusal.said)
    error = explain(_answer(refusal.status, said, method=refusal.method, headers=refusal.headers))

    assert type(error) is refusal.kind
    assert (error.id, error.status, error.where) == (refusal.id, refusal.status, "octo/widgets#4")
    assert refusal.advice in (error.hint or "")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        (
            {
                "Retry-After": "Sat, 01 Nov 2025 09:00:30 GMT",
                "Date": "Sat, 01 Nov 2025 09:00:00 GMT",
            },
            30.0,
        ),
        (
            {
                "X-RateLimit-Remaining": "0",
                "X-RateLimit-Reset": "1761987645",
                "Date": "Sat, 01 Nov 2025 09:00:00 GMT",
            },
            45.0,
        ),
        # A secondary limit: the primary one's reset says nothing about it.
        ({"X-RateLimit-Remaining": "4000", "X-RateLimit-Reset": "1761987645"}, 60.0),
        ({}, 60.0),
    ],
)
def test_a_limit_says_how_long_to_wait(headers: dict[str, str], seconds: float) -> None:
    error = explain(
        _answer(403, _says("You have exceeded a secondary rate limit"), headers=headers)
    )

    assert isinstance(error, Limited)
    assert error.retry_after == seconds


@pytest.mark.parametrize("status", [200, 403, 429])
@pytest.mark.parametrize(
    "body",
    [
        {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}]},
        {"errors": [{"type": "RATE_LIMIT", "message": ""}], "data": None},
        {"errors": [{"message": "You have exceeded a secondary rate limit. Please wait."}]},
        {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."},
    ],
    ids=["primary", "primary without words", "secondary", "secondary beside the errors"],
)
def test_a_limit_of_graphql_is_one_whatever_its_status(
    status: int, body: dict[str, object]
) -> None:
    error = explain(_answer(status, body, url="https://api.github.com/graphql"))

    if status == 200 and "message" in body:  # a success with no errors is none
        assert error is None
        return
    assert isinstance(error, Limited)
    assert (error.id, error.retry_after) == ("rate-limited", 60.0)


def test_words_about_limits_in_an_issue_are_none() -> None:
    answer = _answer(200, {"errors": [{"type": "RATE_LIMITED"}]}, method="GET")

    assert explain(answer) is None


def test_a_validation_error_prints_its_parts() -> None:
    body = {
        "message": "Validation Failed",
        "errors": [
            {"resource": "Issue", "field": "title", "code": "missing_field"},
            {"resource": "Issue", "code": "custom", "message": "is \x1b[31mbad"},
            "and {so} on",
        ],
    }

    error = explain(_answer(422, body))

    assert error is not None
    assert error.message == (
        "GitHub refused: Validation Failed; title missing_field; is bad; and {so} on"
    )


def test_a_locked_issue_is_reopened_and_takes_no_comment(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box)
    box.github.edit(REPOSITORY, number, locked=True)

    with pytest.raises(Rejected) as caught:
        act(plugin, ref(box, number), REOPEN)

    assert (caught.value.id, caught.value.remedy) == ("item-locked", "--comment none")
    assert caught.value.done is not None
    assert (caught.value.done.after.state, caught.value.done.commented) == ("open", False)
    assert (state(box, number)[0], bodies(box, number)) == ("open", [])


def test_a_pull_request_is_no_issue(box: Sandbox, plugin: GithubPlugin) -> None:
    number = box.github.add_issue(title="Fix", state="closed", pull_request=True)

    with pytest.raises(Rejected) as caught:
        act(plugin, ref(box, number), REOPEN)

    assert (caught.value.id, caught.value.where) == ("not-an-issue", f"octo/widgets#{number}")
    assert len(sent(box)) == 1


@pytest.mark.parametrize("body", ["{}", "[]", '{"number": 4, "state": "ajar"}', '{"number": "4"}'])
@pytest.mark.parametrize(
    ("method", "path", "kind", "id"),
    [
        ("GET", "/issues/", Rejected, "answer-not-understood"),
        ("PATCH", "/issues/", UnknownOutcome, "unknown-outcome"),
        ("POST", "/comments", UnknownOutcome, "unknown-outcome"),
    ],
)
def test_an_answer_that_is_no_issue_is_not_taken_for_one(
    box: Sandbox,
    plugin: GithubPlugin,
    *,
    body: str,
    method: str,
    path: str,
    kind: type[TrackerError],
    id: str,
) -> None:
    number = closed_issue(box)
    headers = {"Content-Type": "application/json"}
    box.faults.add(
        Fault("github", "status", method=method, path=path, code=200, body=body, headers=headers)
    )

    with pytest.raises(kind) as caught:
        act(plugin, ref(box, number), REOPEN)

    assert caught.value.id == id


def test_a_state_that_github_did_not_take_is_shown_and_not_commented_on(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box)
    still_closed = box.github.issue(REPOSITORY, number)
    box.faults.add(Fault("github", "status", method="PATCH", code=200, body=still_closed))

    outcome = act(plugin, ref(box, number), REOPEN)

    assert (outcome.after.state, outcome.commented) == ("closed", False)
    assert (bodies(box, number), labels(box, number)) == ([], ["bug"])


@pytest.mark.parametrize(
    "wrong", [{"user": {"login": ["ann"]}}, {"user": {"type": 7}}, {"author_association": {}}]
)
def test_a_comment_without_a_name_of_its_author_is_not_understood(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        read_comment({"id": 1, "created_at": "2026-07-01T12:00:00Z", **wrong})
