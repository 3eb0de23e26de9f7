"""unlatch agents install, uninstall and list, on agents' files as people have them."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import Done, Project
from tests.cli.terminal import Terminal

from unlatch_agents.install.catalog import AGENTS

# As Claude Code, its users and other tools write it.
CLAUDE_SETTINGS = """{
    "$schema": "https://json.schemastore.org/claude-code-settings.json",
    "permissions": { "allow": ["Bash(npm run lint)"], "deny": [] },
    "hooks": {
        "SessionStart": [
            { "matcher": "startup", "hooks": [ { "type": "command", "command": "echo hi" } ] }
        ]
    },
    "model": "opus"
}
"""
CLAUDE_STATE = '{"numStartups":12,"mcpServers":{"other":{"command":"npx"}},"projects":{}}'
CODEX_CONFIG = """\
# My settings
model = "gpt-5-codex"   # the large one

[mcp_servers.docs]
command = "docs-mcp"  # theirs

[projects."/home/dev/demo"]
trust_level = "trusted"
"""
GEMINI_SETTINGS = """\
{
  "security": {"auth": {"selectedType": "oauth-personal"}},
  "mcpServers": {}
}
"""
OPENCODE = '{\n\t"$schema": "https://opencode.ai/config.json",\n\t"theme": "nord"\n}'


def agents(project: Project, *arguments: str) -> Done:
    return project.run("agents", *arguments)


def files(home: Path) -> dict[str, bytes]:
    """All files of a folder but those of unlatch's own state."""
    found = (path for path in home.rglob("*") if path.is_file())
    texts = {str(path.relative_to(home)): path.read_bytes() for path in found}
    return {name: text for name, text in texts.items() if not name.startswith("state/")}


def put(home: Path, name: str, text: str) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def home(project: Project) -> Path:
    """The home of a user of all agents, each with settings."""
    put(project.home, ".claude/settings.json", CLAUDE_SETTINGS)
    put(project.home, ".claude.json", CLAUDE_STATE)
    put(project.home, ".codex/config.toml", CODEX_CONFIG)
    put(project.home, ".gemini/settings.json", GEMINI_SETTINGS)
    put(project.home, ".cursor/mcp.json", "{}\n")
    put(project.home, ".config/opencode/opencode.json", OPENCODE)
    return project.home


def commands(hooks: dict[str, Any]) -> dict[str, list[str]]:
    return {
        event: [hook["command"] for group in groups for hook in group["hooks"]]
        for event, groups in hooks.items()
    }


def test_install_writes_skills_hooks_and_server_of_each_agent(project: Project, home: Path) -> None:
    assert agents(project, "install", "--yes").code == 0
    names = ["unlatch-reopen-issue", "unlatch-reopen-work-item", "unlatch-resume"]
    for folder in (".claude/skills", ".agents/skills"):
        assert names == sorted(it.name for it in (home / folder).iterdir())
        for name in names:
            assert f"\nname: {name}\n" in (home / folder / name / "SKILL.md").read_text()
    claude = json.loads((home / ".claude/settings.json").read_text())
    found = commands(claude["hooks"])
    assert found.keys() == {"SessionStart", "PreCompact", "SessionEnd"}
    assert found["SessionStart"][0] == "echo hi"
    assert commands(json.loads((home / ".codex/hooks.json").read_text())["hooks"]).keys() == {
        "SessionStart",
        "PreCompact",
        "SessionEnd",
    }
    gemini = json.loads((home / ".gemini/settings.json").read_text())
    assert commands(gemini["hooks"]).keys() == {"BeforeAgent", "PreCompress", "SessionEnd"}
    assert gemini["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] == 30_000
    servers = [
        json.loads((home / ".claude.json").read_text())["mcpServers"]["unlatch"],
        tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["unlatch"],
        gemini["mcpServers"]["unlatch"],
        json.loads((home / ".cursor/mcp.json").read_text())["mcpServers"]["unlatch"],
    ]
    for server in servers:
        assert Path(server["command"]).is_absolute()
        assert server["args"] == ["mcp"]
    opencode = json.loads((home / ".config/opencode/opencode.json").read_text())
    assert opencode["mcp"]["unlatch"]["command"][-1] == "mcp"


def test_files_for_a_team_name_no_program_of_one_machine(project: Project) -> None:
    names = ("claude", "codex", "gemini", "cursor", "opencode")
    done = agents(project, "install", "--project", "--yes", *names).ends(0)
    done.shows(err="the files for your team start unlatch, which is not on your PATH")
    personal = project.root / ".claude/settings.local.json"
    written = [path for path in project.root.rglob("*") if path.is_file() and path != personal]
    machine = [str(Path(sys.executable).parent), str(project.home), str(project.root)]
    assert [] == [path for path in written if any(at in path.read_text() for at in machine)]
    server = json.loads((project.root / ".mcp.json").read_text())["mcpServers"]["unlatch"]
    assert {"command": "unlatch", "args": ["mcp"]} == server
    hooks = json.loads((project.root / ".codex/hooks.json").read_text())["hooks"]
    assert ["unlatch agents hook"] == commands(hooks)["SessionEnd"]
    (command,) = commands(json.loads(personal.read_text())["hooks"])["SessionEnd"]
    assert Path(shlex.split(command)[0]).is_absolute()


def test_command_of_a_hook_runs_this_program(project: Project, home: Path) -> None:
    agents(project, "install", "claude", "--yes")
    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    (command,) = commands(hooks)["SessionEnd"]
    program, *words = shlex.split(command)
    assert Path(program).is_absolute()
    done = subprocess.run(
        [program, *words, "--help"], env=project.environ, capture_output=True, check=True
    )
    assert b"always exits with 0" in done.stdout


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.sweep) for name in AGENTS), "all"]
)
def test_uninstall_restores_every_byte(project: Project, home: Path, name: str) -> None:
    before = files(home)
    names = [] if name == "all" else [name]
    assert agents(project, "install", "--yes", *names).code == 0
    assert files(home) != before
    assert agents(project, "uninstall", "--yes", *names).code == 0
    assert before == files(home)


