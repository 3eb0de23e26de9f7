"""list, show, history, status, plugins, completion: they show everything and change nothing."""

from tests.cli.overview.test_history import reopen
from tests.cli.project import NAME, REASON, Project


def test_list_shows_what_is_there(project: Project) -> None:
    project.increment(links=project.items())
    project.increment("0008-other-work", status="active")
    project.increment("0001-first-steps", archived=True)
    done = project.process("list").ends(0)
    assert done.out == (
        "Increment              Status     Items                             Title\n"
        "0007-smart-discipline  completed  github 4, ado 101, jira SCRUM-28  Smart discipline\n"
        "0008-other-work        active                                       Other work\n"
    )
    assert done.err == "1 archived increment not shown; --all shows it.\n"
    assert "0001-first-steps       completed (archived)" in project.run("list", "--all").out


def test_a_status_that_no_increment_has_names_those_that_they_have(project: Project) -> None:
    for number in range(1, 4):
        project.increment(f"{number:04}-done")
    project.increment("0004-now", status="active")
    project.increment("0005-old", archived=True)
    listed = project.run("list", "--status", "paused")
    everything = project.run("list", "--status", "paused", "--all")
    said = "No increment is paused; others are: {} completed, 1 active. Next: unlatch list\n"
    assert (0, said.format(3)) == (listed.code, listed.said)
    assert said.format(4) == everything.said


def test_show_tells_of_increment_and_items(completed: Project) -> None:
    completed.run("resume", "7", "--reason", REASON, "--yes", "--by", "Dana")
    shown = completed.run("show", "7").ends(0)
    lines = shown.out.splitlines()
    assert lines[:2] == ["0007-smart-discipline  Smart discipline", "  Status       active"]
    assert "  Reopened     1 time" in lines
    assert any(line.endswith(f"by Dana: {REASON}") for line in lines)
    jira = '    Jira          SCRUM-28 "Smart discipline" (Epic, In Progress), last synced today'
    assert jira in lines
    assert "                  labels: ux, reopened" in lines


def test_looking_changes_nothing(single: Project) -> None:
    before = single.tree()
    for command in (["list"], ["show", "7"], ["history", "7"], ["status"], ["plugins"]):
        assert single.run(*command).code == 0
        assert single.run(*command, "--json").code == 0
    assert before == single.tree()
    assert single.wrote() == []


def test_history_tells_the_life_of_an_increment(project: Project) -> None:
    project.items("github", finished=False)
    for command in (
        ["new", "Smart discipline"],
        ["link", "1", project.urls["github"]],
        ["start", "1"],
        ["complete", "1"],
        ["resume", "1", "--reason", REASON, "--yes"],
    ):
        assert project.run(*command, "--by", "Dana").code == 0

    told = project.run("history", "1")
    events = project.run("history", "1", "--json").document["events"]

    assert [line.split("  ", 1)[1] for line in told.out.splitlines()] == [
        "Dana  created",
        f"Dana  linked github {project.urls['github']}",
        "Dana  planning -> active",
        "Dana  active -> completed",
        f"Dana  github {project.urls['github']} closed",
        f"Dana  reopened: {REASON}",
        f"Dana  github {project.urls['github']} reopened",
    ]
    assert len(told.out.splitlines()) == len(events)
    assert all(event["id"] and event["at"].endswith("Z") for event in events)


def test_status_says_what_needs_somebody(completed: Project) -> None:
    completed.configure_more(tables="[limits]\nmax_active = 1\n")
    completed.increment("0008-other-work", status="active")
    completed.increment("0009-waiting", status="paused")
    completed.run("resume", "7", "--reason", REASON, "--yes", "--offline")
    (completed.folder("0010-lost")).mkdir()
    done = completed.process("status").ends(0, err="  Next: unlatch sync 0007-smart-discipline\n")
    shown = done.out.splitlines()
    assert shown[:5] == [
        "Active       2 of at most 1",
        "  0007-smart-discipline  Smart discipline",
        "  0008-other-work  Other work",
        "Paused       1",
        "  0009-waiting (3 days ago)",
    ]
    assert "Pending      3 operations" in shown
    assert f"  {NAME}  reopen github {completed.urls['github']} (today)" in shown
    assert shown[-1].startswith("Broken       0010-lost: the folder has no metadata.json")


def test_completion_prints_a_script(project: Project) -> None:
    for shell in ("bash", "zsh", "fish"):
        project.run("completion", shell).ends(0, out="_UNLATCH_COMPLETE")


def test_show_counts_the_reopens_that_it_leaves_out(project: Project) -> None:
    history = [reopen(n, f"2025-11-{n:02}T00:00:00Z") for n in range(1, 6)]
    project.increment(reopenHistory=history)
    shown = project.run("show", "7").out
    assert f"    2 earlier: unlatch history {NAME}\n    2025-11-03 by Ada" in shown
    project.increment("0008-few", reopenHistory=history[2:])
    assert "earlier" not in project.run("show", "8").out
