"""Finished work that breaks: what is seen, suggested and reopened, in projects with real git."""

from __future__ import annotations

from typing import Any

from tests.cli.project import NAME, Done, Project

POLICY = "[regressions]\npolicy = {revert = 'reopen', trailer = 'reopen'}\n"


class Desk:
    """A project with git whose work a commit `fix` made, and a later one completed."""

    def __init__(self, project: Project, tables: str = POLICY) -> None:
        self.project = project
        project.configure_more(tables=tables)
        project.increment(status="active", links=project.items("github", finished=False))
        project.commit()
        self.fix = self.change("search.txt", "fast\n", "Speed up search\n\nFixes #4")
        self.other = self.change("index.txt", "small\n", f"Shrink the index of {NAME}")
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
        return self.project.run("regressions", "--json", *arguments).ends(0).document

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


def test_a_revert_reopens_its_work_once_and_work_is_completed_by_a_person(project: Project) -> None:
    desk = Desk(project)
    before = len(desk.comments)
    assert [] == desk.results()
    first = desk.revert(desk.fix)
    assert [("revert", first[:10], "reopen", "reopen")] == desk.results()
    assert ("completed", "closed") == (
        project.metadata()["status"],
        project.states()["github"],
    )
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
