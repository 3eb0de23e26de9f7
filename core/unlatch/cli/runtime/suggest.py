"""Groups of commands, and the command to type instead of a mistyped one."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from shlex import join
from typing import Any

import click

from unlatch.cli.table import Entry, find_entry, outside_names
from unlatch.errors import UsageError

# Below this, "issue" is like "close-issue", and "--reson" like "--json".
_ALIKE = 0.7

# Words of gh, git and others; "view" is like "review", which changes an increment.
_ELSEWHERE = {
    "create": "new",
    "done": "complete",
    "finish": "complete",
    "log": "history",
    "version": "--version",
    "view": "show",
}
# Second names that options had before the next release, by their commands.
_FORMER = {("sync", "--plan"): "--dry-run"}
_REASON = "--reason"
# What gh and git call it.
_REASON_ELSEWHERE = ("--body", "--comment", "--message")


class Mistyped(UsageError):
    """A mistyped argument; `meant` are the words to type in its place."""

    def __init__(self, id: str, message: str, *, typed: str, meant: Sequence[str]) -> None:
        super().__init__(id, message)
        self.typed, self.meant = typed, meant


class NoSuchCommand(click.UsageError):
    """An unknown command of a group; `rest` are the arguments from its name on."""

    def __init__(self, ctx: click.Context, names: Iterable[str], rest: Sequence[str]) -> None:
        self.rest = rest
        of_all = () if ctx.parent else ("--version",)
        self.meant, self.count = _command([*names, *of_all], rest)
        message = f"No such command {rest[0]!r}."
        if self.count > 1:
            message += " Its commands take the ID of an increment."
        super().__init__(message, ctx)


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


def suggestion(error: Exception, arguments: Sequence[str]) -> str | None:
    """The most similar command; None if none is similar."""
    words = _corrected(error, arguments)
    return None if words is None else join(("unlatch", *words))


def _corrected(error: Exception, typed: Sequence[str]) -> Iterable[str] | None:
    if isinstance(error, Mistyped):
        return [
            word
            for typed_word in typed
            for word in (error.meant if typed_word == error.typed else [typed_word])
        ]
    if isinstance(error, NoSuchCommand):
        start = len(typed) - len(error.rest)
        words = [*typed[:start], error.meant or "", *typed[start + error.count :]]
        return words if error.meant else None
    if isinstance(error, UsageError) and error.id == "reason-missing":
        words = [*_without_reason(typed)]
        end = words.index("--") if "--" in words else len(words)
        return [*words[:end], "--reason", "TEXT", *words[end:]]
    if isinstance(error, click.BadOptionUsage):
        return _with_value(error, typed)
    if isinstance(error, click.NoSuchOption):
        return _moved(error, typed) if is_misplaced(error) else _with_similar(error, typed)
    return _with_reason(error, typed) if isinstance(error, click.BadParameter) else None


def _without_reason(typed: Sequence[str]) -> Iterator[str]:
    words = iter(typed)
    for word in words:
        if word in ("-m", "--reason", "-F", "--reason-file"):
            next(words, None)
        elif not word.startswith(("--reason=", "--reason-file=")) and word not in ("-e", "--edit"):
            yield word


def is_misplaced(error: click.NoSuchOption) -> bool:
    """Whether an option that a command does not know goes before the command."""
    return _option_of_all(error) is not None


def _option_of_all(error: click.NoSuchOption) -> click.Option | None:
    root = error.ctx.find_root().command if error.ctx else None
    options = (
        option for option in (root.params if root else ()) if isinstance(option, click.Option)
    )
    return next((option for option in options if error.option_name in option.opts), None)


def _moved(error: click.NoSuchOption, typed: Sequence[str]) -> Sequence[str]:
    """The typed words, with an option and its value moved before the command."""
    option = _option_of_all(error)
    names = [word.partition("=")[0] for word in typed]
    start = names.index(error.option_name) if error.option_name in names else len(typed)
    has_value = option is not None and not option.is_flag and "=" not in "".join(typed[start:][:1])
    end = start + 1 + has_value
    return [*typed[start:end], *typed[:start], *typed[end:]]


def _with_reason(error: click.BadParameter, typed: Sequence[str]) -> Iterable[str] | None:
    """The typed words with the text of --comment, which only takes a form, as the reason."""
    parameters = error.ctx.command.params if error.ctx else ()
    if error.param is None or not any(_REASON in parameter.opts for parameter in parameters):
        return None
    wrong = next((option for option in error.param.opts if option in _REASON_ELSEWHERE), None)
    if wrong is None or not any(" " in word for word in typed):
        return None  # one word may be a mistyped form
    return [_renamed(word, wrong, _REASON) for word in typed]


def _with_similar(error: click.NoSuchOption, typed: Sequence[str]) -> Iterable[str] | None:
    option = _closest(error.option_name, error.possibilities or ())
    parameters = error.ctx.command.params if error.ctx else ()
    if error.option_name in _REASON_ELSEWHERE and any(
        _REASON in parameter.opts for parameter in parameters
    ):
        option = _REASON
    if error.ctx and (former := _FORMER.get((error.ctx.info_name or "", error.option_name))):
        option = former
    return _with_option(error, typed, option) if option else None


def _with_option(error: click.NoSuchOption, typed: Sequence[str], option: str) -> Iterator[str]:
    """The typed words with another option, and the name of its value where none was typed."""
    values = _values_of(error, option)
    for word, following in zip(typed, [*typed[1:], "-"], strict=True):
        yield _renamed(word, error.option_name, option)
        if word == error.option_name and following.startswith("-"):
            yield from values


def _with_value(error: click.BadOptionUsage, typed: Sequence[str]) -> list[str] | None:
    """The typed words with the name of the value that is missing, or without one for a flag."""
    name = error.option_name
    words = [name if word.startswith(f"{name}=") else word for word in typed]
    words += _values_of(error, name) if name in typed[-1:] else ()
    return words if words != [*typed] else None


def _values_of(error: click.UsageError, option: str) -> list[str]:
    """The name of the value of an option; empty for a flag."""
    parameters = error.ctx.command.params if error.ctx else ()
    meant = (
        parameter
        for parameter in parameters
        if isinstance(parameter, click.Option) and option in parameter.opts
    )
    return [
        parameter.metavar or "VALUE"
        for parameter in meant
        if not (parameter.is_flag or parameter.count)
    ]


def _renamed(word: str, wrong: str, option: str) -> str:
    name, equals, value = word.partition("=")
    return f"{option}{equals}{value}" if name == wrong else word


def _command(names: Sequence[str], rest: Sequence[str]) -> tuple[str | None, int]:
    """The intended command, and the number of words that it replaces."""
    # As in `gh issue reopen 4`: noun and verb.
    for count in (2, 1):
        parts = sorted("-".join(rest[:count]).split("-"))
        for name in names:
            if sorted(name.split("-")) == parts:
                return name, count
    if (usual := _ELSEWHERE.get(rest[0])) in names:
        return usual, 1
    # `ado reopen-issue`: each tracker has a noun of its own.
    verb = f"{rest[0].partition('-')[0]}-"
    if len(begun := [name for name in names if name.startswith(verb)]) == 1:
        return begun[0], 1
    begun = [name for name in names if name.startswith(rest[0])]
    return begun[0] if len(begun) == 1 else _closest(rest[0], names), 1


def _closest(word: str, names: Sequence[str]) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415  (only for an error)

    # The dashes, which all options have, make none of them similar.
    bare = {name.lstrip("-"): name for name in names}
    return next((bare[name] for name in get_close_matches(word.lstrip("-"), bare, 1, _ALIKE)), None)
