"""The commands that a sync names for what it leaves as it is."""

import shlex

import pytest
from tests.cli.project import ALL, CLOSED, NAME, OPEN, Project


def commands(said: str) -> list[str]:
    """The commands below the line that names the increment."""
    _, _, text = said.partition(f"Next for {NAME}, one of:\n")
    return [one.strip() for one in text.splitlines() if one.startswith("  unlatch ")]


def type_in(project: Project, command: str) -> None:
    words = shlex.split(command.replace("TEXT", "More"))[1:]
    project.run(*words, *(["--yes"] if words[0] == "resume" else [])).ends(0)


OPTIONS: list[tuple[str, ...]] = [(), ("--dry-run",), ("--check",)]
# By default each of the two commands for each status, with the trackers and options in turn.
CASES = [
    pytest.param(
        *(tracker, option, status, which),
        marks=pytest.mark.sweep if t != o or t != (2 * s + which) % 3 else (),
        id=" ".join((tracker, *option, status, ("increment", "item")[which])),
    )
    for t, tracker in enumerate(ALL)
    for o, option in enumerate(OPTIONS)
    for s, status in enumerate(("active", "completed"))
    for which in (0, 1)
]


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize(("tracker", "option", "status", "which"), CASES)
def test_each_command_brings_both_sides_together(
    project: Project, tracker: str, option: tuple[str, ...], status: str, which: int
) -> None:
    is_open = status == "active"
    project.increment(status=status, links=project.items(tracker, finished=is_open))
    said = project.run("sync", *option)
    found = commands(said.err)
    assert len(found) == 2, said.said
    type_in(project, found[which])
    ends_open = is_open is bool(which)
    assert project.metadata()["status"] == ("active" if ends_open else "completed")
    assert project.states()[tracker] == (OPEN if ends_open else CLOSED)[tracker]
    assert project.run("sync", "--check").code == 0


def test_a_hostile_name_is_escaped_in_the_summary_of_a_ci_job(project: Project) -> None:
    links = project.items("github", finished=False)
    project.increment("0007-*a*`b`<i>", status="completed", links=links)
    summary = project.home / "summary.md"
    project.extra = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    project.run("sync", "--check").shows(err="  unlatch resume '0007-*a*`b`<i>' --reason TEXT\n")
    line = r"- unlatch resume '0007-\*a\*\`b\`\<i\>' --reason TEXT"
    assert line in summary.read_text().splitlines()


@pytest.mark.sample(at=(0, 1))
@pytest.mark.parametrize(
    ("names", "rest"),
    [
        ([f"{number:04}-more" for number in range(5, 10)], "8-9"),
        (["0005-a", "0006-b", "0007-c", "0008-d"], "0008-d"),
        (
            ["0005-a", "0006-b", "0007-c", "2025-11-03-x", "2025-11-04-e"],
            "2025-11-03-x 2025-11-04-e",
        ),
    ],
)
def test_of_many_some_are_named_and_the_command_for_the_others(
    project: Project, names: list[str], rest: str
) -> None:
    block = project.items("github")["github"]
    for number, name in enumerate(names, 5):
        project.box.github.add_issue(number=number, title="T", state="closed")
        link = {"issue": number, "url": block["url"].replace("/4", f"/{number}")}
        project.increment(name, status="active", links={"github": link})

    done = project.run("sync", "--check")
    others = project.run(*shlex.split(done.err.splitlines()[-1])[1:])
    every = project.run("sync", "--check", *names)
    summary = project.home / "summary.md"
    project.extra = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    project.run("sync", "--check")

    named = [line.split()[2].strip(",") for line in others.err.splitlines() if "one of:" in line]
    assert names[3:] == named
    count = "1 more increment" if len(named) == 1 else f"{len(named)} more increments"
    heading = f"and so on for {count}; to list their commands:"
    assert done.err.endswith(f"{heading}\n  unlatch sync --check {rest}\n")
    assert f"{heading}\n\n- unlatch sync --check {rest}\n" in summary.read_text()
    assert [3, len(names)] == [one.err.count("one of:") for one in (done, every)]
