"""unlatch status with items, and the pending operations on them."""

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import REASON, Project
from tests.delivery.stage import fault

KEYS_OF_TWO = (KEYS["jira"], KEYS["github"])
DANA = ("--reason", REASON, "--by", "Dana")


def line_of(project: Project, tracker: str) -> str:
    """What status says of the reopen by Dana."""
    shown = project.run("status", KEYS[tracker]).out
    (line,) = [one for one in shown.splitlines() if one.endswith(f"by Dana: {REASON}")]
    return line.strip().removesuffix(f" by Dana: {REASON}")


def test_the_last_reopen_and_what_is_pending_are_shown(project: Project) -> None:
    project.items("jira")
    project.box.faults.add(fault("jira", "comment", "drop-after"))
    project.run("reopen", KEYS["jira"], *DANA)
    project.run("status", KEYS["jira"]).shows(
        out=(
            f"    reopen recorded today by Dana: {REASON}\n",
            "SCRUM-28: 1 operation pending. Next: unlatch sync",
        )
    )
    document = project.run("status", KEYS["jira"], "--json").document
    [item] = document["items"]
    assert ("doing", 1) == (item["category"], len(item["pending"]))


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("owner", ["increment", "none"])
def test_a_reopen_is_called_done_only_once_it_is_delivered(project: Project, owner: str) -> None:
    links = project.items("jira")
    if owner == "increment":
        project.increment(links=links)
    project.run("reopen", KEYS["jira"], *DANA, "--item-only", "--offline")
    waiting = line_of(project, "jira")
    project.run("sync")
    assert ("reopen recorded today", "reopened today") == (waiting, line_of(project, "jira"))


def test_a_blocked_reopen_is_not_called_done(project: Project) -> None:
    project.items("jira")
    project.box.faults.add(fault("jira", "state", "status", code=403))
    project.run("reopen", KEYS["jira"], *DANA)
    assert "reopen recorded today" == line_of(project, "jira")
    assert "SCRUM-28: 1 operation blocked." in project.run("status", KEYS["jira"]).out


def test_a_withdrawn_or_superseded_reopen_is_not_called_done_or_counted(project: Project) -> None:
    project.items("jira", "github")
    project.run("reopen", *KEYS_OF_TWO, *DANA, "--offline")
    recorded = reopens_of(project)
    project.run("unlink", KEYS["jira"])
    project.run("close", KEYS["github"], "--reason", "No")
    given_up = reopens_of(project)
    assert "reopen withdrawn, recorded today" == line_of(project, "jira")
    assert "reopen superseded, recorded today" == line_of(project, "github")
    project.run("reopen", *KEYS_OF_TWO, "--reason", "Again", "--by", "Dana")
    assert ([1, 1], [0, 0], [1, 1]) == (recorded, given_up, reopens_of(project))


def reopens_of(project: Project) -> list[int]:
    document = project.run("status", *KEYS_OF_TWO, "--json").document
    return [one["reopens"] for one in document["items"]]


@pytest.mark.parametrize("job", [{}, {"GITLAB_CI": "true"}], ids=["by hand", "in a job"])
def test_nothing_is_pending_where_there_is_no_project(
    outside: Project, job: dict[str, str]
) -> None:
    outside.extra |= job
    outside.items("github")
    nothing = ("Nothing is pending.\n", "only items were checked")
    outside.run("status").ends(0, err=nothing)
    # Where nothing was ever recorded, the folder may be the wrong one.
    outside.run("sync").ends(2, err="error[no-project]")
    outside.run("reopen", outside.urls["github"], "--reason", REASON).ends(0)
    for words in (("status",), ("sync",), ("sync", "--dry-run")):
        outside.run(*words).ends(0, err=nothing)
        outside.run(*words, "--json").ends(0)
    outside.run("sync", "--check").ends(2, err="error[no-project]")


def test_status_says_that_a_reopen_was_undone(outside: Project) -> None:
    outside.items("github")
    url = outside.urls["github"]
    outside.run("reopen", url, *DANA)
    outside.run("undo", url, "-y", "--offline").ends(0)
    outside.run("status", url).shows(out=f"reopened today by Dana, undo recorded today: {REASON}\n")
    outside.run("sync").ends(0)
    outside.run("status", url).shows(out=f"reopened today by Dana, undone today: {REASON}\n")
    outside.run("history", "--all").ends(0, out=("Increment or item", "\n0 reopens; 1 undone\n"))
    outside.run("list", "--items").ends(0, out="octo/widgets#4  closed today  0 ")


# unlatch sync --dry-run: the requests of pending operations on items


def titled(tracker: str) -> str:
    return {"github": "GitHub", "ado": "Azure DevOps", "jira": "Jira"}[tracker]


def test_the_plan_outside_of_a_project(outside: Project) -> None:
    outside.items()
    outside.run("reopen", *outside.urls.values(), "--reason", REASON, "--offline")
    outside.run("sync", "--dry-run").ends(0, out="3 items would be written to")
    document = outside.run("sync", "--dry-run", "--json").document
    assert (3, True) == (len(document["items"]), document["adrift"])
    assert [] == outside.wrote()


def test_the_limit_is_foreseen_and_a_check_does_not_call_both_sides_in_sync(
    project: Project,
) -> None:
    project.items()
    project.run("reopen", *KEYS.values(), "--reason", REASON, "--offline")
    done = project.run("sync", "--dry-run", "--max-items", "2", "--json").document
    project.run("sync", "--check").ends(
        5, out="octo/widgets#4: 1 operation pending", lacks="Both sides are in sync"
    )
    document = project.run("sync", "--check", "--json").document
    assert "too-many-items" == done["refused"]["id"]
    assert (True, 3) == (document["adrift"], len(document["pending"]))
    assert "3 items with pending operations" in project.run("status").out
    assert 3 == len(project.run("status", "--json").document["itemsPending"])


def test_operations_without_a_link_and_a_broken_record_are_not_passed_over(
    project: Project,
) -> None:
    project.items("github")
    project.run("reopen", KEYS["github"], "--reason", REASON, "--offline")
    (path,) = (project.root / ".unlatch/items").glob("*/metadata.json")
    path.write_text(path.read_text().replace('"github": {', '"elsewhere": {', 1))
    project.run("sync").ends(5, out="no link to its item")
    project.run("status").shows(err="no link to its item")
    (record,) = (project.root / ".unlatch/items").iterdir()
    (record / "metadata.json").write_text("{")
    for words in (("sync", "--dry-run"), ("sync", "--check"), ("sync",)):
        document = project.run(*words, "--json").document
        text = project.run(*words)
        assert ([record.name], 5) == ([one["id"] for one in document["broken"]], text.code)
        assert "cannot be read: metadata.json: invalid JSON" in text.out
