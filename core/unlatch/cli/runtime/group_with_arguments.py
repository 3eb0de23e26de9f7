"""A command with arguments of its own that is a group besides."""

from __future__ import annotations

from typing import Any

import click

from unlatch.cli.runtime.suggest import Group, placed


class GroupWithArguments(Group):
    """The first word is the name of a command below, or an argument of the group itself."""

    allow_interspersed_args = True

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters; without arguments for the path of a command below."""
        found = super().get_params(ctx)
        if ctx.command is self:
            return found
        return [one for one in found if not isinstance(one, click.Argument)]

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        found = self.commands.get(args[0]) if args else None
        if found is None:
            return super().make_context(info_name, args, parent, **extra)
        own = self.context_class(self, info_name=info_name, parent=parent)
        with placed(found, found.name, own):
            return found.make_context(found.name, args[1:], own, **extra)
