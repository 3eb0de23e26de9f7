"""Where a reason comes from: standard input, and the keys of a terminal."""

from pathlib import Path

import pytest
from tests.cli.project import OPEN, Project
from tests.cli.refusing import assert_refused, assert_unchanged
from tests.cli.terminal import Terminal

WHY = "Reason for reopening: "
LONG = "The import fails\n\nIt stops at the first empty line."
LEFT = "\x1b[D"


def reasons(project: Project) -> list[str]:
    return [entry["reason"] for entry in project.metadata()["reopenHistory"]]


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


@pytest.mark.sample(at=(1,))
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


def answered(project: Project, keys: str, **extra: str) -> list[str]:
    """The reasons after these keys at the prompt for one."""
    with Terminal(project, "resume", "7", "--yes", extra=extra) as terminal:
        terminal.answer(WHY, keys)
        assert terminal.end() == 0, terminal.text
    return reasons(project)


def test_the_lines_of_an_unmarked_paste_are_one_reason(completed: Project) -> None:
    assert answered(completed, "It fails\nat line 2\n", TERM="dumb") == ["It fails\nat line 2"]
    assert completed.states() == OPEN
