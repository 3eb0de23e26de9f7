"""The command to type instead of a mistyped one."""

from collections.abc import Iterable, Iterator, Sequence
from shlex import join

import click

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
