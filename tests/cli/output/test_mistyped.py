"""A mistyped command is refused with the command to type instead, which works."""

import shlex

from tests.cli.project import Done, Project
from tests.cli.refusing import assert_refused, assert_unchanged


def next_command(done: Done) -> str:
    """The one command that an error names."""
    (line,) = [one for one in done.err.splitlines() if one.startswith("  next: ")]
    return line.removeprefix("  next: ")


MEANT = {
    "resum 7 --dry-run": "resume 7 --dry-run",
    "--max-wait 5 lsit": "--max-wait 5 list",
    "github issue reopen 7": "github reopen-issue 7",
    "jira reopen issue 7": "jira reopen-issue 7",
    "ado work-item close 7": "ado close-work-item 7",
    "github reopen 7": "github reopen-issue 7",
    "gihub status": "github status",
    "auth stats": "auth status",
    "resume 7 --reson 'a b' --yes": "resume 7 --reason 'a b' --yes",
    "resume 7 --reson=\"a 'b'\"": "resume 7 --reason=\"a 'b'\"",
    "doctor --onlin": "doctor --online",
    "--rot . list": "--root . list",
    "list --root .": "--root . list",
    "--debug list --max-wait=3 --all": "--max-wait=3 --debug list --all",
    "reopn 7": "reopen 7",
    "stat": "status",
    "view 7": "show 7",
    "log 7": "history 7",
    "finish 7": "complete 7",
    "session view": "session show",
    "resume 7 --yes=1": "resume 7 --yes",
    "resume 7 --message 'a b'": "resume 7 --reason 'a b'",
    "resume 7 --comment 'a b'": "resume 7 --reason 'a b'",
    "close octo/widgets#4 '--comment=a b'": "close octo/widgets#4 '--reason=a b'",
    "version": "--version",
}


def test_the_command_that_was_meant_is_named_with_every_argument(single: Project) -> None:
    before = single.tree()
    for typed, words in MEANT.items():
        meant = ["unlatch", *shlex.split(words)]
        plain = single.run(*shlex.split(typed))
        document = single.run(*shlex.split(typed), "--json").document
        assert (2, meant) == (plain.code, shlex.split(next_command(plain))), typed
        assert [*meant, "--json"] == shlex.split(document["error"]["hint"]), typed
        assert "Did you mean" not in plain.said
    assert_unchanged(single, before)


def test_a_former_name_of_an_option_is_answered_with_the_present_one(single: Project) -> None:
    single.run("sync", "7", "--plan", "--json").ends(2, lacks="--plan-out")
    single.run("sync", "7", "--plan").ends(2, err="unlatch sync 7 --dry-run", lacks="--plan-out")


def test_nothing_is_proposed_where_nothing_is_similar(project: Project) -> None:
    for line in (
        "github issue",
        "close-issue 7",
        "resume 7 --zzz",
        "github x",
        "list --title x",
        "resume 7 --comment shrot",
    ):
        done = project.run(*line.split())
        hint = project.run(*line.split(), "--json").document["error"]["hint"]
        assert (2, False) == (done.code, "next: " in done.err or "Did you mean" in done.err), line
        assert hint.endswith(" --help")
        assert 0 == project.run(*shlex.split(hint)[1:]).code


def test_an_option_without_its_value_names_the_command_and_the_value(project: Project) -> None:
    for line, value in (
        ("resume 7 --reason", "TEXT"),
        ("resume 7 -m", "TEXT"),
        ("link 7 --create", "TRACKER"),
        ("list --status", "STATUS"),
        ("--root", "VALUE"),
        ("github close-issue 7 --item", "ITEM|URL"),
        ("effort close --summary", "TEXT"),
    ):
        done = project.run(*line.split())
        assert (2, True) == (done.code, done.err.startswith("Usage: unlatch ")), done.said
        assert [*line.split(), value] == shlex.split(next_command(done))[1:]


def test_a_remark_says_why_another_command_is_meant(project: Project) -> None:
    assert "It goes before the command." in project.run("list", "--root", ".").err
    project.run("github", "issue", "reopen", "4").shows(
        err="Its commands take the ID of an increment."
    )


def test_an_address_in_the_place_of_the_id_to_link_to(project: Project) -> None:
    done = project.run("link", project.urls["github"])
    assert_refused(done, 2, "id-is-url")
    assert f"unlatch link ID {project.urls['github']}" in done.err