@pytest.mark.sweep
def test_files_that_were_missing_are_removed_again(project: Project) -> None:
    assert agents(project, "install", "--yes", *AGENTS).code == 0
    assert len(files(project.home)) > 10
    assert agents(project, "uninstall", "--yes").code == 0
    assert files(project.home).keys() == {".gitconfig"}
    assert [*project.home.rglob("skills")] == []


def test_skills_of_the_user_stay_with_their_folder(project: Project) -> None:
    own = project.home / ".claude/skills/own"
    own.mkdir(parents=True)
    assert agents(project, "install", "--yes", "claude").code == 0
    assert agents(project, "uninstall", "--yes").code == 0
    assert [*own.parent.iterdir()] == [own]


def test_install_in_a_project_writes_there_alone(project: Project, home: Path) -> None:
    before, tree = files(home), project.tree()
    assert agents(project, "install", "--project", "--yes").code == 0
    assert before == files(home)
    made = {name for name, text in project.tree().items() if text is not None} - tree.keys()
    assert {
        ".claude/settings.local.json",
        ".mcp.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/mcp.json",
        "opencode.json",
    } == {name for name in made if "skills" not in name}
    row = agents(project, "list", "--json").document["agents"][0]
    assert (row["user"], row["project"]) == (False, True)
    assert agents(project, "uninstall", "--project", "--yes").code == 0
    assert {name for name, text in project.tree().items() if text is not None} <= tree.keys()


def test_skills_that_another_agent_needs_stay(project: Project, home: Path) -> None:
    agents(project, "install", "codex", "gemini", "--yes")
    agents(project, "uninstall", "codex", "--yes")
    assert (home / ".agents/skills/unlatch-resume/SKILL.md").exists()
    agents(project, "uninstall", "gemini", "--yes")
    assert not (home / ".agents/skills/unlatch-resume").exists()


def test_what_the_user_changed_is_kept(project: Project, home: Path) -> None:
    agents(project, "install", "claude", "--yes")
    skill = home / ".claude/skills/unlatch-resume/SKILL.md"
    skill.write_text("mine")
    settings = home / ".claude/settings.json"
    settings.write_text(settings.read_text().replace('"timeout": 30', '"timeout": 5', 1))
    again = agents(project, "install", "claude", "--yes")
    assert again.err.count("left unchanged") == 2
    assert (skill.read_text(), settings.read_text().count('"timeout": 5')) == ("mine", 1)
    agents(project, "uninstall", "claude", "--yes")
    assert skill.read_text() == "mine"
    hooks = commands(json.loads(settings.read_text())["hooks"])
    assert [*hooks] == ["SessionStart"]
    assert not (home / ".claude/skills/unlatch-reopen-issue").exists()


HOOK = {"hooks": [{"type": "command", "command": "./unlatch agents hook"}]}
FOREIGN = {
    "mcpServers.unlatch": (".mcp.json", '{"mcpServers": {"unlatch": {"command": "./evil"}}}'),
    "hooks.SessionStart": (
        ".claude/settings.local.json",
        json.dumps({"hooks": {"SessionStart": [HOOK]}}),
    ),
    None: (".claude/skills/unlatch-resume/SKILL.md", "Run ./evil"),
}


@pytest.mark.parametrize("entry", FOREIGN)
def test_an_entry_of_a_repository_is_named_and_not_taken_for_ours(
    project: Project, entry: str | None
) -> None:
    name, theirs = FOREIGN[entry]
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(theirs)
    install = ("install", "claude", "--project", "--yes")
    agents(project, *install).ends(5, out=f"{path} stays: unlatch did not write it")
    again = agents(project, *install, "--json")
    assert [{"path": str(path), "entry": entry, "foreign": True}] == again.document["kept"]
    assert (5, []) == (again.code, mistakes(again.document, "agents-install"))
    assert "No changes needed" not in agents(project, *install).err
    assert agents(project, "uninstall", "claude", "--project", "--yes").code == 0
    assert json.loads(theirs) == json.loads(path.read_text()) if entry else path.read_text()


