"""Aliases: from the user's own configuration, without a shell, never in place of a command."""

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.cli.refusing import assert_refused, assert_unchanged
from tests.cli.setup.own_config import own_config

ALIASES = """\
[aliases]
r = "resume --yes"
why = "r -m 'Bug discovered in error handling'"
list = "resume --yes -m stolen"
jira = "list"
gh = "github status"
shell = "list; touch made $(touch made) | touch made"
"""
BAD = f"""\
{ALIASES}
again = "and-again"
and-again = "again x"
me = "me"
open-quote = "resume 'x"
empty = ""
option = "--root / list"
number = 3
"""


@pytest.fixture
def aliased(completed: Project) -> Project:
    own_config(completed, ALIASES)
    return completed


def test_an_alias_stands_for_its_words(aliased: Project) -> None:
    aliased.run("r", "7", "-m", REASON).ends(0)
    assert [one["reason"] for one in aliased.metadata()["reopenHistory"]] == [REASON]


def test_a_command_is_never_replaced_and_no_shell_sees_an_alias(aliased: Project) -> None:
    before = aliased.tree()
    aliased.run("shell").ends(2, err="No such command 'list;'")
    assert NAME in aliased.run("list").out
    assert "status" in aliased.run("jira", "--help").out
    # An alias may lead to the commands of a tracker.
    assert aliased.run("gh", "7").out == aliased.run("github", "status", "7").out != ""
    assert_unchanged(aliased, before)


def test_an_alias_that_leads_nowhere_is_refused(aliased: Project) -> None:
    own_config(aliased, BAD)
    for name, why in (
        ("again", "it leads back to itself: again -> and-again -> again"),
        ("me", "it leads back to itself: me -> me"),
        ("open-quote", "No closing quotation"),
        ("empty", "it does not begin with a command"),
        ("option", "it does not begin with a command"),
    ):
        done = aliased.run(name).shows(
            err=(why, f"next: unlatch config set --user aliases.{name} resume")
        )
        assert_refused(done, 2, "alias-invalid")
    for name in ("number", "unknown"):  # no aliases
        aliased.run(name).ends(2, err=f"No such command '{name}'")


@pytest.mark.parametrize("file", [".unlatch/config.toml", "config.toml"])
def test_a_project_has_no_aliases(single: Project, file: str) -> None:
    path = single.root / file
    text = path.read_text() if path.exists() else ""
    path.write_text(f"{text}\n{ALIASES}")
    single.run("r", "7").ends(2, err="No such command 'r'")


def test_help_shows_the_command_of_an_alias(aliased: Project) -> None:
    for name, words, usage in (
        ("r", "resume --yes", "unlatch resume "),
        ("gh", "github status", "unlatch github status "),
    ):
        aliased.run("help", name).ends(
            0, out=f"Usage: {usage}", err=f"note: {name} is an alias: {words}"
        )


def test_a_new_alias_may_lead_to_another(aliased: Project) -> None:
    assert aliased.run("config", "set", "--user", "aliases.rr", "r --offline").code == 0
    done = aliased.run("config", "set", "--user", "aliases.r", "rr")
    assert_refused(done, 2, "setting-invalid")
    assert "it leads back to itself: r -> rr -> r" in done.err
