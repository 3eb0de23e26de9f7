"""Names of other work than increments, as in effort:auth-bug, and the commands for them."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

_REFERENCE = pattern(r"([a-z][a-z-]*):(.+)")


@dataclass(frozen=True, slots=True)
class Reference:
    """A piece of work that is no increment, in the words of the user."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    def verb(self, command: str) -> str:
        """The command of its kind to which `show`, `history`, `resume` or `link` leads.

        Raises:
            UsageError: work of this kind has no such command.
        """
        from unlatch.related.kinds import kind_named  # noqa: PLC0415  (rarely needed)

        verbs = kind_named(self.kind).verbs
        if command not in verbs:
            message = f"a {self.kind} has no {command}: see unlatch {quote(self.kind)} --help"
            raise click.UsageError(message)
        return verbs[command]


def read_reference(word: str) -> Reference | None:
    match = _REFERENCE.fullmatch(word)
    return Reference(match[1], match[2]) if match and _is_kind(match[1]) else None


def _is_kind(name: str) -> bool:
    from unlatch.worklog.entry_points import KINDS, entry_points  # noqa: PLC0415  (slow to load)

    return name in entry_points(KINDS)


def run_instead(
    reference: Reference, command: str, *more: str, without: Collection[str] = (), flag: str = ""
) -> int:
    """Run the command of the reference's own kind, with the options that the user typed.

    Args:
        command: the command that the user typed.
        more: the words after the reference.
        flag: an option of that command, which the user did not type.
        without: the parameters that change nothing where that command has none.

    Raises:
        UsageError: that command has no such option.
    """
    ctx = click.get_current_context()
    root = ctx.find_root()
    group = root.command.get_command(root, reference.kind)  # type: ignore[attr-defined]  # a group
    verb = reference.verb(command)
    parameters = {parameter.name for parameter in group.get_command(ctx, verb).params}
    options = [*_typed(ctx, {*without} - parameters), *filter(None, [flag])]
    words = [verb, *options, "--", reference.name, *more]
    with group.make_context(reference.kind, words, parent=root) as at:
        code: int = group.invoke(at)
    return code


def _typed(ctx: click.Context, without: Collection[str]) -> list[str]:
    words: list[str] = []
    for parameter in ctx.command.params:
        is_typed = ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if isinstance(parameter, click.Option) and is_typed and parameter.name not in without:
            # An option without a value here is none of the other command, which says so.
            value = ctx.params.get(parameter.name or "", "")
            values = value if isinstance(value, tuple) else (value,)
            for each in values:
                words += (
                    [parameter.opts[0]] if parameter.is_flag else [parameter.opts[0], str(each)]
                )
    return words
