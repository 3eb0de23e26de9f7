"""Answers that Azure DevOps publishes and sends, where they differ from the usual ones."""

from tests.unlatch_ado.making import closed_item, ref, write_change

from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Sandbox


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


def test_an_item_in_resolved_stays_there_unless_configured_and_that_is_said(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    outcome = write_change(plugin, ref(box, closed_item(box, state="Resolved", type="Bug")))
    assert outcome.after.state == "Resolved"
    assert [note for note in outcome.notes if "Resolved, which counts as open" in note]
