"""The target and the links of new work items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_ado.making import (
    creating,
    draft,
    plugin_for,
    sent_requests,
    settings,
)

from unlatch.errors import NotFound, Rejected

if TYPE_CHECKING:
    from unlatch_ado.plugin import AdoPlugin
    from unlatch_sandbox import Sandbox

TO_PARENT = "System.LinkTypes.Hierarchy-Reverse"
TO_CHILD = "System.LinkTypes.Hierarchy-Forward"
RELATED = "System.LinkTypes.Related"


@pytest.fixture(autouse=True)
def tree(box: Sandbox) -> None:
    box.ado.add_area("widgets\\Team A")
    box.ado.add_iteration("widgets\\Sprint 1", "2026-01-01T00:00:00Z", "2026-01-14T00:00:00Z")


def made(plugin: AdoPlugin, box: Sandbox, **metadata: Any) -> dict[str, Any]:
    outcome = plugin.create(creating(draft(metadata=metadata)))
    return box.ado.work_item(int(outcome.after.ref.id))


def links(item: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["rel"], one["url"].rpartition("/")[2]) for one in item.get("relations", [])]


@pytest.mark.parametrize("path", ["Team A", "widgets\\Team A", "Widgets/Team A", "\\Team A\\"])
def test_area_and_iteration_are_set_as_configured(box: Sandbox, path: str) -> None:
    plugin = plugin_for(box, area_path=path, iteration_path="Sprint 1")
    fields = made(plugin, box)["fields"]
    assert fields["System.AreaPath"] == "widgets\\Team A"
    assert fields["System.IterationPath"] == "widgets\\Sprint 1"


def test_what_the_increment_says_goes_before_the_configuration(box: Sandbox) -> None:
    plugin = plugin_for(box, area_path="widgets", iteration_path="widgets")
    fields = made(plugin, box, areaPath="Team A", iterationPath="Sprint 1", epicKey="X-1")
    assert fields["fields"]["System.AreaPath"] == "widgets\\Team A"
    assert fields["fields"]["System.IterationPath"] == "widgets\\Sprint 1"


def test_a_path_that_is_not_there_makes_nothing(box: Sandbox, plugin: AdoPlugin) -> None:
    with pytest.raises(Rejected, match="AreaPath") as caught:
        made(plugin, box, areaPath="Team Z")
    assert caught.value.id == "tree-path-not-found"
    assert "area_path" in (caught.value.hint or "")
    assert box.ado.items() == []


@pytest.mark.parametrize("spelling", ["{0}", "#{0}", "AB#{0}", "{1}"])
def test_parent_and_related_items_are_linked(
    box: Sandbox, plugin: AdoPlugin, spelling: str
) -> None:
    epic = box.ado.add_work_item(type="Epic", title="Epic")
    other = box.ado.add_work_item(title="Other")
    url = settings(box).ref("widgets", str(epic)).url
    box.requests.clear()
    item = made(plugin, box, parent=spelling.format(epic, url), related=[other])
    assert links(item) == [(TO_PARENT, str(epic)), (RELATED, str(other))]
    assert links(box.ado.work_item(epic)) == [(TO_CHILD, str(item["id"]))]
    assert links(box.ado.work_item(other)) == [(RELATED, str(item["id"]))]
    # Both are read in one request, then the item is made in one.
    assert sent_requests(box) == ["POST", "POST"]


def test_a_number_is_a_parent_too(box: Sandbox, plugin: AdoPlugin) -> None:
    epic = box.ado.add_work_item(type="Epic", title="Epic")
    item = made(plugin, box, parent=epic, related="")
    assert item["fields"]["System.Parent"] == epic


def test_a_parent_that_is_gone_makes_nothing(box: Sandbox, plugin: AdoPlugin) -> None:
    with pytest.raises(NotFound):
        made(plugin, box, parent=999)
    assert box.ado.items() == []


@pytest.mark.parametrize("where", ["number", "address"])
def test_no_link_leads_into_a_project_that_is_not_configured(
    box: Sandbox, plugin: AdoPlugin, where: str
) -> None:
    box.ado.add_project("secret")
    epic = box.ado.add_work_item("secret", type="Epic", title="Merger")
    before = box.ado.work_item(epic)
    parent = epic if where == "number" else settings(box).ref("secret", str(epic)).url
    with pytest.raises(Rejected, match="target-not-allowed:") as caught:
        made(plugin, box, parent=parent)
    assert "Merger" not in str(caught.value)
    assert box.ado.work_item(epic) == before
    assert len(box.ado.items()) == 1


@pytest.mark.parametrize(
    "metadata",
    [
        {"parent": "the epic"},
        {"parent": True},
        {"parent": {"id": 1}},
        {"parent": "https://evil.example/fabrikam/widgets/_workitems/edit/1"},
        {"related": ["x"]},
        {"related": list(range(21))},
        {"areaPath": 7},
        {"areaPath": "a\\\\b"},
        {"areaPath": "a:b"},
        {"iterationPath": "\x07"},
        {"iterationPath": "x" * 4001},
    ],
)
def test_a_wish_that_is_nothing_to_azure_devops_is_named(
    box: Sandbox, plugin: AdoPlugin, metadata: dict[str, Any]
) -> None:
    with pytest.raises(Rejected, match="wish-not-understood:") as caught:
        made(plugin, box, **metadata)
    assert next(iter(metadata)) in (caught.value.hint or "")
    assert box.ado.items() == []


def test_a_link_leads_back_to_the_increment(box: Sandbox) -> None:
    base = "https://github.com/octo/widgets/tree/main/.unlatch/increments"
    plugin = plugin_for(box, back_link=base + "/{increment}")
    item = made(plugin, box)
    [link] = item["relations"]
    assert (link["rel"], link["url"]) == ("Hyperlink", f"{base}/0007-smart")
    assert link["attributes"] == {"comment": "unlatch 0007-smart"}


def test_configured_fields_are_set(box: Sandbox) -> None:
    fields = {"create": {"Microsoft.VSTS.Common.Priority": 1}}
    item = made(plugin_for(box, fields=fields), box)
    assert item["fields"]["Microsoft.VSTS.Common.Priority"] == 1


def test_a_field_that_is_not_there_is_named(box: Sandbox) -> None:
    plugin = plugin_for(box, fields={"create": {"Custom.Nope": "x"}})
    with pytest.raises(Rejected, match=r"Custom\.Nope") as caught:
        made(plugin, box)
    assert caught.value.id == "field-not-found"
    assert "[trackers.ado.fields]" in (caught.value.hint or "")
