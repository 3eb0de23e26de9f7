"""The five operations against the sandbox."""

from collections.abc import Callable

import pytest
from tests.unlatch_ado.making import (
    MARKER,
    OP,
    closed_item,
    creating,
    day_ago,
    plugin_for,
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
from unlatch.spi import Category, Change, Goal, ItemRef
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox


def test_reopens_in_two_requests(box: Sandbox, plugin: AdoPlugin) -> None:
    write_change(plugin, ref(box, closed_item(box)))
    # The first one asks for routes and the type.
    methods = [entry.method for entry in box.requests.entries("ado")]
    assert methods == ["OPTIONS", "GET", "GET", "PATCH"]
    number = closed_item(box)
    box.requests.clear()
    outcome = write_change(plugin, ref(box, number))
    assert [e.method for e in box.requests.entries("ado")] == ["GET", "PATCH"]
    assert (outcome.after.state, outcome.after.labels) == ("Active", ("area: x", "reopened"))
    assert (outcome.commented, outcome.refused) == (True, ())
    fields = box.ado.work_item(number)["fields"]
    assert fields["System.State"] == "Active"
    assert fields["System.Tags"] == "area: x; reopened"
    assert [c["text"] for c in box.ado.comments(number)] == [f"<p>Bug discovered</p>{MARKER}"]


@pytest.mark.sample(at=(3,))
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


def test_a_configured_state_wins_and_one_that_cannot_be_reached_changes_nothing(
    box: Sandbox,
) -> None:
    plugin = plugin_for(box, states={"reopened": "Nirvana"})
    number = closed_item(box)
    with pytest.raises(Rejected, match=r"Active \(InProgress\)") as caught:
        write_change(plugin, ref(box, number))
    assert caught.value.id == "no-legal-state"
    assert box.ado.work_item(number)["rev"] == 2

    plugin = plugin_for(box, states={"reopened": "New"})
    assert write_change(plugin, ref(box, closed_item(box))).after.state == "New"


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


def test_tags_that_may_not_be_made_are_left_out_and_said(box: Sandbox, plugin: AdoPlugin) -> None:
    box.ado.add_project("widgets", "Agile", create_tags=False)
    number = closed_item(box)
    outcome = write_change(plugin, ref(box, number))
    assert (outcome.after.state, outcome.after.labels) == ("Active", ("area: x",))
    assert (outcome.commented, outcome.refused) == (True, ("reopened",))
    assert outcome.notes == (
        "not added, because this account may not create tags in the project: reopened",
    )
    assert sent_requests(box) == ["GET", "PATCH", "PATCH"]
    assert len(box.ado.comments(number)) == 1

    number = closed_item(box, state="Active", tags=[])
    box.requests.clear()
    outcome = write_change(plugin, ref(box, number), reopening(comment=None))
    assert sent_requests(box) == ["GET", "PATCH"]
    assert outcome.refused == ("reopened",)
    assert outcome.after.labels == ()


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


def test_an_answer_shows_what_a_rule_kept_or_dropped(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box)
    answer = box.ado.work_item(number)
    answer["rev"] += 1
    box.faults.add(Fault("ado", "status", method="PATCH", code=200, body=answer))
    outcome = write_change(plugin, ref(box, number))
    assert (outcome.after.state, outcome.after.category) == ("Closed", Category.DONE)
    assert "reopened" not in outcome.after.labels

    number = closed_item(box)
    body = box.ado.work_item(number)
    box.faults.add(Fault("ado", "status", method="PATCH", code=200, body=body))
    snapshot = plugin.read(ref(box, number), reopening())
    outcome = plugin.write(snapshot, reopening())
    assert (outcome.after, outcome.commented) == (snapshot.item, False)

    number = closed_item(box, tags=[])
    answer = box.ado.work_item(number)
    answer["rev"] += 1
    answer["fields"]["System.State"] = "Active"
    box.faults.add(Fault("ado", "status", method="PATCH", code=200, body=answer))
    outcome = write_change(plugin, ref(box, number))
    assert (outcome.after.labels, outcome.refused) == ((), ())


def test_a_comment_is_found_on_any_page(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box)
    for index in range(201):
        box.ado.add_comment(number, f"chatter {index}")
    write_change(plugin, ref(box, number))
    assert 1 == len(plugin.find_comments(ref(box, number), OP))
    assert plugin.find_ops(ref(box, number)) == (OP,)
