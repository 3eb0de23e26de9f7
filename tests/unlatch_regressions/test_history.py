"""Reverts and trailers in histories that real git writes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from unlatch.config.choices import Reaction
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status
from unlatch.project.git import run
from unlatch.project.git.run import start_git
from unlatch.worklog.programs import Finished
from unlatch_regressions.branch.commits import HistoryMissing
from unlatch_regressions.branch.history import History
from unlatch_regressions.request import Request, Work
from unlatch_regressions.reverts import Reverts
from unlatch_regressions.trailers import read_trailers

BASE = "".join(f"line {number}\n" for number in range(40))


@dataclass
class Repository:
    """A repository with a commit `fix` of finished work, and the commit that completed it."""

    root: Path
    seconds: int = 1_790_000_000
    completed: str = ""

    def git(self, *arguments: str, code: int = 0) -> str:
        self.seconds += 60
        time = f"{self.seconds} +0000"
        given = {
            **{f"GIT_{role}_NAME": "Gil Git" for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_EMAIL": "gil@example.com" for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_DATE": time for role in ("AUTHOR", "COMMITTER")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
        }
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={"PATH": os.environ["PATH"], "HOME": str(self.root), **given},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout.strip()

    def change(self, name: str, old: str, new: str) -> None:
        path = self.root / name
        path.write_text((path.read_text() if path.exists() else BASE).replace(old, new))
        self.git("add", "--all")

    def commit(self, message: str, *more: str) -> str:
        self.git("commit", "--quiet", "--allow-empty", "-m", message, *more)
        return self.git("rev-parse", "HEAD")

    def fix(self, message: str = "Fix search", name: str = "search.txt", line: int = 20) -> str:
        self.change(name, f"line {line}\n", f"line {line}, {message}\n")
        return self.commit(message)

    def complete(self) -> None:
        self.completed = self.commit("Complete 0007-search")

    def revert(self, *arguments: str) -> str:
        self.git("revert", "--no-edit", *arguments)
        return self.git("rev-parse", "HEAD")

    def reverts(self, *work: str) -> list[tuple[str, tuple[str, ...]]]:
        """The commits that break the work, each with the work's commits that it reverts."""
        history = History(self.root, "main")
        since = history.ancestors(of=filter(None, [self.completed]))
        breaking = Reverts(history, work, frozenset(["octo/widgets"])).breaking(work)
        return [
            (revert, about)
            for revert, about in breaking.items()
            if not since.has(revert, of=self.completed)
        ]


@pytest.fixture(scope="session")
def _begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repository = Repository(tmp_path_factory.mktemp("begun"))
    repository.git("init", "--quiet", "--initial-branch", "main", "--template=")
    for name in ("search.txt", "index.txt"):
        repository.change(name, "", "")
    repository.commit("Begin")
    return repository.root


@pytest.fixture
def repository(_begun: Path, tmp_path: Path) -> Repository:
    root = tmp_path / "project"
    shutil.copytree(_begun, root)
    return Repository(root, 1_790_100_000)


def test_each_step_of_a_history(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "side")
    fix = repository.fix()
    repository.git("switch", "--quiet", "main")
    repository.fix("Rename", "index.txt")
    repository.git("merge", "--quiet", "--no-ff", "--no-edit", "side")
    merge = repository.git("rev-parse", "HEAD")
    repository.complete()
    assert repository.reverts(fix) == []
    # The text of git for a merge breaks the sentence.
    reverted = repository.revert("-m", "1", merge)
    assert repository.reverts(fix) == [(reverted, (fix,))]
    again = repository.revert(reverted)
    assert repository.reverts(fix) == []
    third = repository.revert(again)
    # The third names the second alone; the first holds again.
    assert repository.reverts(fix) == [(third, (fix,))]
    picked = repository.git("cherry-pick", fix) and repository.git("rev-parse", "HEAD")
    assert repository.reverts(fix) == []
    last = repository.revert(picked)
    assert repository.reverts(fix) == [(last, (fix,))]
    # What was so when the work was completed is no news.
    repository.complete()
    assert repository.reverts(fix) == []


def _by_reference(repository: Repository, fix: str) -> None:
    repository.revert("--reference", fix)


def _with_other_subject(repository: Repository, fix: str) -> None:
    repository.revert(fix)
    body = repository.git("log", "-1", "--format=%b")
    repository.git("commit", "--quiet", "--amend", "-m", "Search is slow again", "-m", body)


def _with_others(repository: Repository, fix: str) -> None:
    other = repository.fix("Fix index", "index.txt")
    repository.git("revert", "--no-commit", fix)
    repository.git("revert", "--no-commit", other)
    repository.commit(f'Revert "Fix index"\n\nThis reverts commit {other}.')


def _in_conflict(repository: Repository, fix: str) -> None:
    repository.change("search.txt", "line 20, Fix search", "line 20, Fix search faster")
    repository.commit("Make it faster")
    repository.git("revert", "--no-edit", fix, code=1)
    (repository.root / "search.txt").write_text(BASE)
    repository.git("add", "--all")
    repository.git("revert", "--continue")


