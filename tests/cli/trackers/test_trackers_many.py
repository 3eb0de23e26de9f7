"""unlatch github close-issue and the like with several ids and ranges."""

import pytest
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
