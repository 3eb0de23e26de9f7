"""A plan names the requests that are then sent, in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
from tests.unlatch_ado.making import OP, draft, plugin_for, ref, reopening, words

from unlatch.errors import Rejected
from unlatch.spi import Change, Goal, ItemRef

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.sandbox import Sandbox
    from unlatch_ado.plugin import AdoPlugin

STATES = ["New", "Active", "Resolved", "Closed", "Removed"]
TAGS = [(), ("ui",), ("reopened",), ("completed",), ("Completed", "Reopened", "ui")]
_CLOSING = {"add_labels": ("completed",), "remove_labels": ("reopened",)}
CHANGES = {
    "reopen": reopening(),
    "reopen what was closed on purpose too": reopening(even_if_deliberate=True),
    "close": reopening(goal=Goal.COMPLETED, **_CLOSING),
    "drop": reopening(goal=Goal.NOT_PLANNED, **_CLOSING),
    "comment and tags alone": reopening(goal=None),
    "state alone": reopening(add_labels=(), remove_labels=()),
}


@pytest.mark.parametrize("says", [True, False], ids=["comment", "no comment"])
@pytest.mark.parametrize("has", TAGS, ids=str)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("wanted", CHANGES)
def test_the_planned_requests_are_the_ones_that_are_sent(
    box: Sandbox, plugin: AdoPlugin, wanted: str, state: str, has: tuple[str, ...], *, says: bool
) -> None:
    item = plugin.get_issue_status(ref(box, _add(box, state, has)))
    change = CHANGES[wanted] if says else replace(CHANGES[wanted], comment=None)
    box.requests.clear()

    planned = plugin.plan(item, change)

    assert box.requests.entries() == []
    _act(plugin, item.ref, change)
    assert _sent(box) == [(one.method, unquote(urlsplit(one.url).path)) for one in planned]


@pytest.mark.parametrize("wanted", CHANGES)
@pytest.mark.parametrize("state", STATES)
def test_what_is_not_kept_from_earlier_requests_is_planned_too(
    box: Sandbox, plugin: AdoPlugin, tmp_path: Path, state: str, wanted: str
) -> None:
    item = plugin.get_issue_status(ref(box, _add(box, state, ("completed",))))
    other = plugin_for(box, cache=_folder(tmp_path, "elsewhere"))
    box.requests.clear()

    planned = other.plan(item, CHANGES[wanted])

    assert box.requests.entries() == []
    _act(other, item.ref, CHANGES[wanted])
    assert _sent(box) == [(one.method, unquote(urlsplit(one.url).path)) for one in planned]
    assert [one.method for one in planned][:3] == ["OPTIONS", "GET", "GET"]


def test_a_plan_says_what_each_request_is_for(box: Sandbox, plugin: AdoPlugin) -> None:
    number = _add(box, "Closed", ("completed", "ui"))
    there = f"{box.ado.organization_url}/_apis/wit/workItems/{number}"

    planned = plugin.plan(plugin.get_issue_status(ref(box, number)), reopening())

    assert [(one.method, one.url, one.what) for one in planned] == [
        ("GET", there, "read the work item"),
        (
            "PATCH",
            there,
            "set state to Active, post the comment, add tag reopened, remove tag completed",
        ),
    ]


def test_a_state_that_is_yet_to_be_asked_for_is_not_guessed(
    box: Sandbox, plugin: AdoPlugin, tmp_path: Path
) -> None:
    item = plugin.get_issue_status(ref(box, _add(box, "Closed", ())))
    other = plugin_for(box, cache=_folder(tmp_path, "elsewhere"))

    planned = other.plan(item, reopening(comment=None, add_labels=()))

    assert [one.what for one in planned] == [
        "ask for the addresses of requests (kept for a day)",
        "read the work item",
        "read the states of a User Story (kept for a day)",
        "set state to one that is open, chosen from the states of its type",
    ]


def test_a_state_that_cannot_be_reached_costs_another_look(box: Sandbox, tmp_path: Path) -> None:
    plugin = plugin_for(box, cache=tmp_path, states={"reopened": "Reopened"})
    item = plugin.get_issue_status(ref(box, _add(box, "Closed", ())))
    box.requests.clear()

    planned = plugin.plan(item, reopening())

    with pytest.raises(Rejected) as refused:
        plugin.reopen_issue(item.ref, reopening())
    assert refused.value.id == "no-legal-state"
    assert _sent(box) == [(one.method, unquote(urlsplit(one.url).path)) for one in planned]
    assert refused.value.message in planned[-1].what


@pytest.mark.parametrize("says", [True, False], ids=["comment", "no comment"])
def test_an_update_is_planned_with_what_it_may_rewrite(
    box: Sandbox, plugin: AdoPlugin, *, says: bool
) -> None:
    item = plugin.get_issue_status(ref(box, box.ado.add_work_item(title="Old")))
    change = Change(OP, comment=words("Bug") if says else None)
    box.requests.clear()

    planned = plugin.plan(item, change, draft())

    plugin.update_issue(item.ref, draft(), change)
    assert _sent(box) == [(one.method, urlsplit(one.url).path) for one in planned]
    assert "where they differ" in planned[1].what


def _folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir()
    return folder


def _add(box: Sandbox, state: str, tags: tuple[str, ...]) -> int:
    return box.ado.add_work_item(title="Smart", state=state, tags=tags)


def _act(plugin: AdoPlugin, item: ItemRef, change: Change) -> None:
    act = plugin.reopen_issue if change.goal in (Goal.OPEN, None) else plugin.close_issue
    try:
        act(item, change)
    except Rejected as refusal:
        assert refusal.id == "deliberately-closed"  # noqa: PT017  (whether it is raised is a case)


def _sent(box: Sandbox) -> list[tuple[str, str]]:
    return [(entry.method, entry.path) for entry in box.requests.entries("ado")]
