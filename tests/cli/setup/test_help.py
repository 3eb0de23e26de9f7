"""unlatch --help shows few commands, and unlatch help all of them by topic."""

import re

from tests.cli.project import Project
from tests.cli.setup.test_completion import complete

from unlatch.cli.table import COMMANDS, FRONT, MORE, TOPICS

_ROW = re.compile(r"^  (\S+(?: \S+)*?)  ", re.MULTILINE)
_SHOWN = [*COMMANDS]


def rows(text: str) -> list[str]:
    """The commands of a help text, whose rows follow the options."""
    return _ROW.findall(text.rpartition("Show this message and exit.")[2])


def test_the_first_page_shows_the_most_used_commands(project: Project) -> None:
    done = project.run("--help")

    assert sum(FRONT.values(), ()) == tuple(rows(done.out))
    assert len(rows(done.out)) <= 14
    assert done.out.splitlines()[-1] == f"More: unlatch help {'|'.join(MORE)}"
    assert set(TOPICS) == set(MORE)


def test_help_shows_each_command_once(project: Project) -> None:
    done = project.run("help")

    headings = re.findall(r"^(\w+):$", done.out, re.MULTILINE)

    assert sorted([*_SHOWN, "ado|github|jira ..."]) == sorted(rows(done.out))
    assert [topic.capitalize() for topic in TOPICS] == headings


def test_a_topic_shows_its_commands_and_those_of_its_groups(project: Project) -> None:
    same = [["github"], ["github", "close-issue"]]
    for topic, entries in TOPICS.items():
        shown = rows(project.run("help", topic).out)
        assert [entry.name for entry in entries] == [row for row in shown if " " not in row]
        # A topic comes before a command of its name.
        same += [row.split() for row in shown if not row.endswith("...") and row not in TOPICS]
    for words in same:
        assert project.run("help", *words).out == project.run(*words, "--help").out, words


def test_a_mistyped_name_gets_the_one_that_was_meant(project: Project) -> None:
    for typed, meant in (
        ("tracker", "trackers"),
        ("sesion", "session"),
        ("run pase", "run pause"),
    ):
        done = project.run("help", *typed.split())
        assert (2, "") == (done.code, done.out)
        assert f"next: unlatch help {meant}\n" in done.err
        assert project.run("help", *meant.split()).code == 0

    done = project.run("help", "list", "all")
    assert (2, True) == (done.code, "'unlatch list' has no commands" in done.err)


def test_a_shell_completes_topics_and_commands(project: Project) -> None:
    assert {"efforts", "effort"} == complete(project, "help", "eff").keys()