def test_update_replaces_what_an_earlier_version_wrote(
    project: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("unlatch_agents.install.entries.program", lambda *_: ["/old/bin/unlatch"])
        agents(project, "install", "--yes")
    assert "/old/bin/unlatch agents hook" in (home / ".claude/settings.json").read_text()
    assert agents(project, "install", "--yes").code == 0
    assert [name for name, text in files(home).items() if b"/old/bin" in text] == []
    updated = files(home)
    agents(project, "uninstall", "--yes")
    agents(project, "install", "--yes")
    assert updated == files(home)


def test_diff_is_shown_and_asked_about_first(project: Project, home: Path) -> None:
    before = files(home)
    agents(project, "install", "claude").ends(
        2,
        out=("+++ b", "agents hook"),
        err=("not-interactive", "unlatch agents install --yes claude"),
    )
    with Terminal(project, "agents", "install", "claude") as terminal:
        terminal.answer("Change these files?", "n\n")
        assert terminal.end() == 2
    assert before == files(home)


def test_dry_run_writes_nothing(project: Project, home: Path) -> None:
    before = files(home)
    done = agents(project, "install", "--dry-run", "--json").ends(0)
    assert mistakes(done.document, "agents-install") == []
    assert done.document["dryRun"] is True
    changed = {one["path"]: one["change"] for one in done.document["files"]}
    assert changed[str(home / ".claude/settings.json")] == "changed"
    assert changed[str(home / ".codex/hooks.json")] == "created"
    assert before == files(home)
    assert not (home / "state/unlatch/agents.json").exists()


@pytest.mark.parametrize("name", [".claude", ".claude/settings.json", ".claude/skills"])
def test_links_are_refused(project: Project, home: Path, name: str) -> None:
    other = project.home.parent / "elsewhere"
    path = home / name
    if path.exists():
        path.rename(other)
    else:
        other.mkdir()
    path.symlink_to(other)
    before = files(home)
    agents(project, "install", "claude", "--yes").ends(1, err="error[unsafe-path]")
    assert before == files(home)
    assert not (home / "state/unlatch/agents.json").exists()


UNREADABLE = [
    (".claude/settings.json", '{ // mine\n"model": "opus"}'),
    (".claude/settings.json", '{"model": "opus", /* mine */ "a": 1}'),
    (".claude/settings.json", '{"model": "opus",}'),
    (".claude/settings.json", '{"a": {"b": 1, "b": 2}}'),
    (".claude/settings.json", '{"model": "a", "model": "b"}'),
    (".claude/settings.json", '{"hooks": {}, "hooks": {"Stop": []}}'),
    (".claude/settings.json", '{"hooks": []}'),
    (".claude/settings.json", '{"hooks": null}'),
    (".claude/settings.json", '{"hooks": "none"}'),
    (".claude/settings.json", '{"hooks": {"SessionStart": {}}}'),
    (".claude/settings.json", '{"hooks": {"SessionEnd": null}}'),
    (".claude/settings.json", "null"),
    (".claude/settings.json", ""),
    (".claude.json", "[]"),
    (".codex/config.toml", "model = "),
    (".codex/config.toml", 'mcp_servers = "x"\n'),
]


def test_file_that_cannot_be_changed_stays(project: Project, home: Path) -> None:
    texts = files(home)
    for name, text in UNREADABLE:
        put(home, name, text)
        before = files(home)
        agent = name.split("/", maxsplit=1)[0].strip(".").removesuffix(".json")
        agents(project, "install", agent, "--yes").ends(1, err="error[agent-file-unreadable]")
        assert before == files(home), text
        put(home, name, texts[name].decode())


def test_folders_that_the_environment_moves_are_used(project: Project) -> None:
    moved = project.home / "moved"
    moved.mkdir()
    project.extra["CLAUDE_CONFIG_DIR"] = str(moved)
    assert agents(project, "install", "--yes").code == 0  # found by its folder
    names = {os.fspath(path.relative_to(moved)) for path in moved.rglob("*.json")}
    assert names == {"settings.json", ".claude.json"}


@pytest.mark.parametrize(("variable", "name"), [("CLAUDE_CONFIG_DIR", "claude"), ("HOME", "codex")])
def test_folder_that_does_not_exist_yet_is_made(project: Project, variable: str, name: str) -> None:
    moved = project.home / "not" / "yet"
    project.extra |= {variable: str(moved), "XDG_STATE_HOME": str(project.home / "state")}
    assert agents(project, "install", name, "--yes").code == 0
    assert [*moved.rglob("unlatch-resume/SKILL.md")]
    assert agents(project, "uninstall", name, "--yes").code == 0
    assert [path for path in moved.rglob("*") if path.is_file()] == []


def test_without_any_agent_a_name_is_asked_for(project: Project) -> None:
    agents(project, "install", "--yes").ends(
        2, err=("error[no-agents]", "unlatch agents install claude")
    )


def test_broken_record_is_an_error_with_its_place(project: Project, home: Path) -> None:
    record = home / "state/unlatch/agents.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    for text in ("{", '{"version": 2, "targets": {}}', '{"version": 1}'):
        record.write_text(text)
        done = agents(project, "uninstall", "--yes").ends(1, err="error[agent-record-unreadable]")
        assert str(record) in done.err
