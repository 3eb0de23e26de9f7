"""Auditing commands over items that were reopened alone, and over what was deleted."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import ALL, NAME, REASON, Project

KEYS = {"github": "octo/widgets#4", "ado": "fabrikam/widgets 101", "jira": "SCRUM-28"}
OTHER = "0008-other"

every_tracker = pytest.mark.parametrize("tracker", ALL)


@pytest.fixture
def alone(project: Project) -> Project:
    """A project without increments, with one item on each tracker reopened alone."""

    def reopen(new: Project) -> None:
        new.items()
        new.run("reopen", *new.urls.values(), "--reason", REASON, "--by", "Dana").ends(0)

    project.enter("items reopened alone by Dana", reopen)
    return project


def folder(project: Project, tracker: str) -> Path:
    places = [
        *(project.root / ".unlatch/items").glob("*/metadata.json"),
        *(project.home / "state/unlatch/items").rglob("metadata.json"),
    ]
    return next(place.parent for place in places if tracker in json.loads(place.read_text()))


def rewrite(place: Path, change: Callable[[Any], object]) -> None:
    data = json.loads(place.read_text())
    change(data)
    place.write_text(json.dumps(data, indent=2) + "\n")


def verify(project: Project, code: int) -> dict[str, Any]:
    document: dict[str, Any] = check(project, "history-verify", "history", "verify")
    assert document["exitCode"] == code
    return document


def wrong(project: Project) -> list[tuple[str, str]]:
    """The name of each record with a part that is not OK, and the part's id."""
    return [
        (record["name"], part["id"])
        for record in verify(project, 5)["increments"]
        for entry in record["entries"]
        for part in entry["checks"]
        if part["verdict"] != "ok"
    ]


@every_tracker
def test_a_changed_reason_of_an_item_is_found(alone: Project, tracker: str) -> None:
    def change(data: Any) -> None:
        data["reopenHistory"][0]["reason"] = "Something else"

    rewrite(folder(alone, tracker) / "metadata.json", change)

    name = KEYS[tracker]
    assert wrong(alone) == [(name, "reason-differs"), (name, "comment-reason")]


@every_tracker
def test_an_emptied_record_of_an_item_is_found_by_its_comment(alone: Project, tracker: str) -> None:
    place = folder(alone, tracker)
    rewrite(place / "metadata.json", lambda data: data.pop("reopenHistory"))
    (place / "events.jsonl").write_text("")

    assert wrong(alone) == [(KEYS[tracker], "operation-unknown")]


def test_a_record_without_its_metadata_is_named(alone: Project) -> None:
    place = folder(alone, "jira")
    (place / "metadata.json").unlink()

    done = alone.run("history", "verify").ends(5, err=place.name)
    assert "Nothing is recorded yet" not in done.err
    alone.run("list", "--items").ends(5, err=place.name)
    alone.run("history", "--all").ends(5, err=place.name)


def test_items_are_verified_outside_of_a_project(outside: Project) -> None:
    outside.items()
    outside.run("reopen", *outside.urls.values(), "--reason", REASON).ends(0)
    assert verify(outside, 0)["checked"] == 9

    def change(data: Any) -> None:
        data["reopenHistory"][0]["reopenedBy"] = "Eve"

    rewrite(folder(outside, "github") / "metadata.json", change)

    assert (KEYS["github"], "person-differs") in wrong(outside)
    outside.run("history", "--all").ends(0, out=(*KEYS.values(), "3 reopens of 3 items"))
    outside.run("list", "--items").ends(0, out=(*KEYS.values(), REASON))
    report = check(outside, "report", "report", "--online")
    counts = {"octo/widgets#4": 1, "fabrikam/widgets 101": 1, "SCRUM-28": 1}
    assert counts == {entry["id"]: entry["reopens"] for entry in report["mostReopened"]}
    assert (3, 3, 0) == (report["reopens"], report["items"], report["links"])
    outside.run("report").ends(0, out="3 reopens of 3 items", not_out="Drift")


