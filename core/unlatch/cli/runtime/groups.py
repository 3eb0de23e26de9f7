"""Groups of commands; each command is loaded when it is run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from typing import Any

import click

from unlatch.cli.table import Entry, find_entry, outside_names


class Group(click.Group):
    """A group that reports unknown commands with all typed words."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, *rest = args
        if name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if command := self.get_command(ctx, name):
            return name, command, rest
        from unlatch.cli.runtime.suggest import NoSuchCommand  # noqa: PLC0415  (for an error)

        raise NoSuchCommand(ctx, self.list_commands(ctx), args)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        if (command := self.named_first(args)) is not None:
            own = self.context_class(self, info_name=info_name, parent=parent)
            with placed(command, command.name, own):
                return command.make_context(command.name, args[1:], own, **extra)
        with placed(self, info_name, parent):
            return super().make_context(info_name, args, parent, **extra)

    def named_first(self, args: Sequence[str]) -> click.Command | None:
        """The command that runs in place of the group; None to parse the group's arguments."""
        return None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.BadOptionUsage as error:
            name = ctx.invoked_subcommand or ""
            if error.ctx is None and (command := self.get_command(ctx, name)):
                error.ctx = click.Context(command, parent=ctx, info_name=name)
            raise


class GroupWithArguments(Group):
    """The first word is the name of a command below, or an argument of the group itself."""

    allow_interspersed_args = True

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters; without arguments for the path of a command below."""
        parameters = super().get_params(ctx)
        if ctx.command is self:
            return parameters
        return [parameter for parameter in parameters if not isinstance(parameter, click.Argument)]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *outside_names(self.name or "")]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return super().get_command(ctx, name) or self._below(name)

    def named_first(self, args: Sequence[str]) -> click.Command | None:
        return (self.commands.get(args[0]) or self._below(args[0])) if args else None

    def _below(self, name: str) -> click.Command | None:
        """The command of a package; the names of increments and items are no words."""
        return _outside(f"{self.name}.{name}") if name.isalpha() else None


class LazyGroup(Group):
    """A group below `unlatch`; the command `open` of `effort` is the function `open_effort`."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.name, help=entry.own_help)
        self.package, self.modules = entry.package, entry.commands or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.modules, *outside_names(self.name or "")]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.modules:
            return _outside(f"{self.name}.{name}")
        module = import_module(f"{self.package}.{self.modules[name]}")
        command: click.Command = getattr(module, f"{name}_{self.name}")
        return command


def _outside(name: str) -> click.Command | None:
    """The command that a package adds to a group."""
    entry = find_entry(name)
    return load_command(entry) if entry else None


def load_command(entry: Entry) -> click.Command:
    """The command of an entry of the table."""
    if entry.commands:
        return LazyGroup(entry)
    path, _, name = entry.module.partition(":")
    module = import_module(f"{entry.package}.{path}")
    attribute = getattr(module, name or "command", None) or module.run
    # A function, if the options depend on the plugins or on the command's name.
    if not isinstance(attribute, click.Command):
        built: click.Command = attribute(entry)
        return built
    command = copy(attribute)
    command.name, command.help = entry.name, entry.own_help
    return command


@contextmanager
def placed(
    command: click.Command, name: str | None, parent: click.Context | None
) -> Iterator[None]:
    """Name the command in errors about an option without its value; click leaves it out."""
    try:
        yield
    except click.BadOptionUsage as error:
        error.ctx = error.ctx or click.Context(command, parent=parent, info_name=name)
        raise
