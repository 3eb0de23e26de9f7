"""migrate: a SpecWeave tree to the current shape, with git as the undo, and old journals."""

import json
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import REASON, Project
from tests.increments.files.making import NOW, ulid

from unlatch.increments.files.paths import find_paths
from unlatch.project.workspace import Workspace
from unlatch.worklog.disk.folder import OpenFolder
from unlatch_specweave.migrate import journal, migrate
from unlatch_specweave.migrate.journal import Edit, Journal, State, digest, write_journal
from unlatch_specweave.migrate.plan import plan_migration

THEIRS, OURS = ".specweave/increments", ".unlatch/increments"
SEARCH, OLD = "0003-search", "0001-old"
ISSUE = "https://github.com/octo/widgets/issues/4"
CONFIG = {
    "limits": {"maxActiveIncrements": 2},
    "sync": {
        "settings": {"canUpdateStatus": False},
        "profiles": {"p": {"provider": "github", "config": {"owner": "octo", "repo": "widgets"}}},
    },
    "other": {"kept": True},
}


@pytest.fixture
def specweave(project: Project) -> Project:
    """A committed project as SpecWeave leaves it, without anything of ours."""
    shutil.rmtree(project.root / ".unlatch")
    put(
        project,
        SEARCH,
        '{\n    "increment": "0003-search",\n    "status": "in-progress",\n    "type": "feature",\n'
        '    "created_at": "2025-10-01",\n'
        f'    "github": {{"user_story_issues": [{{"id": "US-001", "issue_url": "{ISSUE}", '
        '"issue_number": 4}]}\n}',
    )
    put(
        project,
        f"_archive/{OLD}",
        '{"id": "0001-old", "status": "completed", "type": "feature", '
        '"created": "2025-10-01T00:00:00Z", "completed": "2025-10-02T00:00:00.000Z", '
        '"reason": {"completed": 1}}\n',
    )
    put(project, "0004-twice", '{"id": "0004-twice", "status": "active", "status": "paused"}')
    put(project, "0005-broken", "{")
    (project.root / THEIRS / "README.md").write_text("Ours since 2024\n")
    (project.root / ".specweave/config.json").write_text(json.dumps(CONFIG))
    project.git("init", "--quiet")
    commit(project)
    return project


def commit(project: Project) -> None:
    project.git("add", "--all")
    project.git("commit", "--quiet", "--allow-empty", "--message", "SpecWeave")


def leave_journal(project: Project, state: State = State.BEGUN) -> None:
    """Leave the journal of an earlier version that began to migrate the project."""
    paths = find_paths(project.root)
    plan = plan_migration(Workspace(paths, project.environ, project.home / "none.toml"))
    edits = tuple(
        Edit(path=change.path, before=change.before, after=digest(change.after))
        for change in plan.changes
    )
    (project.root / ".unlatch").mkdir(exist_ok=True)
    begun = Journal(id=ulid(1), at=NOW, by="Ada", state=state, moves=plan.moves, edits=edits)
    write_journal(paths, begun)


def migrate_as_before(project: Project) -> None:
    """Migrate as an earlier version did, which left its journal."""
    leave_journal(project)
    project.run("migrate", "--yes").ends(0)


def put(project: Project, name: str, text: str) -> None:
    folder = project.root / THEIRS / name
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text(text)
    (folder / "spec.md").write_bytes(b"---\r\nstatus: active\r\n---\r\n# Search\r\n")


def files(project: Project) -> dict[str, bytes]:
    """All files, wherever git would see them."""
    tree = project.tree().items()
    return {name: text for name, text in tree if text is not None and name[:5] != ".git/"}


def listed(project: Project) -> list[dict[str, Any]]:
    said = project.run("list", "--all", "--json").out.replace(THEIRS, OURS)
    found: list[dict[str, Any]] = json.loads(said)
    return found


