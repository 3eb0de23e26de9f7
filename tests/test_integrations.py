"""integrations/: one version, sound skills, the same as `agents install` writes, and validated."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from unlatch import __version__
from unlatch.cli.app import app
from unlatch.cli.table import all_commands
from unlatch_agents.install.catalog import AGENTS, Target
from unlatch_agents.install.entries import entries_for, integrations

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "integrations"
TOOL = ROOT / "tools/validate_integrations.py"
SKILLS = sorted(FOLDER.glob("skills/*/SKILL.md"))


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_manifests_have_the_version_of_the_package() -> None:
    found = {
        str(path.relative_to(FOLDER)): read(str(path.relative_to(FOLDER))).get("version")
        for path in [*FOLDER.rglob("plugin.json"), FOLDER / "gemini-extension.json"]
    }
    assert found == dict.fromkeys(found, __version__)
    assert len(found) == 4


def test_paths_in_manifests_lead_somewhere() -> None:
    for folder in (".codex-plugin", ".cursor-plugin"):
        manifest = read(f"{folder}/plugin.json")
        for key in {"skills", "hooks", "mcpServers"} & manifest.keys():
            assert (FOLDER / manifest[key]).exists()


def test_all_agents_get_the_same_server() -> None:
    server = {"unlatch": {"command": "unlatch", "args": ["mcp"]}}
    assert read(".mcp.json")["mcpServers"] == server
    assert read("gemini-extension.json")["mcpServers"] == server
    assert read("opencode.json")["mcp"]["unlatch"]["command"] == ["unlatch", "mcp"]
    assert "mcp" in all_commands()


def test_hooks_are_those_that_install_writes(tmp_path: Path) -> None:
    hooks = read("hooks/hooks.json")["hooks"]
    entries = [*entries_for(AGENTS["claude"], Target(None, tmp_path, {}))]
    assert [*hooks] == [one.keys[1] for one in entries if one.keys[:1] == ("hooks",)]
    commands = {hook["command"] for event in hooks.values() for hook in event[0]["hooks"]}
    assert commands == {"unlatch agents hook"}


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_skill_is_in_the_open_format(path: Path) -> None:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    found = yaml.safe_load(front)
    assert found.keys() == {"name", "description"}
    assert found["name"] == path.parent.name
    assert len(found["description"]) < 1024
    assert len(body) < 5000


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_commands_in_a_skill_exist_with_their_options(path: Path) -> None:
    lines = re.findall(r"`unlatch ([^`]+)`", path.read_text(encoding="utf-8"))
    assert len(lines) > 2
    for line in lines:
        words = line.split()
        command: click.Command = app
        while words and hasattr(command, "get_command"):
            with app.make_context("unlatch", [], resilient_parsing=True) as ctx:
                command = command.get_command(ctx, words.pop(0))
            assert command is not None, line
        known = {option for one in command.params for option in one.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_folder_is_found() -> None:
    assert integrations() == FOLDER


def validate(path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(TOOL)],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def program(folder: Path, name: str, code: int) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho why\nexit {code}\n")
    path.chmod(0o755)


def test_validators_are_run_or_named(tmp_path: Path) -> None:
    program(tmp_path, "gemini", 0)
    done = validate(str(tmp_path))
    assert (done.returncode, done.stdout.count("skipped: claude is not installed")) == (0, 2)
    assert "ok: gemini accepts the extension" in done.stdout
    program(tmp_path, "claude", 1)
    failed = validate(str(tmp_path))
    assert failed.returncode == 1
    assert "failed: claude refuses the plugin\nwhy\n" in failed.stdout
