"""A mistyped command is refused with the command to type instead, which works."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from tests.cli.project import NAME
from tests.cli.refusing import assert_refused, assert_unchanged

if TYPE_CHECKING:
    from tests.cli.project import Done, Project


def next_command(done: Done) -> str:
    """The one command that an error names."""
    (line,) = [one for one in done.err.splitlines() if one.startswith("  next: ")]
    return line.removeprefix("  next: ")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["resum", "7", "--dry-run"], ["resume", "7", "--dry-run"]),
        (["--max-wait", "5", "lsit"], ["--max-wait", "5", "list"]),
        (["github", "issue", "reopen", "7"], ["github", "reopen-issue", "7"]),
        (["jira", "reopen", "issue", "7"], ["jira", "reopen-issue", "7"]),
        (["ado", "work-item", "close", "7"], ["ado", "close-work-item", "7"]),
        (["github", "reopen", "7"], ["github", "reopen-issue", "7"]),
        (["gihub", "status"], ["github", "status"]),
        (["auth", "stats"], ["auth", "status"]),
        (["resume", "7", "--reson", "a b", "--yes"], ["resume", "7", "--reason", "a b", "--yes"]),
        (["resume", "7", "--reson=a 'b'"], ["resume", "7", "--reason=a 'b'"]),
        (["doctor", "--onlin"], ["doctor", "--online"]),
        (["--rot", ".", "list"], ["--root", ".", "list"]),
        (["list", "--root", "."], ["--root", ".", "list"]),
        (
            ["--debug", "list", "--max-wait=3", "--all"],
            ["--max-wait=3", "--debug", "list", "--all"],
        ),
        (["reopn", "7"], ["reopen", "7"]),
        (["stat"], ["status"]),
        (["view", "7"], ["show", "7"]),
        (["log", "7"], ["history", "7"]),
        (["finish", "7"], ["complete", "7"]),
        (["session", "view"], ["session", "show"]),
        (["resume", "7", "--yes=1"], ["resume", "7", "--yes"]),
        (["resume", "7", "--message", "a b"], ["resume", "7", "--reason", "a b"]),
        (["resume", "7", "--comment", "a b"], ["resume", "7", "--reason", "a b"]),
        (["close", "octo/widgets#4", "--comment=a b"], ["close", "octo/widgets#4", "--reason=a b"]),
        (["version"], ["--version"]),
    ],
)
def test_the_command_that_was_meant_is_named_with_every_argument(
    single: Project, typed: list[str], meant: list[str]
) -> None:
    before = single.tree()

    plain, document = single.run(*typed), single.run(*typed, "--json").document

    assert (2, ["unlatch", *meant]) == (plain.code, shlex.split(next_command(plain)))
    assert ["unlatch", *meant, "--json"] == shlex.split(document["error"]["hint"])
    assert "Did you mean" not in plain.said
    assert_unchanged(single, before)


@pytest.mark.parametrize(
    "typed",
    [
        ["github", "issue"],
        ["close-issue", "7"],
        ["resume", "7", "--zzz"],
        ["github", "x"],
        ["list", "--title", "x"],
        ["resume", "7", "--comment", "shrot"],
    ],
)
def test_nothing_is_proposed_where_nothing_is_similar(project: Project, typed: list[str]) -> None:
    done = project.run(*typed)
    document = project.run(*typed, "--json").document

    assert (2, False) == (done.code, "next: " in done.err or "Did you mean" in done.err)
    assert document["error"]["hint"].endswith(" --help")
    assert 0 == project.run(*shlex.split(document["error"]["hint"])[1:]).code


@pytest.mark.parametrize("typed", [[], ["github"], ["auth"]])
def test_a_group_without_a_command_prints_its_help(project: Project, typed: list[str]) -> None:
    done, asked = project.run(*typed), project.run(*typed, "--help")

    assert (2, asked.out) == (done.code, done.err + done.out)


def test_a_name_that_a_shell_completed_has_a_slash(single: Project) -> None:
    assert 0 == single.run("show", f"{NAME}/", "--offline").code


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        (["resume", "7", "--reason"], "TEXT"),
        (["resume", "7", "-m"], "TEXT"),
        (["link", "7", "--create"], "TRACKER"),
        (["list", "--status"], "STATUS"),
        (["--root"], "VALUE"),
        (["github", "close-issue", "7", "--item"], "ITEM|URL"),
        (["effort", "close", "--summary"], "TEXT"),
    ],
)
def test_an_option_without_its_value_names_the_command_and_the_value(
    project: Project, typed: list[str], value: str
) -> None:
    done = project.run(*typed)

    assert (2, True) == (done.code, done.err.startswith("Usage: unlatch ")), done.said
    assert [*typed, value] == shlex.split(next_command(done))[1:]


def test_an_option_of_all_commands_is_said_to_go_before_the_command(project: Project) -> None:
    done = project.run("list", "--root", ".")

    assert "It goes before the command." in done.err


def test_an_id_of_gh_is_not_an_id_of_ours(project: Project) -> None:
    done = project.run("github", "issue", "reopen", "4")

    assert "Its commands take the ID of an increment." in done.err


def test_a_mistyped_name_acts_on_no_terminal(project: Project) -> None:
    done = project.run("resum", "\x1b[31m7")

    assert "\x1b" not in done.err
    assert "unlatch resume $'\\x1b[31m7'" in next_command(done)


def test_an_address_in_the_place_of_the_id_to_link_to(project: Project) -> None:
    done = project.run("link", project.urls["github"])

    assert_refused(done, 2, "id-is-url")
    assert f"unlatch link ID {project.urls['github']}" in done.err