def _after_lines_above(repository: Repository, fix: str) -> None:
    repository.change("search.txt", "line 2\n", "line 2\nmore\nmore\n")
    repository.commit("Add lines")
    repository.git("revert", "--no-commit", fix)
    # The id is that of the branch before it was rebased.
    repository.commit(f'Revert "Fix search"\n\nThis reverts commit {"e" * 40}.')


def _by_mercurial(repository: Repository, fix: str) -> None:
    # As hg-git writes a backout (findings/hg-git-backout.sh): git does not have the id.
    repository.git("revert", "--no-commit", fix)
    repository.commit("Backed out changeset a2f3aa33fa37")


def _on_a_side_branch(repository: Repository, fix: str) -> None:
    repository.git("switch", "--quiet", "--create", "undo")
    repository.revert(fix)
    repository.git("switch", "--quiet", "main")
    repository.fix("Rename", "index.txt")
    repository.git("merge", "--quiet", "--no-ff", "--no-edit", "undo")


@pytest.mark.sample(count=2)
@pytest.mark.parametrize(
    "act",
    [
        _by_reference,
        _with_other_subject,
        _with_others,
        _in_conflict,
        _after_lines_above,
        _on_a_side_branch,
        _by_mercurial,
    ],
)
def test_what_reverts_a_fix(repository: Repository, act: Callable[[Repository, str], None]) -> None:
    fix = repository.fix()
    repository.complete()
    act(repository, fix)
    assert [about for _, about in repository.reverts(fix)] == [(fix,)]


def test_ids_that_are_gone_or_look_like_options_are_passed_over(repository: Repository) -> None:
    fix = repository.fix()
    repository.complete()
    repository.revert(fix)
    odd = ("f" * 40, "--output=written", "-1", "")
    assert [about for _, about in repository.reverts(*odd, fix)] == [(fix,)]
    assert not (repository.root / "written").exists()


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Fix search (#12)", 'Revert "Fix search (#12)" (#13)\n\nReverts octo/widgets#12'),
        ("Merged PR 12: Fix search", "Merged PR 13: Revert 'Fix search'\n\nReverts !12"),
    ],
)
def test_the_squash_of_a_revert_pull_request(
    repository: Repository, subject: str, text: str
) -> None:
    fix = repository.fix(subject)
    # Its body speaks of another pull request.
    repository.fix("Fix index\n\nAfter (#12)", "index.txt")
    repository.complete()
    repository.git("revert", "--no-commit", fix)
    squash = repository.commit(text)
    assert repository.reverts(fix) == [(squash, (fix,))]


