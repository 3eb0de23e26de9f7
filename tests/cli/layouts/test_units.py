"""Units of other tools as increments: from init to undo, on real folders and the sandbox."""

import json
import shutil
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.cli.layouts.folders import kiro, openspec, spec_kit, tick, write
from tests.cli.project import REASON, Project
from tests.cli.terminal import Terminal

FEATURE, CHANGE = "001-photo-albums", "add-login"


@pytest.fixture
def photos(project: Project) -> Project:
    """A project of spec-kit."""
    spec_kit(project.root)
    assert project.run("init").code == 0
    return project


@pytest.fixture
def login(project: Project) -> Project:
    """A project of OpenSpec with an archived change."""
    openspec(project.root)
    assert project.run("init").code == 0
    return project


def active_change(root: Path) -> Path:
    """A project of OpenSpec with one change, of whose two tasks one is for a requirement."""
    change = root / f"openspec/changes/{CHANGE}"
    openspec(root).rename(change)
    tasks = "- [x] 1.1 Write it\n- [ ] 1.2 Test it\n  - Requirement: Login\n"
    write(change / "tasks.md", tasks)
    return change


def tasks_of(project: Project, name: str = FEATURE) -> Path:
    places = {FEATURE: f"specs/{FEATURE}", CHANGE: f"openspec/changes/{CHANGE}"}
    return project.root / places[name] / "tasks.md"


def listed(project: Project) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in project.run("list", "--all", "--json").document}


def record(project: Project, name: str = FEATURE) -> dict[str, Any]:
    path = project.root / ".unlatch/increments" / name / "metadata.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def issue(project: Project, number: int = 1) -> dict[str, Any]:
    return project.box.github.issue("octo/widgets", number)


def openspec_program(project: Project) -> Path:
    """A place for a program named openspec on the PATH of this project."""
    programs = project.home / "programs"
    programs.mkdir()
    project.extra["PATH"] = f"{programs}:{project.bin}"
    return programs / "openspec"


def finish(project: Project) -> None:
    """Link an item to the feature, do all its tasks, and complete it."""
    assert project.run("link", FEATURE, "--create", "github").code == 0
    tick(tasks_of(project))
    assert project.run("complete", FEATURE).code == 0


def test_init_says_what_it_found_and_list_shows_each_unit(project: Project) -> None:
    spec_kit(project.root)
    openspec(project.root)
    project.run("init").shows(
        err=(
            "Found spec-kit: 1 unit (1 active). It is read.",
            "Found OpenSpec: 1 unit (1 completed). It is read.",
        )
    )
    config = tomllib.loads((project.root / ".unlatch/config.toml").read_text("utf-8"))
    assert config["layouts"] == {"use": ["openspec", "spec-kit"]}
    shown = project.run("list", "--all").out.splitlines()
    assert shown[1].split() == [FEATURE, "active", "1/3", "tasks", "Photo", "albums"]
    assert shown[2].split() == [CHANGE, "completed", "(archived)", "archive", "Add", "login"]


def test_init_again_and_reading_change_nothing(photos: Project) -> None:
    kiro(photos.root)
    write(photos.root / ".taskmaster/tasks/tasks.json", "{}")
    before = photos.tree()
    again = photos.run("init", "--json")
    for command in (["list"], ["status"], ["show", FEATURE], ["sync"], ["doctor"], ["search", "x"]):
        photos.run(*command)
    assert before == photos.tree()
    used = {one["title"]: one["used"] for one in again.document["layouts"]}
    assert used == {"spec-kit": True, "Kiro": False, "Task Master": False}
    said = photos.run("init").err
    assert 'It is not read: [layouts] use in .unlatch/config.toml lacks "kiro".\n' in said
    assert "Found Task Master. It is not read: unlatch has no layout for it.\n" in said


def test_an_item_has_the_stories_criteria_and_tasks_as_check_boxes(photos: Project) -> None:
    photos.run("link", FEATURE, "--create", "github").ends(0)
    body = issue(photos)["body"]
    assert "- [x] T001: Create the project" in body
    assert "- [ ] T002: Sort albums in src/albums.py" in body
    assert "US1: Sort albums" in body
    assert "FR-001" in body
    assert "US1/AC1: Given two albums, When they are listed, Then the newer is first" in body
    again = photos.run("link", FEATURE, "--create", "github")
    assert (again.code, len(photos.box.github.items())) == (2, 1)


