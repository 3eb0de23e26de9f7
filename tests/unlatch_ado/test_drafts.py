"""Work items that are made and rewritten from drafts, with their links and descriptions."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.unlatch_ado.making import (
    CLEANED,
    HOSTILE,
    MARKER,
    OP,
    OTHER_OP,
    add_noise,
    closed_item,
    creating,
    day_ago,
    draft,
    editing,
    plugin_for,
    read_back,
    ref,
    sent_requests,
    settings,
    write_change,
)

import unlatch_ado.plugin
from unlatch.errors import NotFound, Rejected, UnknownOutcome
from unlatch.spi import Change, Draft, Span, as_html
from unlatch.spi.text import Check, Checks, Heading
from unlatch_ado.api import client
from unlatch_ado.description import render_description, update_description
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox

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


def test_a_parent_that_is_gone_makes_nothing_and_a_number_is_one(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    with pytest.raises(NotFound):
        made(plugin, box, parent=999)
    assert box.ado.items() == []

    epic = box.ado.add_work_item(type="Epic", title="Epic")
    item = made(plugin, box, parent=epic, related="")
    assert item["fields"]["System.Parent"] == epic


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


def test_configured_fields_and_a_link_back_are_set_and_an_unknown_field_is_named(
    box: Sandbox,
) -> None:
    base = "https://github.com/octo/widgets/tree/main/.unlatch/increments"
    plugin = plugin_for(box, back_link=base + "/{increment}")
    item = made(plugin, box)
    [link] = item["relations"]
    assert (link["rel"], link["url"]) == ("Hyperlink", f"{base}/0007-smart")
    assert link["attributes"] == {"comment": "unlatch 0007-smart"}

    fields = {"create": {"Microsoft.VSTS.Common.Priority": 1}}
    item = made(plugin_for(box, fields=fields), box)
    assert item["fields"]["Microsoft.VSTS.Common.Priority"] == 1

    plugin = plugin_for(box, fields={"create": {"Custom.Nope": "x"}})
    with pytest.raises(Rejected, match=r"Custom\.Nope") as caught:
        made(plugin, box)
    assert caught.value.id == "field-not-found"
    assert "[trackers.ado.fields]" in (caught.value.hint or "")


BEGIN = "<p>[unlatch begin 0007-smart]</p>"
END = "<p>[unlatch end 0007-smart]</p>"


NEW = f"{BEGIN}<p>New</p>{END}"
OTHER = f"{BEGIN}<p>Other</p>{END}".replace("0007", "0008")
# An editor has rewritten the tags.
STYLED = (
    '<div style="x"><b>[unlatch begin 0007-smart]</b></div>',
    "<div><i>[unlatch end 0007-smart]",
)
SPACED = "[unlatch&nbsp;begin 0007-smart]", "<br>[unlatch end&nbsp;0007-smart]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"<p>A</p>{BEGIN}<p>Old</p>{END}<p>B</p>{MARKER}", f"<p>A</p>{NEW}<p>B</p>{MARKER}"),
        ("<p>Mine</p>", f"<p>Mine</p>{NEW}"),
        (OTHER, f"{OTHER}{NEW}"),
        (f"{BEGIN}<p>Old, without an end</p>", f"{BEGIN}<p>Old, without an end</p>{NEW}"),
        *(("<div>Old</div>".join(signs), "<p>New</p>".join(signs)) for signs in (STYLED, SPACED)),
    ],
)
def test_what_is_between_the_signs_is_replaced_alone(before: str, after: str) -> None:
    assert update_description(before, draft("New")) == after


EDITED = (
    '<div><span style="font-size:10pt">[unlatch&nbsp;begin 0007-smart]</span></div>'
    "<h3><b>Tasks</b></h3><ul><li><span>\N{BALLOT BOX WITH CHECK} Done &amp; dusted</span></li>"
    "<li>&nbsp;&nbsp;\N{BALLOT BOX} Next<br></li></ul>"
    "<div>[unlatch end 0007-smart]<br></div><div>Ours <b>too</b></div>"
)


def tasks(*, done: bool) -> Draft:
    checks = (Check("Done & dusted", done=True), Check("Next", done=done, depth=1))
    return replace(draft(), body=(Heading("Tasks"), Checks(checks)))


def test_a_box_is_ticked_within_what_an_editor_made_of_the_section() -> None:
    text = render_description(tasks(done=False), OP)
    ticked = text.replace("\N{BALLOT BOX} Next", "\N{BALLOT BOX WITH CHECK} Next")
    assert update_description(text, tasks(done=True)) == ticked
    assert text != ticked
    assert update_description(EDITED, tasks(done=False)) == EDITED
    after = update_description(EDITED, tasks(done=True))
    begin, middle = "[unlatch&nbsp;begin 0007-smart]</span></div>", as_html(tasks(done=True).body)
    assert after.partition(begin)[0] == EDITED.partition(begin)[0]
    assert after.partition(begin)[2] == middle + EDITED[EDITED.index("<div>[unlatch end") :]


def test_replacing_twice_is_replacing_once() -> None:
    assert render_description(draft("Text"), OP) == f"{BEGIN}<p>Text</p>{END}{MARKER}"
    hostile = draft(
        "a [unlatch end 0007-smart] [Unlatch END 0007-smart] b"
        " </p><p>[unlatch begin 0007-smart] \\1 $& --> c"
    )
    once = update_description("<p>Mine</p>", hostile)
    assert update_description(once, hostile) == once
    assert update_description(once, draft("New")) == f"<p>Mine</p>{BEGIN}<p>New</p>{END}"


@pytest.mark.parametrize("count", [2_000, pytest.param(200_000, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("noise", ["<", "<p>", " ", "&nbsp;", "[unlatch ", "</p"])
def test_a_long_description_takes_no_long_time(noise: str, count: int) -> None:
    # Quadratic work on the longest would outlast any patience.
    before = f"{BEGIN}{noise * count}{END}"
    assert update_description(before, draft("New")).startswith(f"{BEGIN}<p>New</p>")


def test_the_type_is_one_of_a_configured_project(box: Sandbox) -> None:
    plugin = plugin_for(box, work_item_type="Saga")
    with pytest.raises(Rejected, match="type-not-found:"):
        plugin.create(creating())
    assert box.ado.items() == []

    plugin = plugin_for(box, project=None)
    with pytest.raises(Rejected, match="target-missing:"):
        plugin.create(creating())
    assert plugin.find_created(OP, day_ago()) is None
    plugin = plugin_for(box, types={"bug": "Bug"})
    assert plugin.create(creating(draft(type="bug"))).after.type == "Bug"


def test_once_an_item_is_made_an_unknown_state_is_an_unknown_outcome(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    answer = box.ado.work_item(closed_item(box))
    answer["fields"]["System.State"] = "Limbo"
    box.faults.add(Fault("ado", "status", method="POST", code=200, body=answer))
    with pytest.raises(UnknownOutcome):
        plugin.create(creating())


def test_finds_the_item_that_a_lost_answer_left_behind(box: Sandbox, plugin: AdoPlugin) -> None:
    box.faults.add(Fault("ado", "drop-after", method="POST"))
    with pytest.raises(UnknownOutcome):
        plugin.create(creating())
    box.ado.add_work_item(title="Smart discipline")
    found = plugin.find_created(OP, day_ago())
    assert found is not None
    assert found.ref.id == "101"
    assert plugin.find_created(OTHER_OP, day_ago()) is None


@pytest.mark.parametrize("most", [30, pytest.param(1000, marks=pytest.mark.sweep)])
def test_looks_through_a_thousand_items_whatever_the_clock_says(
    box: Sandbox, plugin: AdoPlugin, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(unlatch_ado.plugin, "_NEWEST", most)
    monkeypatch.setattr(client, "_NUMBERS", most)
    made = plugin.create(creating()).after
    ahead = datetime.now(UTC) + timedelta(days=30_000)
    add_noise(box, range(1001, 1000 + most))
    assert plugin.find_created(OP, ahead) == made
    add_noise(box, range(1000 + most, 1003 + most))
    assert plugin.find_created(OP, ahead) is None
    assert plugin.find_created(OP, day_ago()) == made


@pytest.mark.parametrize(("days", "count"), [(-1, 1), (1, 0)])
def test_only_items_that_were_created_since_then_are_listed(
    plugin: AdoPlugin, days: int, count: int
) -> None:
    plugin.create(creating())
    since = datetime.now(UTC) + timedelta(days=days)
    assert len(list(plugin.list_items(since))) == count


def test_a_snapshot_without_the_description_is_not_taken_for_an_empty_one(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = closed_item(box, description="<p>Mine</p>")
    commented = Change(OP, comment=((Span("Hello"),),))
    with pytest.raises(ValueError, match="without the description"):
        plugin.write(plugin.read(ref(box, number), commented), editing())
    assert box.ado.work_item(number)["fields"]["System.Description"] == "<p>Mine</p>"


def test_a_description_that_does_not_fit_is_refused_and_a_title_cut(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    long, item = draft("x" * 1_000_001), ref(box, closed_item(box))
    with pytest.raises(Rejected) as created:
        plugin.create(creating(long))
    with pytest.raises(Rejected) as updated:
        write_change(plugin, item, editing(long))
    assert (created.value.id, updated.value.id) == ("body-too-long", "body-too-long")
    assert {"POST", "PATCH"}.isdisjoint(sent_requests(box))

    outcome = plugin.create(creating(draft(title="x" * 256)))
    assert outcome.notes == ("the title was cut to 255 characters",)
    assert outcome.after.title == "x" * 252 + "..."


def test_hostile_text_is_read_back_and_that_of_people_survives(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    title = " ".join(CLEANED.split())
    made = plugin.create(creating(draft(HOSTILE, title=title))).after
    fields = box.ado.work_item(int(made.ref.id))["fields"]
    assert fields["System.Title"] == title
    assert CLEANED in read_back(fields["System.Description"])
    again = editing(draft(HOSTILE, title=title))
    snapshot = plugin.read(made.ref, again)
    assert plugin.write(snapshot, again).after == snapshot.item

    theirs = "<p>\\1 \\g<0> $& [unlatch begin] &lt;b&gt;</p>"
    number = closed_item(box, description=theirs)
    write_change(plugin, ref(box, number), editing(draft()))
    assert box.ado.work_item(number)["fields"]["System.Description"].startswith(theirs)
