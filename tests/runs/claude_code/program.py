"""Claude Code, installed from the lock file, with no account and a prepared model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tests.servers.availability import skipped_unless_available
from tests.servers.install import NotInstallable, install
from tests.servers.process import Unavailable

if TYPE_CHECKING:
    from tests.runs.claude_code.model import Model

HERE = Path(__file__).resolve().parent


def installed() -> str:
    """The program; skips the test where it cannot be installed."""
    with skipped_unless_available():
        try:
            install(HERE)
        except NotInstallable as error:
            raise Unavailable(f"npm @anthropic-ai/claude-code: {error}") from error
        modules = HERE / "node_modules" / "@anthropic-ai"
        for program in modules.glob("claude-code-*/claude"):
            return str(program)
        raise Unavailable("npm @anthropic-ai/claude-code: it has no program for this system")


def environment(home: Path, model: Model) -> dict[str, str]:
    """The environment of a program that has no account, and knows the prepared model alone."""
    home.mkdir(exist_ok=True)
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "of-no-account",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "DISABLE_AUTOUPDATER": "1",
    }
