"""Tests that guard finished work and fail: what is recorded, reopened and suggested."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import NAME, Done, Project
from tests.cli.refusing import assert_refused
from tests.cli.regressions.test_regressions import Desk

TEST = "tests/test_search.py::test_finds"
POLICY = "[regressions]\npolicy = {test = 'reopen'}\n"
_RESULTS = {"P": "", "F": "<failure/>", "S": "<skipped/>"}


class GuardedDesk(Desk):
    """Work with a linked test, and jobs that run it."""

    def __init__(self, project: Project) -> None:
        super().__init__(project, POLICY)
        project.run("link", "7", "--test", TEST).ends(0)
        self.commit("Link the test")

    def report(self, letter: str, name: str = "report.xml") -> Path:
        path = self.project.root.parent / name
        case = f'<testcase classname="tests.test_search" name="test_finds">{_RESULTS[letter]}'
        path.write_text(f'<testsuite name="pytest">{case}</testcase></testsuite>')
        return path

    def job(self, letters: str, *options: str) -> list[Any]:
        """Push, and let a job run the test for each letter: what it says of the causes."""
        documents = []
        for letter in letters:
            self.commit("Change")
            report = self.report(letter)
            arguments = ("--junit", str(report), "--record", "--apply", "--yes", *options)
            documents.append(self.read(*arguments))
        return documents


@pytest.fixture
def desk(project: Project) -> GuardedDesk:
    return GuardedDesk(project)


def _effects(documents: list[Any]) -> list[list[tuple[str, str]]]:
    return [
        [(cause["reaction"], cause["effect"]) for cause in document["causes"]]
        for document in documents
    ]


def test_work_is_reopened_once_and_again_only_after_its_test_passed(desk: GuardedDesk) -> None:
    project = desk.project
    assert [[], []] == _effects(desk.job("PP"))
    first, second = desk.job("FF")
    assert ([("ignore", "reopen")], [("reopen", "reopen")]) == tuple(_effects([first, second]))
    assert "it failed in 1 of 2 runs in a row" == first["causes"][0]["why"]
    [entry] = project.metadata()["reopenHistory"]
    assert ("test", f"{TEST} failed in 2 runs in a row") == (
        entry["cause"]["kind"],
        entry["cause"]["evidence"],
    )
    assert ("active", "open") == (project.metadata()["status"], project.states()["github"])
    # It was completed although the test still fails.
    desk.complete()
    told = len(desk.comments)
    *_, last = desk.job("FF")
    assert [("ignore", "nothing")] == _effects([last])[0]
    assert ("completed", told) == (project.metadata()["status"], len(desk.comments))
    desk.job("PP")
    *_, last = desk.job("FF")
    assert [("reopen", "reopen")] == _effects([last])[0]
    assert 2 == len(project.metadata()["reopenHistory"])


def test_completing_is_suggested_when_the_test_passed_in_enough_runs(desk: GuardedDesk) -> None:
    desk.job("PFF")
    once, twice = desk.job("PP")
    assert ([], [NAME]) == tuple(
        [work["id"] for work in each["completing"]] for each in (once, twice)
    )
    assert "active" == desk.project.metadata()["status"]


def test_a_dry_run_records_nothing(desk: GuardedDesk) -> None:
    report = desk.report("P")
    document = desk.read("--junit", str(report), "--record", "--dry-run")
    assert {"added": 1, "removed": 0} == document["recorded"]
    assert not (desk.project.root / ".unlatch/regressions.jsonl").exists()


def test_reports_of_several_commits_are_read_at_once(desk: GuardedDesk) -> None:
    commits = [desk.commit("Change") for _ in "PFF"]
    options = []
    for number, letter in enumerate("PFF"):
        path = desk.report(letter, f"report-{number}.xml")
        options += ["--junit", str(path), "--commit-of", f"{path}={commits[number]}"]
    document = desk.read(*options, "--record")
    assert ([[("reopen", "reopen")]], 3) == (_effects([document]), document["recorded"]["added"])


def test_a_commit_of_no_report_is_refused(desk: GuardedDesk) -> None:
    report = desk.report("P")
    done = desk.project.run("regressions", "--junit", str(report), "--commit-of", "r.xml=HEAD")
    assert_refused(done, 2, "report-not-named")


@pytest.mark.parametrize(
    ("content", "error"), [("<html/>", "report-invalid"), ("not ok 1\n", "report-invalid")]
)
def test_a_report_that_cannot_be_read_acts_on_nothing(
    desk: GuardedDesk, content: str, error: str
) -> None:
    desk.job("PF")
    desk.commit("Change")
    bad = desk.report("F", "bad.xml")
    bad.write_text(content)
    good = desk.report("F")
    arguments = ("--junit", str(good), "--junit", str(bad), "--record", "--apply", "--yes")
    assert_refused(desk.project.run("regressions", *arguments), 1, error)
    assert "completed" == desk.project.metadata()["status"]
    assert 2 == len((desk.project.root / ".unlatch/regressions.jsonl").read_text().splitlines())


def test_what_is_no_file_is_not_waited_for(desk: GuardedDesk) -> None:
    folder = desk.project.root.parent / "reports"
    (folder / "inner").mkdir(parents=True)
    desk.report("F").rename(folder / "inner/report.xml")
    pattern = str(folder / "**")
    assert [("ignore", "reopen")] == _effects([desk.read("--junit", pattern)])[0]
    os.mkfifo(folder / "pipe.xml")
    assert_refused(desk.project.run("regressions", "--junit", pattern), 1, "report-unreadable")


def test_links_and_memory_of_a_pull_request_do_not_count(desk: GuardedDesk) -> None:
    desk.job("P")
    desk.commit("Record")
    desk.git("switch", "--quiet", "--create", "side")
    desk.project.run("link", "7", "--test", "test_other").ends(0)
    path = desk.project.root / ".unlatch/regressions.jsonl"
    line = json.loads(path.read_text().splitlines()[0])
    tip = desk.git("rev-parse", "main")
    forged = line | {"commit": tip, "result": "failed", "id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
    path.write_text(f"{path.read_text()}{json.dumps(forged)}\n")
    desk.commit("Change")
    report = desk.report("F")
    done: Done = desk.project.run(
        *("regressions", "--branch", "main", "--junit", str(report), "--record", "--json")
    )
    document = done.ends(0).document
    assert [(TEST, "it did not run on the default branch")] == [
        (cause["place"], cause["why"]) for cause in document["causes"]
    ]
    assert {"added": 0, "removed": 0} == document["recorded"]


def test_fresh_clones_know_what_earlier_jobs_saw(desk: GuardedDesk, tmp_path: Path) -> None:
    project, bare = desk.project, tmp_path / "bare.git"
    desk.git("clone", "--quiet", "--bare", str(project.root), str(bare))
    seen = []
    for number, letter in enumerate("PFF"):
        job = replace(project, root=tmp_path / f"job-{number}")
        desk.git("clone", "--quiet", str(bare), str(job.root))
        for name, value in (("user.name", "Ci"), ("user.email", "ci@example.com")):
            job.git("config", name, value)
        job.run("agents", "trust").ends(0)
        job.git("commit", "--quiet", "--allow-empty", "--message", "Change")
        report = desk.report(letter)
        arguments = ("--junit", str(report), "--record", "--apply", "--yes", "--commit", "push")
        seen.append(job.run("regressions", "--json", *arguments).ends(0).document)
    assert [[], [("ignore", "reopen")], [("reopen", "reopen")]] == _effects(seen)
    log = desk.git("-C", str(bare), "log", "--format=%s", "main")
    assert [
        f"Sync {NAME} with linked items",
        "Change",
        "Record results of tests that guard finished work",
        "Change",
        "Record results of tests that guard finished work",
        "Change",
    ] == log.splitlines()[:6]
    kept = desk.git("-C", str(bare), "show", "main:.unlatch/regressions.jsonl")
    assert ["passed", "failed", "failed"] == [
        json.loads(line)["result"] for line in kept.splitlines()
    ]


def test_lines_of_the_memory_that_cannot_be_read_are_said_and_kept(desk: GuardedDesk) -> None:
    desk.job("F")
    memory = desk.project.root / ".unlatch" / "regressions.jsonl"
    memory.write_text(f"{memory.read_text()}junk\n{{\n")
    expected = (".unlatch/regressions.jsonl", "it has 2 lines that cannot be read")
    assert expected in [(cause["place"], cause["why"]) for cause in desk.read()["causes"]]
    desk.commit("Keep it")
    memory.unlink()
    assert expected in [(cause["place"], cause["why"]) for cause in desk.read()["causes"]]
    desk.git("checkout", "--quiet", "HEAD", "--", ".")
    desk.job("P")
    assert "\njunk\n{\n" in memory.read_text()


def test_more_files_than_can_be_read_are_refused(
    desk: GuardedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        desk.report("P", f"report-{number}.xml")
    pattern = f"{desk.project.root.parent}/report-*.xml"
    monkeypatch.setattr("unlatch_regressions.cli.regressions._MOST_FILES", 2)
    desk.project.run("regressions", "--junit", pattern).ends(2, err="too-many-files")
    monkeypatch.setattr("unlatch_regressions.cli.regressions._MOST_FILES", 3)
    desk.project.run("regressions", "--junit", pattern).ends(0)


def test_returns_of_a_cause_are_told_once_a_day(
    desk: GuardedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.job("PFF")
    before = len(desk.comments)
    desk.job("PFF")
    assert [True] == ["it came back once" in comment for comment in desk.comments[before:]]
    desk.job("PFF")
    assert before + 1 == len(desk.comments)
    monkeypatch.setattr("unlatch_regressions.judging._DAY", timedelta())
    desk.job("F")
    assert (before + 2, True) == (len(desk.comments), "came back 2 times" in desk.comments[-1])
    desk.job("F")
    assert before + 2 == len(desk.comments)
    assert 1 == len(desk.project.metadata()["reopenHistory"])
