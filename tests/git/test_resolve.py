"""Where git could not merge, `unlatch merge --resolve` does, from the versions that git keeps."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.git.clone import NAME, Clone

Two = tuple[Clone, Clone]
SCHEMAS = Path(__file__).parents[2] / "schemas"
PLACE = f".unlatch/increments/{NAME}"


def test_a_clone_without_the_driver_reports_the_conflict(
    without_driver: Clone,
) -> None:
    next_step = f"unlatch merge --resolve {NAME}"

    (listed,) = without_driver.unlatch("list", "--json").document
    assert "metadata-in-conflict" == listed["broken"]["id"]
    assert next_step in without_driver.unlatch("list").err
    assert next_step in without_driver.unlatch("status").err
    assert next_step in without_driver.try_unlatch("doctor").out
    assert next_step in without_driver.try_unlatch("show", "7").err


def test_git_is_told_where_that_is_asked_for(without_driver: Clone) -> None:
    done = without_driver.unlatch("merge", "--resolve", "7", "--add", "--json").document

    assert (True, True, [f"{PLACE}/metadata.json"]) == (
        done["resolved"],
        done["added"],
        done["files"],
    )
    schema = json.loads((SCHEMAS / "merge.schema.json").read_text())
    assert [] == list(Draft202012Validator(schema).iter_errors(done))
    without_driver.git("commit", "--quiet", "--no-edit")
    assert "" == without_driver.git("status", "--porcelain")


def test_events_are_united_where_git_knew_no_better(two: Two) -> None:
    here = two[1]
    for clone, reason in zip(two, ("theirs", "ours"), strict=True):
        clone.git("rm", "--quiet", ".gitattributes")
        clone.commit("no attributes")
        clone.resume(reason)
    here.clash()

    here.unlatch("merge", "--resolve", "7", "--add")

    here.git("commit", "--quiet", "--no-edit")
    events = [json.loads(line) for line in here.path("events.jsonl").read_text().splitlines()]
    assert [None, "ours", "theirs"] == [event.get("reason") for event in events]


def test_a_status_that_both_changed_is_told_and_nothing_is_written(in_conflict: Clone) -> None:
    before = in_conflict.path().read_bytes()

    done = in_conflict.try_unlatch("merge", "--resolve", "7")

    assert 5 == done.code
    assert (
        f"Increment {NAME}: both sides changed this, differently:\n"
        '  /status  ours: "completed"  theirs: "active"\n'
    ) == done.out
    assert before == in_conflict.path().read_bytes()
    told = in_conflict.try_unlatch("merge", "--resolve", "7", "--json").document
    assert [{"field": "/status", "ours": "completed", "theirs": "active"}] == told["conflicts"]


@pytest.mark.parametrize(
    ("side", "status", "kinds"),
    [
        ("--ours", "completed", [("reopen", False), ("reopen", False), ("close", True)]),
        ("--theirs", "active", [("reopen", False), ("reopen", True)]),
    ],
)
def test_a_side_is_taken_for_the_status_and_what_it_owes(
    in_conflict: Clone, side: str, status: str, kinds: list[tuple[str, bool]]
) -> None:
    in_conflict.unlatch("merge", "--resolve", "7", side, "--add")

    merged = in_conflict.metadata()
    assert (status, ["first", "second"]) == (merged["status"], in_conflict.reasons)
    owed = sorted((one["kind"], one.get("state", True)) for one in merged["pending"])
    assert sorted(kinds) == owed
    assert (status == "completed") == ("completedAt" in merged)
    in_conflict.git("commit", "--quiet", "--no-edit")
    assert f"status: {status}" in in_conflict.path("spec.md").read_text()


def test_what_somebody_mended_by_hand_is_left_alone(in_conflict: Clone) -> None:
    in_conflict.unlatch("merge", "--resolve", "7", "--ours")
    in_conflict.edit(notes="mended")
    mended = in_conflict.path().read_bytes()

    done = in_conflict.unlatch("merge", "--resolve", "7", "--theirs", "--add")

    assert f"✓ {PLACE}/metadata.json was resolved by hand; not changed\n" == done.out
    assert mended == in_conflict.path().read_bytes()
    in_conflict.git("commit", "--quiet", "--no-edit")


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_one_whole_side_checked_out_is_no_hand_made_merge(without_driver: Clone, side: str) -> None:
    without_driver.git("checkout", "--quiet", f"--{side}", "--", PLACE)
    assert [side] == without_driver.reasons

    without_driver.unlatch("merge", "--resolve", "7")

    assert {"ours", "theirs"} == set(without_driver.reasons)


def test_line_ends_are_those_that_git_would_check_out(two: Two) -> None:
    here = two[1]
    for clone, reason in zip(two, ("theirs", "ours"), strict=True):
        attributes = clone.root / ".gitattributes"
        attributes.write_text(f"{attributes.read_text()}*.json text eol=crlf\n")
        clone.commit("line ends")
        clone.resume(reason)
    here.git("config", "--remove-section", "merge.unlatch")
    here.clash()

    here.unlatch("merge", "--resolve", "7", "--add")

    raw = here.path().read_bytes()
    assert raw.count(b"\r\n") == raw.count(b"\n")
    here.git("commit", "--quiet", "--no-edit")
    assert "" == here.git("status", "--porcelain")


@pytest.mark.parametrize(
    ("removed", "said"),
    [
        (True, "error[conflict-one-sided]"),
        (False, "error[conflict-unreadable]: their side is not valid JSON"),
    ],
    ids=["removed", "torn"],
)
def test_a_side_that_cannot_be_merged_is_for_people(two: Two, said: str, *, removed: bool) -> None:
    there, here = two
    if removed:
        there.git("rm", "--quiet", "-r", PLACE)
    else:
        there.path().write_text("{")
    there.commit("change")
    here.resume("why")
    here.clash()
    done = here.try_unlatch("merge", "--resolve", "7")
    error, _, words = said.partition(": ")
    assert (1, True, True) == (done.code, error in done.err, words in done.err), done.err


def test_a_spec_in_conflict_is_left_to_people(two: Two) -> None:
    there, here = two
    for clone, word in ((there, "theirs"), (here, "ours")):
        spec = clone.path("spec.md")
        spec.write_text(spec.read_text().replace("Smart discipline", word))
        clone.resume(word)
    here.git("config", "--remove-section", "merge.unlatch")
    here.clash()
    before = here.path("spec.md").read_bytes()

    done = here.unlatch("merge", "--resolve", "7")

    assert f"{PLACE}/spec.md is in conflict, too: merge its text.\n" in done.err
    assert before == here.path("spec.md").read_bytes()


def test_both_sides_at_once_are_refused(two: Two) -> None:
    assert 2 == two[0].try_unlatch("merge", "--resolve", "7", "--ours", "--theirs").code


def test_a_file_under_a_filter_is_left_to_git(without_driver: Clone, tmp_path: Path) -> None:
    info = without_driver.root / ".git/info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("*.json filter=trap\n")
    for part in ("clean", "smudge"):
        without_driver.git("config", f"filter.trap.{part}", f"touch '{tmp_path}/ran'; cat")
    before = (without_driver.root / PLACE / "metadata.json").read_bytes()

    done = without_driver.try_unlatch("merge", "--resolve", "7", "--add")

    assert (1, True) == (done.code, "error[filter-needed]" in done.err), done.out + done.err
    assert before == (without_driver.root / PLACE / "metadata.json").read_bytes()
    assert not (tmp_path / "ran").exists()
