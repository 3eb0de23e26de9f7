"""Install and uninstall for several agents: each for itself, also with other commands at once."""

import json
import subprocess
from pathlib import Path

from tests.cli.agents.test_install import CLAUDE_SETTINGS, agents, files, home, put
from tests.cli.project import Project
from tests.cli.terminal import Terminal
from tests.warm.client import unlatch

from unlatch_agents.install.catalog import AGENTS

__all__ = ["home"]
BROKEN = '{ // mine\n"model": "opus"}'


def installed(project: Project) -> set[str]:
    rows = agents(project, "list", "--json").document["agents"]
    return {row["name"] for row in rows if row["user"]}


def test_unreadable_file_of_one_agent_leaves_the_others(project: Project, home: Path) -> None:
    put(home, ".claude/settings.json", BROKEN)
    done = agents(project, "install", "--yes").ends(
        5,
        out=(
            "Codex: installed",
            "Claude Code: settings.json cannot be changed",
            "[agent-file-unreadable]",
        ),
    )
    assert str(home / ".claude/settings.json") in done.out
    assert installed(project) == {*AGENTS} - {"claude"}
    assert not (home / ".claude/skills").exists()
    assert (home / ".claude/settings.json").read_text() == BROKEN
    put(home, ".claude/settings.json", CLAUDE_SETTINGS)  # as the next step says
    assert agents(project, "install", "--yes").code == 0
    assert installed(project) == {*AGENTS}


def test_folder_that_cannot_be_written_leaves_the_others(project: Project, home: Path) -> None:
    (home / ".claude/skills").write_text("a file where a folder belongs")
    agents(project, "install", "--yes").ends(5, out="Claude Code: ")
    assert installed(project) >= {*AGENTS} - {"claude"}


def test_install_while_another_one_waits_for_an_answer(project: Project, home: Path) -> None:
    with Terminal(project, "agents", "install", "gemini") as terminal:
        terminal.expect("Change these files?")
        assert agents(project, "install", "codex", "--yes").code == 0
        terminal.type("y\n")
        assert terminal.end() == 0
    assert installed(project) == {"codex", "gemini"}
    record = json.loads((home / "state/unlatch/agents.json").read_text())
    assert {one["agent"] for one in record["targets"]["user"]} == {"codex", "gemini"}


def test_installs_at_once_are_all_recorded(project: Project, home: Path) -> None:
    names = [*AGENTS]
    started = [
        subprocess.Popen(
            [*unlatch(project.environ), "agents", "install", "--yes", name],
            env=project.environ,
            cwd=project.root,
            stdout=subprocess.DEVNULL,
        )
        for name in names
    ]
    assert [one.wait() for one in started] == [0] * len(names)
    assert installed(project) == {*names}
    assert agents(project, "uninstall", "--yes").code == 0
    assert (home / ".claude/settings.json").read_text() == CLAUDE_SETTINGS
    assert [name for name in files(home) if "skills" in name] == []


def test_file_that_changes_before_the_answer_stays(project: Project, home: Path) -> None:
    with Terminal(project, "agents", "install", "gemini") as terminal:
        terminal.expect("Change these files?")
        put(home, ".gemini/settings.json", '{"theme": "new"}')
        before = files(home)
        terminal.type("y\n")
        assert terminal.end() == 1
        assert "agent-file-changed" in terminal.text
    assert before == files(home)
    assert installed(project) == set()


def test_entries_that_are_gone_are_not_called_uninstalled(project: Project, home: Path) -> None:
    assert agents(project, "install", "cursor", "--yes").code == 0
    put(home, ".cursor/mcp.json", "{}\n")
    for path in (home / ".agents/skills").glob("*/SKILL.md"):
        path.unlink()
    agents(project, "uninstall", "cursor", "--yes").ends(0, whole_out="")
    assert installed(project) == set()


def test_skills_are_the_same_for_all_agents(project: Project, home: Path) -> None:
    """OpenCode 1.18.33 takes any one of the skills of a name, also that of Claude Code."""
    assert agents(project, "install", "claude", "opencode", "--yes").code == 0
    assert agents(project, "install", "claude", "opencode", "--project", "--yes").code == 0
    places = (
        home / ".agents",
        home / ".claude",
        project.root / ".agents",
        project.root / ".claude",
    )
    of_each = [
        {path.parent.name: path.read_bytes() for path in place.glob("skills/*/SKILL.md")}
        for place in places
    ]
    assert {"unlatch-resume", "unlatch-reopen-issue", "unlatch-reopen-work-item"} == {*of_each[0]}
    assert of_each == of_each[:1] * len(places)