def metadata(project: Project, name: str) -> dict[str, Any]:
    path = project.root / OURS / name / "metadata.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_the_increments_move_and_are_read_as_before(specweave: Project) -> None:
    before, was = files(specweave), listed(specweave)
    specweave.run("migrate", "--yes").ends(0)
    assert was == listed(specweave)
    assert not (specweave.root / THEIRS).exists()
    moved = {name.replace(THEIRS, OURS) for name in before}
    assert moved | {".unlatch/config.toml"} == set(files(specweave))
    assert metadata(specweave, SEARCH) == {
        "id": SEARCH,
        "status": "active",
        "type": "feature",
        "created": "2025-10-01T00:00:00Z",
        "github": {
            "items": [{"story": "US-001", "url": ISSUE, "issue": 4}],
            "issue": 4,
            "url": ISSUE,
        },
    }
    assert metadata(specweave, f"_archive/{OLD}")["completedAt"] == "2025-10-02T00:00:00.000Z"


def test_what_cannot_be_read_or_written_moves_as_it_is(specweave: Project) -> None:
    odd = {"id": "0006-odd", "status": "active", "type": "feature", "created": "2025-10-01"}
    links = {"issue": {"issue": "4"}, "user_story_issues": {"US-001": 5}}
    put(specweave, "0006-odd", json.dumps({**odd, "github": links}))
    commit(specweave)
    before = files(specweave)
    shown = specweave.run("migrate", "--dry-run")
    done = specweave.run("migrate", "--yes", "--json")
    reason = "0006-odd/metadata.json is left as it is: in the current shape it would lose values"
    assert (0, True) == (shown.code, reason in shown.said), shown.said
    paths = [one["path"] for one in done.document["left"]]
    assert {Path(path).parent.name for path in paths} == {"0004-twice", "0005-broken", "0006-odd"}
    for path in paths:
        assert before[path.replace(OURS, THEIRS)] == files(specweave)[path]


def test_settings_go_to_config_toml_and_mean_the_same(specweave: Project) -> None:
    def settings() -> dict[str, Any]:
        found = specweave.run("doctor", "--json").document["settings"]
        return {one["key"]: one["value"] for one in found if one["key"] != "specweave"}

    before = settings()
    specweave.run("migrate", "--yes")
    assert before == settings()
    text = (specweave.root / ".unlatch/config.toml").read_text()
    assert 'repository = "octo/widgets" # from .specweave/config.json\n' in text
    assert 'write = ["comment", "body", "create"] # from .specweave/config.json\n' in text
    (specweave.root / ".specweave/config.json").unlink()
    assert before == settings()


def test_git_undoes_it_with_the_command_that_it_names(specweave: Project) -> None:
    specweave.git("mv", ".specweave", ".moved")
    specweave.git("mv", ".moved", ".specweave")
    (specweave.root / ".gitattributes").write_text(f"/{THEIRS}/**/metadata.json merge=unlatch\n")
    commit(specweave)
    before = files(specweave)
    (line,) = (
        line
        for line in specweave.run("migrate", "--yes").ends(0).said.splitlines()
        if "this undoes it: git " in line
    )
    assert before != files(specweave)
    specweave.git(*shlex.split(line.partition("this undoes it: git ")[2]))
    assert before == files(specweave)


def _change(project: Project) -> str:
    path = project.root / THEIRS / SEARCH / "spec.md"
    path.write_text("# Another\n")
    return f"{THEIRS}/{SEARCH}/spec.md"


def _stage(project: Project) -> str:
    path = _change(project)
    project.git("add", "--all")
    return path


def _add(project: Project) -> str:
    (project.root / THEIRS / SEARCH / "new.md").write_text("")
    return f"{THEIRS}/{SEARCH}/new.md"


def _ignore(project: Project) -> str:
    (project.root / ".gitignore").write_text("*.log\n")
    (project.root / THEIRS / SEARCH / "a.log").write_text("")
    commit(project)
    return f"{THEIRS}/{SEARCH}/a.log"