def test_all_reopens_are_listed_with_those_of_items(alone: Project) -> None:
    alone.increment(links=None)
    alone.run("resume", "7", "--reason", "Of the increment", "--yes").ends(0)

    document = check(alone, "history-all", "history", "--all")

    listed = {one["title"]: (one["kind"], one["increment"]) for one in document["reopened"]}
    expected: dict[str, tuple[str, str | None]] = dict.fromkeys(KEYS.values(), ("item", None))
    assert listed == {**expected, "Smart discipline": ("increment", NAME)}
    figures = ("increments", "completed", "reopens", "items", "reopenRate")
    assert [document[key] for key in figures] == [1, 1, 4, 3, 1.0]
    assert {one["id"] for one in document["mostReopened"]} == {NAME, *KEYS.values()}
    done = alone.run("history", "--all").ends(0)
    done.shows(out=(*KEYS.values(), "Increment or item", "4 reopens of 1 increment and 3 items"))
    text = alone.run("history", "--all", "--csv").ends(0).out
    rows = [*csv.DictReader(io.StringIO(text, newline=""), strict=True)]
    assert [row["increment"] for row in rows if row["kind"] == "increment"] == [NAME]
    assert {row["items"] for row in rows if row["kind"] == "item"} == {*alone.urls.values()}


@every_tracker
def test_reopens_of_items_are_found_by_tracker_and_person(alone: Project, tracker: str) -> None:
    done = alone.run("history", "--all", "--tracker", tracker, "--by", "dana").ends(0)
    assert [KEYS[tracker] in done.out, "1 reopen of 1 item" in done.out] == [True, True]
    alone.run("history", "--all", "--by", "Eve").ends(0, err="No reopens.")


def test_the_report_has_the_reopens_and_pending_operations_of_items(alone: Project) -> None:
    alone.box.jira.add_issue("SCRUM-30", summary="More", status="Done")
    alone.run("reopen", "SCRUM-30", "--reason", "Later", "--offline")

    document = check(alone, "report", "report")

    figures = ("increments", "reopened", "items", "reopens", "reopenRate")
    assert [document[key] for key in figures] == [0, 0, 4, 4, None]
    assert [one["increment"] for one in document["pending"]] == ["SCRUM-30"]
    assert {"tracker": "jira", "reopens": 2} in document["byTracker"]
    alone.run("report").ends(0, out=(*KEYS.values(), "4 reopens of 4 items"))
    page = alone.run("report", "--html", "-").ends(0).out
    assert all(name in page for name in KEYS.values())


@pytest.mark.parametrize("place", ["project", "outside"])
def test_a_withdrawn_reopen_of_an_item_is_not_counted(
    request: pytest.FixtureRequest, place: str
) -> None:
    project: Project = request.getfixturevalue(place)
    number = project.box.github.add_issue(
        number=7, title="More", state="closed", state_reason="not_planned"
    )
    url = f"{project.box.github.web_url}/octo/widgets/issues/{number}"
    project.run("reopen", url, "--reason", REASON).ends(3, out="deliberately-closed")

    project.run("history", "--all").ends(0, out=("pending", "1 reopen of 1 item"))
    project.run("unlink", url).ends(0)

    project.run("history", "--all").ends(0, whole_out="", err="No reopens.")
    assert 1 == len(project.run("history", "--all", "--csv").ends(0).out.splitlines())
    if place == "project":
        assert 0 == check(project, "report", "report")["reopens"]
    project.run("history", "verify", url).ends(0, out="reopen withdrawn by")


def test_the_list_counts_items_and_shows_them_on_demand(alone: Project) -> None:
    done = alone.run("list").ends(0)
    assert done.err == "3 items reopened or closed alone; --items lists them.\n"
    alone.run("list", "--items", "--tracker", "jira").ends(
        0,
        whole_out="Item      Last            Reopens  Pending  Reason of the last reopen\n"
        f"SCRUM-28  reopened today  1        0        {REASON}\n",
    )
    listed = check(alone, "list", "list", "--items")
    assert {one["title"] for one in listed} == {*KEYS.values()}
    assert check(alone, "list", "list") == []


