"""A reason of several lines: where it is posted, kept and shown."""

from tests.cli.project import ALL, NAME, Project
from tests.cli.terminal import Terminal

LONG = "The import fails\n\n#4 shows where:\nline 2"
BELOW = ["", "#4 shows where:", "line 2"]


def shown(project: Project, *command: str, columns: int, keys: str = "") -> list[str]:
    with Terminal(project, *command, columns=columns) as terminal:
        if keys:
            terminal.answer("Continue?", keys)
        terminal.end()
    return terminal.text.split("\n")


def below(lines: list[str], start: str) -> list[str]:
    """The three lines below the one with this start."""
    (number,) = (number for number, line in enumerate(lines) if line.startswith(start))
    return lines[number + 1 : number + 4]


def details(project: Project, *trackers: str) -> str:
    addresses = "".join(f"    {project.urls[name]}\n" for name in trackers)
    return f"    Reason: The import fails\n\n      #4 shows where:\n      line 2\n{addresses}"


def test_verbose_shows_the_reason_and_the_addresses_for_each_of_many(completed: Project) -> None:
    completed.increment("0008-more")
    done = completed.run("resume", "7", "8", "-m", LONG, "--yes", "-v")
    first, second = details(completed, *ALL), details(completed)
    assert f"{first}✓ Increment 0008-more: completed -> active\n{second}" in done.out


def test_verbose_shows_them_for_an_item(project: Project) -> None:
    project.items("github")
    done = project.run("reopen", "octo/widgets#4", "-m", LONG, "-v")
    assert done.out.endswith(details(project, "github")), done.said


def test_the_lines_of_a_reason_are_posted_and_kept(completed: Project) -> None:
    done = completed.run("resume", "7", "-m", LONG, "--yes", "-v")
    assert done.out.endswith(details(completed, *ALL)), done.said
    assert done.err == f"Next: unlatch show {NAME}\n"
    assert completed.metadata()["reopenHistory"][0]["reason"] == LONG
    bodies = {name: one[0] for name, one in completed.comments().items()}
    assert set(ALL) == bodies.keys()
    assert "The import fails\\\n\\\n" in bodies["github"]
    assert "The import fails<br><br>" in bodies["ado"]
    assert "The import fails\n\n" in bodies["jira"]
    # A list shows the first line.
    (row,) = (one for one in completed.run("history", "--all").out.split("\n") if NAME in one)
    assert row.endswith("  The import fails …")
