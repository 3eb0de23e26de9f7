"""Notes about iteration, parent and assignee, and configured changes."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_ado.making import (
    OP,
    plugin_for,
    ref,
    reopening,
    sent_requests,
    write_change,
)

from unlatch.errors import UnknownOutcome
from unlatch.spi import Change, Goal
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox

TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
OLD, NOW, NEXT = (
    "widgets\\Team A\\Sprint 1",
    "widgets\\Team A\\Sprint 2",
    "widgets\\Team A\\Sprint 3",
)


def day(offset: int) -> str:
    return (TODAY + timedelta(days=offset)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture(autouse=True)
def sprints(box: Sandbox) -> None:
    box.ado.add_iteration("widgets\\Team A", day(-100), day(100))
    box.ado.add_iteration(OLD, day(-30), day(-16))
    box.ado.add_iteration(NOW, day(-15), day(0))
    box.ado.add_iteration(NEXT, day(1), day(15))


def item_in(box: Sandbox, iteration: str, **more: Any) -> int:
    return box.ado.add_work_item(title="x", state="Closed", iteration=iteration, **more)


def notes(plugin: AdoPlugin, box: Sandbox, number: int, **more: Any) -> tuple[str, ...]:
    return write_change(plugin, ref(box, number), reopening(**more)).notes


def iteration_of(box: Sandbox, number: int) -> str:
    return str(box.ado.work_item(number)["fields"]["System.IterationPath"])


def test_an_iteration_is_said_at_no_cost_where_something_is_reopened(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = item_in(box, OLD)
    assert notes(plugin, box, number) == (f"it is still in the iteration {OLD}",)
    assert sent_requests(box) == ["GET", "PATCH"]
    assert iteration_of(box, number) == OLD
    assert notes(plugin, box, item_in(box, "widgets")) == ()

    number = item_in(box, OLD)
    box.ado.edit(number, state="Active")
    assert notes(plugin, box, number) == ()
    write_change(plugin, ref(box, number), Change(OP, Goal.COMPLETED))
    assert notes(plugin, box, number, goal=None) == ()


def test_it_moves_on_to_the_current_iteration_where_configured(box: Sandbox) -> None:
    plugin = plugin_for(box, on_reopen={"iteration": "current"})
    number = item_in(box, OLD)
    over = (TODAY + timedelta(days=-16)).date()
    assert notes(plugin, box, number) == (
        f"its iteration {OLD} ended on {over}; it was moved to {NOW}",
    )
    assert iteration_of(box, number) == NOW
    assert sent_requests(box) == ["GET", "GET", "PATCH"]
    box.requests.clear()
    assert len(notes(plugin, box, item_in(box, OLD))) == 1
    assert sent_requests(box) == ["GET", "PATCH"]
    for iteration in (NOW, NEXT):
        number = item_in(box, iteration)
        assert (notes(plugin, box, number), iteration_of(box, number)) == ((), iteration)


def test_what_is_known_from_earlier_is_used_where_nothing_is_configured(
    box: Sandbox, tmp_path: Path
) -> None:
    acting = plugin_for(box, cache=tmp_path, on_reopen={"iteration": "current"})
    notes(acting, box, item_in(box, OLD))
    telling = plugin_for(box, cache=tmp_path)
    [note] = notes(telling, box, item_in(box, OLD))
    assert note.endswith("; it is still in it")
    assert "ended on" in note
    assert notes(telling, box, item_in(box, NOW)) == ()


def test_between_several_current_iterations_nobody_chooses(box: Sandbox) -> None:
    for team in ("Team B", "Team C"):
        box.ado.add_iteration(f"widgets\\{team}", day(-1), day(1))
    box.ado.add_iteration("widgets\\Old", day(-9), day(-8))
    # Sprint 2 of Team A is no neighbour of this one, and the three teams' are all current.
    plugin = plugin_for(box, on_reopen={"iteration": "current"})
    number = item_in(box, "widgets\\Old")
    [note] = notes(plugin, box, number)
    assert "several are current: widgets\\Team B, widgets\\Team C" in note
    assert iteration_of(box, number) == "widgets\\Old"


def test_without_a_current_iteration_it_stays(box: Sandbox) -> None:
    box.ado.add_iteration("widgets\\Team A", day(-100), day(-1))
    box.ado.add_iteration(NOW, day(-15), day(-1))
    plugin = plugin_for(box, on_reopen={"iteration": "current"})
    number = item_in(box, OLD)
    assert "none is current" in notes(plugin, box, number)[0]
    assert iteration_of(box, number) == OLD


def test_iterations_that_cannot_be_read_hold_nothing_up(box: Sandbox) -> None:
    plugin = plugin_for(box, on_reopen={"iteration": "current"})
    box.faults.add(Fault("ado", "status", path="(?i)classificationnodes", code=403, body="no"))
    outcome = write_change(plugin, ref(box, item_in(box, OLD)))
    assert outcome.after.state == "Active"
    assert "could not be read" in outcome.notes[0]


def test_an_assignee_who_has_left_is_said_or_replaced_by_the_tokens_account(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.deactivate("Ann Gone")
    number = item_in(box, "widgets", assigned_to="Ann Gone")
    assert notes(plugin, box, number) == ("its assignee Ann Gone is no longer active",)
    assert sent_requests(box) == ["GET", "PATCH"]
    assert box.ado.item("widgets", number).assignee == "Ann Gone"  # type: ignore[union-attr]

    plugin = plugin_for(box, on_reopen={"assignee": "me"})
    number = item_in(box, "widgets", assigned_to="Ann Gone")
    [note] = notes(plugin, box, number)
    assert note.endswith("; it was assigned to Octo Cat")
    assigned = box.ado.work_item(number)["fields"]["System.AssignedTo"]
    assert assigned["uniqueName"] == "octo.cat@fabrikam.example"

    box.faults.add(Fault("ado", "status", path="(?i)connectiondata", code=404, body="no"))
    plugin = plugin_for(box, on_reopen={"assignee": "me"})
    number = item_in(box, "widgets", assigned_to="Ann Gone")
    assert "could not be read" in notes(plugin, box, number)[0]
    assert box.ado.work_item(number)["fields"]["System.State"] == "Active"


def family(box: Sandbox, state: str = "Closed") -> tuple[int, int]:
    parent = box.ado.add_work_item(type="Feature", title="Feature", state=state)
    return parent, item_in(box, "widgets", parent=parent)


@pytest.mark.parametrize(("state", "said"), [("Closed", 1), ("Removed", 1), ("Active", 0)])
def test_a_closed_parent_is_reported(box: Sandbox, state: str, said: int) -> None:
    plugin = plugin_for(box)
    parent, child = family(box, state)
    assert notes(plugin, box, child) == (f"its parent {parent} is {state}",) * said
    assert sent_requests(box) == ["GET", "GET", "PATCH"]
    assert box.ado.work_item(parent)["fields"]["System.State"] == state


def test_a_closed_parent_is_reopened_where_configured_unless_it_was_closed_on_purpose(
    box: Sandbox,
) -> None:
    plugin = plugin_for(box, on_reopen={"parent": "reopen"})
    parent, child = family(box)
    assert notes(plugin, box, child) == (f"its parent {parent} was reopened: Closed -> Active",)
    assert box.ado.work_item(parent)["fields"]["System.State"] == "Active"
    [comment] = box.ado.comments(parent)
    assert comment["text"] == (
        f"<p>Reopened because fabrikam/widgets {child} below it was reopened.</p>"
    )
    # The mark of the operation is on the child alone: the parent may be linked itself.
    assert OP not in comment["text"]

    parent, child = family(box, "Removed")
    assert notes(plugin, box, child) == (f"its parent {parent} is Removed",)
    assert box.ado.work_item(parent)["fields"]["System.State"] == "Removed"


def test_a_parent_in_a_project_that_is_not_configured_is_not_touched(box: Sandbox) -> None:
    box.ado.add_project("secret")
    parent = box.ado.add_work_item("secret", type="Feature", title="Merger", state="Closed")
    child = item_in(box, "widgets", parent=parent)
    plugin = plugin_for(box, on_reopen={"parent": "reopen"})
    [note] = notes(plugin, box, child)
    assert "could not be read" in note
    assert "Merger" not in note
    assert box.ado.work_item(parent)["fields"]["System.State"] == "Closed"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"kind": "status", "code": 403, "body": "TF237111"}, "was not reopened"),
        ({"kind": "status", "code": 412, "body": "VS403351"}, "was not reopened"),
        ({"kind": "drop"}, "is not known whether"),
    ],
)
def test_what_goes_wrong_with_a_parent_holds_nothing_up(
    box: Sandbox, fault: dict[str, Any], words: str
) -> None:
    plugin = plugin_for(box, on_reopen={"parent": "reopen"})
    parent, child = family(box)
    box.faults.add(Fault("ado", method="PATCH", path=f"/{parent}$", **fault))
    outcome = write_change(plugin, ref(box, child))
    assert outcome.after.state == "Active"
    assert words in outcome.notes[0]


def test_the_plan_names_the_requests_for_parent_and_assignee(box: Sandbox, tmp_path: Path) -> None:
    wanted = {"iteration": "current", "parent": "reopen", "assignee": "me"}
    box.ado.deactivate("Ann Gone")
    parent = box.ado.add_work_item(type="Feature", title="Feature", state="Closed")
    number = item_in(box, OLD, parent=parent, assigned_to="Ann Gone")
    warm = plugin_for(box, cache=tmp_path, on_reopen=wanted)
    warm.read(ref(box, number), reopening())

    plugin = plugin_for(box, cache=tmp_path, on_reopen=wanted)
    box.requests.clear()
    snapshot = plugin.read(ref(box, number), reopening())
    planned = plugin.plan(snapshot, reopening())
    plugin.write(snapshot, reopening())

    assert sent_requests(box) == [one.method for one in planned]
    assert [one.what for one in planned] == [
        "read the work item",
        "read the account of the token",
        "read the parent",
        "check whether it can be reopened, without effect",
        "set state to Active, post the comment",
        (
            f"set state to Active, set System.IterationPath to {NOW}, set System.AssignedTo to "
            "octo.cat@fabrikam.example, post the comment, add tag reopened"
        ),
    ]

    plugin = plugin_for(box, on_reopen={"parent": "reopen"})
    snapshot = plugin.read(ref(box, item_in(box, OLD)), reopening())
    assert ["GET", "PATCH"] == [one.method for one in plugin.plan(snapshot, reopening())]


def test_a_parent_that_was_reopened_is_named_when_the_child_fails(box: Sandbox) -> None:
    plugin = plugin_for(box, on_reopen={"parent": "reopen"})
    parent, child = family(box)
    box.faults.add(Fault("ado", "drop", method="PATCH", path=f"/{child}$"))
    with pytest.raises(UnknownOutcome) as caught:
        write_change(plugin, ref(box, child))
    done = caught.value.done
    assert done is not None
    assert done.notes == (f"its parent {parent} was reopened: Closed -> Active",)
    assert (done.after.state, done.commented) == ("Closed", False)


def test_a_parent_that_stays_closed_is_not_said_to_be_reopened(box: Sandbox) -> None:
    plugin = plugin_for(box, on_reopen={"parent": "reopen"})
    parent, child = family(box)
    body = box.ado.work_item(parent)
    box.faults.add(Fault("ado", "status", method="PATCH", path=f"/{parent}$", code=200, body=body))
    [note] = notes(plugin, box, child)
    assert note == f"its parent {parent} was not reopened: Azure DevOps left it in state Closed"
