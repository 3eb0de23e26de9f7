"""A fifth kind of work is one package: all that joins the kinds of work takes it."""

from pathlib import Path

import pytest
from tests.cli.project import NAME, Project


@pytest.fixture
def with_memos(completed: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Project:
    info = tmp_path / "site" / "unlatch_memos-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(
        "[unlatch.commands]\nmemo = tests.cli.work.memos:MEMO\n"
        "[unlatch.kinds]\nmemo = tests.cli.work.memos:KIND\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    memos = completed.root / ".unlatch/memos"
    memos.mkdir()
    (memos / "why.txt").write_text(f"{NAME}\ndone\nWe keep the quagga parser.\n")
    (memos / "lost.txt").write_text("0099-gone\nopen\nNothing.\n")
    (memos / "torn.bad").touch()
    return completed


def test_commands_show_and_find_it(with_memos: Project) -> None:
    shown = with_memos.run("show", "7", "--offline", "--json").document
    assert [{"ref": "memo:why", "status": "done"}] == shown["related"]
    assert f"{NAME}\ndone\n" in with_memos.run("show", "memo:why").out
    assert with_memos.run("history", "memo:why").out == with_memos.run("memo", "read", "why").out
    (found,) = with_memos.run("search", "quagga", "--kind", "memo", "--json").document["results"]
    assert ("memo", "why") == (found["kind"], found["id"])
    assert "memo" in with_memos.run("help", "memos").out


def test_doctor_reports_its_links_and_files(with_memos: Project) -> None:
    report = with_memos.run("doctor").out
    assert "memo:lost names 0099-gone, which does not exist" in report
    assert "torn.bad: is no memo" in report


def test_unlink_takes_away_what_belongs_to_the_increment_only(completed: Project) -> None:
    completed.run("effort", "open", "auth-bug").shows()
    completed.run("unlink", "7", "effort:auth-bug").shows(err="does not belong to 0007")
    completed.run("link", "7", "effort:auth-bug").shows(f"auth-bug belongs to {NAME}")
    completed.run("unlink", "7", "effort:auth-bug", "--yes").shows(
        "auth-bug belongs to no increment"
    )
    completed.run("link", "7", "run:any").shows(err="a run has no link")


def test_unlink_leaves_the_increment_of_work_that_leads_here_by_other_work(
    completed: Project,
) -> None:
    completed.increment("0008-other")
    completed.run("effort", "open", "auth-bug").shows()
    completed.run("link", "8", "effort:auth-bug").shows("auth-bug belongs to 0008-other")
    completed.run("session", "start", "Look", "--increment", "7", "--effort", "auth-bug").ends(0)
    shown = completed.run("show", "7", "--offline", "--json").document["related"]
    assert "effort:auth-bug" in [entry["ref"] for entry in shown]
    completed.run("unlink", "7", "effort:auth-bug").ends(
        2, err=f"effort:auth-bug does not belong to {NAME} itself"
    )
    completed.run("unlink", "8", "effort:auth-bug").ends(0, "auth-bug belongs to no increment")
