"""The errors for Jira's refusals, over real HTTP and through the SDK."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unlatch_jira.making import (
    CREATE,
    REOPEN,
    comments,
    deliver,
    done_issue,
    draft,
    plugin_for,
    ref,
    sent,
    status,
)

from unlatch.errors import (
    Conflict,
    Limited,
    Rejected,
    TrackerError,
)
from unlatch_jira.plugin import JiraPlugin
from unlatch_sandbox import Fault, Sandbox


@pytest.mark.parametrize(
    ("body", "kind", "error_id"),
    [
        (
            {"errorMessages": ["Transition id '21' is not valid for this issue."], "errors": {}},
            Conflict,
            "transition-stale",
        ),
        (
            {"errorMessages": [], "errors": {"customfield_1": "Root cause is required."}},
            Rejected,
            "transition-needs-fields",
        ),
        (
            {
                "errorMessages": [],
                "errors": {
                    "resolution": "Field 'resolution' cannot be set. It is not on the appropriate "
                    "screen, or unknown."
                },
            },
            Rejected,
            "field-not-on-screen",
        ),
        ({"errorMessages": ["It won't."], "errors": {}}, Rejected, "tracker-rejected"),
    ],
)
def test_a_refused_transition_leaves_no_comment(
    box: Sandbox, body: dict[str, Any], kind: type[TrackerError], error_id: str
) -> None:
    key = done_issue(box)
    box.faults.add(Fault("jira", "status", method="POST", code=400, body=body))

    with pytest.raises(kind) as caught:
        deliver(plugin_for(box), ref(box, key), REOPEN)

    assert caught.value.id == error_id
    assert (status(box, key), comments(box, key)) == ("Done", [])
    assert len(sent(box)) == 2


@pytest.mark.parametrize("reason", ["jira-burst-based", "jira-per-issue-on-write"])
def test_a_limited_write_is_not_sent_again(box: Sandbox, plugin: JiraPlugin, reason: str) -> None:
    key = done_issue(box)
    box.faults.add(Fault("jira", "rate-limit", method="PUT", form="reason", reason=reason))

    with pytest.raises(Limited) as caught:
        deliver(plugin, ref(box, key), REOPEN)

    assert sent(box).count(f"PUT /issue/{key}") == 1
    assert (status(box, key), comments(box, key)) == ("In Progress", [])
    assert caught.value.done is not None
    assert (caught.value.done.after.state, caught.value.done.commented) == ("In Progress", False)


def test_an_issue_is_made_without_labels_that_no_screen_shows(either: Sandbox) -> None:
    message = "Field 'labels' cannot be set. It is not on the appropriate screen, or unknown."
    refused = {"errorMessages": [], "errors": {"labels": message}}
    either.faults.add(Fault("jira", "status", method="POST", code=400, body=refused))

    outcome = plugin_for(either).create(replace(CREATE, draft=draft()))

    assert (outcome.after.labels, outcome.refused) == ((), ("increment",))
    assert ["increment" in note for note in outcome.notes] == [True]
