"""The groups of commands whose modules are loaded when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from unlatch.cli.runtime.suggest import Group

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click

    from unlatch.cli.table import Entry

# The module of each command, in the order of the help.
_AGENTS = {
    "install": "agents.install",
    "uninstall": "agents.install",
    "list": "agents.install",
    "trust": "agents.trust",
    "hook": "agents.hook",
}
_WORKFLOW = {"validate": "workflow", "show": "workflow"}
_EFFORT = {
    "open": "efforts.change",
    "close": "efforts.change",
    "reopen": "efforts.change",
    "switch": "efforts.change",
    "expand": "efforts.change",
    "collapse": "efforts.change",
    "link": "efforts.link",
    "list": "efforts.read",
    "show": "efforts.read",
    "search": "efforts.read",
    "verify": "efforts.check",
    "export": "efforts.check",
    "chat": "efforts.chat",
    "demo": "efforts.chat",
}
_SESSION = {
    "start": "sessions.change",
    "log": "sessions.log",
    "pause": "sessions.change",
    "resume": "sessions.change",
    "complete": "sessions.change",
    "link": "sessions.link",
    "list": "sessions.read",
    "show": "sessions.read",
    "query": "sessions.query",
    "stats": "sessions.query",
    "import": "sessions.imports",
    "publish": "sessions.publish",
    "codify": "sessions.codify",
    "learn": "sessions.learn",
}
_RUN = {
    "start": "runs.execute",
    "resume": "runs.execute",
    "recover": "runs.execute",
    "check": "runs.plans",
    "agree": "runs.plans",
    "list": "runs.read",
    "status": "runs.read",
    "events": "runs.read",
    "watch": "runs.read",
    "pause": "runs.request",
    "stop": "runs.request",
    "context": "runs.request",
    "questions": "runs.request",
    "answer": "runs.request",
    "demo": "runs.demo",
}
_GROUPS = {
    "agents": _AGENTS,
    "workflow": _WORKFLOW,
    "effort": _EFFORT,
    "session": _SESSION,
    "run": _RUN,
}


class _LazyGroup(Group):
    """A group below `unlatch`; the command `open` of `effort` is the function `open_effort`."""

    def __init__(self, name: str, *, help: str, modules: Mapping[str, str]) -> None:
        super().__init__(name, help=help)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.modules]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.modules:
            return None
        module = import_module(f"unlatch.cli.commands.{self.modules[name]}")
        found: click.Command = getattr(module, f"{name}_{self.name}")
        return found


def command(entry: Entry) -> click.Command:
    return _LazyGroup(entry.name, help=entry.own_help, modules=_GROUPS[entry.name])
