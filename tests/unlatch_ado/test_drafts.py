"""Work items that are made and rewritten from drafts, and found again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

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
    write_change,
)

import unlatch_ado.plugin
from unlatch.errors import Conflict, Rejected, UnknownOutcome
from unlatch.spi import Change, Span
from unlatch_ado.api import client
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_ado.plugin import AdoPlugin
    from unlatch_sandbox import Sandbox


def test_creates_an_item(box: Sandbox, plugin: AdoPlugin) -> None:
    outcome = plugin.create(creating(None, "specs"))
    fields = box.ado.work_item(int(outcome.after.ref.id))["fields"]
    assert (outcome.after.labels, outcome.refused) == (("specs",), ())
    assert fields["System.WorkItemType"] == "User Story"
    assert (fields["System.Title"], fields["System.Tags"]) == ("Smart discipline", "specs")
    assert fields["System.Description"].endswith(
        f"<p>Kept text</p><p>[unlatch end 0007-smart]</p>{MARKER}"
    )
    assert sent_requests(box) == ["POST"]


def test_creates_an_item_of_the_type_that_the_increment_asks_for(box: Sandbox) -> None:
    plugin = plugin_for(box, types={"bug": "Bug"})
    assert plugin.create(creating(draft(type="bug"))).after.type == "Bug"


def test_a_type_that_the_project_lacks_is_named(box: Sandbox) -> None:
    plugin = plugin_for(box, work_item_type="Saga")
    with pytest.raises(Rejected, match="type-not-found:"):
        plugin.create(creating())
    assert box.ado.items() == []


def test_nothing_is_created_without_a_project(box: Sandbox) -> None:
    plugin = plugin_for(box, project=None)
    with pytest.raises(Rejected, match="target-missing:"):
        plugin.create(creating())
    assert plugin.find_created(OP, day_ago()) is None


def test_creates_an_item_without_the_tags_that_may_not_be_made(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.add_project("widgets", "Agile", create_tags=False)
    outcome = plugin.create(creating(None, "specs"))
    assert (outcome.after.labels, outcome.refused) == ((), ("specs",))
    assert "specs" in outcome.notes[0]
    assert len(box.ado.items()) == 1


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


def test_finds_no_created_item_in_another_project(
    box: Sandbox, plugin: AdoPlugin, tmp_path: Path
) -> None:
    box.ado.add_project("it's")
    elsewhere = plugin_for(box, cache=tmp_path, project="gadgets")
    box.ado.add_project("gadgets")
    elsewhere.create(creating())
    assert plugin.find_created(OP, day_ago()) is None


@pytest.mark.parametrize("days", [-30_000, -2, 2, 30_000])
def test_finds_a_created_item_whatever_the_clock_says(plugin: AdoPlugin, days: int) -> None:
    made = plugin.create(creating()).after
    assert plugin.find_created(OP, datetime.now(UTC) + timedelta(days=days)) == made


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


def test_items_are_listed_newest_first_and_only_as_far_as_they_are_taken(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    made = plugin.create(creating()).after.ref
    add_noise(box, range(1001, 1202))
    box.requests.clear()
    listed = plugin.list_items(None)
    assert next(listed).ref == ref(box, 1201)
    assert sent_requests(box) == ["POST", "POST"]
    *_, oldest = listed
    assert (oldest.ref, oldest.title, oldest.ops) == (made, "Smart discipline", frozenset({OP}))


@pytest.mark.parametrize(("days", "count"), [(-1, 1), (1, 0)])
def test_only_items_that_were_created_since_then_are_listed(
    plugin: AdoPlugin, days: int, count: int
) -> None:
    plugin.create(creating())
    since = datetime.now(UTC) + timedelta(days=days)
    assert len(list(plugin.list_items(since))) == count


def test_looks_through_more_new_items_than_fit_in_one_answer(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    made = plugin.create(creating()).after.ref
    add_noise(box, range(1001, 1202))
    box.requests.clear()
    found = plugin.find_created(OP, day_ago())
    assert found is not None
    assert found.ref == made
    assert sent_requests(box) == ["POST", "POST", "POST"]


def test_updates_its_part_and_keeps_what_people_wrote(box: Sandbox, plugin: AdoPlugin) -> None:
    created = plugin.create(creating(draft("Old"))).after.ref
    number = int(created.id)
    before = box.ado.work_item(number)["fields"]["System.Description"]
    box.ado.edit(number, description=f"<div>Mine &amp; yours</div>{before}<div>Below</div>")
    box.requests.clear()
    write_change(plugin, created, editing(draft("New", title="Other")))
    assert sent_requests(box) == ["GET", "PATCH"]
    fields = box.ado.work_item(number)["fields"]
    expected = f"<div>Mine &amp; yours</div>{before.replace('Old', 'New')}<div>Below</div>"
    assert (fields["System.Title"], fields["System.Description"]) == ("Other", expected)


def test_an_update_that_changes_nothing_sends_nothing(box: Sandbox, plugin: AdoPlugin) -> None:
    created = plugin.create(creating()).after.ref
    box.requests.clear()
    write_change(plugin, created, editing(draft()))
    assert sent_requests(box) == ["GET"]


def test_a_snapshot_without_the_description_is_not_taken_for_an_empty_one(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = closed_item(box, description="<p>Mine</p>")
    commented = Change(OP, comment=((Span("Hello"),),))
    with pytest.raises(ValueError, match="without the description"):
        plugin.write(plugin.read(ref(box, number), commented), editing())
    assert box.ado.work_item(number)["fields"]["System.Description"] == "<p>Mine</p>"


def test_an_update_does_not_write_over_a_person(box: Sandbox, plugin: AdoPlugin) -> None:
    created = plugin.create(creating(draft("Old"))).after.ref

    def person() -> None:
        box.ado.edit(int(created.id), description="<p>All mine</p>")

    box.faults.add(Fault("ado", "human", method="PATCH", action=person))
    with pytest.raises(Conflict):
        write_change(plugin, created, editing(draft("New")))
    assert box.ado.work_item(int(created.id))["fields"]["System.Description"] == "<p>All mine</p>"


def test_a_description_that_does_not_fit_is_refused_before_anything_is_written(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    long, item = draft("x" * 1_000_001), ref(box, closed_item(box))
    with pytest.raises(Rejected) as created:
        plugin.create(creating(long))
    with pytest.raises(Rejected) as updated:
        write_change(plugin, item, editing(long))
    assert (created.value.id, updated.value.id) == ("body-too-long", "body-too-long")
    assert {"POST", "PATCH"}.isdisjoint(sent_requests(box))


def test_a_title_that_does_not_fit_is_cut_and_said(plugin: AdoPlugin) -> None:
    outcome = plugin.create(creating(draft(title="x" * 256)))
    assert outcome.notes == ("the title was cut to 255 characters",)
    assert outcome.after.title == "x" * 252 + "..."


def test_hostile_titles_and_bodies_are_read_back_unharmed(box: Sandbox, plugin: AdoPlugin) -> None:
    title = " ".join(CLEANED.split())
    made = plugin.create(creating(draft(HOSTILE, title=title))).after
    fields = box.ado.work_item(int(made.ref.id))["fields"]
    assert fields["System.Title"] == title
    assert CLEANED in read_back(fields["System.Description"])
    again = editing(draft(HOSTILE, title=title))
    snapshot = plugin.read(made.ref, again)
    assert plugin.write(snapshot, again).after == snapshot.item


def test_hostile_text_of_people_survives(box: Sandbox, plugin: AdoPlugin) -> None:
    theirs = "<p>\\1 \\g<0> $& [unlatch begin] &lt;b&gt;</p>"
    number = closed_item(box, description=theirs)
    write_change(plugin, ref(box, number), editing(draft()))
    assert box.ado.work_item(number)["fields"]["System.Description"].startswith(theirs)
