"""Sessions of all projects: listed, searched, and chosen at a terminal."""

import shutil
from dataclasses import replace

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import Project
from tests.cli.sessions.commands import session
from tests.cli.terminal import CTRL_C, Terminal


def start(project: Project, title: str, *log: str) -> str:
    done = session(project, "start", title, "--phase", "Look").ends(0)
    if log:
        assert session(project, "log", done.out.strip(), *log).code == 0
    return done.out.strip()


@pytest.fixture
def other(project: Project) -> Project:
    """Another project of the same user."""
    root = project.root.parent / "other project"
    (root / ".unlatch" / "increments").mkdir(parents=True)
    return replace(project, root=root)


def listed(project: Project, *arguments: str) -> list[str]:
    document = session(project, "list", "--json", *arguments).document
    assert mistakes(document, "session-list") == []
    return [one["id"] for one in document["sessions"]]


def test_sessions_of_other_projects_are_listed_only_on_demand(
    project: Project, other: Project
) -> None:
    here, there = start(project, "Fix login"), start(other, "Fix logout")
    both = {str(project.root), str(other.root)}
    assert [here] == listed(project)
    assert {here, there} == set(listed(project, "--all-projects"))
    document = session(project, "list", "--all-projects", "--json").document["sessions"]
    assert both == {one["project"] for one in document}
    assert str(other.root) in session(project, "list", "--all-projects").out
    # They are noted for the user alone.
    notes = sorted((project.home / "state" / "unlatch").glob("*/project"))
    assert [0o600, 0o600] == [note.stat().st_mode & 0o777 for note in notes]
    assert both == {note.read_text() for note in notes}


def test_only_projects_that_are_where_they_were_noted_are_read(
    project: Project, other: Project
) -> None:
    here = start(project, "Fix login")
    start(other, "Fix logout")
    moved = other.root.rename(other.root.with_name("moved"))
    assert [here] == listed(project, "--all-projects")
    shutil.copytree(moved, other.root)  # another folder at the same place
    assert [here] == listed(project, "--all-projects")


def test_a_note_that_names_another_folder_is_not_followed(project: Project, other: Project) -> None:
    here = start(project, "Fix login")
    (note,) = (project.home / "state" / "unlatch").glob("*/project")
    forged = note.parent.with_name("0" * 32)
    forged.mkdir()
    (forged / "project").write_text(str(other.root))
    (other.root / ".unlatch" / "sessions").mkdir()
    assert [here] == listed(project, "--all-projects")


def test_a_project_with_a_mistake_is_left_out_and_noted(project: Project, other: Project) -> None:
    here = start(project, "Fix login")
    start(other, "Fix logout")
    (other.root / ".unlatch" / "config.toml").write_text('[sessions]\npath = "../.."\n')
    assert [here] == listed(project, "--all-projects")
    assert "are left out" in session(project, "list", "--all-projects").err


def test_list_search_finds_by_id_title_branch_and_text(project: Project) -> None:
    project.git("init", "--quiet", "--initial-branch", "topic")
    start(project, "Fix login")
    start(project, "Write docs", "--decision", "Lock the token")
    for words, expected in (
        ("fix-lo", ["Fix login"]),
        ("LOGIN", ["Fix login"]),
        ("token lock", ["Write docs"]),
        ("topic", ["Fix login", "Write docs"]),  # the branch
        ("status active", []),  # front matter is no text
    ):
        done = session(project, "list", "--search", words, "--json")
        assert expected == sorted(one["title"] for one in done.document["sessions"]), words
    assert "No sessions match." in session(project, "list", "--search", "zebra").err


def test_without_a_terminal_the_candidates_are_named(project: Project) -> None:
    names = [start(project, title) for title in ("Fix login", "Fix logout")]
    done = session(project, "show").ends(2, err="error[session-not-named]")
    assert all(name in done.err for name in names)


def test_the_only_session_is_shown_without_a_question(project: Project) -> None:
    for command in ("show", "resume"):
        with Terminal(project, "session", command) as terminal:
            assert terminal.end() == 2
        assert "error[session-not-named]" in terminal.text
    start(project, "Fix login")
    with Terminal(project, "session", "show") as terminal:
        assert terminal.end() == 0
    assert "Fix login" in terminal.text


def test_a_paused_session_of_another_project_is_resumed_there(
    project: Project, other: Project
) -> None:
    start(project, "Fix login")
    there = start(other, "Fix logout")
    session(other, "pause")
    with Terminal(project, "session", "resume") as terminal:
        terminal.expect("Number, or words: ")  # nothing here is paused, so Enter takes nothing
        assert "Fix login" not in terminal.text
        terminal.type("\n")
        terminal.answer("Number, or words: ", "logout\n", times=2)
        terminal.answer("Enter for 1: ", "\n")
        assert terminal.end() == 0
    assert "active" == session(other, "show", there, "--json").document["session"]["status"]


def test_words_that_fit_nothing_can_be_corrected(project: Project) -> None:
    start(project, "Fix login")
    start(project, "Fix logout")
    with Terminal(project, "session", "show") as terminal:
        terminal.answer("Enter for 1: ", "zebra\n")
        terminal.expect("No session fits")
        terminal.answer("Words to search for: ", "login\n")
        terminal.expect("Enter for 1: ", times=2)
        assert terminal.leave(CTRL_C) == 130
    assert "Nothing was changed." in terminal.text
