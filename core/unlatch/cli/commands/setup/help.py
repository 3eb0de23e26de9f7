"""unlatch help: the commands by topic, or the help of one command."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from shlex import join

import click
from click.shell_completion import CompletionItem

from unlatch.cli.runtime.aliases import without_alias
from unlatch.cli.runtime.suggest import NoSuchCommand
from unlatch.cli.table import all_topics
from unlatch.cli.terminal import output
from unlatch.cli.terminal.pager import paged
from unlatch.worklog.entry_points import entry_points

_TRACKERS = "trackers"
_COLUMN = 24
_Row = tuple[str, str]


def _complete(ctx: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    names = _names(ctx.find_root())
    return [CompletionItem(name) for name in names if name.startswith(begun)]


@click.command()
@click.argument("words", nargs=-1, metavar="[TOPIC|COMMAND]", shell_complete=_complete)
@click.pass_context
def run(ctx: click.Context, /, *, words: tuple[str, ...]) -> int:
    root = ctx.find_root()
    if not words:
        text = _sections(root, [*all_topics()], inner=False)
    elif len(words) == 1 and words[0] in all_topics():
        text = _sections(root, words, inner=True)
    else:
        text = _command(root, _without_alias(root, words)).get_help()
    with nullcontext() if ctx.obj.no_pager else paged():
        output.echo(text, sys.stdout)
    return 0


def _sections(root: click.Context, topics: Sequence[str], *, inner: bool) -> str:
    formatter = root.make_formatter()
    for topic in topics:
        with formatter.section(topic.capitalize()):
            formatter.write_dl([*_rows(root, topic, inner=inner)], col_max=_COLUMN)
    more = "COMMAND" if inner else "TOPIC|COMMAND"
    return f"{formatter.getvalue().lstrip()}\nMore: unlatch help {more}"


def _rows(root: click.Context, topic: str, *, inner: bool) -> Iterator[_Row]:
    """The commands of a topic; `inner` also loads the groups for the commands below them."""
    for entry in all_topics()[topic]:
        yield entry.name, entry.line
        yield from _inner_rows(root, entry.name) if inner else ()
    if topic == _TRACKERS:
        names = "|".join(entry_points("unlatch.plugins")) or "TRACKER"
        yield f"{names} ...", "Work on the items of one tracker (writes trackers)"


def _inner_rows(root: click.Context, name: str) -> Iterator[_Row]:
    context = _command(root, [name])
    group = context.command
    if isinstance(group, click.Group):
        for inner in group.list_commands(context):
            if (command := group.get_command(context, inner)) and not command.hidden:
                yield f"{name} {inner}", (command.help or "").partition(". ")[0].removesuffix(".")


def _without_alias(root: click.Context, words: Sequence[str]) -> Sequence[str]:
    """The words, or the names of commands that their alias begins with."""
    group = root.command
    if not isinstance(group, click.Group) or (meant := without_alias(words, group)) == [*words]:
        return words
    output.note(f"{words[0]} is an alias: {join(meant)}")
    context, names = root, []
    for word in meant:
        command = isinstance(group, click.Group) and group.get_command(context, word)
        if not command:
            break
        names.append(word)
        group = command
    return names or words


def _command(root: click.Context, words: Sequence[str]) -> click.Context:
    """The context of a command.

    Raises:
        NoSuchCommand: no group has it.
    """
    context = root
    for number, word in enumerate(words):
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path!r} has no commands.", root)
        command = group.get_command(context, word)
        if command is None:
            names = group.list_commands(context) if number else _names(root)
            raise NoSuchCommand(context, names, words[number:])
        context = click.Context(command, parent=context, info_name=word)
    return context


def _names(root: click.Context) -> list[str]:
    """Topics and commands."""
    group = root.command
    commands = group.list_commands(root) if isinstance(group, click.Group) else []
    return [*dict.fromkeys([*all_topics(), *commands])]
