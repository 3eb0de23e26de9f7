"""Answers that Azure DevOps publishes and sends, where they differ from the usual ones."""

import pytest
from tests.unlatch_ado.making import closed_item, plugin_for, ref, reopening, write_change

from unlatch.errors import Forbidden
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox


def test_states_are_requested_where_the_type_comes_without_them(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.types_have_states = False
    outcome = write_change(plugin, ref(box, closed_item(box)))
    assert outcome.after.state == "Active"


def test_doctor_reads_types_without_states(box: Sandbox, plugin: AdoPlugin) -> None:
    box.ado.types_have_states = False
    item = ref(box, closed_item(box))
    assert plugin.examine([item]).remarks == ()


def test_an_item_in_resolved_moves_to_the_configured_state(box: Sandbox) -> None:
    plugin = plugin_for(box, states={"reopened": "Active"})
    outcome = write_change(plugin, ref(box, closed_item(box, state="Resolved", type="Bug")))
    assert outcome.after.state == "Active"
    assert outcome.notes == ()


def test_an_item_in_resolved_stays_there_unless_configured_and_that_is_said(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    outcome = write_change(plugin, ref(box, closed_item(box, state="Resolved", type="Bug")))
    assert outcome.after.state == "Resolved"
    assert [note for note in outcome.notes if "Resolved, which counts as open" in note]


def test_many_items_in_resolved_move_to_the_configured_state(box: Sandbox) -> None:
    plugin = plugin_for(box, states={"reopened": "Active"})
    items = [ref(box, closed_item(box, state="Resolved", type="Bug")) for _ in range(2)]
    change = reopening()
    found = plugin.write_many([(plugin.read(one, change), change) for one in items])
    assert [
        getattr(one, "after", one) and plugin.read(item).item.state
        for one, item in zip(found, items, strict=True)
    ] == ["Active", "Active"]


def test_who_changed_an_item_last_is_read(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box)
    box.ado.edit(number, state="Active")
    assert plugin.read(ref(box, number)).item.changed_by == "A Person"


def test_a_known_user_without_rights_is_named(box: Sandbox, plugin: AdoPlugin) -> None:
    text = "TF400813: The user 'Ann Other' is not authorized to access this resource."
    box.faults.add(Fault("ado", "status", code=401, body={"message": text, "typeKey": "X"}))
    with pytest.raises(Forbidden, match="user-not-authorized:") as caught:
        plugin.read(ref(box, closed_item(box)))
    assert "'Ann Other' is not authorized" in caught.value.message
    assert "token" in (caught.value.hint or "")