# What was deleted


@pytest.fixture
def kept(project: Project) -> Project:
    """A project in git, with a reopened increment and another one."""
    project.increment(links=project.items())
    project.increment(OTHER)
    project.run("resume", "7", "--reason", REASON, "--yes").ends(0)
    project.commit()
    return project


def save(project: Project, message: str = "More") -> str:
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", message)
    return project.git("rev-parse", "HEAD").strip()


def remove(project: Project, name: str = NAME) -> None:
    project.git("rm", "-r", "--quiet", f".unlatch/increments/{name}")


def empty_history(project: Project) -> None:
    """Remove what the files of an increment say of its reopens, and with it its links."""

    def empty(data: Any) -> None:
        for key in ("reopenHistory", *ALL):
            del data[key]

    rewrite(project.folder() / "metadata.json", empty)
    (project.folder() / "events.jsonl").write_text("")


def test_a_committed_deletion_of_an_increment_is_found(kept: Project) -> None:
    verify(kept, 0)
    remove(kept)
    commit = save(kept, "Tidy up")

    assert wrong(kept) == [(NAME, "record-deleted")]
    done = kept.run("history", "verify").ends(5)
    assert [NAME in done.out, f"commit {commit[:10]} deleted it" in done.out] == [True, True]
    assert "by Gil Git" in done.out
    assert "Nothing is recorded yet" not in done.said


@pytest.mark.parametrize("word", ["7", NAME, "smart-discipline", "1-7"])
def test_a_deletion_is_found_for_the_named_increment_alone(kept: Project, word: str) -> None:
    remove(kept)
    commit = save(kept, "Tidy up")
    kept.run("history", "verify", word).ends(5, out=(NAME, f"commit {commit[:10]} deleted it"))
    kept.run("history", "verify", OTHER).ends(0, lacks=NAME)
    kept.run("history", "verify", "9").ends(2, err="error[unknown-increment]")
    remove(kept, OTHER)
    save(kept)
    kept.git("remote", "add", "origin", f"{kept.box.github.web_url}/octo/widgets.git")
    kept.run("history", "verify", word).ends(5, out=f"commit {commit[:10]} deleted it")


def test_removed_events_are_found_for_the_named_increment_alone(kept: Project) -> None:
    empty_history(kept)
    save(kept)
    kept.run("history", "verify", "7").ends(5, out="removed or rewrote the event reopened")
    kept.run("history", "verify", OTHER).ends(0)


def test_what_deletes_the_record_of_a_named_item_is_found(alone: Project) -> None:
    place = folder(alone, "ado")
    alone.commit()
    alone.git("rm", "-r", "--quiet", str(place))
    commit = save(alone)
    alone.run("history", "verify", KEYS["ado"]).ends(5, out=f"commit {commit[:10]} deleted it")
    alone.run("history", "verify", KEYS["jira"]).ends(0)


@pytest.mark.parametrize("place", ["project", "outside"])
def test_an_item_without_a_record_is_said_to_have_none(
    request: pytest.FixtureRequest, place: str
) -> None:
    project: Project = request.getfixturevalue(place)
    url = project.urls["github"]
    said = f"error[nothing-recorded]: nothing is recorded here for {url}"
    done = project.run("history", "verify", url).ends(2, err=(said, f"next: unlatch status {url}"))
    assert ("increment" in done.err) is (place == "project")
    other = "error[item-not-linked]" if place == "project" else said
    project.run("history", url).ends(2, err=other)


def test_a_deletion_that_is_not_committed_is_found(kept: Project) -> None:
    remove(kept)

    assert wrong(kept) == [(NAME, "record-deleted")]
    assert "it was deleted since" in kept.run("history", "verify").out


