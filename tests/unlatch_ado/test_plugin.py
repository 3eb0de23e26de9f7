"""The five operations against the sandbox."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unlatch_ado.making import (
    CLEANED,
    HOSTILE,
    OP,
    OTHER_OP,
    closed_item,
    creating,
    day_ago,
    plugin_for,
    read_back,
    ref,
    reopening,
    sent_requests,
    words,
    write_change,
)

from unlatch.errors import (
    Conflict,
    Limited,
    NotFound,
    Rejected,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.spi import Change, Goal, ItemRef
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox


@pytest.mark.parametrize(
    ("process", "kind", "states"),
    [
        ("Agile", "User Story", ("Closed", "Active")),
        ("Agile", "Issue", ("Closed", "Active")),
        ("Scrum", "Product Backlog Item", ("Done", "Committed")),
        ("Scrum", "Epic", ("Done", "In Progress")),
        ("Basic", "Issue", ("Done", "Doing")),
        ("CMMI", "Requirement", ("Closed", "Active")),
    ],
)
def test_reopens_into_the_state_of_the_process(
    box: Sandbox, process: str, kind: str, states: tuple[str, str]
) -> None:
    done, reopened = states
    box.ado.add_project("My Project", process)
    number = box.ado.add_work_item("My Project", type=kind, title="x", state=done)
    plugin = plugin_for(box, project="My Project")
    outcome = write_change(plugin, ref(box, number, "My Project"))
    assert outcome.after.state == reopened
    assert box.ado.work_item(number)["fields"]["System.State"] == reopened


@pytest.mark.parametrize(
    ("goal", "state"), [(Goal.COMPLETED, "Closed"), (Goal.NOT_PLANNED, "Removed")]
)
def test_closes_as_the_goal_says(box: Sandbox, plugin: AdoPlugin, goal: Goal, state: str) -> None:
    number = closed_item(box, state="Active", tags=["reopened", "a"])
    change = Change(
        OP,
        goal,
        comment=words("Done"),
        add_labels=("completed",),
        remove_labels=("reopened",),
    )
    outcome = write_change(plugin, ref(box, number), change)
    assert (outcome.commented, outcome.after.state) == (True, state)
    assert box.ado.work_item(number)["fields"]["System.Tags"] == "a; completed"
    assert sent_requests(box) == ["GET", "PATCH"]


@pytest.mark.parametrize("state", ["Closed", "Removed"])
@pytest.mark.parametrize("goal", [Goal.COMPLETED, Goal.NOT_PLANNED])
def test_a_closed_item_is_not_closed_again(
    box: Sandbox, plugin: AdoPlugin, state: str, goal: Goal
) -> None:
    number = closed_item(box, state=state)
    outcome = write_change(plugin, ref(box, number), Change(OP, goal))
    assert outcome.after.state == state
    assert sent_requests(box) == ["GET"]


def test_what_people_wrote_in_between_is_a_conflict_and_not_lost(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = closed_item(box)

    def person() -> None:
        box.ado.edit(number, tags=["completed", "urgent"])

    box.faults.add(Fault("ado", "human", method="PATCH", action=person))
    with pytest.raises(Conflict):
        write_change(plugin, ref(box, number))
    fields = box.ado.work_item(number)["fields"]
    assert (fields["System.State"], fields["System.Tags"]) == ("Closed", "completed; urgent")
    write_change(plugin, ref(box, number))
    assert box.ado.work_item(number)["fields"]["System.Tags"] == "reopened; urgent"
    assert len(box.ado.comments(number)) == 1


@pytest.mark.parametrize("act", ["read", "reopen"])
def test_an_item_in_a_project_that_is_not_configured_is_neither_shown_nor_changed(
    box: Sandbox, plugin: AdoPlugin, act: str
) -> None:
    box.ado.add_project("secret")
    # Its address says "widgets"; Azure DevOps finds items by their number alone.
    item = ref(box, closed_item(box, project="secret", title="Merger"))
    with pytest.raises(Rejected, match="target-not-allowed:") as caught:
        CALLS[act](plugin, item)
    assert "Merger" not in str(caught.value)
    assert sent_requests(box) == ["GET"]


def test_finds_the_comment_of_an_operation_whoever_posted_it(
    box: Sandbox, plugin: AdoPlugin, tmp_path: Path
) -> None:
    number = closed_item(box)
    box.ado.add_comment(number, "first")
    write_change(plugin_for(box, cache=tmp_path, token=box.ado.bot_token), ref(box, number))
    [found] = plugin.find_comments(ref(box, number), OP)
    assert str(box.ado.comments(number)[-1]["id"]) == found.id
    assert plugin.find_comments(ref(box, number), OTHER_OP) == ()
    assert plugin.find_ops(ref(box, number)) == (OP,)


def test_a_comment_is_found_on_any_page(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box)
    for index in range(201):
        box.ado.add_comment(number, f"chatter {index}")
    write_change(plugin, ref(box, number))
    assert 1 == len(plugin.find_comments(ref(box, number), OP))
    assert plugin.find_ops(ref(box, number)) == (OP,)


def test_hostile_text_is_read_back_unharmed(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box)
    write_change(plugin, ref(box, number), reopening(comment=words(HOSTILE, "second")))
    [comment] = box.ado.comments(number)
    assert read_back(comment["text"]) == f"{CLEANED}\n\nsecond\n\nunlatch ref {OP}"
    assert "<script" not in comment["text"]


@pytest.mark.parametrize("code", [429, 503])
def test_a_change_is_not_sent_again_whatever_the_server_asks(
    box: Sandbox, plugin: AdoPlugin, code: int
) -> None:
    fault = Fault("ado", "status", method="PATCH", code=code, headers={"Retry-After": "7"})
    box.faults.add(fault)
    with pytest.raises(Limited if code == 429 else UnknownOutcome):
        write_change(plugin, ref(box, closed_item(box)))
    assert sent_requests(box) == ["GET", "PATCH"]


CALLS: dict[str, Callable[[AdoPlugin, ItemRef], object]] = {
    "read": lambda plugin, item: plugin.read(item),
    "reopen": write_change,
    "create": lambda plugin, _: plugin.create(creating()),
    "find-created": lambda plugin, _: plugin.find_created(OP, day_ago()),
    "find-comments": lambda plugin, item: plugin.find_comments(item, OP),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_token_that_is_not_taken_is_said_to_be_expired(box: Sandbox, call: str) -> None:
    number = closed_item(box)
    plugin = plugin_for(box, token="an-old-token")
    with pytest.raises(Unauthorised, match="credential-expired:") as caught:
        CALLS[call](plugin, ref(box, number))
    assert "an-old-token" not in f"{caught.value!r} {caught.value} {caught.value.hint}"


@pytest.mark.parametrize("act", ["read", "reopen"])
def test_an_item_that_is_gone_is_not_found(box: Sandbox, plugin: AdoPlugin, act: str) -> None:
    number = closed_item(box)
    box.ado.delete(number)
    with pytest.raises(NotFound, match="item-deleted:") as caught:
        CALLS[act](plugin, ref(box, number))
    assert "restore it" in (caught.value.hint or "")


def test_an_item_may_be_hidden_and_throttling_says_how_long_to_wait(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    with pytest.raises(NotFound, match="item-not-found:") as caught:
        plugin.read(ref(box, 999))
    assert "recycle bin" in (caught.value.hint or "")
    assert "area path" in (caught.value.hint or "")

    box.faults.add(Fault("ado", "rate-limit", method="PATCH", seconds=600))
    with pytest.raises(Limited) as limited:
        write_change(plugin, ref(box, closed_item(box)))
    assert limited.value.retry_after == 600