def test_an_item_for_each_story_has_its_own_tasks(photos: Project) -> None:
    photos.run("link", FEATURE, "--create", "github", "--per-story").ends(0)
    first, second = (issue(photos, number)["body"] for number in (1, 2))
    assert ("T002" in first, "T003" in first) == (True, False)
    assert ("T002" in second, "T003" in second) == (False, True)
    photos.run("link", FEATURE, "--create", "github", "--per-story").shows("nothing to create")


def test_a_task_without_an_id_is_ticked_from_its_item(project: Project) -> None:
    tasks = active_change(project.root) / "tasks.md"
    write(tasks, "- [ ] Write: the form\n- [ ] Test it\n- [ ] Test it\n")
    project.run("init")
    assert project.run("link", CHANGE, "--create", "github").code == 0
    for words in ("Write: the form", "Test it"):  # the first of two
        project.box.github.tick("octo/widgets", 1, words)
    project.run("sync").ends(0)
    assert "- [x] Write: the form\n- [x] Test it\n- [ ] Test it\n" == tasks.read_text("utf-8")


@pytest.mark.sweep
def test_completing_needs_all_tasks_and_a_resume_holds_until_the_files_change_again(
    photos: Project,
) -> None:
    photos.run("link", FEATURE, "--create", "github")
    photos.run("complete", FEATURE).ends(1, "work-open")
    tick(tasks_of(photos))
    photos.run("complete", FEATURE).ends(0, out="active -> completed")
    assert issue(photos)["state"] == "closed"
    photos.run("resume", FEATURE, "--reason", REASON, "--yes").ends(0)
    assert issue(photos)["state"] == "open"
    # All tasks are ticked still: that was known.
    assert listed(photos)[FEATURE]["status"] == "active"
    assert photos.run("sync").code == 0
    assert issue(photos)["state"] == "open"
    photos.run("undo", FEATURE, "--yes").ends(0)
    assert issue(photos)["state"] == "closed"
    assert listed(photos)[FEATURE]["status"] == "completed"


def test_new_scope_is_a_phase_with_the_next_ids(photos: Project) -> None:
    finish(photos)
    before = tasks_of(photos).read_text("utf-8")
    scope = ("--scope", "Sort by name, too", "--task", "Sort by name", "--task", "Test it")
    photos.run("resume", FEATURE, *scope, "--reason", REASON, "--yes").ends(
        0, out="tasks.md: T004, T005"
    )
    after = tasks_of(photos).read_text("utf-8")
    assert after.startswith(before)
    added = after.removeprefix(before)
    assert "## Phase 3: Scope change" in added
    assert "- [ ] T004 Sort by name\n- [ ] T005 Test it\n" in added
    assert (photos.root / f"specs/{FEATURE}/spec.md").read_text("utf-8").count("Scope change") == 0
    # A change without tasks becomes a task.
    photos.run("resume", FEATURE, "--scope", "Sort by size\nas users ask").ends(0)
    assert "- [ ] T006 Sort by size" in tasks_of(photos).read_text("utf-8")


def test_an_unknown_story_is_answered_with_the_stories(project: Project) -> None:
    kiro(project.root)
    project.run("init")
    resume = ("resume", "photo-albums", "--story", "1", "--reason", REASON, "--yes")
    project.run(*resume).shows("no story or criterion has the id '1'", "there are: R1, R1.1, R1.2")
    project.run(*resume, "--scope", "Sort", "--task", "Sort by name").shows(
        err="note: no story or criterion has the id 1\n"
    )


def test_what_the_tool_changed_is_reported_then_recorded(photos: Project) -> None:
    finish(photos)
    write(tasks_of(photos), tasks_of(photos).read_text("utf-8") + "- [ ] T009 One more\n")
    status, plan = photos.run("status"), photos.run("sync", "--dry-run", "--json")
    photos.run("sync", "--check").ends(5)
    done = photos.run("sync", "--json")
    line = f"{FEATURE}: completed -> active, by spec-kit: 3/4 tasks"
    assert line in status.out
    expected = {
        "increment": FEATURE,
        "recorded": "completed",
        "shown": "active",
        "by": "3/4 tasks",
        "layout": "spec-kit",
    }
    assert plan.document["adoptions"] == done.document["adoptions"] == [expected]
    entry = photos.run("history", FEATURE, "--json").document["events"]
    assert "spec-kit: 3/4 tasks" in [one.get("reason") for one in entry]
    assert issue(photos)["state"] == "open"
    comments = photos.box.github.comments("octo/widgets", 1)
    assert any("3/4 tasks" in one["body"] for one in comments)
    assert photos.run("sync").out == ""


