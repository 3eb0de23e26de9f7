"""Hooks, filters and merge drivers of a checkout, when its changes are published."""

from pathlib import Path

import pytest
from tests.ci.checkouts import (
    ALLOW_LOCAL,
    FILE,
    PUBLISH,
    archive,
    attribute,
    program,
    set_here,
    set_own,
    started,
)
from tests.ci.jobs import Job
from tests.crash.members import Team
from tests.pairs import sampled

HOOKS = ("pre-commit", "commit-msg", "pre-push")


@pytest.mark.parametrize("hooks_path", sampled([".git/hooks", ".husky"], {".husky"}))
def test_hooks_run_only_in_a_checkout_that_the_user_trusts(
    here: Job, ran: Path, hooks_path: str
) -> None:
    mine = archive(here)
    set_own(mine, ALLOW_LOCAL)
    for name in HOOKS:
        program(ran, name, at=mine.root / hooks_path / name)
    if hooks_path != ".git/hooks":
        mine.git("config", "core.hooksPath", hooks_path)

    first = mine.try_unlatch(*PUBLISH)
    before = started(ran)
    mine.unlatch("agents", "trust")
    mine.unlatch("complete", "7", "--yes", "--force", "--reason", "Done")
    second = mine.try_unlatch(*PUBLISH, "--json")

    assert (0, []) == (first.code, before), first.err
    assert "note: hooks of this checkout did not run: pre-commit, commit-msg, pre-push" in first.err
    assert (0, sorted(HOOKS)) == (second.code, started(ran)), second.err
    assert [] == second.document["commit"]["skippedHooks"]


def test_a_hook_that_rejects_the_commit_is_an_error_that_the_next_run_repeats(
    here: Job, ran: Path
) -> None:
    mine = archive(here)
    mine.unlatch("agents", "trust")
    hook = program(ran, "pre-commit", "echo no >&2; exit 1", at=mine.root / ".git/hooks/pre-commit")
    mine.try_unlatch(*PUBLISH).ends(3, err="error[commit-failed]")
    hook.unlink()
    mine.try_unlatch(*PUBLISH).ends(0)


def test_a_job_runs_no_hook_and_says_so(here: Job, ran: Path) -> None:
    program(ran, "pre-push", at=here.root / ".git/hooks/pre-push")
    done = here.try_unlatch(*PUBLISH)
    assert (0, []) == (done.code, started(ran)), done.err
    assert "hooks of this checkout did not run: pre-push" in done.err


def lay_filter(here: Job, ran: Path) -> str:
    """Put our files under a filter; returns the settings that define it."""
    attribute(here, "*.json filter=lfs")
    clean = program(ran, "clean", "sed s/active/ACTIVE/")
    smudge = program(ran, "smudge", "cat")
    return f'[filter "lfs"]\n clean = {clean}\n smudge = {smudge}\n required = true\n'


@pytest.mark.parametrize(
    "where", sampled(["job", "laptop", "laptop with a filter of its own"], {"job"})
)
def test_a_file_under_a_filter_is_never_committed_without_it(
    here: Job, ran: Path, where: str
) -> None:
    theirs = here if where == "job" else archive(here)
    settings = lay_filter(theirs, ran)
    if where == "laptop with a filter of its own":
        set_own(theirs, settings)
    else:
        set_here(theirs, settings)
    if where != "job":
        set_own(theirs, ALLOW_LOCAL)
    head = theirs.git("rev-parse", "HEAD")
    theirs.try_unlatch(*PUBLISH).ends(
        3,
        err=(
            "error[filter-needed]",
            f"{FILE} needs the filter 'lfs' of .gitattributes, which does not run",
        ),
    )
    assert (head, []) == (theirs.git("rev-parse", "HEAD"), started(ran))
    assert "active" == theirs.metadata()["status"]


@pytest.mark.parametrize("is_set_up", [True, pytest.param(False, marks=pytest.mark.sweep)])
def test_in_a_trusted_checkout_a_filter_runs_if_it_is_set_up(
    here: Job, ran: Path, *, is_set_up: bool
) -> None:
    mine = archive(here)
    mine.unlatch("agents", "trust")
    settings = lay_filter(mine, ran)
    if is_set_up:
        set_own(mine, settings)
    done = mine.try_unlatch(*PUBLISH).ends(0 if is_set_up else 3)
    assert is_set_up is ("clean" in started(ran))
    committed = mine.git("show", f"HEAD:{FILE}")
    assert is_set_up is ('"ACTIVE"' in committed)
    assert '"active"' not in committed
    assert is_set_up or "which is not set up" in done.err


def test_a_merge_that_needs_a_filter_changes_no_file(team: Team, here: Job, ran: Path) -> None:
    settings = lay_filter(here, ran).replace('"lfs"', '"big"')
    set_here(here, settings)
    attribute(here, "*.json -filter\n*.bin filter=big")
    (team.colleague.root / "a.bin").write_text("pointer\n")
    team.colleague.push("Big")
    here.try_unlatch(*PUBLISH).ends(3, err=("error[filter-needed]", "a.bin needs the filter 'big'"))
    assert ([], False) == (started(ran), (here.root / "a.bin").exists())
    assert "" == here.git("status", "--porcelain")


def test_a_merge_driver_of_the_checkout_does_not_run(team: Team, here: Job, ran: Path) -> None:
    trap = program(ran, "merge")
    here.git("config", "merge.trap.driver", str(trap))
    attribute(here, "*.json merge=trap")
    team.colleague.reopen("Another reason", "--offline")
    team.colleague.push("Reopen")
    here.try_unlatch(*PUBLISH).ends(3)
    assert [] == started(ran)
    assert "" == here.git("status", "--porcelain")
