"""A plan names the requests that are then sent; the server approves it, or says why not."""

from urllib.parse import unquote, urlsplit

import pytest
from tests.unlatch_ado.making import creating, draft, editing, plugin_for, ref, reopening

from unlatch.errors import NotFound, Rejected
from unlatch.spi import Goal, PlannedRequest
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Sandbox


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


@pytest.mark.sample(at=(1, 6))
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


def requests(box: Sandbox) -> list[tuple[str, str]]:
    return [(entry.method, entry.path) for entry in box.requests.entries("ado")]


def in_short(planned: tuple[PlannedRequest, ...]) -> list[tuple[str, str]]:
    return [(one.method, unquote(urlsplit(one.url).path)) for one in planned]