def test_one_git_looks_for_all_commits_that_messages_name(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix = repository.fix()
    repository.complete()
    started = list[str]()

    def start(folder: Path, arguments: Sequence[str], **given: Any) -> Finished:
        started.append(arguments[0])
        return start_git(folder, arguments, **given)

    monkeypatch.setattr(run, "start_git", start)
    count = list[int]()
    for number in (1, 200):
        # Of the ids that a message names, git has the fix alone.
        lines = "".join(f"This reverts commit {it:040x}.\n" for it in range(1, number))
        repository.change("search.txt", "line 20, Fix search\n", "line 20\n")
        reverted = repository.commit(f"Back\n\n{lines}This reverts commit {fix}.")
        started.clear()
        assert repository.reverts(fix) == [(reverted, (fix,))]
        assert started.count("cat-file") == 1
        count.append(len(started))
        repository.git("reset", "--quiet", "--hard", "HEAD^")
    assert count[0] == count[1]


def test_a_merged_pull_request_that_is_reverted(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "side")
    fix = repository.fix()
    repository.git("switch", "--quiet", "main")
    message = "Merge pull request #12 from octo/side"
    repository.git("merge", "--quiet", "--no-ff", "-m", message, "side")
    repository.complete()
    repository.git("revert", "-m", "1", "--no-commit", "HEAD^")
    squash = repository.commit('Revert "Fix search" (#13)\n\nReverts octo/widgets#12')
    assert repository.reverts(fix) == [(squash, (fix,))]


def test_merges_that_bring_a_branch_up_to_date_are_told_from_those_of_its_parts(
    repository: Repository,
) -> None:
    def merge(branch: str, *, into: str) -> str:
        repository.git("switch", "--quiet", into)
        repository.git("merge", "--quiet", "--no-ff", "--no-edit", branch)
        return repository.git("rev-parse", "HEAD")

    repository.git("branch", "develop")
    repository.git("switch", "--quiet", "--create", "part")
    repository.fix()
    part = merge("part", into="develop")
    repository.git("switch", "--quiet", "main")
    repository.fix("Fix index", "index.txt")
    update = merge("main", into="develop")
    # Another branch has the update, and through it what main had.
    repository.git("switch", "--quiet", "--create", "copy", "part")
    repository.fix("Fix more", line=30)
    pulled = merge("develop", into="copy")
    done = merge("copy", into="main")
    history = History(repository.root, "main")
    assert {update, pulled} == history.updates
    assert {done} == {history.merged_by[name] for name in (part, update, pulled)}


def test_an_amended_commit_and_a_picked_one_are_known_by_their_patch(
    repository: Repository,
) -> None:
    fix = repository.fix()
    repository.git("commit", "--quiet", "--amend", "-m", "Fix the search")
    amended = repository.git("rev-parse", "HEAD")
    repository.complete()
    reverted = repository.revert(amended)
    # The work knows the commit from before the amendment, which the branch does not have.
    assert repository.reverts(fix) == [(reverted, (fix,))]
    repository.git("cherry-pick", "-x", fix)
    assert repository.reverts(fix) == []


def _quoted(repository: Repository, fix: str) -> None:
    """`git merge --squash` of a branch with the fix and its revert indents their messages."""
    repository.change("index.txt", "line 1\n", "line one\n")
    text = f'    Revert "Fix search"\n    \n    This reverts commit {fix}.'
    repository.commit(f"Squashed commit of the following:\n\n{text}")


def _elsewhere(repository: Repository, fix: str) -> None:
    """The message names the fix, and the commit changes another file alone."""
    repository.change("index.txt", "line 1\n", "line one\n")
    repository.commit(f"Tidy\n\nThis reverts commit {fix}.")


def _branch_named_as_an_id(repository: Repository, fix: str) -> None:
    repository.git("branch", "abcdef1", fix)
    repository.change("search.txt", "line 1\n", "line one\n")
    repository.commit("Tidy\n\nThis reverts commit abcdef1.")


def _not_merged(repository: Repository, fix: str) -> None:
    repository.git("switch", "--quiet", "--create", "undo")
    repository.revert(fix)
    repository.git("switch", "--quiet", "main")


def test_an_empty_commit_is_not_undone_by_another(repository: Repository) -> None:
    empty = repository.commit("Start the build")
    repository.complete()
    repository.commit(f"Start it again\n\nThis reverts commit {empty}.")
    assert repository.reverts(empty) == []


@pytest.mark.parametrize("act", [_quoted, _elsewhere, _branch_named_as_an_id, _not_merged])
def test_what_reverts_nothing(
    repository: Repository, act: Callable[[Repository, str], None]
) -> None:
    fix = repository.fix()
    repository.complete()
    act(repository, fix)
    assert repository.reverts(fix) == []


def test_binary_files_modes_and_other_work_are_told_apart(repository: Repository) -> None:
    (repository.root / "logo.bin").write_bytes(b"\0one")
    repository.git("add", "--all")
    added = repository.commit("Add a logo")
    (repository.root / "logo.bin").write_bytes(b"\0two")
    changed = repository.commit("Change the logo", "--all")
    (repository.root / "search.txt").chmod(0o755)
    mode = repository.commit("Make it a program", "--all")
    repository.complete()
    reverted = repository.revert(changed)
    assert repository.reverts(added, changed, mode) == [(reverted, (changed,))]
    unset = repository.revert(mode)
    assert repository.reverts(added, changed, mode) == [(reverted, (changed,)), (unset, (mode,))]


def test_a_shallow_clone_says_that_history_is_missing(
    repository: Repository, tmp_path: Path
) -> None:
    fix = repository.fix()
    repository.revert(fix)
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.root}", f"{tmp_path}/new")
    for root, step in ((tmp_path / "new", "git fetch --unshallow"), (tmp_path, "use a clone")):
        with pytest.raises(HistoryMissing) as raised:
            Reverts(History(root, "main"), [fix])
        assert (raised.value.id, raised.value.exit_code) == ("history-missing", 5)
        assert str(raised.value.hint).startswith(step)
    Repository(tmp_path / "new").git("fetch", "--quiet", "--unshallow")
    history = History(tmp_path / "new", "main")
    assert len(Reverts(history, [fix]).breaking([fix])) == 1


def test_trailers_ask_for_a_reopen(repository: Repository) -> None:
    repository.complete()
    first = repository.commit(
        "Search is slow\n\nSince the upgrade.\n\nReopens: #4, SCRUM-28\nreopens: 7"
    )
    repository.commit("Quote it\n\n    Reopens: 8\n\nIn the text\nReopens: 9\nit is none.")
    second = repository.commit("Again\n\nReopens: 7\nSigned-off-by: Gil Git <gil@example.com>")
    finished = Increment("0007-search", repository.root, "Search", Status.COMPLETED)
    request = Request(
        repository.root,
        History(repository.root, "main"),
        {finished.id: Work(finished)},
        lambda name: {"7": ("0007-search",), "SCRUM-28": ("0007-search", "0008-index")}.get(
            name, ()
        ),
        datetime(2026, 10, 1, tzinfo=UTC),
    )
    causes = [*read_trailers(request)]
    assert [(cause.place, cause.work, cause.evidence, cause.at_most) for cause in causes] == [
        (first, "", "Search is slow", Reaction.IGNORE),
        (first, "0007-search", "Search is slow", Reaction.REOPEN),
        (second, "0007-search", "Again", Reaction.REOPEN),
    ]
    assert len({cause.fingerprint for cause in causes}) == 2
    assert causes == [*read_trailers(request)]
