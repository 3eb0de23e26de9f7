"""Answers that GitHub gave over the years, where they differ from today's."""

from typing import Any

import pytest
from tests.unlatch_github.making import REOPEN, act, closed_issue, ref

from unlatch.errors import Unauthorised
from unlatch_github.plugin import GithubPlugin
from unlatch_github.webhook import read_event
from unlatch_sandbox import Fault, Sandbox

NO_PULL = {"html_url": None, "diff_url": None, "patch_url": None}


def answer_with(box: Sandbox, number: int, **changed: Any) -> None:
    """Let the next read of an issue have other fields; a value of None removes one."""
    shown = box.github.issue("octo/widgets", number)
    body = {**shown, **changed}
    body = {key: value for key, value in body.items() if key not in changed or value is not None}
    path = f"/issues/{number}$"
    box.faults.add(Fault("github", "status", method="GET", path=path, code=200, body=body))


def test_an_issue_of_2013_with_an_empty_pull_request_is_an_issue(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box)
    answer_with(box, number, pull_request=NO_PULL)
    assert act(plugin, ref(box, number), REOPEN).after.state == "open"


def test_an_event_with_an_empty_pull_request_is_about_an_issue() -> None:
    raw = (
        b'{"action": "reopened", "issue": {"html_url": "https://github.com/octo/widgets/issues/4",'
        b' "state": "open", "pull_request": {"html_url": null}}}'
    )
    assert read_event(raw).url == "https://github.com/octo/widgets/issues/4"


@pytest.mark.parametrize(
    ("fields", "assignee"),
    [
        ({"assignees": None, "assignee": {"login": "hubot"}}, "hubot"),
        ({"assignees": [], "assignee": {"login": None}}, None),
        ({"assignees": [None]}, None),
    ],
)
def test_assignees_are_read_in_every_form(
    box: Sandbox, plugin: GithubPlugin, fields: dict[str, Any], assignee: str | None
) -> None:
    number = closed_issue(box)
    answer_with(box, number, **fields)
    assert plugin.read(ref(box, number)).item.assignee == assignee


def test_a_locked_login_is_no_matter_of_permissions(box: Sandbox, plugin: GithubPlugin) -> None:
    text = "Maximum number of login attempts exceeded. Please try again later."
    box.faults.add(Fault("github", "status", code=403, body={"message": text}))
    with pytest.raises(Unauthorised, match="login-attempts:") as caught:
        plugin.read(ref(box, closed_issue(box)))
    assert "Issues: write" not in (caught.value.hint or "")
