"""A plan names the requests that are then sent; the server approves it, or says why not."""

from urllib.parse import unquote, urlsplit

import pytest
from tests.unlatch_ado.making import OP, creating, draft, editing, plugin_for, ref, reopening, words

from unlatch.errors import NotFound, Rejected, Transient, Unauthorised
from unlatch.spi import Change, Goal, PlannedRequest
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.ado.processes import INHERITED


def test_a_reopening_that_would_succeed_is_approved_without_effect(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = box.ado.add_work_item(title="x", state="Closed", tags=["completed"])
    before, change = box.ado.work_item(number), reopening()
    plugin.read(ref(box, number))
    box.requests.clear()
    plugin.approve(plugin.read(ref(box, number), change), change)
    assert box.ado.work_item(number) == before
    assert box.ado.comments(number) == []
    [get, patch] = box.requests.entries("ado")
    assert (get.method, patch.method) == ("GET", "PATCH")
    assert "validateOnly=true" in patch.query


def test_what_a_rule_refuses_is_not_approved(box: Sandbox) -> None:
    box.ado.add_project("widgets", INHERITED)
    plugin = plugin_for(box)
    item = ref(box, box.ado.add_work_item(type="Bug", title="x", state="Behoben"))
    with pytest.raises(Rejected, match=r"Custom\.ReopenCause") as caught:
        plugin.approve(plugin.read(item, reopening()), reopening())
    assert caught.value.id == "rule-broken"


def test_a_tag_that_may_not_be_made_keeps_nothing_from_approval(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.add_project("widgets", "Agile", create_tags=False)
    item = ref(box, box.ado.add_work_item(title="x", state="Closed"))
    plugin.approve(plugin.read(item, reopening()), reopening())
    entries = [entry.method for entry in box.requests.entries("ado") if entry.method == "PATCH"]
    assert len(entries) == 2

    item = ref(box, box.ado.add_work_item(title="x", state="Active"))
    box.requests.clear()
    plugin.approve(plugin.read(item), Change(OP, add_labels=("new",)))
    entries = [entry.method for entry in box.requests.entries("ado") if entry.method == "PATCH"]
    assert len(entries) == 1


def test_an_area_that_may_not_be_written_to_is_not_approved(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.add_area("widgets\\Locked")
    number = box.ado.add_work_item(title="x", state="Closed", area="widgets\\Locked")
    box.ado.add_area("widgets\\Locked", allows="read")
    item = plugin.read(ref(box, number))
    with pytest.raises(Unauthorised, match="area-not-permitted:"):
        plugin.approve(item, Change(OP, Goal.COMPLETED, add_labels=("a",)))


def test_a_new_item_is_approved_without_being_made_if_it_can_be(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    plugin.approve(None, creating(None, "specs"))
    assert box.ado.items() == []
    [entry] = [e for e in box.requests.entries("ado") if e.method == "POST"]
    assert "validateOnly=true" in entry.query

    plugin = plugin_for(box, area_path="Nowhere")
    with pytest.raises(Rejected, match="tree-path-not-found:"):
        plugin.approve(None, creating())
    with pytest.raises(NotFound):
        plugin.approve(None, creating(draft(metadata={"parent": 999})))


def test_an_update_is_approved_without_effect(box: Sandbox, plugin: AdoPlugin) -> None:
    number = box.ado.add_work_item(title="Old", description="<p>Mine</p>")
    before = box.ado.work_item(number)
    plugin.approve(plugin.read(ref(box, number), editing()), editing())
    assert box.ado.work_item(number) == before
    assert "validateOnly=true" in box.requests.entries("ado")[-1].query


def test_asking_may_be_repeated_for_it_changes_nothing(box: Sandbox, plugin: AdoPlugin) -> None:
    item = plugin.read(ref(box, box.ado.add_work_item(title="x", state="Closed")), reopening())
    box.faults.add(Fault("ado", "status", method="PATCH", code=502))
    plugin.approve(item, reopening())
    box.faults.add(Fault("ado", "status", method="PATCH", code=502, times=9))
    with pytest.raises(Transient):
        plugin.approve(item, reopening())


_CLOSING = {"add_labels": ("completed",), "remove_labels": ("reopened",)}
CHANGES = {
    "reopen": ("Closed", reopening()),
    "reopen an open item": ("Resolved", reopening()),
    "nothing": ("Active", reopening(comment=None, add_labels=(), remove_labels=())),
    "close": ("Active", reopening(goal=Goal.COMPLETED, **_CLOSING)),
    "drop": ("New", reopening(goal=Goal.NOT_PLANNED, **_CLOSING)),
    "comment and tags alone": ("Closed", reopening(goal=None)),
    "edit": ("New", editing()),
}


@pytest.mark.parametrize("wanted", CHANGES)
def test_the_planned_requests_are_the_ones_that_are_sent(
    box: Sandbox, plugin: AdoPlugin, wanted: str
) -> None:
    state, change = CHANGES[wanted]
    item = ref(box, box.ado.add_work_item(title="Smart", state=state, tags=["completed", "ui"]))
    plugin.read(item)
    box.requests.clear()

    snapshot = plugin.read(item, change)
    planned = plugin.plan(snapshot, change)
    plugin.write(snapshot, change)

    assert requests(box) == in_short(planned)


@pytest.mark.parametrize("metadata", [{}, {"parent": 101}])
def test_the_planned_requests_of_a_new_item_are_the_ones_that_are_sent(
    box: Sandbox, plugin: AdoPlugin, metadata: dict[str, int]
) -> None:
    box.ado.add_work_item(type="Epic", title="Epic", id=101)
    change = creating(draft(metadata=metadata), "specs")
    planned = plugin.plan(None, change)
    assert len(box.ado.items()) == 1
    box.requests.clear()

    plugin.create(change)

    assert requests(box) == in_short(planned)


def test_a_plan_says_what_each_request_is_for(box: Sandbox, plugin: AdoPlugin) -> None:
    number = box.ado.add_work_item(title="Smart", state="Closed", tags=["completed", "ui"])
    there = f"{box.ado.organization_url}/_apis/wit/workItems/{number}"

    planned = plugin.plan(plugin.read(ref(box, number), reopening()), reopening())

    assert [
        PlannedRequest("GET", there, "read the work item"),
        PlannedRequest(
            "PATCH",
            there,
            "set state to Active, post the comment, add tag reopened, remove tag completed",
        ),
    ] == list(planned)


def test_the_plan_of_a_new_item_says_what_it_is_made_of(box: Sandbox) -> None:
    epic = box.ado.add_work_item(type="Epic", title="Epic")
    fields = {"create": {"Microsoft.VSTS.Common.Priority": 1}}
    back = "https://example.com/{increment}"
    plugin = plugin_for(box, fields=fields, back_link=back)

    planned = plugin.plan(None, creating(draft(metadata={"parent": epic}), "specs"))

    assert [one.what for one in planned] == [
        f"read the work items to link to: {epic}",
        (
            "make a User Story in fabrikam/widgets, set Microsoft.VSTS.Common.Priority to 1, "
            f"add tag specs, link to {epic} (Hierarchy-Reverse), "
            "link back to https://example.com/0007-smart"
        ),
    ]


def test_an_edit_is_planned_only_where_something_differs(plugin: AdoPlugin) -> None:
    made = plugin.create(creating()).after.ref
    same, other = editing(), editing(draft("New"))
    assert [one.method for one in plugin.plan(plugin.read(made, same), same)] == ["GET"]
    [_, patch] = plugin.plan(plugin.read(made, other), other)
    assert patch.what == "set our part of the description"


def test_planning_changes_nothing(box: Sandbox, plugin: AdoPlugin) -> None:
    number = box.ado.add_work_item(title="Smart", state="Closed")
    before = box.ado.work_item(number)
    plugin.plan(plugin.read(ref(box, number), reopening()), reopening())
    plugin.plan(None, creating())
    assert box.ado.work_item(number) == before
    assert len(box.ado.items()) == 1


def test_a_state_that_cannot_be_reached_is_refused_by_the_plan_too(box: Sandbox) -> None:
    plugin = plugin_for(box, states={"reopened": "Reopened"})
    item = ref(box, box.ado.add_work_item(title="x", state="Closed"))
    with pytest.raises(Rejected) as refused:
        plugin.plan(plugin.read(item, reopening()), Change(OP, Goal.OPEN, comment=words("why")))
    assert refused.value.id == "no-legal-state"


def requests(box: Sandbox) -> list[tuple[str, str]]:
    return [(entry.method, entry.path) for entry in box.requests.entries("ado")]


def in_short(planned: tuple[PlannedRequest, ...]) -> list[tuple[str, str]]:
    return [(one.method, unquote(urlsplit(one.url).path)) for one in planned]
