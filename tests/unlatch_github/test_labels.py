"""Each label is added and removed by itself, and reported as GitHub's answers show it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_github.making import (
    REOPEN,
    REPOSITORY,
    act,
    bodies,
    closed_issue,
    labels,
    ref,
    sent,
)

from unlatch.errors import Forbidden, Limited, Rejected, UnknownOutcome
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from unlatch.errors import TrackerError
    from unlatch_github.plugin import GithubPlugin
    from unlatch_sandbox import Sandbox

MISSING = {"message": "Label does not exist"}
FORBIDDEN = {"message": "Resource not accessible by personal access token"}
INVALID = {"message": "Validation Failed", "errors": [{"field": "name", "code": "invalid"}]}


def _refuse(box: Sandbox, method: str, code: int, body: object, **more: Any) -> None:
    box.faults.add(
        Fault("github", "status", method=method, path="/labels", code=code, body=body, **more)
    )


def test_a_label_that_stays_although_github_calls_it_missing_is_reported(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box, labels=("completed",))
    _refuse(box, "DELETE", 404, MISSING)

    outcome = act(plugin, ref(box, number), REOPEN)

    assert outcome.after.labels == ("completed", "reopened")
    assert outcome.refused == ()
    assert sent(box)[4:] == [
        f"DELETE /issues/{number}/labels/completed",
        f"GET /issues/{number}/labels",
    ]


def test_a_label_that_github_left_out_silently_is_absent(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box)
    _refuse(box, "POST", 200, [{"name": "bug"}])

    outcome = act(plugin, ref(box, number), REOPEN)

    assert (outcome.after.labels, outcome.refused) == (("bug",), ())


@pytest.mark.parametrize(
    ("code", "body", "why"),
    [
        (403, FORBIDDEN, "the token needs the Triage role"),
        (422, INVALID, "GitHub refused: Validation Failed; name invalid"),
    ],
)
def test_a_refused_label_is_named_and_the_others_are_changed(
    box: Sandbox, plugin: GithubPlugin, code: int, body: object, why: str
) -> None:
    number = closed_issue(box, labels=("completed", "stale"))
    # The request for both, then the one for the first alone.
    _refuse(box, "POST", code, body, times=2)
    _refuse(box, "DELETE", code, body)
    change = replace(
        REOPEN, add_labels=("reopened", "urgent"), remove_labels=("completed", "stale")
    )

    outcome = act(plugin, ref(box, number), change)

    assert set(labels(box, number)) == {"completed", "urgent"} == set(outcome.after.labels)
    assert outcome.refused == ("reopened", "completed")
    assert outcome.notes == (
        f"label reopened not added: {why}",
        f"label completed not removed: {why}",
    )
    assert outcome.commented


@pytest.mark.parametrize(
    ("code", "body", "kind"),
    [
        (500, {"message": "Server Error"}, UnknownOutcome),
        (429, {"message": "Too many requests"}, Limited),
        (403, {"message": "Repository was archived so is read-only."}, Rejected),
    ],
)
def test_other_failures_end_the_write_and_say_which_parts_are_done(
    box: Sandbox, plugin: GithubPlugin, code: int, body: object, kind: type[TrackerError]
) -> None:
    number = closed_issue(box, labels=("completed",))
    _refuse(box, "DELETE", code, body)

    with pytest.raises(kind) as caught:
        act(plugin, ref(box, number), REOPEN)

    done = caught.value.done
    assert done is not None
    assert (done.after.state, done.commented) == ("open", True)
    assert (done.after.labels, done.refused) == (("completed", "reopened"), ())
    assert len(bodies(box, number)) == 1


def test_a_write_that_fails_at_once_has_nothing_done(box: Sandbox, plugin: GithubPlugin) -> None:
    number = closed_issue(box)
    box.github.add_repository(REPOSITORY, issues_write=False)

    with pytest.raises(Forbidden) as caught:
        act(plugin, ref(box, number), REOPEN)

    done = caught.value.done
    assert done is not None
    assert (done.after.state, done.commented) == ("closed", False)
