"""The base is the state of both sides when last in sync, and nothing else."""

from tests.cli.project import Project

REOPEN_ISSUE = ("github", "reopen-issue", "7", "--reason", "A look")


def test_an_item_that_is_opened_beside_a_completed_increment_has_no_base_of_that(
    completed: Project,
) -> None:
    assert completed.run(*REOPEN_ISSUE).code == 0

    assert "base" not in completed.metadata()["github"]


def test_the_base_from_before_stands_so_that_sync_sees_the_difference(completed: Project) -> None:
    assert completed.run("sync", "--yes").code == 0
    before = completed.metadata()["github"]["base"]

    assert completed.run(*REOPEN_ISSUE).code == 0

    assert before == completed.metadata()["github"]["base"]
    assert 5 == completed.run("sync", "--check").code
