"""resume of increments that are not finished, and a new reason for one that is active."""

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import CLOSED, NAME, OPEN, REASON, Project
from tests.cli.refusing import assert_refused
from tests.cli.terminal import Terminal

MORE = "It came back in the next release"
UNFINISHED = ["planning", "backlog", "paused", "ready_for_review"]
REOPEN = ("resume", "7", "--reopen-items", "--reason", MORE, "--yes")


def reasons(project: Project) -> list[str]:
    """The different reasons of the events, in their order."""
    return [*dict.fromkeys(one["reason"] for one in project.events() if "reason" in one)]


def closed(project: Project, status: str) -> Project:
    """An increment with this status whose three items are closed."""
    project.increment(status=status, links=project.items())
    return project


@pytest.mark.sample(at=(0, 1))
@pytest.mark.parametrize("status", UNFINISHED)
def test_closed_items_are_reported_and_then_reopened_with_the_reason(
    project: Project, status: str
) -> None:
    before = closed(project, status).tree()
    unexplained = project.run("resume", "7", "--reopen-items", "--yes")
    unchanged = before == project.tree()
    done = project.run("resume", "7", "--yes")
    assert_refused(unexplained, 2, "reason-missing")
    assert (0, True) == (done.code, unchanged), done.said
    names = "octo/widgets#4, fabrikam/widgets 101, SCRUM-28"
    assert f"note: 3 linked items are closed: {names} [items-closed]\n" in done.err
    assert f"to reopen: unlatch resume {NAME} --reopen-items --reason TEXT\n" in done.err
    assert (project.metadata()["status"], CLOSED) == ("active", project.states())
    assert_that_they_are_reopened_once(project)


def assert_that_they_are_reopened_once(project: Project) -> None:
    codes = [project.run(*REOPEN).code for _ in range(2)]
    assert [0, 0] == codes
    assert (project.metadata()["status"], OPEN) == ("active", project.states())
    assert [1, 1, 1] == [sum(MORE in one for one in said) for said in project.comments().values()]
    assert reasons(project) == [MORE]


@pytest.mark.parametrize(
    ("status", "answer", "options", "code"),
    [("planning", "y", (), 0), ("planning", "n", (), 0), ("active", "n", ("--reason", MORE), 2)],
)
def test_at_a_terminal_it_asks_whether_to_reopen_them(
    project: Project, status: str, answer: str, options: tuple[str, ...], code: int
) -> None:
    with Terminal(closed(project, status), "resume", "7", *options) as terminal:
        terminal.answer("3 linked items are closed; reopen them? [y/N]: ", f"{answer}\n")
        if answer == "y":
            terminal.answer("Reason for reopening: ", f"{MORE}\n")
        assert terminal.end() == code
    assert '    GitHub        octo/widgets#4 "Smart discipline" (closed' in terminal.text
    assert ("Nothing was changed." in terminal.text) is (code == 2)
    states = OPEN if answer == "y" else CLOSED
    assert (project.metadata()["status"], states) == ("active", project.states())


def test_the_document_has_the_warning_and_a_dry_run_the_requests(project: Project) -> None:
    closed(project, "planning")
    project.increment("0008-paused", status="paused", links={"jira": project.metadata()["jira"]})
    unread = project.run("resume", "8", "--offline")
    assert (unread.code, project.sent()) == (0, [])
    assert "note: 1 linked item was not read and may be closed: " in unread.err
    shown = check(project, "dry-run", *REOPEN, "--dry-run")
    document = check(project, "resume", "resume", "7", "--yes")
    assert [True] * 3 == [bool(item["requests"]) for item in shown["items"]]
    assert ["items-closed"] == [warning["id"] for warning in document["warnings"]]


# An increment that is active


