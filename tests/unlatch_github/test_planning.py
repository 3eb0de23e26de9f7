"""A plan names the requests that are then sent, in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
from tests.unlatch_github.making import CLOSE, OP, REOPEN, draft, plugin_for, ref

from unlatch.errors import Rejected
from unlatch.spi import Change, Goal

if TYPE_CHECKING:
    from unlatch.sandbox import Sandbox
    from unlatch_github.plugin import GithubPlugin

STATES = {
    "open": ("open", None),
    "completed": ("closed", "completed"),
    "not planned": ("closed", "not_planned"),
    "duplicate": ("closed", "duplicate"),
}
LABELS = [(), ("bug",), ("reopened",), ("completed",), ("Completed", "Reopened", "bug")]
CHANGES = {
    "reopen": REOPEN,
    "reopen what was closed on purpose too": replace(REOPEN, even_if_deliberate=True),
    "close": CLOSE,
    "drop": replace(CLOSE, goal=Goal.NOT_PLANNED),
    "comment and labels alone": replace(REOPEN, goal=None),
    "state alone": replace(REOPEN, add_labels=(), remove_labels=()),
    "hard names": replace(
        REOPEN, add_labels=("needs work/again", "é?"), remove_labels=("bug", "reopened")
    ),
}


@pytest.mark.parametrize("says", [True, False], ids=["comment", "no comment"])
@pytest.mark.parametrize("has", LABELS, ids=str)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("wanted", CHANGES)
def test_the_planned_requests_are_the_ones_that_are_sent(
    box: Sandbox, plugin: GithubPlugin, wanted: str, state: str, has: tuple[str, ...], *, says: bool
) -> None:
    word, reason = STATES[state]
    number = box.github.add_issue(title="Smart", state=word, state_reason=reason, labels=has)
    change = CHANGES[wanted] if says else replace(CHANGES[wanted], comment=None)
    item = plugin.get_issue_status(ref(box, number))
    box.requests.clear()

    planned = plugin.plan(item, change)

    assert box.requests.entries() == []
    _act(plugin, box, number, change)
    assert _sent(box) == [(one.method, unquote(urlsplit(one.url).path)) for one in planned]


def test_a_plan_says_what_each_request_is_for(box: Sandbox, plugin: GithubPlugin) -> None:
    number = box.github.add_issue(title="Smart", state="closed", labels=("completed", "bug"))
    there = f"{box.github.api_url}/repos/octo/widgets/issues/{number}"

    planned = plugin.plan(plugin.get_issue_status(ref(box, number)), REOPEN)

    assert [(one.method, one.url, one.what) for one in planned] == [
        ("GET", there, "read the issue"),
        ("PATCH", there, "set state to open"),
        ("POST", f"{there}/comments", "post the comment"),
        ("POST", f"{there}/labels", "add label reopened"),
        ("DELETE", f"{there}/labels/completed", "remove label completed"),
    ]


def test_a_refused_reopen_is_planned_as_its_read(box: Sandbox) -> None:
    plugin = plugin_for(box)
    number = box.github.add_issue(title="Smart", state="closed", state_reason="not_planned")
    item = plugin.get_issue_status(ref(box, number))

    assert [one.what for one in plugin.plan(item, REOPEN)] == ["read the issue"]
    with pytest.raises(Rejected, match="not planned"):
        plugin.reopen_issue(item.ref, REOPEN)


@pytest.mark.parametrize("says", [True, False], ids=["comment", "no comment"])
def test_an_update_is_planned_with_what_it_may_rewrite(
    box: Sandbox, plugin: GithubPlugin, *, says: bool
) -> None:
    item = plugin.get_issue_status(ref(box, box.github.add_issue(title="Old")))
    change = Change(OP, comment=REOPEN.comment if says else None)
    box.requests.clear()

    planned = plugin.plan(item, change, draft())

    plugin.update_issue(item.ref, draft(), change)
    assert _sent(box) == [(one.method, urlsplit(one.url).path) for one in planned]
    assert "where they differ" in planned[1].what


def _act(plugin: GithubPlugin, box: Sandbox, number: int, change: Change) -> None:
    act = plugin.reopen_issue if change.goal in (Goal.OPEN, None) else plugin.close_issue
    try:
        act(ref(box, number), change)
    except Rejected as refusal:
        assert refusal.id == "deliberately-closed"  # noqa: PT017  (whether it is raised is a case)


def _sent(box: Sandbox) -> list[tuple[str, str]]:
    return [(entry.method, entry.path) for entry in box.requests.entries("github")]
