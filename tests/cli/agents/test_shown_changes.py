"""The changes that install and uninstall show have nothing of the user's other settings."""

import json

import pytest
from tests.cli.agents.test_install import agents, put
from tests.cli.project import Project

SECRET = "hunter2-of-another-server"
_OTHER = {"other": {"command": "npx", "env": {"THEIR_LOGIN": SECRET}}}
FILES = {
    ".claude.json": json.dumps({"mcpServers": _OTHER, "oauthAccount": SECRET}),
    ".claude/settings.json": json.dumps({"env": {"A": SECRET}, "hooks": {}, "b": SECRET}, indent=2),
    ".gemini/settings.json": json.dumps({"a": SECRET, "mcpServers": _OTHER, "z": SECRET}, indent=1),
    ".cursor/mcp.json": json.dumps({"mcpServers": _OTHER}, indent=2),
    ".codex/config.toml": f'[mcp_servers.other]\nenv = {{ LOGIN = "{SECRET}" }}\n',
    ".codex/hooks.json": json.dumps({"hooks": {"SessionEnd": [{"hooks": [SECRET]}]}}, indent=2),
}


@pytest.fixture
def others(project: Project) -> Project:
    """A project of a user with servers of others, and their credentials."""
    for name, text in FILES.items():
        put(project.home, name, text)
    return project


@pytest.mark.parametrize(
    "more", [(), pytest.param(("--dry-run", "--json"), marks=pytest.mark.sweep)]
)
def test_no_other_setting_is_shown(others: Project, more: tuple[str, ...]) -> None:
    for verb in ("install", "uninstall"):
        agents(others, verb, "--dry-run", *more).ends(0, lacks=SECRET)
        assert agents(others, verb, "--yes", *more[1:]).code == 0


def test_each_entry_is_shown_with_its_place(others: Project) -> None:
    done = agents(others, "install", "--dry-run", "claude", "codex").shows(
        out=(
            '\n+hooks.SessionEnd[]: {"hooks": [{"type": "command", "command": "',
            '\n+mcp_servers.unlatch: {"command": "',
        )
    )
    home = str(others.home).removeprefix("/")
    assert (
        f"--- a/{home}/.claude.json\n+++ b/{home}/.claude.json\n+mcpServers.unlatch: {{" in done.out
    )
    agents(others, "install", "claude", "--yes")
    agents(others, "uninstall", "--dry-run", "claude").shows(
        out=("\n-mcpServers.unlatch: {", "\n-hooks.SessionEnd[]: {")
    )


@pytest.mark.parametrize("name", FILES)
def test_no_error_has_a_setting(others: Project, name: str) -> None:
    text = FILES[name]
    agent = name.split("/", maxsplit=1)[0].strip(".").removesuffix(".json")
    for broken in (text[:-2], text.replace("{", "{ //", 1), f"{text}{SECRET}"):
        put(others.home, name, broken)
        for verb in ("install", "uninstall"):
            assert SECRET not in agents(others, verb, agent, "--yes").said


def test_comments_of_the_user_are_not_removed_with_the_file(project: Project) -> None:
    path = project.home / ".codex/config.toml"
    assert agents(project, "install", "codex", "--yes").code == 0
    path.write_text(f"# {SECRET}\n{path.read_text()}")
    done = agents(project, "uninstall", "codex", "--yes")
    assert (done.code, path.read_text()) == (0, f"# {SECRET}\n")
    assert SECRET not in done.said