def test_a_deleted_record_of_an_item_is_found(alone: Project) -> None:
    place = folder(alone, "ado")
    alone.commit()
    alone.git("rm", "-r", "--quiet", str(place))
    save(alone)

    assert wrong(alone) == [(place.name, "record-deleted")]


def test_events_that_a_commit_rewrote_are_found(kept: Project) -> None:
    events = kept.events()
    empty_history(kept)
    found = wrong(kept)
    assert found == [(NAME, "event-removed")] * len(events)
    assert found
    commit = save(kept)
    assert wrong(kept) == found
    assert f"commit {commit[:10]} removed or rewrote the event reopened" in (
        kept.run("history", "verify").out
    )


def test_a_removed_line_that_looks_like_a_header_hides_no_event(kept: Project) -> None:
    events, number = kept.folder() / "events.jsonl", len(kept.events())
    header = f"-- a/.unlatch/increments/{OTHER}/events.jsonl\n"
    events.write_text(header + events.read_text())
    save(kept)
    empty_history(kept)
    remove(kept, OTHER)
    save(kept)

    assert wrong(kept) == [(OTHER, "record-deleted"), *[(NAME, "event-removed")] * number]


def test_an_event_with_another_line_end_in_its_reason_is_missed(kept: Project) -> None:
    events, number = kept.folder() / "events.jsonl", len(kept.events())
    text = events.read_text().replace(REASON, REASON.replace(" ", "\u2028"))
    assert "\u2028" in text
    events.write_text(text)
    kept.git("commit", "--quiet", "--all", "--amend", "--no-edit")
    empty_history(kept)

    assert wrong(kept) == [(NAME, "event-removed")] * number


def test_events_that_git_has_lost_cannot_be_compared(kept: Project) -> None:
    blob = kept.git("rev-parse", f"HEAD:.unlatch/increments/{NAME}/events.jsonl").strip()
    (kept.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    empty_history(kept)

    assert wrong(kept) == [("git", "history-unread")]


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("archived", marks=pytest.mark.sweep),
        pytest.param("renamed", marks=pytest.mark.sweep),
        "moved back",
    ],
)
def test_a_move_is_no_deletion(kept: Project, way: str) -> None:
    to = {"archived": f"_archive/{NAME}", "renamed": "0007-another", "moved back": "0007-another"}
    (kept.increments / to[way]).parent.mkdir(exist_ok=True)
    kept.git("mv", f".unlatch/increments/{NAME}", f".unlatch/increments/{to[way]}")
    save(kept)
    if way == "moved back":
        kept.git("mv", f".unlatch/increments/{to[way]}", f".unlatch/increments/{NAME}")
        save(kept)

    verify(kept, 0)


def test_a_sparse_checkout_is_no_deletion(kept: Project) -> None:
    kept.git("sparse-checkout", "set", "--no-cone", "/*", f"!/.unlatch/increments/{NAME}/")
    assert not kept.folder().exists()

    verify(kept, 0)


def test_a_gap_is_said_as_what_it_is(project: Project) -> None:
    for number in (1, 2, 4, 6):
        project.increment(f"000{number}-work")

    document = verify(project, 0)

    assert document["gaps"] == ["0003", "0005"]
    project.run("history", "verify").ends(0, err="no increment has the number 0003, 0005: deleted")


def test_a_shallow_clone_cannot_tell_what_was_deleted(kept: Project) -> None:
    # The last number, so no gap is left.
    remove(kept, OTHER)
    save(kept)
    (kept.root / "note.txt").write_text("A note")
    save(kept)
    kept.git("clone", "--quiet", "--depth", "1", f"file://{kept.root}", "../shallow")
    kept.root = kept.root.parent / "shallow"

    assert wrong(kept) == [("git", "history-cut")]
    kept.run("history", "verify").ends(5, out="--unshallow", err="0 differ, 1 not checked.")
    kept.git("fetch", "--quiet", "--unshallow")
    assert wrong(kept) == [(OTHER, "record-deleted")]


