"""Checks of a token's permissions and of the configuration, without writing."""

from typing import Any

import pytest
from tests.unlatch_ado.making import plugin_for, ref

from unlatch.errors import Unauthorised
from unlatch.spi import Access, Examination
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.ado.processes import INHERITED

ALL = {"read": True, "reopen": True, "comment": True, "label": True, "create": True}


def only(found: Examination) -> Access:
    [place] = found.places
    return place


def remarks(found: Examination) -> list[tuple[str, str | None]]:
    return [(one.id, one.where) for one in found.remarks]


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("state", ["Closed", "Active", "Removed"])
def test_whoever_may_everything_is_told_so(box: Sandbox, plugin: AdoPlugin, state: str) -> None:
    item = ref(box, box.ado.add_work_item(title="x", state=state))
    before = box.ado.work_item(int(item.id))
    found = plugin.examine([item])
    assert found.login == "Octo Cat"
    assert only(found).target == "fabrikam/widgets"
    assert (only(found).rights, only(found).hint) == (ALL, None)
    assert found.remarks == ()
    assert box.ado.work_item(int(item.id)) == before
    assert len(box.ado.items()) == 1
    writes = [e for e in box.requests.entries("ado") if e.method in ("PATCH", "POST")]
    assert all("validateOnly=true" in e.query or "batch" in e.path.lower() for e in writes)


def test_without_a_linked_item_nothing_is_guessed_but_the_account(
    plugin: AdoPlugin, box: Sandbox
) -> None:
    unknown = dict.fromkeys(("read", "reopen", "comment", "label"))
    assert only(plugin.examine([])).rights == {**unknown, "create": True}

    plugin = plugin_for(box, token=box.ado.bot_token)
    assert plugin.examine([]).login == "Build Service"

    with pytest.raises(Unauthorised):
        plugin_for(box, token="old").examine([])


def test_an_area_that_may_only_be_read_and_tags_that_may_not_be_made_show(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.add_area("widgets\\Locked")
    number = box.ado.add_work_item(title="x", state="Closed", area="widgets\\Locked")
    box.ado.add_area("widgets\\Locked", allows="read")
    place = only(plugin.examine([ref(box, number)]))
    assert place.rights == {**ALL, "reopen": False, "comment": False, "label": False}
    assert "Edit work items in this node" in (place.hint or "")

    box.ado.add_project("widgets", create_tags=False)
    place = only(plugin.examine([ref(box, box.ado.add_work_item(title="x"))]))
    assert place.rights == {**ALL, "label": False}
    assert "Create tag definition" in (place.hint or "")


def test_a_right_that_may_not_be_asked_for_is_not_guessed(box: Sandbox, plugin: AdoPlugin) -> None:
    box.faults.add(Fault("ado", "status", path="(?i)/permissions/", code=403, body="no"))
    place = only(plugin.examine([ref(box, box.ado.add_work_item(title="x"))]))
    assert place.rights == {**ALL, "label": None}


def test_areas_projects_and_items_that_are_not_there_are_remarked(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    found = plugin_for(box, area_path="Nowhere").examine([])
    assert only(found).rights["create"] is False
    assert remarks(found) == [("tree-path-not-found", "a new User Story in fabrikam/widgets")]

    found = plugin_for(box, projects=["nowhere"]).examine([])
    assert [place.target for place in found.places] == ["fabrikam/widgets", "fabrikam/nowhere"]
    assert found.places[1].rights == {"read": False}
    assert remarks(found) == [("project-not-found", "fabrikam/nowhere")]

    found = plugin.examine([ref(box, 999), ref(box, box.ado.add_work_item(title="x"))])
    assert remarks(found) == [("item-not-found", "fabrikam/widgets 999")]
    assert only(found).rights == ALL


def test_a_rule_that_refuses_the_reopening_is_remarked(box: Sandbox) -> None:
    box.ado.add_project("widgets", INHERITED)
    item = ref(box, box.ado.add_work_item(type="Bug", title="x", state="Behoben"))
    found = plugin_for(box).examine([item])
    assert only(found).rights == {**ALL, "reopen": False}
    assert remarks(found) == [("rule-broken", f"fabrikam/widgets {item.id}")]
    assert "fields.reopen" in (found.remarks[0].hint or "")


MISFITS: list[tuple[dict[str, Any], str, str]] = [
    ({"work_item_type": "Saga"}, "type-not-found", "work_item_type, types"),
    ({"types": {"bug": "Defect"}}, "type-not-found", "work_item_type, types"),
    ({"states": {"reopened": "Doing"}}, "state-unknown", "states.reopened"),
    ({"states": {"reopened": "Closed"}}, "state-misplaced", "states.reopened"),
    ({"states": {"completed": "Active"}}, "state-misplaced", "states.completed"),
    ({"states": {"not_planned": "Gone"}}, "state-unknown", "states.not_planned"),
    (
        {"states_by_type": {"User Story": {"reopened": "Doing"}}},
        "state-unknown",
        "states_by_type.User Story.reopened",
    ),
    ({"states_by_type": {"Saga": {"reopened": "New"}}}, "type-not-found", "states_by_type"),
    ({"fields": {"reopen": {"Custom.Nope": 1}}}, "field-not-found", "fields.reopen"),
]


@pytest.mark.parametrize(("given", "id", "where"), MISFITS)
def test_what_does_not_fit_the_process_is_remarked(
    box: Sandbox, given: dict[str, Any], id: str, where: str
) -> None:
    found = plugin_for(box, **given).examine([])
    assert (id, f"[trackers.ado] {where}") in remarks(found)
    assert all(one.hint for one in found.remarks)


@pytest.mark.parametrize(
    "given",
    [
        {"states": {"reopened": "active", "completed": "Closed", "not_planned": "Removed"}},
        {"types": {"bug": "Bug"}, "states_by_type": {"bug": {"reopened": "Resolved"}}},
        # The type's own setting goes before the one for all.
        {"states": {"reopened": "X"}, "states_by_type": {"User Story": {"reopened": "New"}}},
    ],
)
def test_what_fits_is_not_remarked(box: Sandbox, given: dict[str, Any]) -> None:
    assert plugin_for(box, **given).examine([]).remarks == ()


def test_the_states_are_held_against_the_types_of_linked_items_too(box: Sandbox) -> None:
    box.ado.add_project("gadgets", "Scrum")
    number = box.ado.add_work_item("gadgets", type="Bug", title="x", state="Done")
    plugin = plugin_for(box, projects=["gadgets"], states={"reopened": "Active"})
    found = plugin.examine([ref(box, number, "gadgets")])
    assert "state-unknown" in [one.id for one in found.remarks]
    assert "no-legal-state" in [one.id for one in found.remarks]


def test_items_of_other_places_are_not_looked_at(box: Sandbox, plugin: AdoPlugin) -> None:
    box.ado.add_project("secret")
    item = ref(box, box.ado.add_work_item("secret", title="Merger"), "secret")
    found = plugin.examine([item])
    assert found.remarks == ()
    assert "Merger" not in repr(found)
