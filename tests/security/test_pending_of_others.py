"""Operations that a clone's author recorded leave under this user's name only by consent."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.mcp.test_mcp import Talk
from tests.cli.project import ALL, CLOSED, NAME, OPEN, Project
from tests.cli.terminal import Terminal
from tests.delivery.stage import clone, completed_on
from tests.pairs import sampled
from tests.security.test_hostile_files import COMMANDS, run
from tests.security.test_programs import EXAMPLES, lay_files

Content = dict[str, list[dict[str, Any]]]
_TEXT = "Please send your password to the new owner"
_RECORD = ("resume", "7", "-m", _TEXT, "--yes", "--by", "Gil Git", "--offline")
_SAID = "was not recorded by you in this checkout"


@pytest.fixture(params=ALL)
def received(project: Project, request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """A clone whose author recorded a reopen of its one item in this user's name."""
    completed_on(project, request.param)
    assert project.run(*_RECORD).code == 0
    return clone(project, tmp_path / "clone")


def _is_untouched(project: Project) -> bool:
    (tracker,) = project.states()
    return CLOSED[tracker] == project.states()[tracker] and project.wrote() == []


def _asked(project: Project, answer: str, *words: str) -> tuple[int, str]:
    with Terminal(project, *words) as terminal:
        terminal.expect("in your name? [y/N]")
        terminal.type(f"{answer}\n")
        return terminal.end(), terminal.text


@pytest.mark.parametrize("words", [("sync",), ("sync", "7")], ids=" ".join)
def test_a_terminal_shows_text_item_and_repository_and_asks_once(
    received: Project, words: tuple[str, ...]
) -> None:
    (tracker,) = received.states()

    code, shown = _asked(received, "n", *words)

    assert (2, True) == (code, _is_untouched(received)), shown
    assert shown.count("[y/N]") == 1
    place = {"github": "octo/widgets#4", "ado": "fabrikam/widgets 101", "jira": "SCRUM-28"}[tracker]
    for part in (_SAID, _TEXT, place, received.urls[tracker]):
        assert part in shown

    code, shown = _asked(received, "y", *words)
    assert (0, OPEN[tracker]) == (code, received.states()[tracker]), shown


@pytest.mark.parametrize(
    "words",
    [
        ("sync",),
        ("sync", "7"),
        ("sync", "--json"),
        ("complete", "7"),
        ("complete", "7", "--json"),
        ("undo", "7"),
        ("abandon", "7", "-m", "No longer needed"),
    ],
    ids=" ".join,
)
def test_without_a_terminal_nothing_is_sent_and_nothing_is_recorded(
    received: Project, words: tuple[str, ...]
) -> None:
    before = received.tree()

    done = received.run(*words)

    assert (5, True) == (done.code, _is_untouched(received)), done.said
    assert "error[pending-not-agreed]" in done.err
    assert "next: " in done.err
    assert before == received.tree()


DELIVERING = {"abandon", "complete", "ingest", "report", "resume", "sync", "undo"}


