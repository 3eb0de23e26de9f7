"""The limit of items holds for one increment as for many: an option, or else the setting."""

import pytest
from tests.cli.project import CLOSED, OPEN, REASON, Project

_COMMANDS = {
    "resume": ("resume", "7", "--yes"),
    "complete": ("complete", "7", "--yes"),
    "abandon": ("abandon", "7", "--yes"),
    "undo": ("undo", "7", "--yes"),
}


def _prepare(project: Project, command: str) -> dict[str, str]:
    is_open = command in ("complete", "abandon")
    links = project.items(finished=not is_open)
    project.increment(status="active" if is_open else "completed", links=links)
    if command == "undo":
        project.run("resume", "7", "--yes", "--reason", REASON)
    return OPEN if is_open or command == "undo" else CLOSED


@pytest.mark.sample(at=(3,))
@pytest.mark.parametrize("source", ["option", "setting"])
@pytest.mark.parametrize("command", _COMMANDS)
def test_more_items_than_allowed_are_refused(project: Project, command: str, source: str) -> None:
    states = _prepare(project, command)
    words = [*_COMMANDS[command], "--reason", REASON]
    if source == "option":
        words += ["--max-items", "2"]
    else:
        project.configure_more(tables="[sync]\nmax_items = 2\n")
    done = project.run(*words)
    before = project.states()
    project.run(*words, "--dry-run").ends(0, err="3 items would be written to; the limit is 2")
    project.run(*words, "--max-items", "3").ends(0)
    assert (2, states) == (done.code, before), done.said
    assert "error[too-many-items]: 3 items would be written to; the limit is 2" in done.err