def test_status_on_a_feature_branch_advises_no_sync_that_records_nothing(photos: Project) -> None:
    photos.git("init", "--quiet", "--initial-branch=work")
    tick(tasks_of(photos))
    photos.run("link", FEATURE, "--create", "github")
    write(tasks_of(photos), tasks_of(photos).read_text("utf-8") + "- [ ] T009 One more\n")
    assert "  Next: unlatch sync\n" in photos.run("status").err
    tables = '[sync]\nbranch = "main"\n[layouts]\nuse = ["spec-kit"]\n'
    photos.configure_more(tables=tables)
    assert "  Sync does not record it on this branch. Next: merge, then" in photos.run("status").err
    photos.run("sync")
    assert record(photos)["status"] == "completed"


def test_an_archived_change_moves_back_under_its_name(login: Project) -> None:
    login.run("link", CHANGE, "--create", "github")
    login.run("resume", CHANGE, "--reason", REASON, "--yes").ends(
        0,
        "move '### Requirement: Login' to '## MODIFIED Requirements'",
        out="Moved out of the archive: openspec/changes/add-login",
    )
    assert tasks_of(login, CHANGE).is_file()
    assert [*(login.root / "openspec/changes/archive").iterdir()] == []
    assert record(login, CHANGE)["unit"]["path"] == f"openspec/changes/{CHANGE}"
    assert listed(login)[CHANGE]["status"] == "active"


def test_an_archived_change_keeps_its_date_beside_an_active_one_of_its_name(login: Project) -> None:
    write(login.root / "openspec/changes/add-login/tasks.md", "- [ ] 1.1 Other\n")
    assert [*listed(login)] == [CHANGE, f"2026-01-24-{CHANGE}"]


def test_two_units_of_one_name_are_both_listed_and_neither_is_meant(project: Project) -> None:
    openspec(project.root)
    kiro(project.root)
    write(project.root / f".kiro/specs/{CHANGE}/tasks.md", "- [ ] 1. Other\n")
    project.run("init")
    before = project.tree()
    project.run("resume", CHANGE, "--reason", REASON, "--yes").ends(
        2, "ambiguous-increment", f".kiro/specs/{CHANGE}"
    )
    assert before == project.tree()


def test_a_copy_in_the_archive_stops_no_sync_and_doctor_names_it(login: Project) -> None:
    archive = login.root / "openspec/changes/archive"
    (archive / f"2026-01-24-{CHANGE}").rename(login.root / "openspec/changes" / CHANGE)
    tasks = "- [ ] 1.1 Other\n"
    write(login.root / f"openspec/changes/{CHANGE}/tasks.md", tasks)
    assert login.run("link", CHANGE, "--create", "github").code == 0
    shutil.copytree(login.root / "openspec/changes" / CHANGE, archive / CHANGE)
    tick(tasks_of(login, CHANGE))
    login.run("sync").ends(0)
    checked = login.run("doctor", "--json")
    assert {CHANGE: "completed"} == {key: one["status"] for key, one in listed(login).items()}
    assert tasks == (archive / CHANGE / "tasks.md").read_text()
    (twice,) = (one for one in checked.document["findings"] if one["id"] == "folder-twice")
    assert f"openspec/changes/{CHANGE}" in twice["message"]


CURRENT = '{"feature_directory":"specs/002-other"}\n'


def test_a_feature_elsewhere_is_found_in_a_clone_and_after_another_one_became_current(
    project: Project,
) -> None:
    write(project.root / ".specify/feature.json", '{"feature_directory":"features/007-bill"}\n')
    write(project.root / "features/007-bill/spec.md", "# Feature Specification: Bill\n")
    write(project.root / "features/007-bill/tasks.md", "- [x] T001 Pay\n")
    assert project.run("init").code == 0
    assert project.run("resume", "7", "--reason", REASON, "--yes").code == 0

    # Of a clone: spec-kit 1.2.3 keeps the file out of git.
    (project.root / ".specify/feature.json").unlink()

    listed = project.run("list", "--json").document
    assert [("007-bill", "active")] == [(one["id"], one["status"]) for one in listed]
    done = project.run("complete", "7")
    assert (done.code, record(project, "007-bill")["status"]) == (0, "completed"), done.said


