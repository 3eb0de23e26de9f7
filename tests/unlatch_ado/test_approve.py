"""The server approves a plan, or says why not; nothing is changed by asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unlatch_ado.making import OP, creating, draft, editing, plugin_for, ref, reopening

from unlatch.errors import NotFound, Rejected, Transient, Unauthorised
from unlatch.spi import Change, Goal
from unlatch_sandbox import Fault
from unlatch_sandbox.ado.processes import INHERITED

if TYPE_CHECKING:
    from unlatch_ado.plugin import AdoPlugin
    from unlatch_sandbox import Sandbox


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


def test_where_the_tag_is_the_only_wish_nothing_is_left_to_approve(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.add_project("widgets", "Agile", create_tags=False)
    item = ref(box, box.ado.add_work_item(title="x", state="Active"))
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


def test_a_new_item_is_approved_without_being_made(box: Sandbox, plugin: AdoPlugin) -> None:
    plugin.approve(None, creating(None, "specs"))
    assert box.ado.items() == []
    [entry] = [e for e in box.requests.entries("ado") if e.method == "POST"]
    assert "validateOnly=true" in entry.query


def test_a_new_item_that_cannot_be_made_is_not_approved(box: Sandbox) -> None:
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
