"""All git commands that merge use the meaning of an increment's fields."""

import json

import pytest
from tests.git.clone import NAME, Clone

from unlatch.worklog.disk.file_check import LARGEST

Two = tuple[Clone, Clone]


def test_reopened_in_two_clones_for_different_reasons(reopened: Two) -> None:
    here = reopened[1]
    here.merge()

    merged = here.metadata()
    assert {"ours", "theirs"} == set(here.reasons)
    assert [entry["id"] for entry in merged["reopenHistory"]] == [
        owed["op"] for owed in merged["pending"]
    ]
    assert "active" == merged["status"]
    assert "" == here.git("status", "--porcelain")
    history = here.unlatch("history", "7", "--json").document["events"]
    events = [event["id"] for event in history if event["event"] == "reopened"]
    assert [entry["id"] for entry in merged["reopenHistory"]] == events


def test_undo_takes_back_every_reopen_that_git_merged(reopened: Two) -> None:
    here = reopened[1]
    here.merge()

    done = here.unlatch("undo", "7", "--yes", "--offline")

    merged = here.metadata()
    assert "note: undid 2 reopens: git merged them from several clones" in done.err
    assert ["completed", "2025-10-02T08:00:00Z"] == [merged["status"], merged["completedAt"]]
    assert [True, True] == ["revertedAt" in entry for entry in merged["reopenHistory"]]
    assert ["undo"] == [one["kind"] for one in merged["pending"]]
    totals = here.unlatch("history", "--all", "--json").document
    assert (0, 2) == (totals["reopens"], totals["undone"])


def test_undo_leaves_a_reopen_that_another_clone_has_completed(two: Two) -> None:
    there, here = two
    there.resume("theirs")
    there.complete()
    here.git("pull", "--quiet", "origin", "main")
    here.resume("ours")

    here.unlatch("undo", "7", "--yes", "--offline")

    undone = ["revertedAt" in entry for entry in here.metadata()["reopenHistory"]]
    assert [False, True] == undone


@pytest.mark.parametrize(
    "merging",
    [
        ("rebase", "origin/main"),
        ("cherry-pick", "origin/main"),
        ("merge", "--no-ff", "origin/main"),
        ("-c", "merge.renormalize=true", "merge", "origin/main"),
    ],
    ids=["rebase", "cherry-pick", "merge", "renormalize"],
)
def test_every_way_of_merging_uses_the_driver(reopened: Two, merging: tuple[str, ...]) -> None:
    here = reopened[1]

    here.git(*merging)

    assert {"ours", "theirs"} == set(here.reasons)


def test_a_stash_is_merged_by_the_driver_too(two: Two) -> None:
    _, here = two
    here.unlatch("resume", "7", "--reason", "stashed", "--yes", "--offline")
    here.git("stash", "--quiet")
    here.resume("ours")

    here.git("stash", "pop", "--quiet")

    assert {"ours", "stashed"} == set(here.reasons)


def test_delivered_here_and_noted_there(two: Two) -> None:
    there, here = two
    there.resume("why")
    here.git("pull", "--quiet", "origin", "main")
    there.edit(notes="theirs")
    there.commit("note")
    data = here.metadata()
    del data["pending"]
    here.path().write_text(json.dumps(data, indent=2) + "\n")
    here.commit("delivered")

    here.merge()

    assert (None, "theirs") == (here.metadata().get("pending"), here.metadata()["notes"])


def test_events_that_found_no_room_in_two_clones_are_all_written(two: Two) -> None:
    there, here = two
    there.resume("why")
    here.git("pull", "--quiet", "origin", "main")
    for clone, reason in ((there, "theirs"), (here, "ours")):
        log = clone.path("events.jsonl")
        before = log.read_bytes()
        with log.open("ab") as file:
            file.truncate(LARGEST)
        clone.unlatch("pause", "7", "--reason", reason)
        log.write_bytes(before)
        clone.commit(reason)

    here.merge()
    kept = here.metadata()["unwrittenEvents"]
    here.unlatch("start", "7")
    here.unlatch("pause", "7")

    assert ["theirs", "ours"] == [one["reason"] for one in kept]
    lines = map(json.loads, here.path("events.jsonl").read_text().splitlines())
    assert kept == [one for one in lines if one.get("reason") in ("theirs", "ours")]
    assert "unwrittenEvents" not in here.metadata()


