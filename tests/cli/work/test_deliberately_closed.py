"""Items that were closed deliberately, when their increment is completed or abandoned."""

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import ALL, REASON, Project

NOTHING: dict[str, list[str]] = {name: [] for name in ALL}
LABELS = {"github": {"bug"}, "ado": {"ui"}, "jira": {"ux"}}
RESUME = ("resume", "7", "--reason", REASON, "--yes")


@pytest.fixture
def dropped(project: Project) -> Project:
    """0007-smart-discipline is active, its items were closed deliberately."""
    project.increment(status="active", links=project.items(finished=False))
    drop(project)
    return project


def drop(project: Project, *trackers: str) -> None:
    """Close items deliberately; those of all trackers by default."""
    chosen = trackers or ALL
    if "github" in chosen:
        project.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    if "ado" in chosen:
        project.box.ado.edit(101, state="Removed")
    if "jira" in chosen:
        project.box.jira.edit("SCRUM-28", status="Done", resolution="Won't Do")


@pytest.mark.parametrize("reason", [(), ("--reason", "All of it works")])
def test_complete_leaves_them_alone_and_says_so(dropped: Project, reason: tuple[str, ...]) -> None:
    planned = dropped.run("complete", "7", *reason, "--dry-run")
    done = dropped.run("complete", "7", *reason)
    assert (planned.code, done.code) == (0, 0), planned.said + done.said
    assert (LABELS, NOTHING, []) == (dropped.labels(), dropped.comments(), dropped.wrote())
    assert done.out.count("note: left alone: it was closed deliberately (") == len(ALL)
    assert planned.out.count("left as it is: it was closed deliberately (") == len(ALL)
    assert "pending" not in dropped.metadata()


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize(("command", "tried"), [("complete", 1), ("abandon", 2)])
def test_a_refused_reopen_posts_nothing_after_the_next_completion(
    dropped: Project, command: str, tried: int
) -> None:
    assert dropped.run("complete", "7").code == 0
    assert [3] * tried == [dropped.run(*RESUME).code for _ in range(tried)]
    planned = check(dropped, "dry-run", command, "7", "--reason", "Done", "--dry-run")
    done = dropped.run(command, "7").ends(0)
    assert (LABELS, NOTHING) == (dropped.labels(), dropped.comments())
    assert done.out.count("left alone: it was closed deliberately") >= len(ALL)
    assert "pending" not in dropped.metadata()
    assert dropped.run("history", "verify", "7").code == 0
    assert not any("Reopened" in (item["comment"] or "") for item in planned["items"])


def test_a_reopen_that_was_not_sent_before_the_completion_posts_nothing(dropped: Project) -> None:
    for command in (("complete", "7"), RESUME, ("complete", "7")):
        assert dropped.run(*command, "--offline").code == 0

    done = dropped.run("sync")

    assert done.code == 0, done.said
    assert (LABELS, NOTHING) == (dropped.labels(), dropped.comments())
    assert "pending" not in dropped.metadata()


def test_an_item_named_by_itself_gets_the_comment_alone(dropped: Project) -> None:
    dropped.run("github", "close-issue", "7", "--reason", "Superseded").ends(
        0, out="note: its labels are left alone: it was closed deliberately (closed)\n"
    )
    assert ({"bug"}, 1) == (dropped.labels()["github"], len(dropped.comments()["github"]))


COMMANDS = {
    "reopen": ("reopen", "ITEM", "--reason", REASON),
    "close": ("close", "ITEM"),
    "resume": RESUME,
    "resume of several": ("resume", "7", "8", "--reason", REASON, "--yes"),
    "resume even so": (*RESUME, "--even-if-not-planned"),
    "reopen of a tracker": ("TRACKER", "reopen-NOUN", "7", "--reason", REASON),
    "close of a tracker": ("TRACKER", "close-NOUN", "7"),
    "complete": ("complete", "7"),
    "abandon": ("abandon", "7", "--reason", REASON),
}
NOUNS = {"github": "issue", "ado": "work-item", "jira": "issue"}


@pytest.mark.sample(at=(0, 8))
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_dry_run_ends_with_the_code_of_the_command(
    project: Project, tracker: str, name: str
) -> None:
    links = project.items(tracker, finished=False)
    drop(project, tracker)
    first, *_ = name.split()
    if first in ("reopen", "close") and "tracker" not in name:
        links = {}
    is_open = first in ("complete", "abandon")
    project.increment(status="active" if is_open else "completed", links=links)
    project.increment("0008-other")
    words = {"ITEM": project.urls[tracker], "TRACKER": tracker}
    noun = NOUNS[tracker]
    command = [words.get(one, one).replace("NOUN", noun) for one in COMMANDS[name]]

    planned = project.run(*command, "--dry-run")
    document = project.run(*command, "--dry-run", "--json")
    done = project.run(*command)

    codes = (planned.code, document.code, document.document["exitCode"])
    assert codes == (done.code,) * 3, planned.said + done.said