def _hide_twice(project: Project) -> str:
    path = f"{THEIRS}/{SEARCH}/spec.md"
    project.git("update-index", "--assume-unchanged", path)
    project.git("update-index", "--skip-worktree", path)
    return _change(project)


def _configure(project: Project) -> str:
    project.configure("# Ours\n")
    return ".unlatch/config.toml"


def _forget(project: Project) -> str:
    shutil.rmtree(project.root / ".git")
    project.git("init", "--quiet")
    return f"{THEIRS}/{SEARCH}/metadata.json"


@pytest.mark.sample(count=2)
@pytest.mark.parametrize("change", [_change, _add, _ignore, _hide_twice, _configure])
def test_it_refuses_what_git_could_not_bring_back(
    specweave: Project, change: Callable[[Project], str]
) -> None:
    path = change(specweave)
    before = files(specweave)
    error = "error[migrate-uncommitted]: git has not all that a migration would touch: "
    done = specweave.run("migrate", "--yes").ends(1, err=error)
    assert path in done.err
    shown = specweave.run("migrate", "--dry-run").ends(0, out=f"  move {THEIRS} to {OURS}\n")
    assert "note: without --dry-run this is refused: " in shown.err
    assert before == files(specweave)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/.unlatch/increments/", f"{OURS}/{SEARCH}/metadata.json"),
        ("config.toml", ".unlatch/config.toml"),
    ],
)
def test_it_refuses_to_write_what_git_would_leave_out(
    specweave: Project, pattern: str, path: str
) -> None:
    (specweave.root / ".gitignore").write_text(f"{pattern}\n")
    commit(specweave)
    before = files(specweave)
    specweave.run("migrate", "--yes").ends(
        1,
        err=(
            "error[migrate-uncommitted]: .gitignore leaves out what a migration would write: ",
            path,
            "next: git check-ignore --verbose .unlatch/",
        ),
    )
    assert before == files(specweave)


def test_undo_restores_every_byte_without_what_stays_on_this_machine(specweave: Project) -> None:
    before = files(specweave)
    migrate_as_before(specweave)
    specweave.forget_local()
    done = specweave.run("migrate", "--undo", "--yes")
    assert (done.code, before) == (0, files(specweave))


def test_undo_keeps_what_was_changed_since(specweave: Project) -> None:
    before = files(specweave)
    migrate_as_before(specweave)
    specweave.run("resume", "1", "--reason", REASON, "--yes", "--offline")
    specweave.run("new", "Another one")
    name = f"{THEIRS}/{SEARCH}/metadata.json"

    shown = specweave.run("migrate", "--undo", "--dry-run").out
    done = specweave.run("migrate", "--undo", "--yes", "--json")

    assert [Path(one["path"]).parent.name for one in done.document["left"]] == [OLD]
    by_id = {one["id"]: one for one in listed(specweave)}
    assert (by_id[OLD]["status"], by_id[OLD]["reopens"]) == ("active", 1)
    assert "0006-another-one" in by_id
    after = files(specweave)
    assert before[name] == after[name]
    assert not (specweave.root / OURS).exists()
    # It did as it has shown.
    assert (f"  restore {name}\n" in shown, OLD in shown) == (True, False)
    assert "  delete .unlatch/config.toml\n" in shown
    assert ".unlatch/config.toml" not in after


def test_a_dry_run_shows_all_and_changes_nothing(specweave: Project) -> None:
    before = files(specweave)
    done = specweave.run("migrate", "--dry-run").ends(
        0, out=(f"  move {THEIRS} to {OURS}\n", "+++ b/.unlatch/config.toml\n")
    )
    document = specweave.run("migrate", "--dry-run", "--json").document
    told = ("this undoes it: git stash push ", "next: unlatch migrate --yes")
    specweave.run("migrate").ends(2, err=told)
    for line in ('-    "status": "in-progress",\n', '+    "status": "active",\n'):
        assert line in done.out
    assert document["moved"] == [{"from": THEIRS, "to": OURS}]
    assert (document["dryRun"], document["undo"]) == (True, False)
    assert [one["path"] for one in document["changed"]] == [
        f"{OURS}/{SEARCH}/metadata.json",
        f"{OURS}/_archive/{OLD}/metadata.json",
        ".unlatch/config.toml",
    ]
    assert before == files(specweave)