@pytest.mark.parametrize("name", sampled(COMMANDS, {*COMMANDS[5::16], *DELIVERING}))
def test_no_command_sends_it_unasked(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    completed_on(project, "github")
    project.increment("0008-active", status="active")
    project.increment("0009-planned", status="planning")
    lay_files(project)
    assert project.run(*_RECORD).code == 0
    received = clone(project, tmp_path / "clone")
    example = EXAMPLES[name].without("--yes")
    monkeypatch.setitem(EXAMPLES, name, example)
    for words in example.before:
        received.run(*words)

    done = run(received, name)

    assert _TEXT not in json.dumps(received.comments()), done.said


def test_yes_is_the_consent_of_a_job(received: Project) -> None:
    (tracker,) = received.states()

    done = received.run("sync", "--yes")

    assert (0, OPEN[tracker]) == (done.code, received.states()[tracker]), done.said


def test_consent_is_asked_for_once_however_often_the_delivery_fails(
    project: Project, tmp_path: Path
) -> None:
    completed_on(project, "github")
    assert project.run(*_RECORD).code == 0
    received = clone(project, tmp_path / "clone")
    received.extra["GITHUB_TOKEN"] = None
    code, shown = _asked(received, "y", "sync")
    assert (3, True) == (code, _is_untouched(received)), shown
    del received.extra["GITHUB_TOKEN"]

    done = received.run("sync")

    assert (0, OPEN["github"]) == (done.code, received.states()["github"]), done.said


@pytest.mark.parametrize("is_item", [False, True], ids=["increment", "item"])
def test_an_agent_cannot_agree_to_it(project: Project, tmp_path: Path, *, is_item: bool) -> None:
    url = project.urls["github"]
    if is_item:
        project.items("github")
        (project.root / ".unlatch").mkdir(exist_ok=True)
        assert project.run("reopen", url, *_RECORD[2:]).code == 0
    else:
        completed_on(project, "github")
        assert project.run(*_RECORD).code == 0
    received = clone(project, tmp_path / "clone")
    talk, before = Talk(received), received.tree()
    tool, subject = ("plan_reopen", {"items": [url]}) if is_item else ("plan_resume", {"id": "7"})

    said = talk.error(tool, reason="Still fails", **subject)

    assert "error[pending-not-agreed]" in said
    assert "the user can do this at a terminal: unlatch sync --dry-run" in said
    assert (CLOSED["github"], []) == (received.states()["github"], received.wrote())
    assert before == received.tree()
    assert received.run("sync", "--yes").code == 0
    assert _TEXT in json.dumps(received.comments())


def _other_text(content: Content) -> None:
    content["reopenHistory"][0]["reason"] = _TEXT


def _other_author(content: Content) -> None:
    content["reopenHistory"][0]["reopenedBy"] = _TEXT


def _option(content: Content) -> None:
    content["pending"][0]["evenIfNotPlanned"] = True


def _added_work(content: Content) -> None:
    content["reopenHistory"][0]["scopeChange"] = _TEXT


def _other_item(content: Content) -> None:
    content["pending"][0]["item"] = content["pending"][0]["item"].replace("/4", "/5")


@pytest.mark.parametrize("replace", [_other_text, _other_author, _added_work, _option, _other_item])
def test_an_own_operation_that_says_something_else_since_is_not_ones_own(
    project: Project, replace: Callable[[Content], None]
) -> None:
    completed_on(project, "github")
    project.box.github.add_issue(number=5, title="Another", state="closed")
    assert project.run("resume", "7", "-m", "A bug", "--yes", "--offline").code == 0
    file = project.folder() / "metadata.json"
    content = json.loads(file.read_text())
    replace(content)
    file.write_text(json.dumps(content))

    done = project.run("sync")

    assert (5, []) == (done.code, project.wrote()), done.said


def _drop_pending(project: Project, *keys: str) -> None:
    """Leave the reason to the history alone, where a sync finds it; without some of its keys."""
    file = project.folder() / "metadata.json"
    content = json.loads(file.read_text())
    del content["pending"]
    for key in keys:
        del content["reopenHistory"][-1][key]
    file.write_text(json.dumps(content))


@pytest.mark.parametrize("without", [(), ("id", "reopenedBy")])
def test_the_reason_of_a_reopen_in_a_clones_history_is_asked_about_too(
    project: Project, tmp_path: Path, without: tuple[str, ...]
) -> None:
    completed_on(project, "github")
    assert project.run("sync", "--yes").code == 0
    assert project.run(*_RECORD).code == 0
    _drop_pending(project, *without)
    received = clone(project, tmp_path / "clone")
    before = received.tree()

    piped = received.run("sync")
    plan = received.run("sync", "--dry-run")
    declined, shown = _asked(received, "n", "sync")

    assert (5, 2) == (piped.code, declined), piped.said + shown
    assert "error[pending-not-agreed]" in piped.err
    assert (before, True) == (received.tree(), _is_untouched(received))
    assert (True, True) == (_TEXT in shown, _TEXT in plan.out)
    code, shown = _asked(received, "y", "sync")
    (posted,) = received.comments()["github"]
    assert (0, OPEN["github"], True) == (code, received.states()["github"], _TEXT in posted), shown


def test_an_own_reason_in_the_history_needs_no_consent(project: Project) -> None:
    completed_on(project, "github")
    assert project.run("sync", "--yes").code == 0
    assert project.run("resume", "7", "-m", "A bug", "--yes", "--offline").code == 0
    _drop_pending(project)

    done = project.run("sync")

    assert (0, OPEN["github"]) == (done.code, project.states()["github"]), done.said


def test_an_own_operation_needs_no_consent(project: Project) -> None:
    completed_on(project, *ALL)
    assert project.run("resume", "7", "-m", "A bug", "--yes", "--offline").code == 0

    done = project.run("sync")

    assert (0, OPEN) == (done.code, project.states()), done.said


def test_items_alone_in_a_clone_are_asked_about_with_the_increments(
    project: Project, tmp_path: Path
) -> None:
    completed_on(project, "github")
    project.box.github.add_issue(number=5, title="Another", state="closed")
    assert project.run(*_RECORD).code == 0
    reopen = ("reopen", "octo/widgets#5", "-m", "For an item alone", "--yes", "--offline")
    assert project.run(*reopen).code == 0
    received = clone(project, tmp_path / "clone")

    refused = received.run("sync")
    named = received.run("close", "octo/widgets#5", "-m", "Done")
    code, shown = _asked(received, "n", "sync")

    assert (5, 5, 2) == (refused.code, named.code, code), refused.said + named.said + shown
    assert received.wrote() == []
    assert shown.count("[y/N]") == 1
    assert all(text in shown for text in (_TEXT, "For an item alone", "octo/widgets#5"))
    agreed = received.run("close", "octo/widgets#5", "-m", "Done", "--yes")
    (comment,) = received.box.github.comments("octo/widgets", 5)
    assert (0, True) == (agreed.code, "For an item alone" in comment["body"]), agreed.said


def test_characters_that_deceive_a_reader_are_not_shown_and_not_posted(
    project: Project, tmp_path: Path
) -> None:
    completed_on(project, "github")
    assert project.run(*_RECORD).code == 0
    file = project.folder(NAME) / "metadata.json"
    file.write_text(file.read_text().replace(_TEXT, r"All \u001b[8mhidden\u001b[0m \u202eend"))
    received = clone(project, tmp_path / "clone")

    code, shown = _asked(received, "y", "sync")

    (posted,) = received.comments()["github"]
    assert 0 == code, shown
    assert "All hidden end" in shown
    assert "All hidden end" in posted
