"""Where a reason comes from: standard input, and the keys of a terminal."""

import os
from pathlib import Path

import pytest
from tests.cli.project import OPEN, REASON, Project
from tests.cli.refusing import assert_refused, assert_unchanged
from tests.cli.terminal import Terminal

WHY = "Reason for reopening: "
LONG = "The import fails\n\nIt stops at the first empty line."
LEFT = "\x1b[D"
PASTE = "\x1b[200~{}\x1b[201~"


def reasons(project: Project) -> list[str]:
    return [entry["reason"] for entry in project.metadata()["reopenHistory"]]


def test_a_dash_reads_the_reason_from_stdin(completed: Project) -> None:
    done = completed.run("resume", "7", "--reason", "-", "--yes", stdin=f"\n{LONG}\n")

    assert done.code == 0, done.said
    assert reasons(completed) == [LONG]
    assert [True] * 3 == ["first empty line" in one[0] for one in completed.comments().values()]


def test_at_a_terminal_a_dash_says_how_to_end_the_reason(single: Project) -> None:
    with Terminal(single, "resume", "7", "--reason", "-", "--yes") as terminal:
        terminal.answer("Reading the reason from stdin; end with Ctrl-D.", f"{REASON}\n\x04")
        assert terminal.end() == 0
    assert reasons(single) == [REASON]


def test_stdin_or_a_file_without_a_reason_is_refused(single: Project, tmp_path: Path) -> None:
    file, before = tmp_path / "why.txt", single.tree()
    for typed in ("", "\n \n", "-\n"):
        done = single.run("resume", "7", "--reason", "-", "--yes", stdin=typed)
        assert_refused(done, 2, "reason-missing")
    for content in (LONG.encode("utf-16"), b"\x7fELF\x02\x00\x01", "café".encode("latin-1")):
        file.write_bytes(content)
        done = single.run("resume", "7", "-F", str(file), "--yes")
        assert_refused(done, 2, "reason-unreadable")
    assert_unchanged(single, before)


@pytest.mark.parametrize("option", [("--reason", "TEXT"), ("-m", "REASON"), ("-m", "-")])
def test_a_placeholder_is_no_reason(completed: Project, option: tuple[str, ...]) -> None:
    completed.increment("0008-more", status="active")
    before = completed.tree()
    given = "the reason is" if option[1] == "-" else "--reason is"
    word = "TEXT" if option[1] == "-" else option[1]
    for words in (
        ("resume", "7", "--yes"),
        ("resume", "7", "8", "--yes"),
        ("resume", "--all-matching", "status=completed", "--yes"),
        ("reopen", "SCRUM-28"),
        ("close", "SCRUM-28", "--item-only"),
        ("pause", "8"),
        ("start", "8"),
        ("complete", "8", "--force"),
        ("abandon", "8"),
        ("undo", "8"),
        ("jira", "reopen-issue", "7"),
        ("effort", "reopen", "none"),
        ("session", "resume", "none"),
        ("run", "resume", "none"),
        ("run", "stop", "none"),
    ):
        done = completed.run(*words, *option, stdin="TEXT\n")
        assert_refused(done, 2, "placeholder")
        assert f"{given} the placeholder '{word}'\n  next: replace {word}, then" in done.err
    assert_unchanged(completed, before)
    completed.run("resume", "7", "--reason", "TEXT is empty", "--yes", "--offline").ends(0)


@pytest.mark.parametrize(
    "command", [("complete", "7"), ("github", "close-issue", "7"), ("pause", "7")]
)
def test_every_reason_can_come_from_stdin(project: Project, command: tuple[str, ...]) -> None:
    project.increment(status="active", links=project.items("github", finished=False))
    project.run(*command, "--reason", "-", stdin=f"{REASON}\n").ends(0)
    said = [event.get("reason") for event in project.events()], project.comments()["github"]
    assert REASON in str(said)


def answered(project: Project, keys: str, **extra: str) -> list[str]:
    """The reasons after these keys at the prompt for one."""
    with Terminal(project, "resume", "7", "--yes", extra=extra) as terminal:
        terminal.answer(WHY, keys)
        assert terminal.end() == 0, terminal.text
    return reasons(project)


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_arrow_keys_edit_the_reason(single: Project, term: str) -> None:
    assert answered(single, f"Bug inimport{LEFT * 6} \n", TERM=term) == ["Bug in import"]


def test_the_lines_of_a_paste_are_one_reason(single: Project) -> None:
    pasted = PASTE.format("It fails\rat line 2\r")
    assert answered(single, f"{pasted}\r") == ["It fails\nat line 2"]


def test_the_lines_of_an_unmarked_paste_are_one_reason(completed: Project) -> None:
    assert answered(completed, "It fails\nat line 2\n", TERM="dumb") == ["It fails\nat line 2"]
    assert completed.states() == OPEN


def test_a_dash_at_the_prompt_is_asked_again(single: Project) -> None:
    with Terminal(single, "resume", "7", "--yes") as terminal:
        terminal.answer(WHY, "-\n")
        terminal.answer(WHY, f"{REASON}\n", times=2)
        assert terminal.end() == 0
    assert "a dash is not a reason; try again" in terminal.text
    assert reasons(single) == [REASON]


def test_the_prompt_is_no_part_of_the_data(single: Project) -> None:
    reader, writer = os.pipe()
    with Terminal(single, "resume", "7", "--yes", "--json", stdout=writer) as terminal:
        os.close(writer)
        terminal.answer(WHY, f"Bug inimport{LEFT * 6} \n")
        assert terminal.end() == 0
    with os.fdopen(reader) as data:
        assert data.read().startswith("{\n")
    assert reasons(single) == ["Bug in import"]