def two_features(project: Project, current: str = CURRENT) -> Path:
    """A finished feature, and another one on which spec-kit works; its file that says so."""
    finish(project)
    write(project.root / "specs/002-other/spec.md", "# Feature Specification: Other\n")
    place = project.root / ".specify/feature.json"
    write(place, current)
    return place


def test_resume_names_the_feature_that_spec_kit_works_on(photos: Project) -> None:
    place = two_features(photos)
    done = photos.run("resume", FEATURE, "--reason", REASON, "--yes")
    command = f"unlatch resume {FEATURE} --current"
    said = f"spec-kit works on specs/002-other; to let it work on this one: {command}"
    assert (0, CURRENT) == (done.code, place.read_text()), done.said
    assert said in " ".join(done.err.split())
    (warning,) = photos.run("resume", FEATURE, "--json").document["warnings"]
    assert ("current-differs", said) == (warning["id"], warning["message"])
    done = photos.run(*command.split()[1:])
    assert (0, '{"feature_directory":"specs/001-photo-albums"}\n') == (done.code, place.read_text())
    assert "current-differs" not in photos.run("resume", FEATURE).said


@pytest.mark.parametrize(
    "text", ['{"feature_directory": "specs/002-other", "more": 1}', "\ufeff{}"]
)
def test_a_file_that_spec_kit_did_not_write_is_refused_first(photos: Project, text: str) -> None:
    place = two_features(photos, text)
    before = photos.tree()
    photos.run("resume", FEATURE, "--reason", REASON, "--yes", "--current").ends(
        1, err="error[current-not-set]"
    )
    assert (before, text) == (photos.tree(), place.read_text())


def test_a_tool_without_a_current_unit_is_named(login: Project) -> None:
    login.run("resume", CHANGE, "--reason", REASON, "--yes", "--current").ends(
        2, err="error[current-unsupported]"
    )
    assert "completed" == listed(login)[CHANGE]["status"]


@pytest.mark.parametrize("answer", ["y", pytest.param("n", marks=pytest.mark.sweep)])
def test_at_a_terminal_resume_asks_what_spec_kit_is_to_work_on(
    photos: Project, answer: str
) -> None:
    place = two_features(photos)
    with Terminal(photos, "resume", FEATURE, "--reason", REASON) as terminal:
        terminal.answer("Continue?", "y\r")
        terminal.answer("Let spec-kit work on it, in place of specs/002-other?", f"{answer}\r")
        assert terminal.end() == 0, terminal.text
    now = CURRENT if answer == "n" else CURRENT.replace("002-other", "001-photo-albums")
    assert now == place.read_text()


def test_archiving_is_left_to_openspec(login: Project) -> None:
    login.run("resume", CHANGE, "--reason", REASON, "--yes")
    calls = login.home / "calls"
    program = openspec_program(login)
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$PWD" "$@" > {calls}\nexport -p >> {calls}\n')
    program.chmod(0o755)
    login.extra["UNLATCH_PUSH_TOKEN"] = "secret"
    login.run("complete", CHANGE).shows(err="Next: openspec archive --yes -- add-login")
    assert not calls.exists()
    login.run("resume", CHANGE, "--reason", "again", "--yes")
    login.run("complete", CHANGE, "--archive").ends(0)
    lines = calls.read_text("utf-8").splitlines()
    assert lines[:5] == [str(login.root), "archive", "--yes", "--", CHANGE]
    assert not [line for line in lines if "TOKEN" in line]
    program.write_text("#!/bin/sh\necho 'ADDED failed' >&2\nexit 1\n")
    login.run("resume", CHANGE, "--reason", "once more", "--yes")
    login.run("complete", CHANGE, "--archive").ends(5, "archive-failed", "ADDED failed")
    assert record(login, CHANGE)["status"] == "completed"


def test_archiving_that_cannot_work_changes_nothing(project: Project) -> None:
    tick(spec_kit(project.root) / "tasks.md")
    openspec(project.root)
    project.run("init")
    before = project.tree()
    for unit, error in ((FEATURE, "unsupported"), (CHANGE, "program-missing")):
        project.run("complete", unit, "--archive").ends(2, f"archive-{error}")
    assert before == project.tree()


