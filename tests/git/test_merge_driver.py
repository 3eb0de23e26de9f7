"""All git commands that merge use the meaning of an increment's fields."""

import pytest
from tests.git.clone import NAME, Clone

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


@pytest.mark.sample(2)
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
