"""A bad folder of efforts, sessions or runs hides only what is in it."""

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import NAME, Project

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
def test_status_and_search_name_it_and_go_on(project: Project, kind: str, how: str) -> None:
    project.increment()
    assert 0 == project.run("effort", "open", "Smart").code
    assert 0 == project.run("session", "start", "Smart").code
    note = spoil(project, kind, how)

    for command in (("status",), ("search", "smart")):
        text = project.run(*command)
        document = check(project, command[0], *command)

        assert (0, 1) == (text.code, text.err.count(f"note: {note}\n")), text.said
        (warning,) = document["warnings"]
        assert note == f"{warning['message']} [{warning['id']}]"
        lines = text.out.lower().split("\n")
        for other, status in (("efforts", "open"), ("sessions", "active")):
            shown = [one for one in lines if other[:-1] in one and status in one]
            assert (0 if kind == other else 1) == len(shown), text.out
    assert NAME in text.out


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("efforts", ("effort", "search")),
        ("efforts", ("search", "--kind", "effort")),
        ("increments", ("search",)),
    ],
)
def test_a_search_that_can_read_nothing_fails(
    project: Project, kind: str, command: tuple[str, ...]
) -> None:
    project.increment()
    spoil(project, kind, "file")
    project.run(*command, "smart").ends(
        1, err=f"error[folder-unreadable]: a file is in place of the folder {kind}\n", whole_out=""
    )
