"""Finished work that breaks: what is seen, suggested and reopened, in projects with real git."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.project import NAME, Done, Project
from tests.docs.pages import ROOT

SCHEMA = Draft202012Validator(
    json.loads((ROOT / "schemas/regressions.schema.json").read_text(encoding="utf-8"))
)
POLICY = "[regressions]\npolicy = {revert = 'reopen', trailer = 'reopen'}\n"
REPOSITORY = "octo/widgets"


class Desk:
    """A project with git whose work two commits made, and a later one completed.

    Args:
        tables: of the configuration of the default branch's commit.
    """

    def __init__(self, project: Project, tables: str = POLICY) -> None:
        self.project = project
        project.configure_more(tables=tables)
        project.enter(f"broken work {tables}", self._build)
        self.fix, self.other = self.git("rev-parse", "HEAD~2", "HEAD~1").split()

    def _build(self, project: Project) -> None:
        project.increment(status="active", links=project.items("github", finished=False))
        project.commit()
        self.change("search.txt", "fast\n", "Speed up search\n\nFixes #4")
        self.change("index.txt", "small\n", f"Shrink the index of {NAME}")
        self.complete()

    def git(self, *arguments: str) -> str:
        return self.project.git(*arguments).strip()

    def change(self, name: str, text: str, message: str) -> str:
        (self.project.root / name).write_text(text)
        return self.commit(message)

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def revert(self, commit: str) -> str:
        self.git("revert", "--no-edit", commit)
        return self.git("rev-parse", "HEAD")

    def complete(self) -> None:
        self.project.run("complete", "7", "--yes", "--force").ends(0)
        self.commit("Finish")

    def read(self, *arguments: str) -> Any:
        document = self.project.run("regressions", "--json", *arguments).ends(0).document
        SCHEMA.validate(document)
        return document

    def apply(self, *arguments: str) -> Done:
        return self.project.run("regressions", "--apply", "--yes", *arguments)

    def results(self, *arguments: str) -> list[tuple[str, str, str, str]]:
        return [
            (cause["kind"], cause["place"], cause["reaction"], cause["effect"])
            for cause in self.read(*arguments)["causes"]
        ]

    @property
    def comments(self) -> list[str]:
        return self.project.comments()["github"]

    @property
    def state(self) -> tuple[str, str]:
        """The status of the increment, and the state of its issue."""
        return self.project.metadata()["status"], self.project.states()["github"]


def test_a_revert_reopens_its_work_once_and_work_is_completed_by_a_person(project: Project) -> None:
    desk = Desk(project)
    before = len(desk.comments)
    assert [] == desk.results()
    first = desk.revert(desk.fix)
    assert [("revert", first[:10], "reopen", "reopen")] == desk.results()
    assert ("completed", "closed") == desk.state
    desk.apply("--dry-run").ends(0)
    assert "closed" == project.states()["github"]

    desk.apply().ends(0, "completed -> active")
    [entry] = project.metadata()["reopenHistory"]
    assert {
        "kind": "revert",
        "evidence": 'Revert "Speed up search"',
    } == {key: entry["cause"][key] for key in ("kind", "evidence")}
    assert ("open", before + 1) == (project.states()["github"], len(desk.comments))
    assert f"commit {first[:10]} reverts it".lower() in desk.comments[-1].lower()
    desk.commit("Reopen")
    assert [("revert", first[:10], "ignore", "nothing")] == desk.results()
    desk.apply().ends(0)
    assert before + 1 == len(desk.comments)

    second = desk.revert(desk.other)
    desk.apply().ends(0)
    assert ("Broken again" in desk.comments[-1], before + 2) == (True, len(desk.comments))
    desk.commit("Note")
    desk.apply().ends(0)
    assert before + 2 == len(desk.comments)
    project.run("history", "verify", "7").ends(0)

    desk.revert(second)
    assert [] == desk.read()["completing"]
    desk.revert(first)
    [completing] = desk.read()["completing"]
    assert (NAME, 2) == (completing["id"], len(completing["gone"]))
    assert "active" == project.metadata()["status"]
    desk.complete()
    assert ([], []) == (desk.results(), desk.read()["completing"])
    third = desk.revert(desk.fix)
    assert [("revert", third[:10], "reopen", "reopen")] == desk.results()


@pytest.mark.parametrize(
    ("policy", "reaction", "state"),
    [
        ("", "suggest", "closed"),
        ("policy = {revert = 'ignore'}", "ignore", "closed"),
        pytest.param("policy = {trailer = 'reopen'}", "suggest", "closed", marks=pytest.mark.sweep),
        ("policy = {revert = 'reopen'}", "reopen", "open"),
    ],
)
def test_the_policy_decides_what_a_cause_does(
    project: Project, policy: str, reaction: str, state: str
) -> None:
    desk = Desk(project, f"[regressions]\n{policy}\n")
    desk.revert(desk.fix)
    assert [reaction] == [result[2] for result in desk.results()]
    desk.apply().ends(0)
    assert state == project.states()["github"]


def test_a_policy_that_is_not_committed_is_said_not_to_count(project: Project) -> None:
    desk = Desk(project, "[regressions]\npolicy = {revert = 'suggest'}\n")
    assert "[regressions]" not in project.run("regressions").ends(0).said
    project.configure_more(tables=POLICY)
    revert = desk.revert(desk.fix)
    assert "[regressions] in config.toml counts as in" in project.run("regressions").ends(0).said
    assert [("revert", revert[:10], "suggest", "reopen")] == desk.results()
    desk.commit("Set the policy")
    assert "counts as in" not in project.run("regressions").ends(0).said


def test_a_kind_that_nothing_reads_is_said(project: Project) -> None:
    desk = Desk(project, "[regressions]\npolicy = {reverts = 'reopen', trailer = 'reopen'}\n")
    project.run("regressions").ends(0, "kinds of causes that nothing reads: reverts\n")
    desk.commit("Broken\n\nReopens: 7")
    assert ["reopen"] == [result[2] for result in desk.results()]


def test_a_dry_run_of_several_causes_shows_one_reopen(project: Project) -> None:
    desk = Desk(project)
    for name in ("Slow", "Broken"):
        desk.commit(f"{name}\n\nReopens: 7")
    whole = ("“Slow”", "“Broken”", "completed -> active (dry run)")
    desk.apply("--dry-run").ends(0, *whole, lacks="would stay completed")


def test_trailers_reopen_what_they_name_and_say_what_they_do_not_know(project: Project) -> None:
    desk = Desk(project)
    project.increment("0008-unfinished", status="active")
    unknown = desk.commit("Slow\n\nReopens: 8\nReopens: octo/widgets#5\nReopens: --force")
    named = desk.commit(f"Broken\n\nReopens: #4, octo/widgets#4\nReopens: {NAME}")
    results = [
        (cause["commit"], cause["increment"], cause["effect"]) for cause in desk.read()["causes"]
    ]
    assert [(unknown, None, "nothing"), (named, NAME, "reopen")] == results
    desk.apply().ends(0)
    assert ("active", "open") == desk.state
    assert "asks for it: “Broken”" in desk.comments[-1]
    [entry] = project.metadata()["reopenHistory"]
    assert ("trailer", "Broken") == (entry["cause"]["kind"], entry["cause"]["evidence"])


def _to_branch(desk: Desk) -> None:
    desk.git("switch", "--quiet", "--create", "topic")


def _to_detached(desk: Desk) -> None:
    desk.git("switch", "--quiet", "--detach")


@pytest.mark.parametrize("away", [_to_branch, _to_detached])
@pytest.mark.parametrize("fork", [False, True], ids=["own", "fork"])
def test_a_pull_request_suggests_and_its_settings_count_for_nothing(
    project: Project, away: Callable[[Desk], None], *, fork: bool
) -> None:
    desk = Desk(project, "[regressions]\ncomment = true\n")
    project.box.github.add_issue(number=9, title="Undo", pull_request=True)
    away(desk)
    project.configure_more(tables=POLICY)
    reverted = desk.revert(desk.fix)
    desk.commit("Let it act")
    own, other = {"id": 1}, {"id": 2}
    event = project.home / "event.json"
    event.write_text(
        json.dumps(
            {
                "pull_request": {"head": {"repo": other if fork else own}, "base": {"repo": own}},
                "repository": {"default_branch": "main"},
            }
        )
    )
    project.extra |= {
        "GITHUB_ACTIONS": "true",
        "GITHUB_HEAD_REF": "topic",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REF": "refs/pull/9/merge",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_SERVER_URL": project.box.github.web_url,
        "GITHUB_STEP_SUMMARY": str(project.home / "summary.md"),
        "GITHUB_OUTPUT": str(project.home / "outputs"),
    }
    assert [("revert", reverted[:10], "suggest", "reopen")] == desk.results()
    for _ in range(2):
        desk.apply().ends(0, "nothing is reopened, because")
    assert ("completed", "closed") == desk.state
    posted = project.box.github.comments(REPOSITORY, 9)
    assert (0 if fork else 1) == len(posted)
    assert all(NAME in comment["body"] for comment in posted)
    summary = (project.home / "summary.md").read_text()
    assert "1 increment broken again" in summary
    assert "adrift=true" in (project.home / "outputs").read_text()


def test_a_shallow_clone_says_that_history_is_missing_and_acts_on_nothing(
    project: Project, tmp_path: Path
) -> None:
    desk = Desk(project)
    desk.revert(desk.fix)
    kept = tmp_path / "kept"
    project.root.rename(kept)
    project.git("clone", "--quiet", "--depth=2", f"file://{kept}", str(project.root), cwd=tmp_path)
    desk.apply().ends(5, "history-missing", "git fetch --unshallow")
    assert ("completed", "closed") == desk.state


def test_a_clone_without_earlier_versions_acts_on_nothing(project: Project, tmp_path: Path) -> None:
    desk = Desk(project)
    desk.git("config", "uploadpack.allowFilter", "true")
    desk.git("commit", "--quiet", "--allow-empty", "--message", "Wait\n\nReopens: 7")
    kept = tmp_path / "kept"
    project.root.rename(kept)
    place = str(project.root)
    project.git("clone", "--quiet", "--filter=blob:none", f"file://{kept}", place, cwd=tmp_path)
    desk.apply().ends(5, "history-missing", "--filter")
    assert ("completed", "closed") == desk.state


def test_what_cannot_be_read_is_not_said_to_be_whole(project: Project) -> None:
    desk = Desk(project)
    desk.revert(desk.fix)
    (project.root / f".unlatch/increments/{NAME}/metadata.json").write_text("{")
    done = project.run("regressions").ends(5, "cannot be read")
    assert "Nothing breaks" not in done.said


def test_limits_and_deliberate_closes_hold(project: Project) -> None:
    desk = Desk(project, f"{POLICY}[sync]\nmax_items = 1\n")
    more = project.box.github.add_issue(title="More", state="closed")
    url = f"{project.urls['github'].rpartition('/')[0]}/{more}"
    project.increment(
        "0008-more", status="completed", links={"github": {"issueNumber": more, "issueUrl": url}}
    )
    desk.commit("Add more")
    desk.commit("Broken\n\nReopens: 7, 8")
    desk.apply().ends(2, "too-many-items", "unlatch regressions --apply --dry-run")
    assert ("completed", "closed") == desk.state
    desk.apply("--dry-run").ends(0, "too-many-items")
    project.box.github.edit(REPOSITORY, 4, state="open")
    project.box.github.edit(REPOSITORY, 4, state="closed", state_reason="not_planned")
    desk.apply("--max-items=2").ends(3, "deliberately-closed")
    assert ("active", "closed") == desk.state
    assert "active" == project.metadata("0008-more")["status"]


def test_work_outside_of_the_configured_targets_is_refused(project: Project) -> None:
    desk = Desk(project)
    url = f"{project.box.github.web_url}/octo/gadgets/issues/1"
    project.increment("0008-more", links={"github": {"issue": 1, "url": url}})
    desk.commit("Add more")
    desk.commit(f"Broken\n\nReopens: 8, {url}2, #44")
    unknown = [cause["why"] for cause in desk.read()["causes"] if not cause["increment"]]
    assert [f"{url}2, #44 name no finished work"] == unknown
    done = desk.apply()
    assert (True, "target-not-allowed" in done.said) == (done.code != 0, True)
    assert [] == [request for request in project.box.requests.entries() if request.changes]


OUTAGE = """
from datetime import UTC, datetime
from unlatch_regressions.cause import Cause
from unlatch_regressions.request import Reader