def test_one_merge_is_a_small_diff(two: Two) -> None:
    there, here = two
    there.edit(notes="theirs")
    there.commit("note")
    here.edit(owner="ours")
    here.commit("owner")
    here.merge()

    changed = here.git("diff", "HEAD~1", "--numstat", "--", str(here.path())).split()
    assert ["2", "1"] == changed[:2]  # the new line, and the comma before it


def test_archived_there_and_reopened_here(two: Two) -> None:
    there, here = two
    archive = there.path(archived=True).parent.parent
    archive.mkdir()
    there.git("mv", str(there.path().parent), str(archive))
    there.edit(archived=True, notes="theirs")
    there.commit("archive")
    here.resume("ours")

    here.merge()

    merged = here.metadata(archived=True)
    assert ("active", "theirs") == (merged["status"], merged["notes"])
    assert ["ours"] == [entry["reason"] for entry in merged["reopenHistory"]]


def test_a_project_below_the_root_in_folders_with_spaces(two: Two) -> None:
    there = Clone(two[0].root.parent / "with driver", "below here/my 'widgets'")
    there.begin()
    here = there.clone("copy of it")
    there.resume("theirs")
    here.resume("ours")

    here.merge()

    assert {"ours", "theirs"} == set(here.reasons)


def test_files_with_windows_line_ends_keep_them(two: Two) -> None:
    there, here = two
    there.path().write_bytes(there.path().read_bytes().replace(b"\n", b"\r\n"))
    there.commit("line ends")
    here.git("pull", "--quiet", "origin", "main")
    there.resume("theirs")
    here.resume("ours")

    here.merge()

    raw = here.path().read_bytes()
    assert (2, raw.count(b"\n")) == (len(here.reasons), raw.count(b"\r\n"))


def test_what_people_have_to_decide_is_marked_and_nothing_else(in_conflict: Clone) -> None:
    text = in_conflict.path().read_text()
    marked = [line.strip() for line in text.splitlines() if '"status"' in line]
    assert ['"status": "completed",', '"status": "active",'] == marked
    assert 1 == text.count('"reason": "first"')
    assert f"UU .unlatch/increments/{NAME}/metadata.json\n" in in_conflict.git(
        "status", "--porcelain"
    )


def test_the_driver_tells_both_values_and_the_command_that_decides(two: Two) -> None:
    there, here = two
    there.edit(status="abandoned")
    there.commit("abandon")
    here.resume("why")
    here.git("fetch", "--quiet", "origin")

    said = here.try_git("merge", "origin/main").err

    assert '/status  ours: "active"  theirs: "abandoned"' in said
    assert f"Next: unlatch merge --resolve {NAME}\n" in said


def test_a_side_that_is_no_json_is_merged_as_text_and_said_so(two: Two) -> None:
    there, here = two
    there.path().write_text(there.path().read_text().replace("}\n}", "}\n"))
    there.commit("torn")
    here.resume("why")

    done = here.clash()

    assert "was merged as text: their side is not valid JSON: unexpected end of file" in done.err
    assert (1, True) == (done.code, b"<<<<<<<" in here.path().read_bytes())


@pytest.mark.parametrize(
    "program", [None, "#!/bin/nothing\n", "#!/bin/sh\nexit 2\n"], ids=["none", "broken", "too old"]
)
def test_without_unlatch_git_marks_the_conflict_itself(reopened: Two, program: str | None) -> None:
    # git would take our side for the result of a driver that could not be started
    here = reopened[1]
    known = here.git("config", "merge.unlatch.driver").strip()
    other = here.root.parent / "another unlatch"
    if program is not None:
        other.write_text(program)
        other.chmod(0o755)
    here.git("config", "merge.unlatch.driver", known.replace("unlatch", f"'{other}'", 1))

    done = here.try_git("merge", "origin/main")

    text = here.path().read_text()
    assert (1, True, True) == (done.code, "<<<<<<< ours" in text, '"theirs"' in text)


def test_the_driver_can_be_called_by_hand(two: Two) -> None:
    _, here = two
    versions = {"O": {"status": "active"}, "A": {"status": "active", "a": 1}}
    versions["B"] = {"status": "paused"}
    for name, content in versions.items():
        (here.root / name).write_text(json.dumps(content))

    here.unlatch("merge-driver", "O", "A", "B")

    assert '{"status": "paused", "a": 1}' == (here.root / "A").read_text()
