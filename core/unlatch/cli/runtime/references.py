"""Names of other work than increments, as in effort:auth-bug, and the commands for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

_REFERENCE = pattern(r"(effort|session|run):(.+)")


@dataclass(frozen=True, slots=True)
class Reference:
    """An effort, session or run, in the words of the user."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


def read_reference(word: str) -> Reference | None:
    match = _REFERENCE.fullmatch(word)
    return Reference(match[1], match[2]) if match else None


def run_instead(reference: Reference, verb: str, *, without: Collection[str] = ()) -> int:
    """Run the command of the reference's own kind, with the options that the user typed.

    Args:
        without: the parameters that change nothing there.

    Raises:
        UsageError: that command has no such option.
    """
    ctx = click.get_current_context()
    root = ctx.find_root()
    group = root.command.get_command(root, reference.kind)  # type: ignore[attr-defined]  # a group
    words = [verb, *_typed(ctx, without), "--", reference.name]
    with group.make_context(reference.kind, words, parent=root) as at:
        code: int = group.invoke(at)
    return code


def _typed(ctx: click.Context, without: Collection[str]) -> list[str]:
    words: list[str] = []
    for one in ctx.command.params:
        is_typed = ctx.get_parameter_source(one.name or "") is ParameterSource.COMMANDLINE
        if isinstance(one, click.Option) and is_typed and one.name not in without:
            value = ctx.params[one.name or ""]
            values = value if isinstance(value, tuple) else (value,)
            for each in values:
                words += [one.opts[0]] if one.is_flag else [one.opts[0], str(each)]
    return words
