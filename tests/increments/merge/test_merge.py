"""Two versions of a metadata.json are merged by the meaning of their fields."""

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.increments.records.shapes import Shapes
from unlatch.spi.manifest import LinkShape
from unlatch.worklog.json_text.document import JsonText, JsonTextError, render_new
from unlatch_merge.metadata import Merged, merge, merge_events, merge_metadata
from unlatch_merge.outcome import ABSENT, Clash, Side, UnmergeableError

SHAPES = Shapes(
    {"github": LinkShape("issue", "url", number=True), "jira": LinkShape("issueKey", "url")},
    {
        "github": LinkShape("issueNumber", "issueUrl", number=True),
        "jira": LinkShape("issueKey", "issueUrl"),
    },
)
URL = "https://github.com/octo/widgets/issues/"


def ulid(number: int) -> str:
    return f"01JB{number:022d}"


def time(number: int) -> str:
    return f"2025-11-{1 + number // 24:02d}T{number % 24:02d}:00:00Z"


def completed(**more: Any) -> dict[str, Any]:
    return {
        "id": "0007-smart-discipline",
        "status": "completed",
        "type": "feature",
        "created": time(0),
        "lastActivity": time(1),
        "completedAt": time(1),
        "github": {"issue": 4, "url": f"{URL}4"},
        **more,
    }


def reopened(before: dict[str, Any], number: int, reason: str) -> dict[str, Any]:
    """A completed increment after a reopen."""
    after = copy.deepcopy(before)
    after.pop("completedAt", None)
    after.update(status="active", lastActivity=time(number))
    after.setdefault("reopenHistory", []).append(
        {
            "id": ulid(number),
            "reopenedAt": time(number),
            "reason": reason,
            "previousStatus": "completed",
            "reopenedBy": "Gil Git",
            "syncedTo": {},
        }
    )
    after.setdefault("pending", []).append(operation(number))
    return after


def operation(number: int, item: str = f"{URL}4", **more: Any) -> dict[str, Any]:
    owed = {"op": ulid(number), "kind": "reopen", "tracker": "github", "item": item}
    return {**owed, "at": time(number), **more}


def delivered(before: dict[str, Any], number: int) -> dict[str, Any]:
    after = copy.deepcopy(before)
    after["pending"] = [one for one in after["pending"] if one["op"] != ulid(number)]
    if not after["pending"]:
        del after["pending"]
    for entry in after["reopenHistory"]:
        if entry["id"] == ulid(number):
            entry["syncedTo"]["github"] = {"issueNumber": 4, "issueUrl": f"{URL}4"}
    after["github"]["base"] = {"local": "active", "remote": "todo", "state": "open"}
    return after


def finished(before: dict[str, Any], number: int) -> dict[str, Any]:
    after = copy.deepcopy(before)
    after.update(status="completed", lastActivity=time(number), completedAt=time(number))
    after.setdefault("pending", []).append(operation(number, kind="close"))
    return after


def united(base: dict[str, Any] | None, ours: Any, theirs: Any, **options: Any) -> Merged:
    return merge(base, ours, theirs, shapes=SHAPES, **options)


def clean(base: dict[str, Any] | None, ours: Any, theirs: Any) -> dict[str, Any]:
    merged = united(base, ours, theirs)
    assert () == merged.clashes
    return merged.value


def undone(before: dict[str, Any], number: int) -> dict[str, Any]:
    after = copy.deepcopy(before)
    after.update(status="completed", lastActivity=time(number), completedAt=time(1))
    after["reopenHistory"][-1] |= {"revertedAt": time(number), "revert": ulid(number)}
    after.setdefault("pending", []).append(operation(number, kind="undo", by="Gil"))
    return after


def shown(data: dict[str, Any]) -> str:
    """The status, the hour of the completion, the reasons, and what is pending, by its hour."""
    hour = {time(number): str(number) for number in range(24)}.get
    pending = [
        f"{one['kind']} {int(one['op'][4:])}{'' if one.get('state', True) else ' without state'}"
        for one in data.get("pending", [])
    ]
    reasons = [entry["reason"] for entry in data.get("reopenHistory", [])]
    status = " ".join([data["status"], *filter(None, [hour(str(data.get("completedAt")))])])
    return "; ".join([status, ", ".join(reasons), ", ".join(pending)])