def test_a_checkout_whose_repository_is_elsewhere_cannot_tell_either(kept: Project) -> None:
    remove(kept, OTHER)
    save(kept)
    (kept.root / ".git").rename(kept.root.parent / "elsewhere")
    (kept.root / ".git").write_text("gitdir: /nowhere/widgets.git\n")

    assert wrong(kept) == [("git", "history-unread")]


@pytest.mark.sweep
def test_what_the_documentation_says_it_cannot_prove(kept: Project) -> None:
    remove(kept, OTHER)
    kept.git("commit", "--quiet", "--amend", "--no-edit")
    verify(kept, 0)
    for place in (kept.folder() / name for name in ("metadata.json", "events.jsonl")):
        place.write_text(place.read_text().replace(REASON, "A typo"))
    box, texts = kept.box, kept.comments()
    for tracker, (text,) in texts.items():
        new = text.replace(REASON, "A typo")
        if tracker == "github":
            box.github.edit_comment(
                "octo/widgets", box.github.comments("octo/widgets", 4)[0]["id"], new
            )
        elif tracker == "ado":
            box.ado.edit_comment(101, box.ado.comments(101)[0]["id"], new)
        else:
            box.jira.edit_comment("SCRUM-28", box.jira.comments("SCRUM-28")[0]["id"], new)
    assert {id_ for _, id_ in wrong(kept)} == {"event-removed"}
    kept.git("commit", "--quiet", "--amend", "--all", "--no-edit")
    verify(kept, 0)
    kept.run("complete", "7", "--yes").ends(0)
    verify(kept, 0)
    box.github.edit("octo/widgets", 4, state="open", state_reason=None)
    verify(kept, 0)
    kept.run("sync", "--check").ends(5, out="octo/widgets#4")


@pytest.mark.sweep
def test_a_project_below_the_top_of_its_repository_is_compared_too(kept: Project) -> None:
    top = kept.root
    below = top / "apps" / "web"
    below.mkdir(parents=True)
    kept.git("mv", ".unlatch", "apps/web/.unlatch")
    save(kept, "Move")
    kept.root = below
    verify(kept, 0)
    name = '0009-größer, "so"'
    kept.increment(name)
    save(kept)
    remove(kept, name)
    kept.git("rm", "-r", "--quiet", f".unlatch/increments/{NAME}")
    save(kept)

    assert sorted(wrong(kept)) == [(NAME, "record-deleted"), (name, "record-deleted")]


def test_events_of_a_name_that_git_quotes_are_named(kept: Project) -> None:
    name = "0009-größer"
    kept.increment(name)
    kept.run("start", "9").shows()
    kept.run("resume", "9", "--reason", REASON, "--yes").ends(0)
    save(kept)
    (kept.folder(name) / "events.jsonl").write_text("")
    save(kept)

    assert {(name, "event-removed")} <= set(wrong(kept))


@pytest.mark.sweep
def test_what_a_merge_left_out_is_found(kept: Project) -> None:
    """Like `git merge --strategy ours`: the merge has the files of one side, without a change."""
    kept.git("checkout", "--quiet", "--orphan", "side")
    number = len(kept.events())
    empty_history(kept)
    kept.git("rm", "-r", "--quiet", "--force", f".unlatch/increments/{OTHER}")
    save(kept)
    kept.git("merge", "--quiet", "--allow-unrelated-histories", "--strategy", "ours", "main")
    commit = kept.git("rev-parse", "HEAD").strip()

    assert wrong(kept) == [(OTHER, "record-deleted"), *[(NAME, "event-removed")] * number]
    assert f"commit {commit[:10]} deleted it" in kept.run("history", "verify").out


@pytest.mark.sweep
def test_events_that_were_replaced_with_a_link_are_found(kept: Project) -> None:
    events, number = kept.folder() / "events.jsonl", len(kept.events())
    events.unlink()
    events.symlink_to("spec.md")
    save(kept)
    events.unlink()
    empty_history(kept)
    save(kept)

    assert wrong(kept) == [(NAME, "event-removed")] * number
