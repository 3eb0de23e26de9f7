"""unlatch github close-issue and the like with several ids and ranges."""

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import REASON, Project
from tests.cli.terminal import Terminal

NAMES = ("0001-part", "0002-part", "0003-part")


@pytest.fixture
def parts(project: Project) -> Project:
    """Three completed increments with a closed issue each, and 0004 without one."""
    for name in NAMES:
        number = project.box.github.add_issue(title=name, state="closed")
        url = f"{project.box.github.web_url}/octo/widgets/issues/{number}"
        project.increment(name, links={"github": {"issue": number, "url": url}})
    project.increment("0004-bare")
    return project


def states(project: Project) -> list[str]:
    return [item.state for item in project.box.github.items()]


def test_a_range_reopens_the_items_of_each(parts: Project) -> None:
    done = parts.run("github", "reopen-issue", "1-3", "--reason", REASON).ends(0)
    assert ["open"] * 3 == states(parts)
    assert {parts.metadata(name)["status"] for name in NAMES} == {"completed"}
    step = f"The status of increments stays. To reopen them: unlatch resume {' '.join(NAMES)}\n"
    assert done.err.endswith(step)


def test_a_repeated_command_changes_and_counts_only_the_items_that_need_it(parts: Project) -> None:
    command = ("github", "reopen-issue", "1-3", "--reason", REASON, "--max-items", "1")
    assert parts.run("github", "reopen-issue", "1", "2", "--reason", REASON).code == 0
    planned = parts.run(*command, "--dry-run")
    assert parts.run(*command).code == 0

    again = parts.run(*command, "--dry-run")
    done = parts.run(*command)
    document = check(parts, "tracker-change-many", *command)

    assert [0, 0, 0] == [one.code for one in (planned, again, done)], again.said + done.said
    entries = [entry for one in document["increments"] for entry in one["trackers"]]
    assert ["already-open"] * 3 == [entry["outcome"] for entry in entries]
    assert 3 == done.out.count("was reopened for this reason before; nothing to do")
    numbers = [parts.metadata(name)["github"]["issue"] for name in NAMES]
    assert [1] * 3 == [len(parts.box.github.comments("octo/widgets", one)) for one in numbers]


def test_one_that_is_refused_leaves_the_others_done(parts: Project) -> None:
    command = ("github", "reopen-issue", "4", "3", "1", "--reason", REASON)
    document = check(parts, "tracker-change-many", *command)
    assert (document["exitCode"], document["kind"]) == (5, "reopen")
    found = [(one["id"], one["error"] and one["error"]["id"]) for one in document["increments"]]
    assert found == [("0004-bare", "no-link"), ("0003-part", None), ("0001-part", None)]
    outcomes = [[each["outcome"] for each in one["trackers"]] for one in document["increments"]]
    assert outcomes == [[], ["reopened"], ["reopened"]]
    assert states(parts) == ["open", "closed", "open"]


def test_if_all_are_refused_nothing_was_changed(parts: Project) -> None:
    parts.increment("0005-bare")
    before = parts.tree()
    done = parts.run("github", "close-issue", "4-5").shows(
        out=(
            "✗ 0004-bare stays completed: 0004-bare has no GitHub issue [no-link]",
            "1 more increment likewise: 0005-bare",
        )
    )
    assert (done.code, parts.tree()) == (2, before)


def test_nothing_is_written_by_a_dry_run_or_if_there_are_more_items_than_allowed(
    parts: Project,
) -> None:
    before = parts.tree()
    parts.run("github", "reopen-issue", "1-4", "--dry-run").ends(
        5, out=("3 increments, ", "Refused       1 [no-link]")
    )
    parts.run("github", "update-issue", "1-3", "--max-items", "2").ends(
        2, err="error[too-many-items]"
    )
    assert (parts.tree(), parts.wrote()) == (before, [])


def test_a_single_item_needs_a_single_increment(parts: Project) -> None:
    for words in (("1", "octo/widgets#2"), ("1-3", "--item", "octo/widgets#2")):
        parts.run("github", "close-issue", *words).ends(
            2, err="name one increment for a single item: octo/widgets#2"
        )
    assert parts.sent() == []


def test_the_reason_is_asked_for_once(parts: Project) -> None:
    with Terminal(parts, "github", "reopen-issue", "1-3") as terminal:
        terminal.answer("Reason for reopening: ", f"{REASON}\n")
        assert terminal.end() == 0, terminal.text
    assert terminal.text.count("Reason for reopening: ") == 1
    assert ["open"] * 3 == states(parts)


def test_an_item_is_created_for_each(parts: Project) -> None:
    parts.increment("0005-bare")
    parts.run("github", "create-issue", "3-5").ends(2, err="error[already-linked]")
    assert len(states(parts)) == 3
    parts.run("github", "create-issue", "4-5").ends(0)
    assert [parts.metadata(name)["github"]["issue"] for name in ("0004-bare", "0005-bare")] == [
        4,
        5,
    ]
    for option in (("--json",), ("--story", "US-001")):
        assert "take one increment" in parts.run("github", "create-issue", "1-2", *option).err
