"""unlatch sync keeps the check boxes of files and items in sync, both ways."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import ALL, NAME, Project
from tests.cli.trackers.test_depth import NOUNS, SPEC, TASKS
from tests.cli.trackers.test_sync import writes

from unlatch.errors import StoreError
from unlatch.increments.layouts import installed
from unlatch.sync import sync
from unlatch.sync.plan import plan_sync
from unlatch.worklog.disk import atomic
from unlatch_layouts.spec_kit.layout import SPEC_KIT
from unlatch_sandbox import Fault

HOSTILE = (
    "[x] \u2611 *a* <b> `c` \\ {d} |e| @all #1 &amp; [ ] ~x~ - [x] T-002: z <!-- unlatch:end --> $&"
)


def created(project: Project, *trackers: str, status: str = "active") -> Project:
    """An increment with an item on each tracker, made by unlatch and in sync."""
    project.increment(status=status)
    (project.folder() / "spec.md").write_text(SPEC)
    (project.folder() / "tasks.md").write_text(TASKS)
    for tracker in trackers:
        project.run(tracker, f"create-{NOUNS[tracker]}", "7").ends(0)
    writes(project)
    return project


@pytest.fixture(params=ALL)
def tracker(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def linked(project: Project, tracker: str) -> Project:
    return created(project, tracker)


def block(project: Project, tracker: str) -> dict[str, Any]:
    found: dict[str, Any] = project.metadata()[tracker]
    return found


def item_of(project: Project, tracker: str) -> tuple[Any, ...]:
    found = block(project, tracker)
    item = next(
        found[key] for key in ("issueNumber", "issue", "workItemId", "issueKey") if key in found
    )
    return ("octo/widgets", item) if tracker == "github" else (item,)


def tick(project: Project, tracker: str, words: str, *, done: bool = True) -> None:
    """A person changes a check box on the tracker."""
    getattr(project.box, tracker).tick(*item_of(project, tracker), words, done=done)


def body(project: Project, tracker: str) -> str:
    admin, item = getattr(project.box, tracker), item_of(project, tracker)
    if tracker == "github":
        return str(admin.issue(*item)["body"])
    if tracker == "ado":
        return str(admin.work_item(*item)["fields"]["System.Description"])
    return json.dumps(admin.issue(*item)["fields"]["description"], ensure_ascii=False)


def is_ticked(project: Project, tracker: str, words: str) -> bool:
    before = body(project, tracker).partition(words)[0]
    marks = {"[ ]": False, "[x]": True, "\u2610": False, "\u2611": True}
    return marks[max(marks, key=before.rfind)]


def text(project: Project, name: str) -> str:
    return (project.folder() / name).read_text()


def edit(project: Project, name: str, old: str, new: str) -> None:
    before = text(project, name)
    assert old in before
    (project.folder() / name).write_text(before.replace(old, new, 1))


def rests(project: Project) -> None:
    """A further sync does nothing, and a check finds no drift."""
    writes(project)
    before = project.tree()
    done = project.run("sync")
    after = project.tree()
    changed = [(before.get(name), one) for name, one in after.items() if before.get(name) != one]
    assert (0, [], []) == (done.code, writes(project), changed), done.said
    assert "both sides are in sync" in done.err
    project.run("sync", "--check").ends(0)


def test_what_is_ticked_on_the_item_is_ticked_in_the_files(linked: Project, tracker: str) -> None:
    boxes = block(linked, tracker)["base"]["boxes"]
    assert ["AC-US1-01", "T-001"] == boxes["ticked"]
    assert ["AC-US1-02", "AC-US2-01", "T-002"] == boxes["open"]
    rests(linked)
    tick(linked, tracker, "T-002: Erase")
    tick(linked, tracker, "AC-US1-02: It is blue")
    tick(linked, tracker, "T-001: Draw", done=False)

    plan = linked.run("sync", "--dry-run")
    done = linked.run("sync")

    assert (0, 0) == (plan.code, done.code), plan.said + done.said
    said = "check boxes: tick AC-US1-02, T-002 in the files; untick T-001 in the files"
    assert said in plan.out
    assert "3 check boxes would change in the files" in plan.out
    assert f"{NAME}: ticked AC-US1-02, T-002; unticked T-001" in done.out + done.err
    assert SPEC.replace("- [ ] **AC-US1-02", "- [x] **AC-US1-02") == text(linked, "spec.md")
    assert TASKS.replace("[x] completed", "[ ] pending", 1) != text(linked, "tasks.md")
    assert "### T-001: Draw\n\n**User Story**: US-001\n**Status**: [ ] " in text(linked, "tasks.md")
    assert text(linked, "tasks.md").endswith("**User Story**: US-002\n**Status**: [x] completed\n")
    assert [] == writes(linked)
    (event,) = [one for one in linked.events() if one.get("ticked")]
    assert (["AC-US1-02", "T-002"], ["T-001"]) == (event["ticked"], event["unticked"])
    told = "ticked there: AC-US1-02, T-002; unticked there: T-001"
    assert told in linked.run("history", "7").out
    rests(linked)


def test_both_sides_change_at_once_and_the_documents_list_each_change(
    linked: Project, tracker: str
) -> None:
    tick(linked, tracker, "AC-US1-02: It is blue")
    tick(linked, tracker, "AC-US2-01: It is gone")
    edit(linked, "tasks.md", "[ ] pending", "[x] completed")
    edit(linked, "spec.md", "- [ ] **AC-US2-01", "- [x] **AC-US2-01")

    plan = check(linked, "sync-plan", "sync", "--dry-run")
    done = check(linked, "sync", "sync")

    (compared,) = plan["compared"]
    assert [
        {"id": "AC-US1-02", "done": True, "verdict": "pull", "why": ""},
        {"id": "T-002", "done": True, "verdict": "push", "why": ""},
    ] == [one for one in compared["boxes"]["changes"] if one["id"] != "AC-US2-01"]
    assert [compared["boxes"]] == [one["boxes"] for one in done["compared"]]
    assert 0 == done["exitCode"]
    assert 3 == text(linked, "spec.md").count("- [x]")
    for words in ("T-001: ", "T-002: ", "AC-US1-02: ", "AC-US2-01: "):
        assert is_ticked(linked, tracker, words)
    rests(linked)


def test_new_removed_and_renamed_tasks_are_listed_on_the_item(
    linked: Project, tracker: str
) -> None:
    edit(linked, "tasks.md", "T-002: Erase", "T-003: Paint")
    edit(linked, "spec.md", "It is round", "It is an oval")
    plan = linked.run("sync", "--dry-run")
    done = linked.run("sync")
    assert (0, 0) == (plan.code, done.code), plan.said + done.said
    assert "update the list on the item" in plan.out
    assert 1 == len(writes(linked))
    shown = body(linked, tracker)
    assert ("T-003: Paint" in shown, "T-002: Erase" in shown) == (True, False)
    assert "AC-US1-01: It is an oval" in shown
    rests(linked)


@pytest.mark.sweep
def test_a_tick_on_one_tracker_reaches_the_others_all_or_none(project: Project) -> None:
    created(project, *ALL)
    tick(project, "jira", "T-002: Erase")
    before = project.tree()
    project.run("sync", "--max-items", "1").ends(2)
    assert ([], before) == (writes(project), project.tree())
    project.run("sync").ends(0)
    assert all(is_ticked(project, name, "T-002: Erase") for name in ALL)
    assert 2 == len(writes(project))
    rests(project)


def test_a_box_of_a_person_is_reported_and_stays_until_the_next_update(project: Project) -> None:
    created(project, "github")
    old = body(project, "github")
    new = old.replace("- [ ] T-002: Erase", "- [x] Mine")
    project.box.github.edit(*item_of(project, "github"), body=new)
    before = project.tree()
    project.run("sync", "--check").ends(5)
    done = project.run("sync").ends(
        0, out="mine left as it is: it was added on the item; the next update removes it"
    )
    assert "T-002" not in done.said  # a box that the body lacks says nothing
    assert "not in its body: T-002" in project.run("show", "7").out
    assert (before, [], new) == (project.tree(), writes(project), body(project, "github"))
    assert 0 == project.run("github", "update-issue", "7").code
    assert old == body(project, "github")
    rests(project)


def test_an_update_keeps_what_people_ticked_since_the_last_sync(
    linked: Project, tracker: str
) -> None:
    tick(linked, tracker, "AC-US1-02: It is blue")
    edit(linked, "tasks.md", "[ ] pending", "[x] completed")
    linked.run(tracker, f"update-{NOUNS[tracker]}", "7").ends(0)
    assert is_ticked(linked, tracker, "AC-US1-02: It is blue")
    assert is_ticked(linked, tracker, "T-002: Erase")
    assert 0 == linked.run("sync").code
    assert "- [x] **AC-US1-02" in text(linked, "spec.md")
    rests(linked)


WORDS = "a task with a long title of many words about what has to be done, and where; " * 3


def long_tasks(project: Project) -> list[str]:
    """Tasks of 75 kB, of which the last ones are open; returns their ids."""
    ids = [f"T-{number:03}" for number in range(1, 301)]
    lines = [f"- [{'x' if one < 'T-226' else ' '}] {one}: {WORDS.strip()}\n" for one in ids]
    (project.folder() / "tasks.md").write_text(f"# Tasks\n\n{''.join(lines)}")
    return ids


def lacking(project: Project) -> list[str]:
    (item,) = project.run("show", "7", "--json").document["items"]
    return list(item.get("absent", ()))


def test_a_body_that_is_too_long_lacks_done_tasks_which_stay_as_they_are(
    project: Project, tracker: str
) -> None:
    project.increment(status="active")
    ids = long_tasks(project)
    project.run(tracker, f"create-{NOUNS[tracker]}", "7").ends(0)
    shown, absent = body(project, tracker), lacking(project)
    assert absent == ids[: len(absent)]
    assert len(absent) < 225
    assert bool(absent) is (tracker != "ado")
    listed = [shown.find(f"{one}: ") for one in ids[len(absent) :]]
    assert -1 not in listed
    assert listed == sorted(listed)
    if not absent:
        return
    assert f"and {len(absent)} done in the increment's files" in shown
    assert f"not in its body: {absent[0]}, " in project.run("show", "7").out
    rests(project)
    tick(project, tracker, "T-300: ")
    edit(project, "tasks.md", "- [ ] T-299", "- [x] T-299")
    edit(project, "tasks.md", "- [x] T-001", "- [ ] T-001")
    project.run("sync").ends(0)
    assert is_ticked(project, tracker, "T-299: ")
    assert "- [x] T-300" in text(project, "tasks.md")
    assert "- [ ] T-001" in text(project, "tasks.md")
    assert "T-001" not in lacking(project)  # the update had to be written, and it is open
    assert not is_ticked(project, tracker, "T-001: ")
    rests(project)


@pytest.mark.sweep
def test_a_list_that_an_earlier_release_cut_is_written_whole_by_an_update_alone(
    project: Project,
) -> None:
    project.increment(status="active")
    ids = long_tasks(project)
    assert 0 == project.run("github", "create-issue", "7").code
    whole = body(project, "github")
    # That release took 12,000 characters in all, and left out the last tasks.
    head, ending = whole[: whole.index("- [x] T-")], whole[whole.index("<!-- unlatch:end") :]
    listed = "".join(f"- [x] {one}: {WORDS.strip()}\n" for one in ids[:48])
    old = f"{head}{listed}- and 252 more in the increment's files\n{ending}"
    project.box.github.edit(*item_of(project, "github"), body=old)
    data = project.metadata()
    data["github"]["base"]["boxes"] = {"ticked": ids[:48], "open": [], "lines": "9fa1ea8e2fd0"}
    (project.folder() / "metadata.json").write_text(json.dumps(data, indent=2))
    edit(project, "tasks.md", "- [x] T-200", "- [ ] T-200")  # the body lacks it

    rests(project)

    assert (old, ids[48:]) == (body(project, "github"), lacking(project))
    assert 0 == project.run("github", "update-issue", "7").code
    assert lacking(project) == ids[: len(lacking(project))]
    assert not is_ticked(project, "github", "T-200: ")
    rests(project)


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize(("direction", "pulls"), [("push", False), ("pull", True), ("off", False)])
def test_the_direction_of_sync_counts(project: Project, direction: str, pulls: bool) -> None:
    created(project, "github")
    project.configure_more(tables=f'[sync.trackers.github]\ndirection = "{direction}"')
    tick(project, "github", "AC-US1-02: It is blue")
    edit(project, "tasks.md", "[ ] pending", "[x] completed")
    project.run("sync", "--check").ends(0 if direction == "off" else 5)
    done = project.run("sync").ends(0)
    assert pulls is ("- [x] **AC-US1-02" in text(project, "spec.md"))
    assert (direction == "push") is is_ticked(project, "github", "T-002: Erase")
    if direction == "pull":
        said = "T-002 left as it is: it changed in the files, and nothing is pushed there"
        assert said in done.out
    if direction == "push":
        # The files are the truth.
        assert not is_ticked(project, "github", "AC-US1-02: It is blue")


def test_items_may_not_be_updated(project: Project) -> None:
    created(project, "github")
    project.configure_more(tables='[sync]\nwrite = ["status", "comment", "labels"]\n')
    edit(project, "tasks.md", "[ ] pending", "[x] completed")
    done = project.run("sync")
    assert (0, []) == (done.code, writes(project)), done.said
    assert "the configuration does not let items be updated" in done.out
    assert 5 == project.run("sync", "--check").code


def test_without_a_base_differences_are_listed_and_agreement_is_recorded(
    linked: Project, tracker: str
) -> None:
    data = linked.metadata()
    boxes = data[tracker]["base"].pop("boxes")
    (linked.folder() / "metadata.json").write_text(json.dumps(data, indent=2))
    tick(linked, tracker, "T-002: Erase")
    done = linked.run("sync")
    assert (0, []) == (done.code, writes(linked)), done.said
    assert "T-002 left as it is: no sync of the check boxes is on record" in done.out
    assert "boxes" not in block(linked, tracker)["base"]
    tick(linked, tracker, "T-002: Erase", done=False)
    assert 0 == linked.run("sync").code
    assert boxes == block(linked, tracker)["base"]["boxes"]
    rests(linked)


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("name", ["spec.md", "tasks.md"])
@pytest.mark.parametrize("how", ["lost", "unreadable"])
def test_files_that_cannot_be_read_empty_no_item(project: Project, name: str, how: str) -> None:
    created(project, "github")
    (project.folder() / "spec.md").write_text("# Smart\n")
    if name == "tasks.md":
        (project.folder() / "tasks.md").unlink()
    if how == "unreadable":
        (project.folder() / name).write_bytes(b"\xff\xfe\x00")
    elif name == "spec.md":
        (project.folder() / "tasks.md").write_text("")
    shown = body(project, "github")

    done = project.run("sync")

    assert (0, [], shown) == (done.code, writes(project), body(project, "github")), done.said
    assert "the list differs: " in done.out
    assert 5 == project.run("sync", "--check").code


def test_files_that_cannot_be_written_keep_no_other_increment_from_its_sync(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    created(project, "github")
    tick(project, "github", "T-002: Erase")
    written = atomic.replace_file

    def fail(path: Path, content: bytes) -> None:
        if path.parent == project.folder():
            raise StoreError("not-writable", f"cannot write {path.name}: No space left on device")
        written(path, content)

    monkeypatch.setattr(atomic, "replace_file", fail)
    other = project.increment("0008-other", status="active")
    (project.folder(other) / "tasks.md").write_text(TASKS)
    assert 0 == project.run("github", "create-issue", "8").code
    number = project.metadata(other)["github"]["issue"]
    project.box.github.tick("octo/widgets", number, "T-002: Erase")
    project.run("sync").ends(
        5,
        out="not changed: cannot write tasks.md: No space left on device [not-writable]",
        lacks="T-002 (octo/widgets#1)",
    )
    assert TASKS == text(project, "tasks.md")
    assert (project.folder(other) / "tasks.md").read_text().endswith("[x] completed\n")


def test_an_id_that_occurs_twice_is_left_as_it_is(project: Project) -> None:
    created(project)
    edit(project, "tasks.md", "### T-002: Erase", "### T-001: Erase")
    assert 0 == project.run("github", "create-issue", "7").code
    tick(project, "github", "T-001: Erase")
    before = project.tree()
    project.run("sync").ends(0, out="T-001#2 left as it is: ")
    assert before == project.tree()


def test_hostile_words_in_boxes_are_only_words(project: Project, tracker: str) -> None:
    project.increment(status="active")
    (project.folder() / "spec.md").write_text(SPEC)
    (project.folder() / "tasks.md").write_text(TASKS.replace("Draw", HOSTILE))
    assert 0 == project.run(tracker, f"create-{NOUNS[tracker]}", "7").code
    rests(project)
    tick(project, tracker, "T-002: Erase")
    edit(project, "tasks.md", "[x] completed", "[ ] pending")
    project.run("sync").ends(0)
    assert not is_ticked(project, tracker, "T-001: ")
    assert text(project, "tasks.md").endswith("[x] completed\n")
    rests(project)


def test_an_answer_from_the_cache_has_the_boxes(project: Project) -> None:
    created(project, "github")
    project.box.github.has_graphql = False
    rests(project)
    project.box.requests.clear()
    rests(project)
    assert 304 in [one.status for one in project.box.requests.entries()]
    tick(project, "github", "AC-US1-02: It is blue")
    project.run("sync").ends(0)
    assert "- [x] **AC-US1-02" in text(project, "spec.md")
    data = project.metadata()
    data["github"]["base"]["boxes"] = {"ticked": [], "lines": "", "open": ["AC-US1-02"]}
    (project.folder() / "metadata.json").write_text(json.dumps(data))
    project.run("sync")
    edit(project, "spec.md", "- [x] **AC-US1-02", "- [ ] **AC-US1-02")
    project.run("sync", "--dry-run").shows(out="untick AC-US1-02 on the item")


def test_files_that_change_during_the_comparison_are_left(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    created(project, "github")
    tick(project, "github", "AC-US1-02: It is blue")
    compared = plan_sync

    def amid(*args: Any, **options: Any) -> Any:
        found = compared(*args, **options)
        edit(project, "tasks.md", "[ ] pending", "[x] completed")
        return found

    monkeypatch.setattr(sync, "plan_sync", amid)
    metadata = project.metadata()
    project.run("sync").ends(0, lacks="ticked")
    monkeypatch.undo()
    assert (SPEC, metadata) == (text(project, "spec.md"), project.metadata())
    assert [] == writes(project)
    assert 0 == project.run("sync").code
    rests(project)


def test_an_update_that_is_blocked_is_not_enqueued_again(project: Project) -> None:
    created(project, "github")
    edit(project, "tasks.md", "[ ] pending", "[x] completed")
    project.box.faults.add(Fault("github", "forbidden", method="PATCH", times=9))
    project.run("sync").ends(3)
    project.run("sync").ends(3)
    (pending,) = project.metadata()["pending"]
    assert "update" == pending["kind"]


@pytest.mark.parametrize("tracker", ALL)
def test_two_increments_share_an_item(project: Project, tracker: str) -> None:
    created(project, tracker)
    other = project.increment("0008-other", status="active")
    (project.folder(other) / "tasks.md").write_text(TASKS)
    url = block(project, tracker)["url"]
    assert 0 == project.run("link", "8", url).code
    assert 0 == project.run(tracker, f"update-{NOUNS[tracker]}", "8").code
    rests(project)
    edit(project, "tasks.md", "[ ] pending", "[x] completed")
    project.run("sync").ends(0)
    assert TASKS == (project.folder(other) / "tasks.md").read_text()
    (updated,) = project.metadata()[tracker]["base"]["boxes"]["ticked"][-1:]
    assert "T-002" == updated
    rests(project)


KIT_TASKS = (
    "# Tasks: Photo\n\n## Phase 1: Setup\n\n- [X] T001 Create it\n- [ ] T002 [P] [US1] Sort\n"
)


@pytest.fixture
def feature(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A feature of spec-kit, with an issue."""
    layouts: tuple[Any, Any] = ({"spec-kit": SPEC_KIT}, {})
    monkeypatch.setattr(installed, "installed_layouts", lambda: layouts)
    project.configure_more(tables='[layouts]\nuse = ["spec-kit"]')
    folder = project.root / "specs" / "001-photo"
    folder.mkdir(parents=True)
    (project.root / ".specify").mkdir()
    (folder / "spec.md").write_text("# Feature Specification: Photo\n\n**Status**: Draft\n")
    (folder / "tasks.md").write_text(KIT_TASKS + "- [ ] T003 Show\n")
    project.run("github", "create-issue", "001-photo").ends(0)
    return project


