"""unlatch demo at a terminal, where commands inside it may ask and page; what demos leave."""

import os

import pytest
from tests.cli.project import Project
from tests.cli.terminal import Terminal

# What trackers allow this user is counted for all projects, for some minutes.
SHARED = {".gitignore", "requests"}


def test_the_demo_asks_nothing_at_a_terminal(project: Project) -> None:
    with Terminal(project, "demo") as terminal:
        for words in ("$ unlatch complete 1", "$ unlatch resume 1", "# The changes in git:"):
            terminal.expect(words)
        terminal.expect("To explore them: unlatch demo --keep")
        assert "Continue?" not in terminal.text
        assert terminal.end() == 0
    # As GitHub shows it.
    shown = terminal.text.partition("# The comment on GitHub:")[2].partition("# The changes")[0]
    assert "  | Reopened: Bug discovered in error handling" in shown
    assert "unlatch:op" not in shown
    # The two files are below each other, as git aligns them.
    changes = terminal.text.partition("# The changes in git:")[2].splitlines()
    first, second = (one.index("|") for one in changes if "increments/0001" in one)
    assert first == second
    assert leavings(project) <= SHARED


@pytest.mark.sample(count=1)
@pytest.mark.parametrize(
    ("command", "shown"),
    [("effort demo", "--- Reopened effort: db-pool-fix ---"), ("run demo", "3/3 tasks complete")],
)
def test_a_demo_leaves_nothing(
    project: Project, capfd: pytest.CaptureFixture[str], command: str, shown: str
) -> None:
    project.extra["PATH"] = os.environ["PATH"]  # the run's checks call `test`
    before = sorted(project.root.rglob("*"))
    done = project.run(*command.split()).ends(0)
    assert shown in done.out + capfd.readouterr().out  # the run demo is processes of its own
    assert leavings(project) <= SHARED
    assert sorted(project.root.rglob("*")) == before


def leavings(project: Project) -> set[str]:
    """The names in the user's folder of local state."""
    return {path.name for path in (project.home / "state" / "unlatch").iterdir()}
