"""resume of increments that are not finished, and a new reason for one that is active."""

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import CLOSED, NAME, OPEN, REASON, Project
from tests.cli.refusing import assert_refused
from tests.cli.terminal import Terminal

from unlatch_sandbox.faults import Fault

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


def test_reopen_items_resumes_and_reopens_at_once(project: Project) -> None:
    assert_that_they_are_reopened_once(closed(project, "paused"))


def assert_that_they_are_reopened_once(project: Project) -> None:
    codes = [project.run(*REOPEN).code for _ in range(2)]
    assert [0, 0] == codes
    assert (project.metadata()["status"], OPEN) == ("active", project.states())
    assert [1, 1, 1] == [sum(MORE in one for one in said) for said in project.comments().values()]
    assert reasons(project) == [MORE]


def test_reopen_items_leaves_open_items_alone(project: Project) -> None:
    links = project.items("github") | project.items("ado", "jira", finished=False)
    project.increment(status="paused", links=links)
    assert project.run(*REOPEN).code == 0
    assert {"github": 1, "ado": 0, "jira": 0} == {k: len(v) for k, v in project.comments().items()}


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


def test_the_same_reason_again_changes_nothing(single: Project) -> None:
    resume = ("resume", "7", "--reason", REASON, "--yes")
    assert single.run(*resume).code == 0
    before = single.tree()

    again = single.run(*resume)

    assert again.code == 0, again.said
    assert again.out == f"✓ Increment {NAME} is already active; nothing to do\n"
    assert "note:" not in again.err
    assert before == single.tree()


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


def test_a_new_reason_reopens_items_that_were_closed_since(completed: Project) -> None:
    assert completed.run("resume", "7", "--reason", REASON, "--yes").code == 0
    completed.box.github.edit("octo/widgets", 4, state="closed", state_reason="completed")
    completed.run("resume", "7", "--reason", MORE, "--yes").ends(
        0,
        out=(
            f"✓ Increment {NAME} is already active; reopening its closed items\n",
            "✓ GitHub octo/widgets#4 reopened; commented",
        ),
    )
    assert {"github": 2, "ado": 1, "jira": 1} == {
        name: len(said) for name, said in completed.comments().items()
    }
    assert reasons(completed) == [REASON, MORE]
    history = completed.run("history", "7").out
    assert f"Gil Git  github {completed.urls['github']} reopened: {MORE}\n" in history


def test_a_new_reason_without_a_closed_item_is_refused(completed: Project) -> None:
    assert completed.run("resume", "7", "--reason", REASON, "--yes").code == 0
    before = completed.tree()
    done = completed.run("resume", "7", "--reason", MORE, "--yes")
    assert_refused(done, 1, "already-active")
    assert "the reason was not recorded\n" in done.err
    hint = f"unlatch github reopen-issue {NAME} --reason '{MORE}'"
    assert hint in done.err
    assert before == completed.tree()
    posted = completed.run("github", "reopen-issue", NAME, "--reason", MORE)
    assert (posted.code, len(completed.comments()["github"])) == (0, 2)
    assert reasons(completed) == [REASON, MORE]


def test_a_pending_reopen_is_not_made_twice(completed: Project) -> None:
    assert completed.run("resume", "7", "--reason", REASON, "--yes", "--offline").code == 0
    done = completed.run("resume", "7", "--reason", MORE, "--yes")
    assert_refused(done, 1, "already-active")
    names = "octo/widgets#4, fabrikam/widgets 101, SCRUM-28"
    assert f"an earlier operation to reopen {names} is pending; the reason was" in done.err
    assert f"to deliver it: unlatch sync {NAME};" in done.err
    assert 3 == len(completed.metadata()["pending"])


def test_a_blocked_reopen_is_named_with_the_option_that_delivers_it(project: Project) -> None:
    project.increment(links=project.items("github"))
    project.box.github.edit("octo/widgets", 4, state="open")
    project.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    project.run("resume", "7", "--reason", REASON, "--yes")
    done = project.run("resume", "7", "--reason", MORE, "--even-if-not-planned", "--yes")
    assert_refused(done, 1, "already-active")
    command = f"sync {NAME} --even-if-not-planned"
    assert f"to deliver it: unlatch {command};" in done.err
    assert 0 == project.run(*command.split()).code
    assert "open" == project.states()["github"]


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


def test_the_dry_run_of_several_counts_active_increments_as_the_run_does(project: Project) -> None:
    project.configure_more(tables='[limits]\nmax_active = 1\npolicy = "refuse"\n')
    for name in ("0007-one", "0008-two"):
        project.increment(name)
    command = ("resume", "7", "8", "--reason", MORE, "--yes")
    project.run(*command, "--dry-run").ends(5, out="0008-two stays completed: ")
    project.run(*command).ends(5, out="0008-two stays completed: ")


def test_of_several_the_closed_items_are_reported_or_reopened(project: Project) -> None:
    closed(project, "planning").increment("0008-other", status="paused")
    project.run("resume", "7", "8", "--yes").ends(0, err="note: 3 linked items are closed: ")
    reopened = project.run("resume", "7", "8", "--reopen-items", "--reason", MORE, "--yes")
    assert (reopened.code, OPEN) == (5, project.states()), reopened.said
    assert "0008-other stays active: 0008-other is already active" in reopened.out


def test_increments_with_nothing_to_do_are_in_the_document(project: Project) -> None:
    names = [project.increment(name, status="active") for name in ("0007-one", "0008-two")]
    document = check(project, "resume-many", "resume", "7", "8", "--yes")
    # A reason that no item gets is never dropped.
    for more in (("--offline",), ("--json",)):
        project.run("resume", "7", "--reason", MORE, "--yes", *more).ends(
            1, err="error[already-active]"
        )
    assert names == [one["id"] for one in document["increments"]]


def test_reopen_items_repeated_during_an_outage_posts_one_comment(project: Project) -> None:
    closed(project, "active")
    project.box.faults.add(Fault("github", "status", code=503, times=1000))

    codes = [project.run(*REOPEN).code for _ in range(3)]
    project.box.faults.clear()
    done = project.run("sync")

    assert ([3, 3, 3], 0) == (codes, done.code), done.said
    assert (OPEN, [1, 1, 1]) == (project.states(), [*map(len, project.comments().values())])


@pytest.mark.parametrize("ids", [("7",), ("7", "8")])
@pytest.mark.parametrize("status", ["active", "paused"])
def test_reopen_items_repeated_offline_posts_one_comment(
    project: Project, ids: tuple[str, ...], status: str
) -> None:
    closed(project, status).increment("0008-other", status="paused")
    command = ("resume", *ids, "--reopen-items", "--reason", MORE, "--yes")
    project.run(*command, "--offline").ends(0)
    project.run("pause", "7")
    [project.run(*command, "--offline") for _ in range(2)]
    assert 3 == len(project.metadata()["pending"])
    project.run("sync")
    assert (OPEN, [1, 1, 1]) == (project.states(), [*map(len, project.comments().values())])


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
