"""The coding agents that unlatch can be installed in, and where they read skills and settings.

Measured with Claude Code 2.1.197, Codex 0.169.0, Gemini CLI 0.61.0 and OpenCode 1.18.33; Cursor's
places are those of cursor.com/docs.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Keys = tuple[str, ...]


class Base(Enum):
    """A folder of the user: the variable that moves it, and its usual place in the home folder."""

    HOME = ("", "")
    CLAUDE = ("CLAUDE_CONFIG_DIR", ".claude")
    CLAUDE_STATE = ("CLAUDE_CONFIG_DIR", "")
    CODEX = ("CODEX_HOME", ".codex")
    GEMINI = ("GEMINI_CLI_HOME", "")
    CONFIG = ("XDG_CONFIG_HOME", ".config")


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next((path for path in (folder, *folder.parents) if path.is_dir()), folder)


@dataclass(frozen=True, slots=True)
class Target:
    """Where to install: in one project, or for the user if `root` is None."""

    root: Path | None
    home: Path
    environ: Mapping[str, str]

    @property
    def name(self) -> str:
        """Its name in the user's records."""
        return str(self.root.resolve()) if self.root else "user"

    def place(self, base: Base, user: str, project: str) -> tuple[Path, Path]:
        """The folder below which no link is followed, and the path."""
        if self.root:
            return self.root, self.root / project
        variable, usual = base.value
        # Claude Code takes several; the first is the one that it writes.
        if moved := self.environ.get(variable, "").split(",")[0].strip():
            return _existing(Path(moved).absolute()), Path(moved).absolute() / user
        return _existing(self.home), self.home / usual / user


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder: for the user below a base, and in a project below its root.

    Args:
        is_personal: whether that of a project is this user's alone, and not in git.
    """

    base: Base
    user: str
    project: str
    is_personal: bool = False

    def of(self, target: Target) -> tuple[Path, Path]:
        """As `Target.place`."""
        return target.place(self.base, self.user, self.project)


@dataclass(frozen=True, slots=True)
class Hooks:
    """The file with an agent's hooks, and their events.

    Args:
        timeout: in the agent's unit; None for its own, which ours would exceed at some events.
    """

    place: Place
    events: tuple[str, ...]
    timeout: int | None


@dataclass(frozen=True, slots=True)
class Servers:
    """The file with an agent's MCP servers, and the entry of one with this program."""

    place: Place
    keys: Keys
    entry: Callable[[list[str]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent; `sign` is a folder that exists where the user has the agent."""

    name: str
    title: str
    sign: Place
    skills: Place
    servers: Servers
    hooks: Hooks | None = None


def _standard(program: list[str]) -> dict[str, Any]:
    return {"command": program[0], "args": [*program[1:], "mcp"]}


def _opencode(program: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": [*program, "mcp"]}


# OpenCode reads those of Claude Code, too, and takes any one of each name, so both have one text
# (findings/opencode-skill-twice.sh).
_SHARED_SKILLS = Place(Base.HOME, ".agents/skills", ".agents/skills")
_GEMINI_SETTINGS = Place(Base.GEMINI, ".gemini/settings.json", ".gemini/settings.json")
_EVENTS = ("SessionStart", "PreCompact", "SessionEnd")
_MCP_SERVERS = ("mcpServers", "unlatch")
_ALL = (
    Agent(
        "claude",
        "Claude Code",
        Place(Base.CLAUDE, "", ".claude"),
        Place(Base.CLAUDE, "skills", ".claude/skills"),
        Servers(Place(Base.CLAUDE_STATE, ".claude.json", ".mcp.json"), _MCP_SERVERS, _standard),
        # The project's own settings.json is for everyone.
        Hooks(
            Place(Base.CLAUDE, "settings.json", ".claude/settings.local.json", is_personal=True),
            _EVENTS,
            30,
        ),
    ),
    Agent(
        "codex",
        "Codex",
        Place(Base.CODEX, "", ".codex"),
        _SHARED_SKILLS,
        Servers(
            Place(Base.CODEX, "config.toml", ".codex/config.toml"),
            ("mcp_servers", "unlatch"),
            _standard,
        ),
        Hooks(Place(Base.CODEX, "hooks.json", ".codex/hooks.json"), _EVENTS, None),
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        Place(Base.GEMINI, ".gemini", ".gemini"),
        _SHARED_SKILLS,
        Servers(_GEMINI_SETTINGS, _MCP_SERVERS, _standard),
        # In milliseconds.
        Hooks(_GEMINI_SETTINGS, ("BeforeAgent", "PreCompress", "SessionEnd"), 30_000),
    ),
    Agent(
        "cursor",
        "Cursor",
        Place(Base.HOME, ".cursor", ".cursor"),
        _SHARED_SKILLS,
        Servers(Place(Base.HOME, ".cursor/mcp.json", ".cursor/mcp.json"), _MCP_SERVERS, _standard),
    ),
    Agent(
        "opencode",
        "OpenCode",
        Place(Base.CONFIG, "opencode", ".opencode"),
        _SHARED_SKILLS,
        Servers(
            Place(Base.CONFIG, "opencode/opencode.json", "opencode.json"),
            ("mcp", "unlatch"),
            _opencode,
        ),
    ),
)
AGENTS: Mapping[str, Agent] = MappingProxyType({agent.name: agent for agent in _ALL})
