"""An issue gets milestone, assignees and type as the increment names them."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.unlatch_github.making import (
    CREATE,
    OP,
    REPOSITORY,
    act,
    create,
    draft,
    plugin_for,
    ref,
    sent,
    update,
)

from unlatch.errors import ConfigError, Rejected
from unlatch.spi import Change, Draft, Outcome
from unlatch_github.draft_options import DraftOptions, read_draft_options
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Sandbox

PLAIN = replace(CREATE, add_labels=())


def _draft(**metadata: Any) -> Draft:
    return replace(draft(), metadata=metadata)


def _facts(box: Sandbox, outcome: Outcome) -> tuple[str | None, list[str], str | None]:
    issue = box.github.issue(REPOSITORY, int(outcome.after.ref.id))
    milestone = issue["milestone"]
    return (
        milestone and milestone["title"],
        [user["login"] for user in issue["assignees"]],
        issue.get("type", {}).get("name"),
    )


def test_an_issue_is_made_with_all_that_is_wished_for_by_one_request(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = box.github.add_milestone("v1")

    outcome = create(plugin, _draft(milestone=number, assignees=["ann", "@bob"], type="Bug"), PLAIN)

    assert _facts(box, outcome) == ("v1", ["ann", "bob"], "Bug")
    assert (outcome.after.assignee, outcome.after.type) == ("ann, bob", "Bug")
    assert (outcome.notes, sent(box)) == ((), ["POST /issues"])


@pytest.mark.parametrize("wish", ["v2", "V2", "2"])
def test_a_milestone_is_found_by_its_title_or_number(
    box: Sandbox, plugin: GithubPlugin, wish: str
) -> None:
    for title in ("v1", "v2"):
        box.github.add_milestone(title)

    outcome = create(plugin, _draft(milestone=wish), PLAIN)

    assert _facts(box, outcome)[0] == "v2"
    assert sent(box) == ["GET /milestones", "POST /issues"]


def test_a_milestone_that_is_not_there_keeps_the_issue_from_being_made(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    box.github.add_milestone("v1")
    box.github.add_milestone("v0", state="closed")

    with pytest.raises(Rejected) as caught:
        create(plugin, _draft(milestone="v\x1b2"), PLAIN)

    assert (caught.value.id, caught.value.where) == ("milestone-unknown", REPOSITORY)
    assert "'v2'" in caught.value.message
    assert "(open ones: v1)" in (caught.value.hint or "")
    assert box.github.items() == []


def test_an_update_sets_what_differs_and_keeps_other_assignees(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    for title in ("v1", "v2"):
        box.github.add_milestone(title)
    made = create(plugin, _draft(milestone=1, assignees=["ann"]), PLAIN).after
    box.github.edit(REPOSITORY, int(made.ref.id), assignees=["carl", "Ann"])
    box.requests.clear()

    outcome = update(
        plugin, made.ref, _draft(milestone="v2", assignees=["ann", "bob"], type="Task"), PLAIN
    )

    assert outcome.notes == ()
    assert _facts(box, outcome) == ("v2", ["carl", "Ann", "bob"], "Task")


def test_an_update_of_what_is_so_already_writes_nothing(box: Sandbox, plugin: GithubPlugin) -> None:
    box.github.add_milestone("v1")
    wished = _draft(milestone="v1", assignees=["ann"], type="Bug")
    made = create(plugin, wished, PLAIN).after
    box.requests.clear()

    outcome = update(plugin, made.ref, wished, PLAIN)

    assert (outcome.notes, sent(box)) == ((), [f"GET /issues/{made.ref.id}"])


def test_who_may_not_assign_is_told_and_the_rest_is_done(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    made = create(plugin, draft(), PLAIN).after
    box.github.add_repository(REPOSITORY, push=False)

    outcome = update(
        plugin, made.ref, replace(draft(title="New"), metadata={"assignees": ["ann"]}), PLAIN
    )

    assert outcome.after.title == "New"
    assert "the assignment to ann" in outcome.notes[0]


@pytest.mark.parametrize(
    ("raw", "metadata"),
    [
        ({}, DraftOptions()),
        ({"milestone": 4, "type": "Bug"}, DraftOptions(4, (), "Bug")),
        (
            {"milestone": " Sprint  \x1b12 ", "issueType": "Task"},
            DraftOptions("Sprint 12", (), "Task"),
        ),
        ({"assignee": "ann"}, DraftOptions(assignees=("ann",))),
        ({"assignees": "ann, @bob,ann"}, DraftOptions(assignees=("ann", "bob"))),
        ({"milestone": None, "assignees": None, "type": None}, DraftOptions()),
        ({"assignees": [], "type": "Bug"}, DraftOptions(type="Bug")),
    ],
)
def test_wishes_are_read_in_each_spelling(raw: dict[str, Any], metadata: DraftOptions) -> None:
    assert read_draft_options(raw) == metadata
    assert read_draft_options(raw).left_out == ()


NO_MILESTONES: tuple[Any, ...] = (True, 0, -1, 1.5, [], {}, "", " ", "x" * 300)
NO_ASSIGNEES: tuple[Any, ...] = (
    *([1], [["ann"]], ["a b"], {"a": 1}, [""]),
    [f"user-{index}" for index in range(11)],
)
NO_TYPES: tuple[Any, ...] = (1, [], {"name": "Bug"}, "")


@pytest.mark.parametrize(
    "raw",
    [
        *({"milestone": wrong} for wrong in NO_MILESTONES),
        *({"assignees": wrong} for wrong in NO_ASSIGNEES),
        *({"type": wrong} for wrong in NO_TYPES),
    ],
)
def test_what_is_no_wish_is_left_out_and_told(raw: dict[str, Any]) -> None:
    found = read_draft_options(raw)

    assert len(found.left_out) == 1
    assert (found.milestone, found.type, len(found.assignees) < 11) == (None, None, True)


def test_what_was_left_out_is_noted(plugin: GithubPlugin) -> None:
    outcome = create(plugin, _draft(milestone=True), PLAIN)

    assert outcome.notes == (
        "the increment's `milestone` is neither a number nor a title; ignored",
    )

    with pytest.raises(Rejected) as caught:
        create(plugin, _draft(assignees=["nobody"]), PLAIN)

    assert (caught.value.id, "assignees invalid" in caught.value.message) == (
        "tracker-rejected",
        True,
    )


CASES: dict[str, dict[str, Any]] = {
    "a number": {"milestone": 1},
    "a title": {"milestone": "v1", "assignees": ["ann"], "type": "Bug"},
}


@pytest.mark.parametrize("case", CASES)
def test_a_plan_of_a_new_issue_lists_the_requests_that_are_sent(
    box: Sandbox, plugin: GithubPlugin, case: str
) -> None:
    box.github.add_milestone("v1")
    change = replace(CREATE, draft=_draft(**CASES[case]))

    planned = plugin.plan(None, change)

    assert {entry.method for entry in box.requests.entries()} <= {"GET"}
    box.requests.clear()
    plugin.create(change)
    assert _sent(box) == [(one.method, urlsplit(one.url).path) for one in planned]


@pytest.mark.parametrize("case", CASES)
def test_a_plan_of_an_update_lists_the_requests_that_are_sent(box: Sandbox, case: str) -> None:
    plugin = plugin_for(box)
    for title in ("v0", "v1"):
        box.github.add_milestone(title)
    box.github.add_issue(title="Old", milestone=1, assignee="bob")
    change = Change(OP, draft=_draft(**CASES[case]))

    planned = plugin.plan(plugin.read(ref(box, 1), change), change)

    assert {entry.method for entry in box.requests.entries()} == {"GET"}
    box.requests.clear()
    act(plugin, ref(box, 1), change)
    assert _sent(box) == [(one.method, urlsplit(one.url).path) for one in planned]


def test_a_plan_of_an_update_that_changes_nothing_is_its_read(
    plugin: GithubPlugin, box: Sandbox
) -> None:
    made = create(plugin, draft(), PLAIN).after
    change = replace(PLAIN, draft=draft())

    planned = plugin.plan(plugin.read(made.ref, change), change)

    assert [one.what for one in planned] == ["read the issue"]

    plugin = plugin_for(box, repository=None)

    with pytest.raises(ConfigError):
        plugin.plan(None, replace(CREATE, draft=draft()))


def _sent(box: Sandbox) -> list[tuple[str, str]]:
    return [(entry.method, entry.path) for entry in box.requests.entries("github")]
