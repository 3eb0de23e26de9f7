"""A plan lists the requests that are sent, in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from tests.unlatch_github.making import CLOSE, OP, REOPEN, act, draft, ref

from unlatch.spi import Change

if TYPE_CHECKING:
    from unlatch_github.plugin import GithubPlugin
    from unlatch_sandbox import Sandbox

CLOSED = {"state": "closed", "state_reason": "completed", "labels": ("bug", "completed")}
CASES: dict[str, tuple[dict[str, Any], Change]] = {
    "a reopen": (CLOSED, REOPEN),
    "an open issue": ({"labels": ("Reopened",)}, REOPEN),
    "a close": ({"labels": ("reopened",)}, CLOSE),
    "a comment alone": (CLOSED, Change(OP, comment=REOPEN.comment)),
    "nothing to do": ({"labels": ("reopened",)}, replace(REOPEN, comment=None)),
    "hard names": (
        CLOSED,
        replace(REOPEN, add_labels=("needs work/again", "é?"), remove_labels=("bug",)),
    ),
    "an update": (CLOSED, Change(OP, draft=draft("New"))),
}


@pytest.mark.parametrize("case", CASES)
def test_a_plan_lists_the_requests_that_are_sent(
    box: Sandbox, plugin: GithubPlugin, case: str
) -> None:
    facts, change = CASES[case]
    at = ref(box, box.github.add_issue(title="Smart", **facts))
    snapshot = plugin.read(at, change)
    box.requests.clear()

    planned = plugin.plan(snapshot, change)

    assert box.requests.entries() == []
    act(plugin, at, change)
    sent = [(entry.method, entry.path) for entry in box.requests.entries("github")]
    assert sent == [(one.method, unquote(urlsplit(one.url).path)) for one in planned]


def test_a_plan_says_what_each_request_is_for(box: Sandbox, plugin: GithubPlugin) -> None:
    number = box.github.add_issue(title="Smart", state="closed", labels=("completed", "bug"))
    there = f"{box.github.api_url}/repos/octo/widgets/issues/{number}"

    planned = plugin.plan(plugin.read(ref(box, number)), REOPEN)

    assert [(one.method, one.url, one.what) for one in planned] == [
        ("GET", there, "read the issue"),
        ("PATCH", there, "set state to open"),
        ("POST", f"{there}/comments", "post the comment"),
        ("POST", f"{there}/labels", "add label reopened"),
        ("DELETE", f"{there}/labels/completed", "remove label completed"),
    ]


def test_a_plan_of_an_update_names_the_fields(box: Sandbox, plugin: GithubPlugin) -> None:
    at = ref(box, box.github.add_issue(title="Old"))

    planned = plugin.plan(plugin.read(at), Change(OP, draft=draft()))

    assert [one.what for one in planned] == [
        "read the issue",
        "set the title and set our part of the body",
    ]
