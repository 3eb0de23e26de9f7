"""Commands and options that pages name in passing exist."""

from collections.abc import Iterator

import click
from tests.docs.pages import inline_code, name_of, pages

from unlatch.cli.app import app


def test_a_command_that_is_named_exists() -> None:
    named = {
        (code, name_of(page))
        for page in pages()
        for code in inline_code(page)
        if code.startswith("unlatch ")
    }
    assert set() == {(*one, problem) for one in named for problem in _problems(one[0].split()[1:])}


def _problems(words: list[str]) -> Iterator[str]:
    command: click.Command = app
    context = click.Context(app)
    for word in words:
        if word.startswith("-"):
            yield from _unknown_option(word, command)
        elif isinstance(command, click.Group) and not _is_placeholder(word):
            found = command.get_command(context, word)
            if found is None:
                yield f"no command {word}"
                return
            command = found


def _unknown_option(word: str, command: click.Command) -> Iterator[str]:
    # A command keeps the help option of its first context.
    with click.Context(command, **app.context_settings) as context:
        known = {name for option in command.get_params(context) for name in option.opts}
    if word.partition("=")[0] not in known:
        yield f"{command.name} has no option {word}"


def _is_placeholder(word: str) -> bool:
    return word == word.upper()
