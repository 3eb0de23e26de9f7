"""After a reopen, complete looks for evidence that something changed since."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.cli.output.test_documents import check, check_files
from tests.cli.project import NAME, REASON, Done, Project
from tests.security.traps import Traps

RESUME = ("resume", "7", "--reason", REASON, "--yes", "--offline")
REQUIRE = '[completion]\nevidence = "require"\n'
TASKS = "# Tasks\n\n- [x] T-001: Parse\n- [x] T-002: Print\n"


def at(days: float) -> dict[str, str | None]:
    moment = (datetime.now(UTC) + timedelta(days=days)).isoformat()
    return {"GIT_COMMITTER_DATE": moment, "GIT_AUTHOR_DATE": moment}


@pytest.fixture
def reopened(project: Project) -> Project:
    """0007 was completed, committed long ago, and reopened now; nothing was done since."""
    project.increment(links=project.items("jira"))
    (project.folder() / "tasks.md").write_text(TASKS)
    project.commit()
    project.run(*RESUME)
    project.extra = at(1)
    return project


def commit(project: Project, message: str, *, path: str | None = None) -> None:
    """Commit a file, or all that unlatch has written."""
    if path:
        place = project.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(message)
    project.git("add", path or "--all")
    project.git("commit", "--quiet", "--message", message)


def complete(project: Project, *options: str) -> Done:
    return project.run("complete", "7", "--offline", *options)


def evidence(project: Project) -> Any:
    return check(project, "complete", "complete", "7", "--offline")["evidence"]


def subjects(project: Project) -> list[str]:
    """The first lines of the commits that are evidence, the oldest first."""
    return [one["subject"] for one in reversed(evidence(project)["commits"])]


NAMING = (
    f"Fix {NAME}",
    "fix(0007): close the file",
    "Close the file\n\nFor increment 7.",
    "scrum-28: close the file",
    f"Merge branch 'feature/{NAME}'",
)
OTHERS = ("Tidy up", "Fix 10007", "Fix 0008-smart-discipline", "SCRUM-281", "SCRUM-2", "7")


def test_commits_that_name_the_increment_or_its_item_or_are_below_its_folder_are_evidence(
    reopened: Project,
) -> None:
    for number, message in enumerate((*OTHERS, *NAMING)):
        commit(reopened, message, path=f"src/{number}.py")
    commit(reopened, "Measure", path=f".unlatch/increments/{NAME}/reports/speed.md")
    found = evidence(reopened)
    expected = {*(message.partition("\n")[0] for message in NAMING), "Measure"}
    assert expected == {one["subject"] for one in found["commits"]}
    assert (0, True) == (found["ticked"], found["git"])


def test_the_reopen_itself_and_files_that_unlatch_writes_are_no_evidence(
    reopened: Project,
) -> None:
    commit(reopened, f"Reopen {NAME}, see SCRUM-28")
    for path in (
        f"increments/{NAME}/briefing.md",
        f"increments/{NAME}/briefing.md.old",
        f"increments/{NAME}/.metadata.json.0123456789ab.unlatch.tmp",
        "items/0001-octo-widgets-4/briefing.md",
        "efforts/sort/log.md",
        "runs/01JB/state.json",
        "sessions/2026-11-03-sort.md",
        "migrations/01JB.json",
    ):
        commit(reopened, f"Reopen {NAME}: {path}", path=f".unlatch/{path}")

    assert [] == subjects(reopened)


def test_documents_changed_by_hand_and_files_of_like_names_elsewhere_are_evidence(
    reopened: Project,
) -> None:
    commit(reopened, f"Reopen {NAME}")
    reopened.configure_more(tables='[sessions]\npath = "docs"\n')
    paths = ["briefing.md", "docs/runs/a.md", ".unlatch/workflows/a.md", "docs/sorting.md"]
    paths.append(f".unlatch/increments/{NAME}/spec.md")
    for path in ("docs/2026-11-03-sort.md", *paths):
        commit(reopened, f"{NAME}: {path}", path=path)
    assert {f"{NAME}: {path}" for path in paths} == {*subjects(reopened)}


@pytest.mark.parametrize("is_made_anew", [False, True])
def test_an_older_commit_is_none_even_if_it_was_made_anew(
    reopened: Project, *, is_made_anew: bool
) -> None:
    reopened.extra = at(-1)
    commit(reopened, f"Fix {NAME}", path="src/parser.py")
    if is_made_anew:
        reopened.extra = at(1)
        reopened.git("commit", "--quiet", "--amend", "--no-edit")
    assert [] == subjects(reopened)


@pytest.mark.parametrize("others", [[], [f"Fix the other part of {NAME}"]], ids=["alone", "both"])
def test_a_fix_that_was_reverted_is_none_and_another_beside_it_counts(
    reopened: Project, others: list[str]
) -> None:
    commit(reopened, f"Fix {NAME}", path="src/parser.py")
    reopened.git("revert", "--no-edit", "HEAD")
    for message in others:
        commit(reopened, message, path="src/printer.py")
    assert others == subjects(reopened)


@pytest.mark.parametrize("minutes", [-5, 5_000_000], ids=["behind", "far ahead"])
def test_a_commit_on_top_of_the_recorded_reopen_counts_by_any_clock(
    reopened: Project, minutes: int
) -> None:
    commit(reopened, "Reopen")
    reopened.extra = at(minutes / 1440)
    commit(reopened, f"Fix {NAME}", path="src/parser.py")
    assert [f"Fix {NAME}"] == subjects(reopened)


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("recorded", [True, False])
def test_an_earlier_commit_from_the_future_is_none(reopened: Project, *, recorded: bool) -> None:
    """The clock of its author was wrong, so its date proves nothing."""
    reopened.run("undo", "7", "--yes", "--offline")
    reopened.extra = at(3_000)
    commit(reopened, f"Fix {NAME}", path="src/parser.py")
    reopened.run(*RESUME)
    reopened.extra = at(1)
    if recorded:
        commit(reopened, "Reopen again")
    assert [] == subjects(reopened)


@pytest.mark.parametrize(("missing", "place"), [("program", "PATH"), ("repository", ".git")])
def test_without_git_only_boxes_count_and_that_is_said(
    reopened: Project, missing: str, place: str
) -> None:
    if missing == "program":
        reopened.extra = {place: str(reopened.home)}
    else:
        (reopened.root / place).rename(reopened.home / place)
    done = complete(reopened)
    note = f"ticked (commits were not checked: no git {missing}) [evidence-missing]\n"
    assert (0, True) == (done.code, note in done.err), done.said


def test_leaving_the_archive_is_no_evidence(project: Project) -> None:
    project.increment(archived=True)
    (project.increments / "_archive" / NAME / "plan.md").write_text("A plan\n")
    project.commit()
    project.run(*RESUME)
    project.extra = at(1)
    commit(project, f"Reopen {NAME}")
    assert [] == subjects(project)


def test_a_task_that_was_unticked_and_is_ticked_again_is_evidence(project: Project) -> None:
    project.increment()
    (project.folder() / "tasks.md").write_text(TASKS)
    project.run(*RESUME, "--task", "T-002")
    complete(project).shows(err="[work-open]")
    (project.folder() / "tasks.md").write_text(TASKS)
    assert 1 == evidence(project)["ticked"]


def test_a_project_can_require_evidence(reopened: Project) -> None:
    reopened.configure_more(tables=REQUIRE)
    before = reopened.tree()
    refused = complete(reopened).shows(
        err=(
            "error[evidence-missing]: nothing shows a change of",
            f"next: commit the change, then unlatch complete {NAME}\n",
        )
    )
    unchanged = before == reopened.tree()
    complete(reopened, "--force").ends(2, err="error[reason-missing]")
    complete(reopened, "--force", "--reason", "It was a false alarm").ends(0)
    assert (1, True) == (refused.code, unchanged)
    assert ["evidence-missing"] == reopened.events()[-1]["forced"]
    check_files(reopened)
    reopened.run(*RESUME)
    commit(reopened, "SCRUM-28: fix", path="src/parser.py")
    assert 0 == complete(reopened).code


def test_it_can_be_turned_off_and_what_was_never_reopened_needs_none(reopened: Project) -> None:
    reopened.configure_more(tables=REQUIRE)
    reopened.increment("0008-new", status="active")
    reopened.run("complete", "8", "--offline")
    assert reopened.metadata("0008-new")["status"] == "completed"
    reopened.configure_more(tables='[completion]\nevidence = "off"\n')
    assert evidence(reopened) is None


def test_a_shallow_clone_says_how_to_get_the_commits(reopened: Project, tmp_path: Path) -> None:
    commit(reopened, "SCRUM-28: fix", path="src/parser.py")
    reopened.configure_more(tables=REQUIRE)
    commit(reopened, "Reopen")
    clone = tmp_path / "clone"
    reopened.git("clone", "--quiet", "--depth", "1", f"file://{reopened.root}", str(clone))
    reopened.root = clone
    complete(reopened).shows(err="next: git fetch --unshallow, then unlatch complete")


def test_a_repository_cannot_make_it_start_a_program(reopened: Project, tmp_path: Path) -> None:
    traps = Traps(tmp_path / "traps")
    gpg = traps.program("gpg")
    commit(reopened, "SCRUM-28: fix", path="src/parser.py")
    signed = reopened.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n", 1
    )
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        input=signed,
        cwd=reopened.root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    reopened.git("reset", "--quiet", "--soft", made)
    for name, value in (("log.showSignature", "true"), ("gpg.program", str(gpg))):
        reopened.git("config", name, value)
    reopened.git("log", "-1")
    assert ["gpg"] == traps.sprung()
    (traps.folder / "gpg.ran").unlink()

    found = evidence(reopened)

    assert (["SCRUM-28: fix"], []) == ([one["subject"] for one in found["commits"]], traps.sprung())
