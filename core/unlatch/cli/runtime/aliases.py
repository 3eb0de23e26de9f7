"""Aliases: short names for commands, in the user's own configuration only."""

from __future__ import annotations

import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from unlatch.cli.table import COMMANDS
from unlatch.errors import UsageError
from unlatch.patterns import pattern
from unlatch.worklog.disk.user_files import read_user_file, user_config_file
from unlatch.worklog.text.neutral import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from click.shell_completion import CompletionItem

# A shell inserts a completion without quoting it, so names with other characters are left out.
PLAIN = pattern(r"\w[\w.+@-]*")


def without_alias(arguments: Sequence[str], group: click.Group) -> list[str]:
    """The arguments with an alias replaced by its words; a command's name is never an alias.

    Raises:
        UsageError: `alias-invalid`.
    """
    words, at = [*arguments], place_of_command(arguments, group)
    if words[at : at + 1] in ([], *([name] for name in COMMANDS)):
        return words
    return [*words[:at], *_expanded(words[at:], _aliases(), group)]


def check_alias(name: str, command: str, group: click.Group) -> None:
    """Check that a new alias leads to a command; UsageError `alias-invalid`."""
    words = _expanded([name], {**_aliases(), name: command}, group)
    if group.get_command(click.Context(group), words[0]) is None:
        raise _invalid(name, f"there is no command {words[0]!r}")


def _expanded(
    words: Sequence[str], aliases: Mapping[str, str], group: click.Group
) -> Sequence[str]:
    """The words, with an alias at their beginning replaced; UsageError `alias-invalid`."""
    context, passed = click.Context(group), [words[0]]
    while (name := words[0]) in aliases and group.get_command(context, name) is None:
        words = [*_split(name, aliases[name]), *words[1:]]
        if words[0] in passed:
            chain = " -> ".join([*passed, words[0]])
            raise _invalid(passed[0], f"it leads back to itself: {chain}")
        passed.append(words[0])
    return words


def complete_alias(
    ctx: click.Context, group: click.Group, begun: str
) -> Iterator[CompletionItem[str]]:
    """The aliases that begin so, with their words, for a shell; none that a command hides."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    for name, words in _aliases().items():
        is_plain = PLAIN.fullmatch(name) and name.startswith(begun)
        if is_plain and group.get_command(ctx, name) is None:
            yield CompletionItem(name, help=visible(words))


def place_of_command(arguments: Sequence[str], group: click.Group) -> int:
    """The number of the first argument that is no option of all commands, and no option's value."""
    options = (option for option in group.params if isinstance(option, click.Option))
    with_value = {name for option in options if not option.is_flag for name in option.opts}
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in with_value else 1
    return at


def _aliases() -> Mapping[str, str]:
    """The aliases; `unlatch doctor` reports mistakes in the file."""
    from unlatch.worklog.text.parsing import load_toml  # noqa: PLC0415  (few commands need it)

    with suppress(OSError, ValueError):
        aliases = load_toml(read_user_file(user_config_file()).decode("utf-8-sig")).get("aliases")
        if isinstance(aliases, dict):
            return {name: words for name, words in aliases.items() if isinstance(words, str)}
    return {}


def _split(name: str, command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise _invalid(name, str(error)) from error
    if not words or words[0].startswith("-"):
        raise _invalid(name, "it does not begin with a command")
    return words


def _invalid(name: str, why: str) -> UsageError:
    hint = f"unlatch config set --user aliases.{shlex.quote(name)} resume"
    return UsageError("alias-invalid", f"the alias {name!r} cannot be used: {why}", hint=hint)
