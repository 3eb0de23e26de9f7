"""A bad folder of efforts, sessions or runs hides only what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import NAME

if TYPE_CHECKING:
    from tests.cli.project import Project

KINDS = ("efforts", "sessions", "runs")
LINK = "is a symbolic link, which unlatch does not follow [unsafe-path]"
OUT = "sessions.path: '.unlatch/sessions' leads out of the project [config-invalid]"


def spoil(project: Project, kind: str, how: str) -> str:
    """Put something else in place of a folder; returns the note about it."""
    place = project.root / ".unlatch" / kind
    if place.exists():
        place.rename(project.home / kind)
    if how == "file":
        place.write_text("")
        return f"{kind} were not read: a file is in place of the folder {kind} [folder-unreadable]"
    inside, outside = project.root / "docs", project.home
    inside.mkdir()
    place.symlink_to(inside if how == "link" else outside)
    is_out = (kind, how) == ("sessions", "link out")
    return f"{kind} were not read: {OUT if is_out else f'{kind} {LINK}'}"


@pytest.mark.parametrize("how", ["file", "link", "link out"])
@pytest.mark.parametrize("kind", KINDS)
def test_status_and_search_name_it_and_go_on(completed: Project, kind: str, how: str) -> None:
    assert 0 == completed.run("effort", "open", "Smart").code
    assert 0 == completed.run("session", "start", "Smart").code
    note = spoil(completed, kind, how)

    for command in (("status",), ("search", "smart")):
        text = completed.run(*command)
        document = check(completed, command[0], *command)

        assert (0, 1) == (text.code, text.err.count(f"note: {note}\n")), text.said
        (warning,) = document["warnings"]
        assert note == f"{warning['message']} [{warning['id']}]"
        lines = text.out.lower().split("\n")
        for other, status in (("efforts", "open"), ("sessions", "active")):
            shown = [one for one in lines if other[:-1] in one and status in one]
            assert (0 if kind == other else 1) == len(shown), text.out
    assert NAME in text.out


def test_a_folder_that_can_be_read_is_not_noted(completed: Project) -> None:
    assert 0 == completed.run("effort", "open", "Smart").code

    for command in (("status",), ("search", "smart")):
        assert [] == check(completed, command[0], *command)["warnings"]
        assert "not read" not in completed.run(*command).err


@pytest.mark.parametrize("command", [("effort", "search"), ("search", "--kind", "effort")])
def test_a_search_that_can_read_nothing_fails(completed: Project, command: tuple[str, ...]) -> None:
    spoil(completed, "efforts", "file")

    done = completed.run(*command, "smart")

    assert (1, "") == (done.code, done.out)
    assert "error[folder-unreadable]: a file is in place of the folder efforts\n" in done.err


def test_a_search_without_increments_fails(completed: Project) -> None:
    spoil(completed, "increments", "file")

    done = completed.run("search", "smart")

    assert (1, True) == (done.code, "error[folder-unreadable]" in done.err), done.said


def test_similar_work_is_found_beside_it(completed: Project) -> None:
    spoil(completed, "runs", "file")

    assert f"similar increment: {NAME}" in completed.run("new", "Smart discipline").err