def test_a_second_time_there_is_nothing_to_do(specweave: Project) -> None:
    specweave.run("migrate", "--undo", "--yes").ends(2, err="error[no-migration]")
    specweave.run("migrate", "--yes")
    before = files(specweave)
    specweave.run("migrate", "--yes").ends(0, err="Nothing to migrate.")
    assert before == files(specweave)


class Killed(BaseException):
    """The process ends here."""


def killed_at(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process end before its `number`th write."""
    left = [number]
    places: list[tuple[Any, str]] = [(migrate, "replace_file"), (journal, "replace_file")]
    places += [(migrate, "move_folder"), (migrate, "remove_file"), (journal, "remove_file")]
    places += [(migrate, "remove_empty"), (OpenFolder, "remove_folder")]

    def wrapped(real: Any) -> Any:
        def write(place: Path, *args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            return real(place, *args, **kwargs)

        return write

    for owner, name in places:
        monkeypatch.setattr(owner, name, wrapped(getattr(owner, name)))


def kill(specweave: Project, number: int, *arguments: str) -> bool:
    """Whether the process was killed before its `number`th write."""
    with pytest.MonkeyPatch.context() as patch:
        killed_at(number, patch)
        try:
            done = specweave.run(*arguments)
        except Killed:
            return True
    assert done.code == 0, done.said
    return False


def is_sound(specweave: Project, was: list[dict[str, Any]]) -> bool:
    """Whether the increments are read as before, each once."""
    places = [(specweave.root / place).is_dir() for place in (THEIRS, OURS)]
    return sum(places) == 1 and listed(specweave) == was


@pytest.mark.sweep
def test_a_migration_that_was_cut_short_anywhere_can_be_read_and_begun_again(
    specweave: Project,
) -> None:
    was, before = listed(specweave), files(specweave)
    number = 0
    while kill(specweave, number := number + 1, "migrate", "--yes"):
        assert is_sound(specweave, was), number
        again = specweave.run("migrate", "--yes")  # only config.toml, which is new, may be left
        assert (again.code == 0) is (number == 1 or "migrate-uncommitted" not in again.err)
        assert is_sound(specweave, was), number
        specweave.git("stash", "push", "--quiet", "--include-untracked")
        assert before == files(specweave), number
    assert (number > 4, was) == (True, listed(specweave))


def test_one_that_an_earlier_version_began_is_finished(specweave: Project) -> None:
    was, before = listed(specweave), files(specweave)
    leave_journal(specweave)
    begun = files(specweave)
    number = 0
    while kill(specweave, number := number + 1, "migrate", "--yes"):
        assert "migration-unfinished" in specweave.run("doctor").out
        assert is_sound(specweave, was), number
        specweave.run("migrate", "--yes").ends(0, err="This finishes an interrupted migration.")
        assert is_sound(specweave, was), number
        assert specweave.run("migrate", "--yes").err.startswith("Nothing to migrate."), number
        specweave.run("migrate", "--undo", "--yes")
        assert before == files(specweave), number
        leave_journal(specweave)
        assert begun == files(specweave)
    assert number > 5


@pytest.mark.sweep
def test_an_undo_that_was_cut_short_anywhere_is_finished(specweave: Project) -> None:
    was, before = listed(specweave), files(specweave)
    migrate_as_before(specweave)
    number = 0
    while kill(specweave, number := number + 1, "migrate", "--undo", "--yes"):
        assert is_sound(specweave, was), number
        specweave.run("migrate", "--undo", "--yes")
        left = files(specweave)
        assert before == left, number
        migrate_as_before(specweave)
    assert (number > 6, before) == (True, files(specweave))


def test_increments_in_both_places_come_together(specweave: Project) -> None:
    specweave.increment(SEARCH, status="active")
    commit(specweave)
    before = files(specweave)
    specweave.run("migrate", "--yes").ends(1, err="error[migrate-blocked]")
    assert before == files(specweave)
    shutil.rmtree(specweave.folder(SEARCH))
    specweave.increment("0009-ours", status="active")
    specweave.increment("0008-archived", archived=True)
    commit(specweave)
    before = files(specweave)
    migrate_as_before(specweave)
    assert not (specweave.root / THEIRS).exists()
    assert [one["id"] for one in listed(specweave)] == [
        SEARCH, "0004-twice", "0005-broken", "0009-ours", OLD, "0008-archived",
    ]  # fmt: skip
    specweave.run("migrate", "--undo", "--yes")
    assert before == files(specweave)


def test_a_journal_from_elsewhere_reaches_no_other_file(specweave: Project) -> None:
    migrate_as_before(specweave)
    (path,) = (specweave.root / ".unlatch/migrations").iterdir()
    journal = json.loads(path.read_text())
    outside = f"{OURS}/../../outside/metadata.json"
    rows: list[tuple[dict[str, Any], str]] = [
        ({"files": [{"path": "../outside", "before": "stolen", "after": "0"}]}, "unreadable"),
        ({"files": [{"path": outside, "before": "x", "after": "0"}]}, "unreadable"),
        ({"files": [{"path": "/etc/passwd", "before": "x", "after": "0"}]}, "unreadable"),
        ({"moves": [{"from": OURS, "to": "../elsewhere"}]}, "unreadable"),
        ({"moves": [{"from": ".git/hooks", "to": OURS}]}, "unreadable"),
        ({"moves": {}}, "unreadable"),
        ({"state": "half"}, "unreadable"),
        ({"files": [{"path": 7, "before": None, "after": "0"}]}, "unreadable"),
        ({"formatVersion": 3}, "newer"),
    ]
    for changed, error in rows:
        path.write_text(json.dumps({**journal, **changed}))
        before = files(specweave)
        specweave.run("migrate", "--undo", "--yes").ends(1, err=f"error[migration-{error}]")
        assert before == files(specweave)
        assert specweave.run("list").code == 0
        assert f"migration-{error}" in specweave.run("doctor").out, changed


@pytest.mark.sweep
@pytest.mark.skipif("UNLATCH_CORPUS" not in os.environ, reason="UNLATCH_CORPUS is not set")
def test_real_increments_migrate_and_come_back(project: Project) -> None:
    (real,) = Path(os.environ["UNLATCH_CORPUS"]).rglob(".specweave")
    shutil.rmtree(project.root / ".unlatch")
    shutil.copytree(real, project.root / ".specweave", copy_function=shutil.copyfile)
    project.git("init", "--quiet")
    commit(project)
    before, was, shown = files(project), listed(project), _shown(project)
    assert project.run("migrate", "--yes").code == 0
    assert (51, was) == (len(was), listed(project))
    assert shown == _shown(project)
    old = {"old-key", "old-link", "old-status", "old-time", "id-differs"}
    found = project.run("doctor", "--json").document["findings"]
    assert [one for one in found if one["id"] in old] == []
    project.git("stash", "push", "--quiet", "--include-untracked")
    assert before == files(project)


def _shown(project: Project) -> list[Any]:
    """Links with their stories, and the history of each increment."""
    from tests.increments.files.making import manager_at  # noqa: PLC0415

    return [
        (
            found.id,
            sorted(
                (link.tracker, link.item, str(link.url), str(link.story)) for link in found.links
            ),
            found.reopens,
            project.run("history", found.id).out,
        )
        for found in manager_at(project.root).list()
        if not hasattr(found, "error_id")
    ]
