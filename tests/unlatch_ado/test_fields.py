"""Inherited processes: other states, forbidden moves, and fields that rules make mandatory."""

from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_ado.making import OP, plugin_for, ref, write_change

from unlatch.errors import Rejected
from unlatch.spi import Change, Goal
from unlatch_sandbox import Sandbox
from unlatch_sandbox.ado.processes import INHERITED, REOPEN_CAUSE

CAUSE = {"reopen": {REOPEN_CAUSE: "found in production"}}


@pytest.fixture(autouse=True)
def inherited(box: Sandbox) -> None:
    box.ado.add_project("widgets", INHERITED)


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize(
    ("kind", "goal", "states"),
    [
        ("User Story", Goal.OPEN, ("Fertig", "In Arbeit")),
        ("User Story", Goal.COMPLETED, ("In Arbeit", "Fertig")),
        ("User Story", Goal.NOT_PLANNED, ("Neu", "Verworfen")),
        ("Task", Goal.COMPLETED, ("Geprüft", "Fertig")),
        ("Task", Goal.NOT_PLANNED, ("In Arbeit", "Fertig")),
        ("Bug", Goal.COMPLETED, ("Wieder offen", "Behoben")),
        ("Bug", Goal.OPEN, ("Behoben", "Wieder offen")),
    ],
)
def test_states_are_found_whatever_they_are_called(
    box: Sandbox, kind: str, goal: Goal, states: tuple[str, str]
) -> None:
    done, state = states
    item = ref(box, box.ado.add_work_item(type=kind, title="x", state=done))
    plugin = plugin_for(box, fields=CAUSE if kind == "Bug" else {})
    outcome = write_change(plugin, item, Change(OP, goal))
    assert outcome.after.state == state
    assert box.ado.work_item(int(item.id))["fields"]["System.State"] == state


def test_a_rule_names_the_field_and_the_setting_and_the_setting_helps(
    box: Sandbox, tmp_path: Path
) -> None:
    item = ref(box, box.ado.add_work_item(type="Bug", title="x", state="Behoben"))
    with pytest.raises(Rejected, match=REOPEN_CAUSE) as caught:
        write_change(plugin_for(box, cache=tmp_path), item)
    assert caught.value.id == "rule-broken"
    assert "[trackers.ado.fields.reopen]" in (caught.value.hint or "")
    assert f'"{REOPEN_CAUSE}" = ' in (caught.value.hint or "")
    assert box.ado.comments(int(item.id)) == []
    values = {**CAUSE["reopen"], "System.Reason": "Regression"}
    outcome = write_change(plugin_for(box, cache=tmp_path, fields={"reopen": values}), item)
    assert outcome.commented
    fields = box.ado.work_item(int(item.id))["fields"]
    assert fields == {**fields, **values, "System.State": "Wieder offen"}
    assert not any("bypassRules" in entry.query for entry in box.requests.entries("ado"))


@pytest.mark.parametrize(
    "given",
    [
        {"reopen": {"System.State": "Active"}},
        {"reopen": {"system.history": "x"}},
        {"create": {"System.Tags": "x"}},
        {"create": {"System.AreaPath": "x"}},
        {"close": {"Reason": "x"}},
        {"close": {"Custom.A/../System.State": "x"}},
        {"close": {"Custom.A": ["x"]}},
        {"closed": {"Custom.A": "x"}},
    ],
)
def test_a_field_that_is_not_to_be_set_is_a_mistake_in_the_configuration(
    box: Sandbox, given: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="fields"):
        plugin_for(box, fields=given)
