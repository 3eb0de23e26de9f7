"""A command with arguments of its own that is a group besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.cli.runtime.suggest import Group

if TYPE_CHECKING:
    import click


class GroupWithArguments(Group):
    """The first word is the name of a command below, or an argument of the group itself."""

    allow_interspersed_args = True

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
        return found.make_context(found.name, args[1:], own, **extra)
