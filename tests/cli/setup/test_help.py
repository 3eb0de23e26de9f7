"""unlatch --help shows few commands, and unlatch help all of them by topic."""

import re
import sys
from pathlib import Path

import pytest
from tests.cli.project import Project
from tests.cli.setup.test_completion import complete

from unlatch.cli.table import FRONT, MORE, all_commands, all_topics

_ROW = re.compile(r"^  (\S+(?: \S+)*?)  ", re.MULTILINE)
_SECTION = re.compile(r"^([A-Z][\w ]+):\n((?:  .*\n?)+)", re.MULTILINE)
_SHOWN = [*all_commands()]


def rows(text: str) -> list[str]:
    """The commands of a help text, whose rows follow the options."""
    return _ROW.findall(text.rpartition("Show this message and exit.")[2])


def test_the_first_page_shows_the_most_used_commands(project: Project) -> None:
    done = project.run("--help")
    assert sum(FRONT.values(), ()) == tuple(rows(done.out))
    assert len(rows(done.out)) <= 14
    assert " ".join(done.out.split()).endswith(f" More: unlatch help TOPIC, of {', '.join(MORE)}")
    assert set(all_topics()) == set(MORE)


def test_help_shows_each_command_once(project: Project) -> None:
    done = project.run("help")
    headings = re.findall(r"^(\w+):$", done.out, re.MULTILINE)
    assert sorted([*_SHOWN, "ado|github|jira ..."]) == sorted(rows(done.out))
    assert [topic.capitalize() for topic in all_topics()] == headings


def test_help_begins_with_the_main_case_and_groups_the_other_options(project: Project) -> None:
    shown = dict(_SECTION.findall(project.run("reopen", "--help").out))
    assert ["Example", "Options", "Items", "GitHub", "Jira"] == list(shown)[:5]
    assert "  unlatch reopen octo/widgets#4 --reason 'Still fails'\n" == shown["Example"]
    jira = re.findall(r"^  (--\S+)", shown["Jira"], re.MULTILINE)
    assert ["--allow-path", "--visibility", "--children"] == jira
    assert 13 > len(re.findall(r"^  -", shown["Options"], re.MULTILINE))
    for group in ("Jira", "Scope", "Other work"):
        assert "--reason " not in shown[group]


@pytest.mark.parametrize("columns", ["60", "80", "140"])
def test_help_breaks_no_word_and_fits_the_terminal(
    project: Project, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for words in (["reopen"], ["resume"], ["complete"], ["sync"], ["github", "close-issue"]):
        lines = project.run(*words, "--help").out.splitlines()
        assert [] == [line for line in lines if len(line) > int(columns) or line.endswith("-")]


def test_a_mistyped_name_gets_the_one_that_was_meant(project: Project) -> None:
    for typed, meant in (
        ("tracker", "trackers"),
        ("sesion", "session"),
        ("run pase", "run pause"),
    ):
        project.run("help", *typed.split()).ends(
            2, err=f"next: unlatch help {meant}\n", whole_out=""
        )
        assert project.run("help", *meant.split()).code == 0
    project.run("help", "list", "all").ends(2, err="'unlatch list' has no commands")


def test_a_shell_completes_topics_and_commands(project: Project) -> None:
    assert {"efforts", "effort"} == complete(project, "help", "eff").keys()


TABLE = """\
from unlatch.cli.table import Entry, Reach

STORY = Entry(
    "story", "", "Tell what was done", Reach.LOCAL, {"show": "told"}, "%(package)s", "runs"
)
PLAIN = Entry("plain", "told", "Print a word", Reach.LOCAL, package="%(package)s", topic="words")
"""
TOLD = """\
import click

@click.command("show", help="Show it. (local)")
def show_story():
    click.echo("told")
    return 0

@click.command()
def run():
    click.echo("plain")
    return 0
"""


def install(folder: Path, package: str) -> None:
    """Install a distribution with two commands, and one whose module is missing."""
    (folder / package).mkdir(parents=True)
    (folder / package / "__init__.py").touch()
    (folder / package / "table.py").write_text(TABLE % {"package": package})
    (folder / package / "told.py").write_text(TOLD)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(
        "[unlatch.commands]\n"
        f"story = {package}.table:STORY\n"
        f"plain = {package}.table:PLAIN\n"
        f"gone = {package}.missing:GONE\n"
        f"list = {package}.table:PLAIN\n"
        f"effort.plain = {package}.table:PLAIN\n"
        f"effort.list = {package}.table:PLAIN\n"
    )


def test_a_package_adds_commands_of_which_help_loads_the_table_alone(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    site, package = tmp_path / "site", f"unlatch_story_{tmp_path.name}"
    install(site, package)
    monkeypatch.syspath_prepend(str(site))

    project.run("--help")
    assert not [name for name in sys.modules if name.startswith(package)]
    shown = project.run("help").out
    assert "story " in shown
    assert "Words:\n  plain " in shown
    assert [package, f"{package}.table"] == [it for it in sys.modules if it.startswith(package)]

    assert "told\n" == project.run("story", "show").out
    assert "plain\n" == project.run("plain").out
    assert "\n  story show     Show it\n" in project.run("help", "runs").out
    assert "plain\n" == project.run("effort", "plain").out
    assert "\n  plain     Print a word.\n" in project.run("effort", "--help").out
    # A command of unlatch stays what it is, and what is broken says so when it is used.
    assert "plain\n" != project.run("list").out
    assert "plain\n" != project.run("effort", "list").out
    broken = project.run("gone", "--json")
    assert (1, "plugin-broken") == (broken.code, broken.document["error"]["id"])
    project.extra["PYTHONPATH"] = str(site)
    assert {"story", "plain"} <= complete(project, "").keys()
