"""Tests that guard finished work, in histories of real git, with reports of several commits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from tests.unlatch_regressions.test_history import Repository, _begun, repository

from unlatch.config.choices import Reaction
from unlatch.increments.files.paths import RESULTS
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status
from unlatch_regressions.branch.history import History
from unlatch_regressions.request import Request, Work
from unlatch_regressions.results.reader import read_tests
from unlatch_regressions.results.record import Recorded, record_results

__all__ = ["_begun", "repository"]

_NOW = datetime(2026, 12, 1, tzinfo=UTC)
_WORK = "0007-search"
_NAMES = {"7": [_WORK], "octo/widgets#4": [_WORK], "SCRUM-28": [_WORK, "0008-other"]}
_FINDS = "tests/test_search.py::test_finds"


@dataclass
class Project:
    """A project with finished work, and what `regressions` would ask for."""

    repository: Repository
    guards: tuple[str, ...] = (_FINDS,)
    commits: frozenset[str] = frozenset()
    reports: dict[Path, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    @property
    def root(self) -> Path:
        return self.repository.root

    def report(self, commit: str, **results: str) -> Path:
        """A report about a commit, written after it."""
        path = self.root.parent / f"report-{next(self.numbers)}.xml"
        cases = "".join(
            f'<testcase classname="tests.test_search" name="{name}">{child}</testcase>'
            for name, child in results.items()
        )
        path.write_text(f'<testsuites><testsuite name="pytest">{cases}</testsuite></testsuites>')
        self.reports[path] = commit
        return path

    def request(self) -> Request:
        work = Work(
            Increment(_WORK, self.root, "Search", Status.COMPLETED),
            self.commits,
            self.repository.completed,
            self.guards,
        )
        history = History(self.root, "main")
        return Request(
            self.root,
            history,
            {_WORK: work},
            lambda name: _NAMES.get(name, []),
            _NOW,
            head=self.repository.git("rev-parse", "HEAD"),
            files={"junit": [*self.reports]},
            commits_of=dict(self.reports),
        )

    def causes(self) -> list[tuple[str, str]]:
        """What is read: the evidence, and why it is no cause that counts, or that it is gone."""
        return [
            (cause.evidence, "gone" if cause.is_gone else cause.why)
            for cause in read_tests(self.request())
        ]

    def record(self) -> Recorded:
        """Record the reports, and go on without them, as the next job does."""
        recorded = record_results(self.request(), by="dana", is_default=True)
        self.reports.clear()
        return recorded

    def run(self, letters: str) -> list[str]:
        """Commit, test and record: F fails, P passes, S is skipped."""
        children = {"F": "<failure/>", "P": "", "S": "<skipped/>"}
        commits = []
        for letter in letters:
            commits.append(self.repository.commit("Change"))
            self.report(commits[-1], test_finds=children[letter])
            self.record()
        return commits


@pytest.fixture
def project(repository: Repository) -> Project:
    return Project(repository)


def _failed(count: int) -> str:
    return f"{_FINDS} failed " + (f"in {count} runs in a row" if count > 1 else "in 1 run")


def test_the_same_test_breaks_work_again_only_after_it_passed(project: Project) -> None:
    project.run("P")
    project.repository.complete()
    project.run("F")
    assert [(_failed(1), "it failed in 1 of 2 runs in a row")] == project.causes()
    project.run("F")
    assert [(_failed(2), "")] == project.causes()
    first = [*read_tests(project.request())]
    # It was reopened, and completed although the test still fails.
    project.repository.complete()
    project.run("F")
    old = "no run shows that it passed when the work was completed"
    assert [(_failed(2), old)] == project.causes()
    project.run("PP")
    assert [(_failed(2), ""), (f"{_FINDS} passed", "gone"), (f"{_FINDS} passed", "gone")] == (
        project.causes()
    )
    project.run("FF")
    *_, again = read_tests(project.request())
    assert (_failed(2), "", first[0].fingerprint) == (again.evidence, again.why, again.fingerprint)
    assert (Reaction.REOPEN, "test", _WORK) == (again.at_most, again.kind, again.work)


@pytest.mark.sweep
def test_the_memory_has_what_counts_and_grows_no_further(project: Project) -> None:
    path = project.root / ".unlatch" / RESULTS
    path.parent.mkdir()
    project.repository.complete()
    project.run("PPPPSFFFF")
    assert 4 == len(path.read_text().splitlines())
    project.run("PF" * 6)
    lines = path.read_text().splitlines()
    assert 10 == len(lines)
    # Lines of another program, of a crash and of another branch stay.
    path.write_text("{cut\n" + path.read_text() + '{"event": "other"}\n')
    project.run("PF")
    kept = path.read_text().splitlines()
    assert ("{cut", '{"event": "other"}', 12) == (kept[0], kept[9], len(kept))


def test_old_lines_are_removed_on_the_default_branch_alone(project: Project) -> None:
    project.repository.complete()
    project.run("PF" * 5)
    project.report(project.repository.commit("Change"), test_finds="")
    request = project.request()
    assert Recorded(1, 0) == record_results(request, by="dana", is_default=False)
    assert Recorded(0, 1) == record_results(request, by="dana", is_default=True)


def test_clones_that_record_the_same_write_the_same_line(project: Project, tmp_path: Path) -> None:
    project.repository.complete()
    path = project.report(project.repository.commit("Change"), test_finds="")
    other = tmp_path / "other"
    project.repository.git("clone", "--quiet", str(project.root), str(other))
    record_results(replace(project.request(), root=other), by="dana", is_default=True)
    project.record()
    texts = {(root / ".unlatch" / RESULTS).read_bytes() for root in (project.root, other)}
    assert path.exists()
    assert 1 == len(texts)


def test_a_report_from_before_its_commit_is_not_read(project: Project) -> None:
    project.repository.complete()
    commit = project.repository.commit("Change")
    path = project.report(commit, test_finds="")
    before = int(project.repository.git("show", "--no-patch", "--format=%ct")) - 1
    os.utime(path, (before, before))
    why = "it is older than the commit that it is about"
    assert [(str(path), why)] == project.causes()
    assert Recorded(0, 0) == project.record()


@pytest.mark.parametrize(
    ("results", "why"),
    [
        ({"test_other": "<failure/>"}, "no report has it"),
        ({"test_finds": "<skipped/>"}, "it was skipped"),
    ],
)
def test_a_linked_test_without_a_result_is_listed(
    project: Project, results: Mapping[str, str], why: str
) -> None:
    project.repository.complete()
    project.report(project.repository.commit("Change"), **results)
    assert [(_FINDS, why)] == project.causes()


def test_what_did_not_run_on_the_default_branch_is_listed(project: Project) -> None:
    project.repository.complete()
    project.repository.git("switch", "--quiet", "--create", "side")
    project.report(project.repository.commit("Change"), test_finds="<failure/>")
    project.report("", test_finds="<failure/>")
    causes = [*read_tests(project.request())]
    assert [
        ("it did not run on the default branch", Reaction.IGNORE),
        ("its commit is not known", Reaction.SUGGEST),
    ] == [(cause.why, cause.at_most) for cause in causes]
    assert Recorded(0, 0) == project.record()


def _write_test(project: Project, name: str, message: str) -> str:
    path = project.root / "tests/test_search.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{path.read_text() if path.exists() else ''}def {name}(): pass\n")
    project.repository.git("add", "--all")
    return project.repository.commit(message)


def test_what_guards_work(project: Project) -> None:
    project.guards = ("tests.test_search.test_linked",)
    own = _write_test(project, "test_own", "Search for #4")
    project.commits = frozenset({own})
    project.repository.complete()
    _write_test(project, "test_by_trailer", "Test it\n\nRegression-test: 7, octo/widgets#4")
    _write_test(project, "test_of_another", "Test it\n\nRegression-test: 8")
    commit = _write_test(project, "test_quoted", "Test it\n\n    Regression-test: 7\n\nMore")
    marked = '<properties><property name="guards" value="octo/widgets#4"/></properties><failure/>'
    names = ("test_linked", "test_own", "test_by_trailer", "test_of_another", "test_quoted")
    parameters = {"test_p[0007-search]": "", "test_p[10007-search]": "", "test_p[SCRUM-281]": ""}
    project.report(
        commit,
        **dict.fromkeys((*names, *parameters, "test_p[0007-search-2]", "test_4"), "<failure/>"),
        test_marked=marked,
        **{"test_p[SCRUM-28]": "<failure/>"},
    )
    assert {
        "tests.test_search.test_linked",
        "tests/test_search.py::test_own",
        "tests/test_search.py::test_by_trailer",
        "tests.test_search::test_p[0007-search]",
        "tests.test_search::test_p[SCRUM-28]",
        "tests.test_search::test_marked",
    } == {cause.place for cause in read_tests(project.request())}


def test_two_names_of_one_test_are_one_guard(project: Project) -> None:
    own = _write_test(project, "test_finds", "Search for #4")
    project.commits, project.guards = frozenset({own}), ("test_finds",)
    project.repository.complete()
    project.report(project.repository.commit("Change"), test_finds="<failure/>")
    assert ["test_finds"] == [cause.place for cause in read_tests(project.request())]