def test_the_tasks_of_other_tools_follow_their_items(feature: Project) -> None:
    tasks = feature.root / "specs" / "001-photo" / "tasks.md"
    feature.box.github.tick("octo/widgets", 1, "T002: ")
    left_by_a_crash = tasks.parent / ".tasks.md.0123456789ab.unlatch.tmp"
    left_by_a_crash.touch()
    tasks.write_text(tasks.read_text().replace("- [ ] T003", "- [X] T003"))
    feature.run("sync").ends(0)
    assert KIT_TASKS.replace("[ ]", "[X]") + "- [X] T003 Show\n" == tasks.read_text()
    assert "[ ]" not in feature.box.github.issue("octo/widgets", 1)["body"]
    assert not left_by_a_crash.exists()


def test_unticking_a_finished_unit_of_another_tool_reopens_nothing(feature: Project) -> None:
    tasks = feature.root / "specs" / "001-photo" / "tasks.md"
    tasks.write_text(tasks.read_text().replace("[ ]", "[X]"))
    assert 0 == feature.run("sync").code
    assert "closed" == feature.box.github.issue("octo/widgets", 1)["state"]
    feature.box.github.tick("octo/widgets", 1, "T002: ", done=False)
    before = feature.tree()
    feature.run("sync").ends(
        0, out="T002 left as it is: it would reopen 001-photo; to do so, use unlatch resume"
    )
    feature.run("sync").ends(0)
    assert before == feature.tree()
    assert "closed" == feature.box.github.issue("octo/widgets", 1)["state"]