@pytest.mark.parametrize("more", [("--reason", REASON), ()])
def test_items_closed_since_are_reported_where_no_new_reason_reopens_them(
    completed: Project, more: tuple[str, ...]
) -> None:
    assert completed.run("resume", "7", "--reason", REASON, "--yes").code == 0
    completed.box.github.edit("octo/widgets", 4, state="closed", state_reason="completed")
    completed.increment("0008-other", status="active")
    one = completed.run("resume", "7", *more, "--yes")
    document = check(completed, "resume", "resume", "7", *more, "--yes")
    many = completed.run("resume", "7", "8", "--yes")
    for done in (one, many):
        assert done.code == 0, done.said
        assert "    note: 1 linked item is closed: octo/widgets#4 [items-closed]\n" in done.err
        assert f"to reopen: unlatch resume {NAME} --reopen-items --reason TEXT\n" in done.err
    assert ["items-closed"] == [warning["id"] for warning in document["warnings"]]
    assert completed.states()["github"] == "closed"


def test_a_pending_reopen_is_not_made_twice(completed: Project) -> None:
    assert completed.run("resume", "7", "--reason", REASON, "--yes", "--offline").code == 0
    done = completed.run("resume", "7", "--reason", MORE, "--yes")
    assert_refused(done, 1, "already-active")
    names = "octo/widgets#4, fabrikam/widgets 101, SCRUM-28"
    assert f"an earlier operation to reopen {names} is pending; the reason was" in done.err
    assert f"to deliver it: unlatch sync {NAME};" in done.err
    assert 3 == len(completed.metadata()["pending"])


def test_at_a_terminal_a_new_reason_is_confirmed(project: Project) -> None:
    with Terminal(closed(project, "active"), "resume", "7", "--reason", MORE) as terminal:
        terminal.expect("3 linked items are closed; reopen them? [y/N]: ")
        terminal.type("n\n")
        assert terminal.end() == 2

    assert "Nothing was changed." in terminal.text
    assert CLOSED == project.states()


def test_named_increments_with_another_reason_are_refused_and_the_others_resumed(
    completed: Project,
) -> None:
    completed.increment("0008-other", status="active")

    done = completed.run("resume", "7", "8", "--reason", MORE, "--yes", "--json")

    assert done.code == 5, done.said
    errors = [one["error"] and one["error"]["id"] for one in done.document["increments"]]
    assert errors == [None, "already-active"]
    assert completed.states() == OPEN


# Several increments


def test_the_dry_run_of_several_names_those_that_are_refused(single: Project) -> None:
    single.increment("0008-other", status="active")
    command = ("resume", "7", "8", "--reason", MORE, "--yes")
    before = single.tree()

    dry = single.run(*command, "--dry-run")
    document = check(single, "dry-run-many", *command, "--dry-run")

    assert (5, before) == (dry.code, single.tree()), dry.said
    assert "1 increment, " in dry.out
    assert [("0008-other", "already-active")] == [
        (one["id"], one["error"]["id"]) for one in document["refused"]
    ]
    done = single.run(*command)
    (line,) = [one for one in done.out.splitlines() if "0008-other stays" in one]
    assert (5, True) == (done.code, line in dry.out)


def test_increments_with_nothing_to_do_are_in_the_document(project: Project) -> None:
    names = [project.increment(name, status="active") for name in ("0007-one", "0008-two")]
    document = check(project, "resume-many", "resume", "7", "8", "--yes")
    # A reason that no item gets is never dropped.
    for more in (("--offline",), ("--json",)):
        project.run("resume", "7", "--reason", MORE, "--yes", *more).ends(
            1, err="error[already-active]"
        )
    assert names == [one["id"] for one in document["increments"]]


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("is_delivered", [False, True])
def test_reopen_items_of_two_processes_posts_one_comment(
    project: Project, *, is_delivered: bool
) -> None:
    closed(project, "active")
    with Terminal(project, *REOPEN[:-1]) as terminal:
        terminal.expect("3 linked items are closed; reopen them? [y/N]: ")
        assert 0 == project.run(*REOPEN, *(() if is_delivered else ("--offline",))).code
        terminal.type("y\n")
        assert terminal.end() == 0
    assert (OPEN, [1, 1, 1]) == (project.states(), [*map(len, project.comments().values())])
    # The other process recorded the same reason, so none is lost.
    assert "Another process resumed it first" not in terminal.text
