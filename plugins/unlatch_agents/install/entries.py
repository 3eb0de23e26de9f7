"""The entries that unlatch writes for an agent: skills, hooks and the MCP server."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unlatch.project.plugins.loading import is_installed
from unlatch.values import dataclass
from unlatch.worklog.digests import sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_agents.install.catalog import Agent, Keys, Place, Target

HOOK = "agents hook"
# The program, as every member of a team has it on the PATH.
NAME = "unlatch"
_PREFIX = "unlatch-"
_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of ours, or an entry in a file that is also the user's.

    Args:
        base: no link is followed below it.
        keys: the place in a settings file; none for a whole file.
        is_element: whether it is an element of a list.
        value: plain data, or the text of a whole file.
    """

    base: Path
    path: Path
    value: Any
    keys: Keys = ()
    is_element: bool = False

    @property
    def place(self) -> tuple[Path, Keys]:
        return self.path, self.keys


def digest(value: Any) -> str:
    """The hash of an entry, by which an unmodified one is recognised."""
    return sha256(json.dumps(value, sort_keys=True).encode())


def program(place: Place, target: Target) -> list[str]:
    """How an agent starts unlatch: by the absolute path, or by its name in a team's file."""
    if target.root and not place.is_personal:
        return [NAME]
    beside = Path(sys.executable).with_name(NAME)
    if beside.is_file():
        return [str(beside)]
    # Without the current folder on the module path: it is the project's.
    return [sys.executable, "-P", "-m", "unlatch.cli"]


def entries_for(agent: Agent, target: Target) -> Iterator[Entry]:
    """All entries of an agent; the server only where its library is installed."""
    yield from _skills(agent, target)
    if agent.hooks:
        base, path = agent.hooks.place.of(target)
        command = f"{shlex.join(program(agent.hooks.place, target))} {HOOK}"
        hook: dict[str, Any] = {"type": "command", "command": command}
        if agent.hooks.timeout:
            hook["timeout"] = agent.hooks.timeout
        for event in agent.hooks.events:
            yield Entry(base, path, {"hooks": [hook]}, ("hooks", event), is_element=True)
    if is_installed("mcp"):
        servers = agent.servers
        base, path = servers.place.of(target)
        yield Entry(base, path, servers.entry(program(servers.place, target)), servers.keys)


def _skills(agent: Agent, target: Target) -> Iterator[Entry]:
    base, folder = agent.skills.of(target)
    for source in sorted((integrations() / "skills").glob("*/SKILL.md")):
        name = source.parent.name
        # Beside skills of others, and commands of agents such as /resume.
        text = source.read_text(encoding="utf-8")
        text = text.replace(f"name: {name}\n", f"name: {_PREFIX}{name}\n", 1)
        yield Entry(base, folder / f"{_PREFIX}{name}" / source.name, text)


def integrations() -> Path:
    """The folder with the plugin: in the package, and in a checkout at its top."""
    inside = _PACKAGE / "integrations"
    return inside if inside.is_dir() else _PACKAGE.parents[1] / "integrations"