DONE = completed()
OPEN = reopened(DONE, 5, "why")
MISTAKE = reopened(DONE, 5, "mistake") | {"status": "completed", "completedAt": time(1)}
MISTAKE["reopenHistory"][0]["revertedAt"] = time(6)
AGAIN = reopened(finished(OPEN, 7), 9, "again")
UNLINKED = {key: value for key, value in DONE.items() if key != "github"}
LATE = reopened(DONE, 9, "first")
BEHIND = reopened(finished(LATE, 3), 4, "second")
SPELT = completed(status="in-progress")
SCENES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], str, str | None]] = {
    "two reopens are both kept, in the order of their times": (
        *(DONE, reopened(DONE, 9, "mine"), reopened(DONE, 5, "yours")),
        *("active; yours, mine; reopen 5, reopen 9", None),
    ),
    "completed here, reopened again there": (
        *(OPEN, finished(OPEN, 8), AGAIN),
        "completed 8; why, again; reopen 5, close 8, reopen 9 without state",
        "active; why, again; reopen 5, close 7, reopen 9",
    ),
    "the side whose status is not taken has reasons pending, and no state": (
        *(DONE, OPEN, finished(reopened(DONE, 6, "other"), 7)),
        "active; why, other; reopen 5, reopen 6 without state",
        "completed 7; why, other; reopen 5 without state, reopen 6, close 7",
    ),
    "a reopen that was undone is no change of status": (
        *(DONE, MISTAKE, reopened(DONE, 7, "for good")),
        *("active; mistake, for good; reopen 5 without state, reopen 7", None),
    ),
    "an undo that was decided against closes nothing": (
        *(OPEN, undone(OPEN, 8), AGAIN),
        "completed 1; why, again; reopen 5, undo 8, reopen 9 without state",
        "active; why, again; reopen 5, close 7, reopen 9",
    ),
    "completed here, abandoned there: both closes are pending": (
        *(OPEN, finished(OPEN, 8), {**finished(OPEN, 9), "status": "abandoned"}),
        "completed 8; why; reopen 5, close 8, close 9",
        "abandoned 9; why; reopen 5, close 8, close 9",
    ),
    "beside an unknown status nothing pending is dropped": (
        *(OPEN, {**OPEN, "status": "frozen"}, finished(OPEN, 7)),
        *("frozen; why; reopen 5, close 7", "completed 7; why; reopen 5, close 7"),
    ),
    "a status in another spelling is no change": (
        *(SPELT, {**SPELT, "status": "active"}, finished(SPELT, 3), "completed 3; ; close 3", None),
    ),
    "completed on both sides: at the later time": (
        *(OPEN, finished(OPEN, 8), finished(OPEN, 7)),
        *("completed 8; why; reopen 5, close 7, close 8", None),
    ),
    "a clock that is behind does not reverse the order of one side": (
        *(LATE, BEHIND, {**LATE, "pending": [*LATE["pending"], operation(10)]}),
        *("active; first, second; reopen 9, close 3, reopen 4, reopen 10", None),
    ),
    "a link that one side cut takes with it what the other has pending": (
        *(DONE, OPEN, UNLINKED, "active; why; ", None),
    ),
    "what one clone delivered is not pending any more": (
        *(OPEN, {**OPEN, "title": "T"}, delivered(OPEN, 5), "active; why; ", None),
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_what_two_clones_did_is_merged_by_its_meaning_or_decided_by_people(scene: str) -> None:
    base, ours, theirs, by_ours, by_theirs = SCENES[scene]

    merged = united(base, ours, theirs)

    assert by_ours == shown(merged.value)
    assert ([] if by_theirs is None else ["/status"]) == [one.field for one in merged.clashes]
    other = united(base, ours, theirs, take=Side.THEIRS).value
    assert (by_theirs or by_ours) == shown(other)


# Situations


def test_each_side_delivered_to_another_item_of_a_shape_that_specweave_wrote() -> None:
    entries = {"US-001": {"issueNumber": 4}, "US-002": {"issueNumber": 5}}
    listed = [{"userStory": "US-003", "number": 6}, {"userStory": "US-004", "number": 7}]
    base = completed(externalLinks={"github": {"issues": entries}})
    base["github"] = {"issues": listed, "lastSync": time(1)}
    ours, theirs = copy.deepcopy(base), copy.deepcopy(base)
    synced = {"local": "active", "remote": "todo", "state": "open"}
    ours["externalLinks"]["github"]["issues"]["US-001"]["base"] = synced
    ours["github"]["issues"][0]["base"] = synced
    theirs["externalLinks"]["github"]["issues"]["US-002"]["base"] = synced
    theirs["github"]["issues"][1]["base"] = synced
    merged = clean(base, ours, theirs)
    assert merged["externalLinks"]["github"]["issues"] == {
        "US-001": {"issueNumber": 4, "base": synced},
        "US-002": {"issueNumber": 5, "base": synced},
    }
    assert merged["github"]["issues"] == [{**one, "base": synced} for one in listed]


def test_a_base_that_both_changed_in_such_a_shape_is_forgotten() -> None:
    base = completed(externalLinks={"github": {"issues": {"US-001": {"issueNumber": 5}}}})
    ours, theirs = copy.deepcopy(base), copy.deepcopy(base)
    for side, word in ((ours, "active"), (theirs, "completed")):
        side["externalLinks"]["github"]["issues"]["US-001"]["base"] = {"local": word}
    assert clean(base, ours, theirs) == base


@pytest.mark.parametrize("swap", [False, True])
def test_what_one_clone_delivered_and_the_other_sent_without_an_answer_stays_in_doubt(
    swap: bool,
) -> None:
    base = reopened(completed(), 2, "mine")
    attempt = {"n": 1, "at": time(3)}
    in_doubt = {**base, "pending": [operation(2, attempt=attempt)]}
    sides = [delivered(base, 2), in_doubt]

    merged = clean(base, *(sides[::-1] if swap else sides))

    assert [operation(2, attempt=attempt)] == merged["pending"]
    assert "github" in merged["reopenHistory"][0]["syncedTo"]
    settled = {**base, "pending": [operation(2, attempt={**attempt, "ended": time(4)})]}
    assert "pending" not in clean(base, delivered(base, 2), settled)


@pytest.mark.parametrize("swap", [False, True])
def test_one_reopen_that_two_clones_made_is_the_earlier_and_names_the_other(swap: bool) -> None:
    base = completed()
    early, late = (reopened(base, 5, "mine") for _ in range(2))
    late["reopenHistory"][0] |= {"reopenedAt": time(9), "reopenedBy": "Dana"}
    late["pending"][0]["at"] = time(9)
    early["reopenHistory"][0]["syncedTo"] = {"jira": {"issueKey": "A-1"}}
    late["reopenHistory"][0]["syncedTo"] = {"github": {"issueNumber": 4}}

    merged = clean(base, *((late, early) if swap else (early, late)))

    (entry,), (pending,) = merged["reopenHistory"], merged["pending"]
    assert (time(5), "Gil Git", time(5)) == (
        entry["reopenedAt"],
        entry["reopenedBy"],
        pending["at"],
    )
    assert [{"by": "Dana", "at": time(9)}] == entry["alsoBy"]
    assert {"jira", "github"} == {*entry["syncedTo"]}
    assert merged == clean(base, merged, late)
    same = copy.deepcopy(early)
    same["reopenHistory"][0]["syncedTo"] = {}
    assert "alsoBy" not in clean(base, early, same)["reopenHistory"][0]


def test_the_later_parking_stands_with_its_cause() -> None:
    base = reopened(completed(), 5, "why")
    ours, theirs = copy.deepcopy(base), copy.deepcopy(base)
    ours["pending"][0] |= {"cause": "item-locked", "parkedAt": time(9)}
    theirs["pending"][0] |= {"cause": "item-not-found", "parkedAt": time(8)}
    assert ours["pending"] == clean(base, ours, theirs)["pending"]


def test_undone_on_both_sides_is_undone_once_by_the_later() -> None:
    base = reopened(completed(), 5, "why")
    value = clean(base, undone(base, 8), undone(base, 7))
    entry = value["reopenHistory"][0]
    assert (time(8), ulid(8)) == (entry["revertedAt"], entry["revert"])


def test_a_first_link_on_each_side_makes_a_list() -> None:
    base = completed()
    del base["github"]
    ours = {**base, "github": {"issue": 5, "url": f"{URL}5"}}
    theirs = {**base, "github": {"issue": 6, "url": f"{URL}6"}}
    merged = clean(base, ours, theirs)
    assert merged["github"] == {**ours["github"], "items": [ours["github"], theirs["github"]]}
    assert merged == clean(base, merged, theirs)


@pytest.mark.parametrize(
    ("tracker", "ours", "theirs"),
    [
        (
            "github",
            {"issue": 5, "url": f"{URL}5"},
            {"issue": 5, "url": "https://github.com/Octo/Widgets/issues/5/?x=1#issue-1"},
        ),
        (
            "jira",
            {"issueKey": "SCRUM-5", "url": "https://a.atlassian.net/browse/SCRUM-5"},
            {"issueKey": "scrum-5", "url": "https://a.atlassian.net/issues/scrum-5"},
        ),
        ("jira", {"issueKey": "SCRUM-5"}, {"issueKey": "scrum-5"}),
    ],
)
def test_one_item_in_two_spellings_is_one_link(
    tracker: str, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    base = completed()
    del base["github"]
    merged = clean(base, {**base, tracker: ours}, {**base, tracker: theirs})
    assert ours == merged[tracker]


def test_a_block_that_names_an_item_twice_is_for_people_to_decide() -> None:
    base = completed()
    twice = {"issue": 5, "items": [{"issue": 5}, {"issue": 5}]}
    merged = united(base, {**base, "github": twice}, {**base, "github": {"issue": 6}})
    assert (Clash(("github", "issue"), 5, 6),) == merged.clashes


def test_what_was_last_seen_of_an_item_is_forgotten_where_both_saw_something_else() -> None:
    base = completed()
    ours, theirs = copy.deepcopy(base), copy.deepcopy(base)
    ours["github"]["base"] = {"local": "completed", "remote": "done", "state": "closed"}
    theirs["github"]["base"] = {"local": "completed", "remote": "todo", "state": "open"}
    assert base["github"] == clean(base, ours, theirs)["github"]


def amended(before: dict[str, Any], number: int, **more: Any) -> dict[str, Any]:
    after = copy.deepcopy(before)
    entry = {"id": ulid(number), "at": time(number), "by": "Gil Git", **more}
    after.setdefault("amendments", []).append(entry)
    return after


BOTH = ("spec.md", "tasks.md")


@pytest.mark.parametrize("records", ["amendments", "reopenHistory"])
@pytest.mark.parametrize(
    ("ours", "theirs", "left"),
    [
        ((), BOTH, None),
        (("tasks.md",), (), None),
        (("tasks.md",), BOTH, ["tasks.md"]),
        (("tasks.md",), ("spec.md",), []),
    ],
)
def test_documents_that_one_clone_wrote_are_not_written_again(
    records: str, ours: tuple[str, ...], theirs: tuple[str, ...], left: list[str] | None
) -> None:
    def version(names: tuple[str, ...]) -> dict[str, Any]:
        after = amended(reopened(completed(), 2, "a bug"), 3)
        after[records][0] |= {"unwritten": [*names]} if names else {}
        return after

    for first, second in ((ours, theirs), (theirs, ours)):
        merged = clean(version(BOTH), version(first), version(second))
        assert left == merged[records][0].get("unwritten")


def unwritten(*numbers: int) -> dict[str, Any]:
    """A completed increment whose events.jsonl lacks these events."""
    events = [{"id": ulid(one), "at": time(one), "event": "note", "by": "x"} for one in numbers]
    return completed(**({"unwrittenEvents": events} if events else {}))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "left"),
    [
        (None, [1, 3], [1, 2], [1, 2, 3]),  # without a common ancestor
        ([], [3], [2], [2, 3]),
        ([1], [1, 3], [1, 2], [1, 2, 3]),
        ([1], [], [1, 2], [2]),
        ([1, 2], [3], [1, 2], [3]),
        ([1], [], [], []),
        ([1, 2], [1], [2, 3], [3]),
    ],
)
def test_events_that_both_sides_keep_stay_until_one_has_written_them(
    base: list[int] | None, ours: list[int], theirs: list[int], left: list[int]
) -> None:
    ancestor = None if base is None else render_new(unwritten(*base))
    sides = [render_new(unwritten(*numbers)) for numbers in (ours, theirs)]

    for mine, other in (sides, sides[::-1]):
        merged = merge_metadata(ancestor, mine, other, shapes=SHAPES)
        assert ((), unwritten(*left)) == (merged.clashes, json.loads(merged.content))


def test_items_that_two_clones_reached_are_all_told() -> None:
    base = reopened(completed(), 5, "why")
    ours, theirs = copy.deepcopy(base), copy.deepcopy(base)
    ours["reopenHistory"][0]["syncedTo"] = {"github": {"issueNumber": 4, "issueUrl": f"{URL}4"}}
    theirs["reopenHistory"][0]["syncedTo"] = {
        "github": {"issueNumber": 5, "issueUrl": f"{URL}5"},
        "jira": {"issueKey": "SCRUM-28"},
    }
    synced = clean(base, ours, theirs)["reopenHistory"][0]["syncedTo"]
    assert [4, 5] == [item["issueNumber"] for item in synced["github"]["items"]]
    assert {"issueKey": "SCRUM-28"} == synced["jira"]


def reached(category: str | None, **more: Any) -> dict[str, Any]:
    """The record of a clone about an item that its reopen reached."""
    item = {"issueNumber": 4, "issueUrl": f"{URL}4"}
    seen: dict[str, Any] = {"state": "Some", "category": category, "labels": []}
    return {"github": {**item, "items": [{**item, "before": seen, **more}]}}


def effect(line: str) -> dict[str, Any]:
    """The same as this version writes it."""
    item = {"issueNumber": 4, "issueUrl": f"{URL}4"}
    return {"github": {**item, "items": [{**item, "effect": line}]}}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (effect("Some:done Some:todo"), effect("Some:todo Some:todo +reopened")),
        (effect("Some:done Some:todo +reopened"), effect("Some:done Some:todo")),
        (effect("Some:done Some:todo"), reached("todo")),
        (reached("done"), effect("Some:todo Some:todo +reopened")),
        (reached("done", labelsAdded=["reopened"]), reached("todo")),
        (reached("done"), reached("todo", labelsAdded=["reopened"])),
        (reached("done"), reached(None, labelsAdded=["reopened"])),
        (reached("dropped"), reached(None)),
        (reached("todo"), reached("todo", before=None, labelsAdded=["reopened"])),
        (reached("done"), reached("done", before={"category": "done"}, labelsRemoved=["x"])),
        (reached("todo", labelsRemoved=["x", "y"]), reached(None, labelsAdded=["z"])),
    ],
    ids=[
        *(
            "closed, in one line",
            "more labels, in one line",
            "beside the earlier form",
            "the earlier form stands",
        ),
        *("closed, and more labels", "closed", "not in a state without category", "dropped"),
        *("not without what it saw", "not without a state", "both open: more labels"),
    ],
)
def test_of_an_item_that_two_clones_reopened_the_record_of_the_first_stands(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    base = reopened(completed(), 5, "why")
    ours, theirs = copy.deepcopy(base), copy.deepcopy(base)
    ours["reopenHistory"][0]["syncedTo"] = second
    theirs["reopenHistory"][0]["syncedTo"] = first
    for mine, other in ((ours, theirs), (theirs, ours)):
        assert first == clean(base, mine, other)["reopenHistory"][0]["syncedTo"]


def test_of_two_attempts_the_later_stands_with_what_the_first_found() -> None:
    base = reopened(completed(), 5, "why")
    ours, theirs = copy.deepcopy(base), copy.deepcopy(base)
    closed, opened = (
        {"state": state, "category": category, "labels": list[str]()}
        for state, category in (("closed", "done"), ("open", "todo"))
    )
    ours["pending"][0]["attempt"] = {"n": 1, "at": time(7), "before": opened, "ended": time(8)}
    theirs["pending"][0]["attempt"] = {"n": 2, "at": time(6), "before": closed}
    for one, other in ((ours, theirs), (theirs, ours)):
        attempt = clean(base, one, other)["pending"][0]["attempt"]
        assert {"n": 1, "at": time(7), "before": closed} == attempt


SEEN = {"state": "Closed", "category": "done", "labels": list[str]()}
EARLIER = {"state": "Open", "category": "todo", "labels": list[str]()}


@pytest.mark.parametrize(
    ("own", "taken_over"),
    [
        ({}, {"n": 0, "at": time(7), "before": SEEN}),
        (
            {"attempt": {"n": 3, "at": time(8), "ended": time(8)}},
            {"n": 3, "at": time(7), "before": SEEN},
        ),
        (
            {"attempt": {"n": 3, "at": time(8), "ended": time(8), "before": EARLIER}},
            {"n": 3, "at": time(7), "before": EARLIER},
        ),
        ({"attempt": {"n": 3, "at": time(8)}}, {"n": 3, "at": time(8)}),
    ],
    ids=["not sent", "sent without a look", "sent after a look", "in doubt, too"],
)
def test_an_undo_takes_over_the_doubt_about_a_reopen_that_the_other_clone_sent(
    own: dict[str, Any], taken_over: dict[str, Any]
) -> None:
    base = reopened(completed(), 5, "why")
    ours, theirs = undone(base, 8), copy.deepcopy(base)
    ours["pending"] = [ours["pending"][-1] | own]
    theirs["pending"][0]["attempt"] = {"n": 2, "at": time(7), "before": SEEN}
    for mine, other in ((ours, theirs), (theirs, ours)):
        (owed,) = clean(base, mine, other)["pending"]
        assert ("undo", taken_over) == (owed["kind"], owed["attempt"])


@pytest.mark.parametrize("key", ["title", "labels"])
def test_a_field_that_both_changed_differently_is_for_people_to_decide(key: str) -> None:
    base = completed(title="a", labels=["x"])
    ours, theirs = {**base, key: ["ours"]}, {**base, key: "theirs"}
    assert (Clash((key,), ["ours"], "theirs"),) == united(base, ours, theirs).clashes


def test_a_field_that_one_side_removed_and_the_other_changed_is_for_people_to_decide() -> None:
    base = completed(notes={"a": 1})
    theirs = {key: value for key, value in base.items() if key != "notes"}
    merged = united(base, {**base, "notes": {"a": 2}}, theirs)
    assert (Clash(("notes",), {"a": 2}, ABSENT),) == merged.clashes


def test_without_a_common_ancestor_what_is_alike_is_kept_and_the_rest_decided() -> None:
    merged = united(None, completed(a=1, c=1), completed(b=2, c=2))
    assert ["/c"] == [clash.field for clash in merged.clashes]
    assert (1, 2) == (merged.value["a"], merged.value["b"])


@pytest.mark.parametrize("key", ["created", "lastActivity", "completedAt"])
def test_a_time_that_one_side_removed_is_the_one_that_the_other_changed(key: str) -> None:
    base = completed()
    changed = {**base, key: time(5)}
    removed = {name: value for name, value in base.items() if name != key}
    assert time(5) == clean(base, changed, removed)[key] == clean(base, removed, changed)[key]


# Any two lives


def _reopen(data: dict[str, Any], number: int) -> None:
    data.update(reopened(data, number, f"reason {number}"))
    data.pop("completedAt", None)


def _finish(data: dict[str, Any], number: int) -> None:
    data.update(finished(data, number))


def _deliver(data: dict[str, Any], number: int) -> None:
    if data.get("pending"):
        owed = data["pending"].pop(number % len(data["pending"]))
        for entry in data.get("reopenHistory", []):
            if entry["id"] == owed["op"]:
                entry["syncedTo"]["github"] = {"issueNumber": 4, "issueUrl": owed["item"]}
        if not data["pending"]:
            del data["pending"]


def _park(data: dict[str, Any], number: int) -> None:
    if data.get("pending"):
        owed = data["pending"][number % len(data["pending"])]
        owed |= {"cause": f"cause-{number}", "parkedAt": time(number)}


def _owe(data: dict[str, Any], number: int) -> None:
    data.setdefault("pending", []).append(
        operation(number, kind="update", item=f"{URL}{4 + number % 2}", by="Gil")
    )


def _link(data: dict[str, Any], number: int) -> None:
    block = data.setdefault("github", {})
    new = {"issue": number + 10, "url": f"{URL}{number + 10}"}
    if "issue" not in block:
        block.update(new)
        return
    if "items" not in block:
        block["items"] = [{key: block[key] for key in ("issue", "url")}]
    block["items"].append(new)


def _unlink(data: dict[str, Any], _number: int) -> None:
    block = data.get("github", {})
    if "items" in block:
        block["items"].pop()
        if len(block["items"]) == 1:
            del block["items"]
    else:
        data.pop("github", None)


def _note(data: dict[str, Any], number: int) -> None:
    data.setdefault("notes", {})[f"key{number % 3}"] = number


def _forget(data: dict[str, Any], number: int) -> None:
    data.get("notes", {}).pop(f"key{number % 3}", None)


def _field(data: dict[str, Any], number: int) -> None:
    data[f"field{number % 3}"] = [number]


def _keep_event(data: dict[str, Any], number: int) -> None:
    data.setdefault("unwrittenEvents", []).extend(unwritten(number)["unwrittenEvents"])


def _write_events(data: dict[str, Any], _number: int) -> None:
    data.pop("unwrittenEvents", None)


STEPS = (
    *(_reopen, _finish, _deliver, _park, _owe, _link, _unlink, _note, _forget, _field),
    *(_keep_event, _write_events),
)
lives = st.lists(st.sampled_from(STEPS), max_size=6)


@st.composite
def versions(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A common ancestor and the versions of two clones, with different times for all steps."""
    base = completed()
    number = 2
    for step in draw(lives):
        step(base, number)
        number += 1
    sides = []
    for _ in range(2):
        side = copy.deepcopy(base)
        for step in draw(lives):
            step(side, number)
            number += 1
        sides.append(side)
    return base, sides[0], sides[1]


any_versions = given(versions())


def _unordered(value: Any) -> Any:
    if isinstance(value, dict):
        plain = {"issue", "url", "issueNumber", "issueUrl"} if "items" in value else ()
        return {key: _unordered(one) for key, one in value.items() if key not in plain}
    if isinstance(value, list):
        return sorted(
            (_unordered(one) for one in value), key=lambda one: json.dumps(one, sort_keys=True)
        )
    return value


@any_versions
def test_whoever_merges_gets_the_same_up_to_order(case: Any) -> None:
    base, ours, theirs = case
    one, other = united(base, ours, theirs), united(base, theirs, ours, take=Side.THEIRS)
    assert _unordered(one.value) == _unordered(other.value)
    assert {c.place: (c.ours, c.theirs) for c in one.clashes} == {
        c.place: (c.theirs, c.ours) for c in other.clashes
    }


@any_versions
def test_a_side_that_changed_nothing_changes_nothing(case: Any) -> None:
    base, ours, _ = case
    before = copy.deepcopy((base, ours))
    assert [ours] * 3 == [clean(base, ours, ours), clean(base, ours, base), clean(base, base, ours)]
    assert before == (base, ours)


@any_versions
def test_merging_what_was_merged_changes_nothing(case: Any) -> None:
    base, ours, theirs = case
    value = united(base, ours, theirs).value
    assert value == united(ours, value, ours).value
    assert value == united(theirs, theirs, value).value


def _keys(data: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(one["op"], one["tracker"], one["item"]) for one in data.get("pending", [])}


def _kept_events(data: dict[str, Any]) -> set[str]:
    return {one["id"] for one in data.get("unwrittenEvents", [])}


def _urls(data: dict[str, Any]) -> set[str]:
    block = data.get("github", {})
    return {item["url"] for item in block.get("items", [block] if block else [])}


@any_versions
def test_nothing_is_lost_and_what_was_removed_stays_removed(case: Any) -> None:
    base, ours, theirs = case
    value = united(base, ours, theirs).value
    entries = {
        one["id"]: one["reason"] for s in (ours, theirs) for one in s.get("reopenHistory", [])
    }
    assert entries == {one["id"]: one["reason"] for one in value.get("reopenHistory", [])}

    written = _kept_events(base) - (_kept_events(ours) & _kept_events(theirs))
    assert (_kept_events(ours) | _kept_events(theirs)) - written == _kept_events(value)

    cut = _urls(base) - (_urls(ours) & _urls(theirs))
    assert (_urls(ours) | _urls(theirs)) - cut == _urls(value)

    gone = _keys(base) - (_keys(ours) & _keys(theirs))
    owed = {
        key
        for side, other in ((ours, theirs), (theirs, ours))
        for key in _keys(side) - gone
        if key in _keys(other) or key[2] not in _urls(base) - _urls(other)
    }
    assert set() == _keys(value) - owed
    kinds = {
        key: one
        for side in (ours, theirs)
        for one in side.get("pending", [])
        if (key := (one["op"], one["tracker"], one["item"])) in owed
    }
    # A close without a reason may be superseded; everything else is still pending.
    assert {"close"} >= {kinds[key]["kind"] for key in owed - _keys(value)}


@any_versions
def test_unknown_fields_survive(case: Any) -> None:
    base, ours, theirs = case
    value = united(base, ours, theirs).value
    for name in ("field0", "field1", "field2"):
        said = [side[name] for side in (ours, theirs) if side.get(name) != base.get(name)]
        wanted = said[0] if said else base.get(name)
        assert wanted == value.get(name)


@any_versions
def test_the_text_holds_the_merged_value_or_marks_both(case: Any) -> None:
    base, ours, theirs = case
    raw = [render_new(one) for one in case]
    done = merge_metadata(*raw, shapes=SHAPES)
    if not done.clashes:
        assert united(base, ours, theirs).value == JsonText.parse(done.content).value
        return
    with pytest.raises(JsonTextError, match="conflict markers"):
        JsonText.parse(done.content)
    for side in Side:
        half = JsonText.parse(_half(done.content.decode(), side).encode()).value
        assert united(base, ours, theirs, take=side).value == half


def _half(text: str, side: Side) -> str:
    hunk = r"<<<<<<< ours\r?\n((?:.*\n)*?)=======\r?\n((?:.*\n)*?)>>>>>>> theirs\r?\n"
    return re.sub(hunk, lambda match: match[1 if side is Side.OURS else 2], text)


# Text


BASE = """{
  "id": "0007-smart-discipline",
  "status": "completed",

  "tags": ["a",  "b"],
  "lastActivity": "2025-11-01T00:00:00Z"
}"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_lines_that_clash_are_marked(end: str) -> None:
    ours = BASE.replace("completed", "active").replace('"a",  "b"', '"a"')
    theirs = BASE.replace("completed", "abandoned").replace("2025-11-01", "2025-11-02")
    raw = (text.replace("\n", end).encode() for text in (BASE, ours, theirs))
    marked = (
        BASE.replace('"a",  "b"', '"a"')
        .replace("2025-11-01", "2025-11-02")
        .replace(
            '  "status": "completed",\n',
            '<<<<<<< ours\n  "status": "active",\n=======\n  "status": "abandoned",\n'
            ">>>>>>> theirs\n",
        )
    )
    assert marked.replace("\n", end) == merge_metadata(*raw, shapes=SHAPES).content.decode()


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("{", "not valid JSON"),
        ("[]", "no JSON object"),
        ('{"a": 1, "a": 2}', "/a twice"),
        ('{"formatVersion": 3}', "format version 3"),
        ("<<<<<<< ours\n{}\n=======\n", "conflict markers"),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_version_that_would_lose_something_is_refused(broken: str, why: str, place: int) -> None:
    raw = [BASE.encode()] * 3
    raw[place] = broken.encode()
    with pytest.raises(UnmergeableError, match=why):
        merge_metadata(*raw, shapes=SHAPES)


def test_events_of_both_sides_are_kept_each_once() -> None:
    ours, theirs = b'{"id": "1"}\n{"id": "2"}', b'{"id": "1"}\n{"id": "3"}\n'
    assert b'{"id": "1"}\n{"id": "2"}\n{"id": "3"}\n' == merge_events(ours, theirs)


def of_unit(shows: str, by: str) -> dict[str, Any]:
    return {
        "id": "001-photo",
        "status": "active",
        "unit": {"layout": "spec-kit", "path": "specs/001-photo", "shows": shows, "by": by},
    }


@pytest.mark.parametrize("base", [None, of_unit("planning", "0/3 tasks")])
@pytest.mark.parametrize("other", [("active", "9/10 tasks"), ("completed", "9/9 tasks")])
def test_a_unit_that_both_recorded_keeps_the_evidence_of_the_most_work(
    base: dict[str, Any] | None, other: tuple[str, str]
) -> None:
    one, most = of_unit(*other), of_unit("completed", "10/10 tasks")

    assert clean(base, one, most) == clean(base, most, one) == most


def test_a_reopen_survives_what_specweave_status_makes_of_the_file() -> None:
    """`specweave status` 1.0.593 adds keys, lays the file out anew and drops the last newline."""
    base = completed(ours={"a": [1, 2]}, status="active")
    added = {"externalLinks": {}, "testMode": "test-after", "coverageTarget": 80}
    by_status = json.dumps({**base, **added}, indent=2).encode()
    mine = reopened(base, 5, "why")
    own = json.dumps(mine).encode()

    for ours, theirs in ((own, by_status), (by_status, own)):
        merged = merge_metadata(json.dumps(base).encode(), ours, theirs, shapes=SHAPES)
        assert () == merged.clashes
        assert {**mine, **added} == json.loads(merged.content)