def test_documents_suggest_the_items_that_they_mention(login: Project) -> None:
    login.items("github", finished=False)
    found = login.run("link", "--suggest", CHANGE, "--json")
    (proposal,) = [one for one in found.document["proposals"] if one["tracker"] == "github"]
    assert (proposal["ground"], proposal["items"][0]["url"]) == ("mention", login.urls["github"])


def test_a_spec_of_kiro_is_a_unit(project: Project) -> None:
    kiro(project.root)
    project.run("init")
    shown = listed(project)["photo-albums"]
    project.run("complete", "photo-albums").shows("2.2: Sort albums", lacks="Measure it")
    assert (shown["status"], shown["unit"]["by"]) == ("active", "2/3 tasks")


def test_a_layout_that_is_not_installed_is_named(photos: Project) -> None:
    config = photos.root / ".unlatch/config.toml"
    config.write_text(config.read_text("utf-8").replace("spec-kit", "no-such"), encoding="utf-8")
    photos.run("list").shows("layout-missing")
    photos.run("doctor").shows("no-such")


def test_a_unit_that_is_gone_is_broken_not_lost(photos: Project) -> None:
    finish(photos)
    (photos.root / "specs" / FEATURE).rename(photos.root / "specs/018-photo-albums")
    shown = listed(photos)
    assert shown[FEATURE]["broken"]["id"] == "unit-vanished"
    hint = shown[FEATURE]["broken"]["hint"]
    assert f"if it was renamed, give .unlatch/increments/{FEATURE} its new name" in hint
    assert shown["018-photo-albums"]["status"] == "completed"


def test_links_in_the_folders_of_a_tool_are_not_followed(photos: Project, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    write(secret / "tasks.md", "- [ ] T001 Secret\n")
    write(secret / "spec.md", "# Secret\n")
    (photos.root / "specs/002-link").symlink_to(secret)
    outside = tmp_path / "outside.md"
    write(outside, "- [x] T001 Outside\n")
    tasks = tasks_of(photos)
    tasks.unlink()
    tasks.symlink_to(outside)

    said = photos.run("list", "--all").said
    photos.run("resume", FEATURE, "--task", "T001", "--reason", REASON, "--yes")

    assert "Secret" not in said
    assert outside.read_text("utf-8") == "- [x] T001 Outside\n"


def test_doctor_finds_a_renamed_unit_in_the_history_of_git(photos: Project) -> None:
    finish(photos)
    photos.git("init", "--quiet", "--initial-branch=main")
    photos.commit()
    photos.git("mv", f"specs/{FEATURE}", "specs/018-photo-albums")
    photos.commit("Renumber")
    done = photos.run("doctor")
    places = f".unlatch/increments/{FEATURE} .unlatch/increments/018-photo-albums"
    assert f"git mv {places}" in done.out
    photos.git("mv", *places.split())
    assert listed(photos)["018-photo-albums"]["links"] != []
    assert "unit-vanished" not in photos.run("doctor").out


def test_a_unit_with_a_permanent_id_is_found_under_a_new_name(project: Project) -> None:
    spec = kiro(project.root)
    write(spec / ".config.kiro", '{"specId": "5b0e8f4e-9c1b-4c5e-8f0f-2f9d8f3f1a11"}')
    project.run("init")
    project.run("link", "photo-albums", "--create", "github")
    spec.rename(spec.parent / "albums-of-photos")
    shown = listed(project)
    assert [*shown] == ["photo-albums"]
    assert shown["photo-albums"]["unit"]["path"].endswith("albums-of-photos")
    assert len(shown["photo-albums"]["links"]) == 1


def test_work_that_the_files_lost_keeps_the_item_open(photos: Project) -> None:
    tasks = tasks_of(photos)
    photos.run("link", FEATURE, "--create", "github")
    photos.run("sync")
    for lose in (partial(tasks.write_text, ""), tasks.unlink):
        lose()
        photos.run("complete", FEATURE).ends(
            1, "work-open", "/octo/widgets/issues/1, and tasks.md lists no task"
        )
        assert issue(photos)["state"] == "open"


def test_doctor_checks_units_without_records(photos: Project) -> None:
    before = photos.tree()
    photos.run("doctor").ends(0, out="1 increment checked: 0 errors, 0 warn")
    assert before == photos.tree()
    tasks_of(photos).unlink()
    tasks_of(photos).symlink_to("/etc/hostname")
    photos.run("doctor").ends(1, out=("1 increment checked: 1 error, 0 warn", "[unsafe-path]"))