def read(request):
    for name in request.named("7"):
        moment = datetime(2099, 1, 1, tzinfo=UTC)
        yield Cause("outage", ("search",), moment, "Search is\\ndown", "status page", name)

READER, NO_READER = Reader(("outage",), read), read
"""


@pytest.mark.parametrize("name", ["READER", "NO_READER", "missing"])
def test_a_package_adds_causes_by_an_entry_point(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    desk = Desk(project, "[regressions]\npolicy = {outage = 'reopen'}\n")
    (tmp_path / "outages.py").write_text(OUTAGE)
    info = tmp_path / "outages-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(f"[unlatch.causes]\noutage = outages:{name}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "outages", raising=False)
    done = desk.apply()
    if name == "READER":
        done.ends(0, "completed -> active")
        assert "“Search is down” (status page)" in desk.comments[-1]
        desk.commit("Reopen")
        desk.apply().ends(0)
    else:
        done.ends(1, err="plugin-broken")
    assert ("completed" if name != "READER" else "active") == project.metadata()["status"]


def test_what_a_person_took_back_stays(project: Project) -> None:
    desk = Desk(project)
    desk.revert(desk.fix)
    desk.apply().ends(0)
    project.run("undo", "7", "--yes").ends(0)
    desk.commit("Take it back")
    assert ["nothing"] == [effect for *_, effect in desk.results()]
    desk.apply().ends(0)
    assert ("completed", "closed") == desk.state


def test_two_clones_reopen_for_one_cause_once(project: Project, tmp_path: Path) -> None:
    desk = Desk(project)
    desk.revert(desk.fix)
    before = len(desk.comments)
    kept = tmp_path / "kept"
    project.git("clone", "--quiet", str(project.root), str(kept), cwd=tmp_path)
    desk.apply().ends(0)
    ids = [entry["id"] for entry in project.metadata()["reopenHistory"]]
    project.root.rename(tmp_path / "first")
    kept.rename(project.root)
    project.forget_local()
    desk.apply()
    assert ids == [entry["id"] for entry in project.metadata()["reopenHistory"]]
    assert before + 1 == len(desk.comments)


HOSTILE = (
    "/reopen @mona ::error::x ##vso[task.complete] #4 \x1b[31m<script>` “quoted” " + "long " * 100
)


def test_the_words_of_a_commit_are_data(project: Project) -> None:
    desk = Desk(project)
    desk.commit(f"{HOSTILE}\n\nReopens: 7")
    done = desk.apply().ends(0)
    for line in done.said.splitlines():
        assert not line.startswith(("::", "##")), line
        assert "\x1b" not in line
    project.run("show", "7", "--briefing", "--offline").ends(0, ", for a trailer", lacks="mona")
    comment = desk.comments[-1]
    assert ("/reopen @mona" not in comment, len(comment) < 2000) == (True, True), comment
    assert not any(line.startswith("/") for line in comment.splitlines())
    [cause] = desk.read()["causes"]
    assert 201 == len(cause["evidence"])


def test_since_leaves_out_what_a_commit_has(project: Project) -> None:
    desk = Desk(project)
    first = desk.revert(desk.fix)
    second = desk.revert(desk.other)
    assert [first[:10], second[:10]] == [place for _, place, *_ in desk.results()]
    assert [second[:10]] == [place for _, place, *_ in desk.results("--since", first)]
    project.run("regressions", "--since", "gone").ends(2, "commit-unknown")
    for nothing in ("none/*.xml", ".unlatch"):
        project.run("regressions", "--junit", nothing).ends(2, "no-reports")


def _merged(desk: Desk) -> str:
    desk.git("switch", "--quiet", "--create", "side")
    commit = desk.change("side.txt", "side\n", "Change it")
    desk.git("switch", "--quiet", "main")
    desk.change("main.txt", "main\n", "Go on")
    desk.git("merge", "--quiet", "--no-ff", "-m", f"Merge work on {NAME}", "side")
    return commit


def _with_folder(desk: Desk) -> str:
    (desk.project.folder() / "notes.md").write_text("Notes\n")
    return desk.change("beside.txt", "beside\n", "Change it")


def _with_two_folders(desk: Desk) -> str:
    desk.project.increment("0008-other", status="active")
    return _with_folder(desk)


def _folder_alone(desk: Desk) -> str:
    (desk.project.folder() / "notes.md").write_text("Notes\n")
    return desk.commit(f"Write notes of {NAME}")


def _named(message: str) -> Callable[[Desk], str]:
    return lambda desk: desk.change("named.txt", "named\n", message)


@pytest.mark.parametrize(
    ("make", "is_work"),
    [
        (_merged, True),
        (_with_folder, True),
        (_with_two_folders, False),
        pytest.param(_folder_alone, False, marks=pytest.mark.sweep),
        (_named("Change it\n\nCloses: octo/widgets#4"), True),
        pytest.param(
            _named("Change it\n\nRelated: octo/widgets#4"), False, marks=pytest.mark.sweep
        ),
        pytest.param(_named("Fix #41"), False, marks=pytest.mark.sweep),
        pytest.param(_named("Change 0007-smart-disciplines"), False, marks=pytest.mark.sweep),
    ],
)
def test_which_commits_are_the_works(
    project: Project, make: Callable[[Desk], str], *, is_work: bool
) -> None:
    desk = Desk(project)
    project.run("resume", "7", "--reason", "More", "--yes").ends(0)
    desk.commit("Reopen")
    commit = make(desk)
    desk.complete()
    desk.revert(commit)
    assert is_work is bool(desk.results())
    assert [] == [result for result in desk.results() if result[0] != "revert"]


def test_results_of_tests_are_recorded_pushed_and_acted_on(
    project: Project, tmp_path: Path
) -> None:
    desk = Desk(project, "[regressions]\npolicy = {test = 'reopen'}\n")
    project.git("init", "--quiet", "--bare", str(tmp_path / "origin"))
    desk.git("remote", "add", "origin", str(tmp_path / "origin"))
    project.run("link", "7", "--test", "tests.test_search::test_fast").ends(0)
    desk.commit("Guard it")
    desk.git("push", "--quiet", "--set-upstream", "origin", "main")
    project.run("agents", "trust").ends(0)
    report = project.home / "report.xml"

    def run(child: str, message: str) -> Done:
        desk.commit(message)
        desk.git("push", "--quiet")
        case = f'<testcase classname="tests.test_search" name="test_fast">{child}</testcase>'
        report.write_text(f'<testsuites><testsuite name="pytest">{case}</testsuite></testsuites>')
        done = project.run(
            *("regressions", "--junit", str(report), "--record"),
            *("--apply", "--yes", "--commit=push"),
        )
        assert "" == desk.git("log", "origin/main..HEAD", "--oneline"), done.said
        return done

    run("", "Work").ends(0, "1 result recorded")
    run('<failure message="slow"/>', "Break it").ends(0, "listed: ")
    assert ("completed", "closed") == desk.state
    run('<failure message="slow"/>', "Go on").ends(0, "completed -> active")
    assert ("active", "open") == desk.state
    assert "a test fails that guards it" in desk.comments[-1].lower()
    run('<failure message="slow"/>', "Go on").ends(0, "nothing: ")
    run("", "Repair it").ends(0, lacks="To complete it")
    run("", "Go on").ends(0, f"To complete it: unlatch complete {NAME}")
    desk.complete()
    run('<failure message="slow"/>', "Break it again").ends(0, "listed: ")
    run('<failure message="slow"/>', "Go on").ends(0, "completed -> active")
    assert 2 == len(project.metadata()["reopenHistory"])
