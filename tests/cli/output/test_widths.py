"""Help and output fit narrow terminals: lines break at words, and commands stay whole."""

from collections.abc import Iterator

import click
import pytest
from tests.cli.project import REASON, Project
from tests.cli.terminal import Terminal

from unlatch.cli.app import app

NAME = "0007-smart-discipline-of-the-importer"


def walk(
    command: click.Command, ctx: click.Context, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The words of each command with its help."""
    yield words, command.get_help(ctx)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            if inner := command.get_command(ctx, name):
                below = click.Context(inner, info_name=name, parent=ctx)
                yield from walk(inner, below, (*words, name))


@pytest.mark.parametrize("columns", ["60", "80", "140"])
def test_the_help_of_every_command_fits(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    helps = dict(walk(app, click.Context(app, info_name="unlatch")))
    wide = [
        (words, line)
        for words, text in helps.items()
        for line in text.splitlines()
        if len(line) > int(columns) or line.endswith("-")
    ]
    assert [] == wide
    assert len(helps) > 100


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("reopen", "nothing"), ["error[", "\n  next: "]),
        (("resume", "7", "--reason", REASON, "--dry-run"), ["Nothing was written."]),
        (("show", "7"), ["octo/widgets#4 "]),
        (("undo", "7", "--yes"), ["error[nothing-to-undo]"]),
        (
            ("resume", "7", "--reason", REASON, "--yes"),
            ["unlatch show 0007-smart-discipline-of-the-importer\n", "; labels"],
        ),
        (("link", "7", "https://example.com/octo/widgets/issues/4"), ["\n  next: "]),
    ],
)
def test_output_breaks_at_words_and_never_within_a_command(
    project: Project, columns: int, command: tuple[str, ...], expected: list[str]
) -> None:
    project.increment(NAME, links=project.items())
    with Terminal(project, *command, columns=columns, extra={"PAGER": "cat"}) as terminal:
        terminal.end()
    lines = terminal.text.replace("\r", "").split("\n")
    # Addresses, paths and commands may be longer than a line.
    wide = [line for line in lines if len(line) > columns and "unlatch " not in line]
    assert [] == [line for line in wide if max(map(len, line.split())) < columns // 2]
    text = "\n".join(lines)
    assert [part for part in expected if part not in text] == [], text


def test_what_programs_read_has_no_breaks(project: Project) -> None:
    project.increment(NAME, links=project.items())
    project.run("resume", "7", "--reason", REASON, "--offline", "--yes").ends(0)
    with Terminal(project, "history", "--all", "--csv", columns=40) as terminal:
        assert terminal.end() == 0
    assert project.run("history", "--all", "--csv").out == terminal.text
