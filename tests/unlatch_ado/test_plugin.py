"""The five operations against the sandbox."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_ado.making import (
    MARKER,
    OP,
    OTHER_OP,
    draft,
    plugin_for,
    ref,
    reopening,
    sent,
    words,
)

from unlatch.domain.item import Category
from unlatch.errors import (
    Conflict,
    NotFound,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.sandbox import Fault
from unlatch.spi import Change, Goal, ItemRef, Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unlatch.sandbox import Sandbox
    from unlatch_ado.plugin import AdoPlugin

HOSTILE = (
    "--> $& \\1 'single' \"double\" </p><script>alert(1)</script> @all {code} ; , "
    "\u202e\x07\x1b[31m\nnext line &amp; ##vso[task.setvariable]"
)
CLEANED = HOSTILE.replace("\u202e", "").replace("\x07", "").replace("\x1b", "")


def closed_item(box: Sandbox, **more: Any) -> int:
    given: dict[str, Any] = {"title": "Smart", "state": "Closed", "tags": ["completed", "area: x"]}
    return box.ado.add_work_item(**{**given, **more})


def day_ago() -> datetime:
    return datetime.now(UTC) - timedelta(days=1)


def read_back(text: str) -> str:
    lines = text.replace("<br>", "\n").replace("</p><p>", "\n\n")
    return html.unescape(re.sub(r"</?[pb]>", "", lines))


def test_reads_an_item(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box, assigned_to="Mona <x>")
    seen = plugin.get_issue_status(ref(box, number))
    assert seen.ref == ref(box, number)
    assert (seen.title, seen.type, seen.state) == ("Smart", "User Story", "Closed")
    assert (seen.category, seen.deliberate) == (Category.DONE, False)
    assert set(seen.labels) == {"completed", "area: x"}
    assert (seen.assignee, seen.revision) == ("Mona <x>", "2")
    assert seen.updated is not None


def test_reopens_in_two_requests(box: Sandbox, plugin: AdoPlugin) -> None:
    plugin.get_issue_status(ref(box, closed_item(box)))
    number = closed_item(box)
    box.requests.clear()
    outcome = plugin.reopen_issue(ref(box, number), reopening())
    assert [e.method for e in box.requests.entries("ado")] == ["GET", "PATCH"]
    assert outcome.result is Result.REOPENED
    assert (outcome.labels_added, outcome.labels_removed) == (("reopened",), ("completed",))
    assert outcome.commented
    fields = box.ado.work_item(number)["fields"]
    assert fields["System.State"] == "Active"
    assert fields["System.Tags"] == "area: x; reopened"
    assert [c["text"] for c in box.ado.comments(number)] == [f"<p>Bug discovered</p>{MARKER}"]


def test_the_first_reopen_asks_for_routes_and_the_type_once(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    plugin.reopen_issue(ref(box, closed_item(box)), reopening())
    methods = [entry.method for entry in box.requests.entries("ado")]
    assert methods == ["OPTIONS", "GET", "GET", "PATCH"]


@pytest.mark.parametrize(
    ("process", "kind", "states"),
    [
        ("Agile", "User Story", ("Closed", "Active")),
        ("Agile", "Issue", ("Closed", "Active")),
        ("Scrum", "Product Backlog Item", ("Done", "Committed")),
        ("Scrum", "Epic", ("Done", "In Progress")),
        ("Basic", "Issue", ("Done", "Doing")),
        ("CMMI", "Requirement", ("Closed", "Active")),
    ],
)
def test_reopens_into_the_state_of_the_process(
    box: Sandbox, tmp_path: Path, process: str, kind: str, states: tuple[str, str]
) -> None:
    done, reopened = states
    box.ado.add_project("My Project", process)
    number = box.ado.add_work_item("My Project", type=kind, title="x", state=done)
    plugin = plugin_for(box, cache=tmp_path, project="My Project")
    outcome = plugin.reopen_issue(ref(box, number, "My Project"), reopening())
    assert outcome.after.state == reopened
    assert box.ado.work_item(number)["fields"]["System.State"] == reopened


def test_a_configured_state_wins(box: Sandbox, tmp_path: Path) -> None:
    plugin = plugin_for(box, cache=tmp_path, states={"reopened": "New"})
    assert plugin.reopen_issue(ref(box, closed_item(box)), reopening()).after.state == "New"


def test_a_state_that_cannot_be_reached_changes_nothing(box: Sandbox, tmp_path: Path) -> None:
    plugin = plugin_for(box, cache=tmp_path, states={"reopened": "Nirvana"})
    number = closed_item(box)
    with pytest.raises(Rejected, match=r"Active \(InProgress\)") as caught:
        plugin.reopen_issue(ref(box, number), reopening())
    assert caught.value.id == "no-legal-state"
    assert box.ado.work_item(number)["rev"] == 2


def test_an_open_item_still_gets_comment_and_tags(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box, state="Resolved")
    outcome = plugin.reopen_issue(ref(box, number), reopening())
    assert outcome.result is Result.ALREADY_OPEN
    assert (outcome.after.state, outcome.commented) == ("Resolved", True)
    assert box.ado.work_item(number)["fields"]["System.Tags"] == "area: x; reopened"
    assert len(box.ado.comments(number)) == 1


def test_nothing_is_sent_where_nothing_differs(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box, state="Active", tags=["REOPENED"])
    outcome = plugin.reopen_issue(ref(box, number), reopening(comment=None))
    assert sent(box) == ["GET"]
    assert outcome.before == outcome.after
    assert not outcome.commented


def test_without_a_goal_the_state_stays(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box)
    outcome = plugin.reopen_issue(ref(box, number), reopening(goal=None))
    assert outcome.result is Result.STATE_KEPT
    assert outcome.after.state == "Closed"
    assert outcome.commented


@pytest.mark.parametrize(
    ("goal", "state"), [(Goal.COMPLETED, "Closed"), (Goal.NOT_PLANNED, "Removed")]
)
def test_closes_as_the_goal_says(box: Sandbox, plugin: AdoPlugin, goal: Goal, state: str) -> None:
    number = closed_item(box, state="Active", tags=["reopened", "a"])
    change = Change(
        OP,
        goal,
        comment=words("Done"),
        add_labels=("completed",),
        remove_labels=("reopened",),
    )
    outcome = plugin.close_issue(ref(box, number), change)
    assert (outcome.result, outcome.after.state) == (Result.CLOSED, state)
    assert box.ado.work_item(number)["fields"]["System.Tags"] == "a; completed"
    assert sent(box) == ["GET", "PATCH"]


def test_a_type_without_a_removed_state_is_completed_instead(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = box.ado.add_work_item(type="Bug", title="x", state="Active")
    outcome = plugin.close_issue(ref(box, number), Change(OP, Goal.NOT_PLANNED))
    assert outcome.after.state == "Closed"


@pytest.mark.parametrize("state", ["Closed", "Removed"])
@pytest.mark.parametrize("goal", [Goal.COMPLETED, Goal.NOT_PLANNED])
def test_a_closed_item_is_not_closed_again(
    box: Sandbox, plugin: AdoPlugin, state: str, goal: Goal
) -> None:
    number = closed_item(box, state=state)
    outcome = plugin.close_issue(ref(box, number), Change(OP, goal))
    assert (outcome.result, outcome.after.state) == (Result.ALREADY_CLOSED, state)


def test_a_removed_item_is_left_alone_unless_asked_for(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box, state="Removed")
    with pytest.raises(Rejected) as caught:
        plugin.reopen_issue(ref(box, number), reopening())
    assert caught.value.id == "deliberately-closed"
    assert "--even-if-not-planned" in (caught.value.hint or "")
    assert sent(box) == ["GET"]
    outcome = plugin.reopen_issue(ref(box, number), reopening(even_if_deliberate=True))
    assert (outcome.result, outcome.after.state) == (Result.REOPENED, "New")


def test_what_people_wrote_in_between_is_a_conflict_and_not_lost(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = closed_item(box)

    def person() -> None:
        box.ado.edit(number, tags=["completed", "urgent"])

    box.faults.add(Fault("ado", "human", method="PATCH", action=person))
    with pytest.raises(Conflict):
        plugin.reopen_issue(ref(box, number), reopening())
    fields = box.ado.work_item(number)["fields"]
    assert (fields["System.State"], fields["System.Tags"]) == ("Closed", "completed; urgent")
    plugin.reopen_issue(ref(box, number), reopening())
    assert box.ado.work_item(number)["fields"]["System.Tags"] == "reopened; urgent"
    assert len(box.ado.comments(number)) == 1


def test_nothing_is_posted_on_an_item_that_changed_since_it_was_looked_at(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = closed_item(box)
    looked_at = plugin.get_issue_status(ref(box, number)).revision
    plugin.reopen_issue(ref(box, number), reopening(revision=looked_at))

    with pytest.raises(Conflict):
        plugin.reopen_issue(ref(box, number), reopening(revision=looked_at))

    assert len(box.ado.comments(number)) == 1


def test_tags_that_may_not_be_made_are_left_out_and_said(box: Sandbox, plugin: AdoPlugin) -> None:
    box.ado.add_project("widgets", "Agile", create_tags=False)
    number = closed_item(box)
    outcome = plugin.reopen_issue(ref(box, number), reopening())
    assert (outcome.after.state, outcome.after.labels) == ("Active", ("area: x",))
    assert (outcome.labels_added, outcome.labels_removed) == ((), ("completed",))
    assert outcome.notes == (
        "not added, because this account may not create tags in the project: reopened",
    )
    assert sent(box) == ["GET", "PATCH", "PATCH"]
    assert len(box.ado.comments(number)) == 1


def test_where_the_tag_was_the_only_wish_nothing_more_is_sent(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.add_project("widgets", "Agile", create_tags=False)
    number = closed_item(box, state="Active", tags=[])
    outcome = plugin.reopen_issue(ref(box, number), reopening(comment=None))
    assert sent(box) == ["GET", "PATCH"]
    assert outcome.labels_added == ()
    assert len(outcome.notes) == 1


@pytest.mark.parametrize("act", ["read", "reopen"])
def test_an_item_in_a_project_that_is_not_configured_is_neither_shown_nor_changed(
    box: Sandbox, plugin: AdoPlugin, act: str
) -> None:
    box.ado.add_project("secret")
    # Its address says "widgets"; Azure DevOps finds items by their number alone.
    item = ref(box, closed_item(box, project="secret", title="Merger"))
    with pytest.raises(Rejected) as caught:
        CALLS[act](plugin, item)
    assert caught.value.id == "target-not-allowed"
    assert "Merger" not in str(caught.value)
    assert sent(box) == ["GET"]


def test_an_item_that_was_moved_is_found_where_it_is(box: Sandbox, tmp_path: Path) -> None:
    box.ado.add_project("gadgets")
    number = closed_item(box, project="gadgets")
    plugin = plugin_for(box, cache=tmp_path, projects=["gadgets"])
    outcome = plugin.reopen_issue(ref(box, number), reopening())
    assert outcome.after.ref == ref(box, number, "gadgets")
    found = plugin.find_comments(ref(box, number), OP, day_ago())
    assert len(found) == 1


def test_finds_the_comment_of_an_operation_whoever_posted_it(
    box: Sandbox, plugin: AdoPlugin, tmp_path: Path
) -> None:
    number = closed_item(box)
    box.ado.add_comment(number, "first")
    plugin_for(box, cache=tmp_path, token=box.ado.bot_token).reopen_issue(
        ref(box, number), reopening()
    )
    [found] = plugin.find_comments(ref(box, number), OP, day_ago())
    assert str(box.ado.comments(number)[-1]["id"]) == found.id
    assert plugin.find_comments(ref(box, number), OTHER_OP, day_ago()) == ()


def test_creates_an_item(box: Sandbox, plugin: AdoPlugin) -> None:
    outcome = plugin.create_issue(draft(), Change(OP, add_labels=("specs",)))
    fields = box.ado.work_item(int(outcome.after.ref.id))["fields"]
    assert (outcome.result, outcome.before) == (Result.CREATED, None)
    assert outcome.labels_added == ("specs",)
    assert fields["System.WorkItemType"] == "User Story"
    assert (fields["System.Title"], fields["System.Tags"]) == ("Smart discipline", "specs")
    assert fields["System.Description"].endswith(
        f"<p>Kept text</p><p>[unlatch end 0007-smart]</p>{MARKER}"
    )
    assert sent(box) == ["POST"]


def test_creates_an_item_of_the_type_that_the_increment_asks_for(
    box: Sandbox, tmp_path: Path
) -> None:
    plugin = plugin_for(box, cache=tmp_path, types={"bug": "Bug"})
    assert plugin.create_issue(draft(type="bug"), Change(OP)).after.type == "Bug"


def test_a_type_that_the_project_lacks_is_named(box: Sandbox, tmp_path: Path) -> None:
    plugin = plugin_for(box, cache=tmp_path, work_item_type="Saga")
    with pytest.raises(Rejected) as caught:
        plugin.create_issue(draft(), Change(OP))
    assert caught.value.id == "type-not-found"
    assert box.ado.items() == []


def test_nothing_is_created_without_a_project(box: Sandbox, tmp_path: Path) -> None:
    plugin = plugin_for(box, cache=tmp_path, project=None)
    with pytest.raises(Rejected) as caught:
        plugin.create_issue(draft(), Change(OP))
    assert caught.value.id == "target-missing"
    assert plugin.find_created(OP, day_ago()) is None


def test_creates_an_item_without_the_tags_that_may_not_be_made(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.add_project("widgets", "Agile", create_tags=False)
    outcome = plugin.create_issue(draft(), Change(OP, add_labels=("specs",)))
    assert outcome.labels_added == ()
    assert "specs" in outcome.notes[0]
    assert len(box.ado.items()) == 1


def test_once_an_item_is_made_an_unknown_state_is_an_unknown_outcome(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    answer = box.ado.work_item(closed_item(box))
    answer["fields"]["System.State"] = "Limbo"
    box.faults.add(Fault("ado", "status", method="POST", code=200, body=answer))
    with pytest.raises(UnknownOutcome):
        plugin.create_issue(draft(), Change(OP))


def test_finds_the_item_that_a_lost_answer_left_behind(box: Sandbox, plugin: AdoPlugin) -> None:
    box.faults.add(Fault("ado", "drop-after", method="POST"))
    with pytest.raises(UnknownOutcome):
        plugin.create_issue(draft(), Change(OP))
    box.ado.add_work_item(title="Smart discipline")
    found = plugin.find_created(OP, day_ago())
    assert found is not None
    assert found.ref.id == "101"
    assert plugin.find_created(OTHER_OP, day_ago()) is None


def test_finds_no_created_item_in_another_project_or_time(
    box: Sandbox, plugin: AdoPlugin, tmp_path: Path
) -> None:
    box.ado.add_project("it's")
    elsewhere = plugin_for(box, cache=tmp_path, project="gadgets")
    box.ado.add_project("gadgets")
    elsewhere.create_issue(draft(), Change(OP))
    assert plugin.find_created(OP, day_ago()) is None
    assert elsewhere.find_created(OP, datetime.now(UTC) + timedelta(days=1)) is None


def test_looks_through_more_new_items_than_fit_in_one_answer(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    made = plugin.create_issue(draft(), Change(OP)).after.ref
    for _ in range(201):
        box.ado.add_work_item(title="noise")
    box.requests.clear()
    found = plugin.find_created(OP, day_ago())
    assert found is not None
    assert found.ref == made
    assert sent(box) == ["POST", "POST", "POST"]


def test_updates_its_part_and_keeps_what_people_wrote(box: Sandbox, plugin: AdoPlugin) -> None:
    created = plugin.create_issue(draft("Old"), Change(OP)).after.ref
    number = int(created.id)
    before = box.ado.work_item(number)["fields"]["System.Description"]
    box.ado.edit(number, description=f"<div>Mine &amp; yours</div>{before}<div>Below</div>")
    box.requests.clear()
    outcome = plugin.update_issue(created, draft("New", title="Other"), Change(OTHER_OP))
    assert outcome.result is Result.UPDATED
    assert sent(box) == ["GET", "PATCH"]
    fields = box.ado.work_item(number)["fields"]
    expected = f"<div>Mine &amp; yours</div>{before.replace('Old', 'New')}<div>Below</div>"
    assert (fields["System.Title"], fields["System.Description"]) == ("Other", expected)


def test_an_update_that_changes_nothing_sends_nothing(box: Sandbox, plugin: AdoPlugin) -> None:
    created = plugin.create_issue(draft(), Change(OP)).after.ref
    box.requests.clear()
    assert plugin.update_issue(created, draft(), Change(OTHER_OP)).result is Result.UPDATED
    assert sent(box) == ["GET"]


def test_an_update_does_not_write_over_a_person(box: Sandbox, plugin: AdoPlugin) -> None:
    created = plugin.create_issue(draft("Old"), Change(OP)).after.ref

    def person() -> None:
        box.ado.edit(int(created.id), description="<p>All mine</p>")

    box.faults.add(Fault("ado", "human", method="PATCH", action=person))
    with pytest.raises(Conflict):
        plugin.update_issue(created, draft("New"), Change(OTHER_OP))
    assert box.ado.work_item(int(created.id))["fields"]["System.Description"] == "<p>All mine</p>"


def test_a_description_that_does_not_fit_is_refused_before_anything_is_written(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    long, item = draft("x" * 1_000_001), ref(box, closed_item(box))
    with pytest.raises(Rejected) as created:
        plugin.create_issue(long, Change(OP))
    with pytest.raises(Rejected) as updated:
        plugin.update_issue(item, long, Change(OP))
    assert (created.value.id, updated.value.id) == ("body-too-long", "body-too-long")
    assert {"POST", "PATCH"}.isdisjoint(sent(box))


def test_a_title_that_does_not_fit_is_cut_and_said(plugin: AdoPlugin) -> None:
    outcome = plugin.create_issue(draft(title="x" * 256), Change(OP))
    assert outcome.notes == ("the title was cut to 255 characters",)
    assert outcome.after.title == "x" * 252 + "..."


def test_hostile_text_is_read_back_unharmed(box: Sandbox, plugin: AdoPlugin) -> None:
    number = closed_item(box)
    plugin.reopen_issue(ref(box, number), reopening(comment=words(HOSTILE, "second")))
    [comment] = box.ado.comments(number)
    assert read_back(comment["text"]) == f"{CLEANED}\n\nsecond\n\nunlatch ref {OP}"
    assert "<script" not in comment["text"]


def test_hostile_titles_and_bodies_are_read_back_unharmed(box: Sandbox, plugin: AdoPlugin) -> None:
    made = plugin.create_issue(draft(HOSTILE, title=HOSTILE), Change(OP)).after
    fields = box.ado.work_item(int(made.ref.id))["fields"]
    assert fields["System.Title"] == " ".join(CLEANED.split())
    assert CLEANED in read_back(fields["System.Description"])
    again = plugin.update_issue(made.ref, draft(HOSTILE, title=HOSTILE), Change(OTHER_OP))
    assert again.before == again.after


def test_hostile_text_of_people_survives(box: Sandbox, plugin: AdoPlugin) -> None:
    theirs = "<p>\\1 \\g<0> $& [unlatch begin] &lt;b&gt;</p>"
    number = closed_item(box, description=theirs)
    plugin.update_issue(ref(box, number), draft(), Change(OP))
    assert box.ado.work_item(number)["fields"]["System.Description"].startswith(theirs)


FAILURES: list[tuple[dict[str, Any], type[TrackerError], str]] = [
    ({"kind": "status", "code": 401, "body": ""}, Unauthorised, "credential-expired"),
    ({"kind": "status", "code": 403, "body": "TF237111"}, Unauthorised, "area-not-permitted"),
    ({"kind": "status", "code": 403, "body": "no"}, Unauthorised, "forbidden"),
    ({"kind": "status", "code": 404, "body": "Page not found."}, NotFound, "item-not-found"),
    ({"kind": "status", "code": 409, "body": "TF26071: changed"}, Conflict, "conflict"),
    ({"kind": "status", "code": 412, "body": "VS403351"}, Conflict, "conflict"),
    ({"kind": "status", "code": 400, "body": "nonsense"}, Rejected, "tracker-rejected"),
    (
        {"kind": "status", "code": 500, "body": "only up to 10000 revisions are supported"},
        Rejected,
        "revision-limit",
    ),
    (
        {"kind": "redirect", "location": "https://x.example/_signin"},
        Unauthorised,
        "credential-expired",
    ),
    ({"kind": "redirect", "location": "https://x.example/y"}, Rejected, "redirected-write"),
    ({"kind": "error-after", "code": 502}, UnknownOutcome, "unknown-outcome"),
    ({"kind": "drop"}, UnknownOutcome, "unknown-outcome"),
    ({"kind": "truncate"}, UnknownOutcome, "unknown-outcome"),
]


@pytest.mark.parametrize(("fault", "kind", "id"), FAILURES)
def test_a_change_that_fails_says_how_and_is_not_sent_again(
    box: Sandbox, plugin: AdoPlugin, fault: dict[str, Any], kind: type[TrackerError], id: str
) -> None:
    number = closed_item(box)
    box.faults.add(Fault("ado", method="PATCH", **fault))
    with pytest.raises(kind) as caught:
        plugin.reopen_issue(ref(box, number), reopening())
    assert caught.value.id == id
    assert sent(box).count("PATCH") == 1


def test_a_change_that_is_throttled_is_sent_again_after_the_wait(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.faults.add(Fault("ado", "rate-limit", method="PATCH", seconds=7))
    outcome = plugin.reopen_issue(ref(box, closed_item(box)), reopening())
    assert outcome.result is Result.REOPENED
    assert sent(box) == ["GET", "PATCH", "PATCH"]


def test_throttling_without_end_is_transient(box: Sandbox, plugin: AdoPlugin) -> None:
    box.faults.add(Fault("ado", "rate-limit", method="PATCH", seconds=600, times=9))
    with pytest.raises(Transient) as caught:
        plugin.reopen_issue(ref(box, closed_item(box)), reopening())
    assert caught.value.retry_after == 600


CALLS: dict[str, Callable[[AdoPlugin, ItemRef], object]] = {
    "read": lambda plugin, item: plugin.get_issue_status(item),
    "reopen": lambda plugin, item: plugin.reopen_issue(item, reopening()),
    "create": lambda plugin, _: plugin.create_issue(draft(), Change(OP)),
    "find-created": lambda plugin, _: plugin.find_created(OP, day_ago()),
    "find-comments": lambda plugin, item: plugin.find_comments(item, OP, day_ago()),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_token_that_is_not_taken_is_said_to_be_expired(
    box: Sandbox, tmp_path: Path, call: str
) -> None:
    number = closed_item(box)
    plugin = plugin_for(box, cache=tmp_path, token="an-old-token")
    with pytest.raises(Unauthorised) as caught:
        CALLS[call](plugin, ref(box, number))
    assert caught.value.id == "credential-expired"
    assert "an-old-token" not in f"{caught.value!r} {caught.value} {caught.value.hint}"


@pytest.mark.parametrize("act", ["read", "reopen"])
def test_an_item_that_is_gone_is_not_found(box: Sandbox, plugin: AdoPlugin, act: str) -> None:
    number = closed_item(box)
    box.ado.delete(number)
    with pytest.raises(NotFound) as caught:
        CALLS[act](plugin, ref(box, number))
    assert caught.value.id == "item-deleted"
    assert "restore it" in (caught.value.hint or "")


def test_an_item_that_never_was_may_also_be_hidden(box: Sandbox, plugin: AdoPlugin) -> None:
    with pytest.raises(NotFound) as caught:
        plugin.get_issue_status(ref(box, 999))
    assert caught.value.id == "item-not-found"
    assert "recycle bin" in (caught.value.hint or "")
    assert "area path" in (caught.value.hint or "")


def test_a_rule_that_is_broken_names_the_field(box: Sandbox, plugin: AdoPlugin) -> None:
    body = {
        "message": "TF401320: Rule Error for field Cause. Error code: Required.",
        "typeKey": "RuleValidationException",
        "customProperties": {"FieldReferenceName": "Custom.Cause"},
    }
    number = closed_item(box)
    box.faults.add(Fault("ado", "status", method="PATCH", code=400, body=body))
    with pytest.raises(Rejected, match=r"Custom\.Cause") as caught:
        plugin.reopen_issue(ref(box, number), reopening())
    assert caught.value.id == "rule-broken"
    assert box.ado.work_item(number)["rev"] == 2


def test_a_lost_answer_leaves_one_comment_that_can_be_found(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = closed_item(box)
    box.faults.add(Fault("ado", "drop-after", method="PATCH"))
    with pytest.raises(UnknownOutcome):
        plugin.reopen_issue(ref(box, number), reopening())
    assert len(plugin.find_comments(ref(box, number), OP, day_ago())) == 1
    assert box.ado.work_item(number)["fields"]["System.State"] == "Active"


def test_a_rule_that_puts_the_item_elsewhere_is_not_taken_for_success(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = closed_item(box)
    answer = box.ado.work_item(number)
    answer["rev"] += 1
    box.faults.add(Fault("ado", "status", method="PATCH", code=200, body=answer))
    with pytest.raises(Rejected) as caught:
        plugin.reopen_issue(ref(box, number), reopening())
    assert caught.value.id == "state-not-taken"
