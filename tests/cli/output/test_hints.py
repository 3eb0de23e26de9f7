"""Next steps in the source that begin with a command: it can be typed as it is."""

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from unlatch.cli.app import app
from unlatch.errors import UsageError

ROOT = Path(__file__).parents[3]
# What follows a command in a hint: another one, or a remark.
_END = re.compile(r"; |, | or (?=unlatch )|  +\(| \((?=or: )|\Z")
# In place of a value that is known only when the command runs.
_VALUE = "VALUE"


@cache
def _commands() -> frozenset[tuple[str, str]]:
    """The commands in hints, with their places."""
    return frozenset(_all_commands())


def _all_commands() -> Iterator[tuple[str, str]]:
    for folder in ("core/unlatch", "plugins"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "unlatch " not in (source := path.read_text()):
                continue
            for node in ast.walk(ast.parse(source)):
                for value in _hints(node):
                    for text in _texts(value):
                        start = 0
                        while (start := text.find("unlatch ", start)) == 0 or (
                            start > 0 and re.search(r"(, |; )((or|then) )?\Z| or \Z", text[:start])
                        ):
                            end = _END.search(text, start)
                            stop = end.start() if end else len(text)
                            yield f"{path.relative_to(ROOT)}:{value.lineno}", text[start:stop]
                            start = stop


def _hints(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.keyword) and node.arg == "hint":
        yield node.value
    elif isinstance(node, ast.Assign):
        names = [one.id for one in node.targets if isinstance(one, ast.Name)]
        if any("hint" in name or name in ("step", "fix") for name in names):
            yield node.value
    elif isinstance(node, ast.FunctionDef) and "hint" in node.name:
        yield from (
            one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value
        )


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.Constant) else _VALUE for one in node.values)
        yield "".join(map(str, parts))


def test_a_command_in_a_hint_can_be_typed() -> None:
    # In one test: each worker would read all sources for the names of the cases.
    commands = sorted(_commands())
    problems = {
        f"{place}: {command}": problem
        for place, command in commands
        if (problem := _problem(shlex.split(command)[1:]))
    }
    assert {} == problems
    assert len(commands) > 50


def test_a_placeholder_of_a_text_in_a_hint_is_refused() -> None:
    placed = {
        (found.name, parameter.name, word): _is_refused(parameter, word, context)
        for _, command in _commands()
        for found, context, words in [_found(shlex.split(command)[1:])]
        for parameter, word in _values(found, context, words)
        if word in ("TEXT", "REASON", "TITLE", "WORD", "NAME")
    }
    assert [] == [one for one, is_refused in placed.items() if not is_refused]
    assert {("resume", "tasks", "TITLE"), ("log", "decision", "TEXT")} <= placed.keys()


def _values(
    found: click.Command, context: click.Context, words: list[str]
) -> Iterator[tuple[click.Parameter, str]]:
    """Each value among the words of a command, with its parameter."""
    values, _, _ = found.make_parser(context).parse_args([*words])
    for parameter in found.get_params(context):
        for value in _listed(values.get(parameter.name or "")):
            yield parameter, value


def _is_refused(parameter: click.Parameter, word: str, context: click.Context) -> bool:
    try:
        parameter.process_value(context, (word,) if parameter.multiple else word)
    except UsageError as error:
        return error.id == "placeholder"
    return False


def _found(words: list[str]) -> tuple[click.Command, click.Context, list[str]]:
    """The command that words after `unlatch` name, and the words that follow its name."""
    if words[:1] == ["--root"]:
        words = words[2:]
    found: click.Command = app
    # A command keeps the help option of its first context.
    context = click.Context(app, **app.context_settings)
    while isinstance(found, click.Group) and words and words[0] != _VALUE:
        inner = found.get_command(context, words[0])
        if inner is None:
            break
        found, words = inner, words[1:]
        context = click.Context(found, context)
    return found, context, words


def _problem(words: list[str]) -> str | None:
    """What is wrong with the words after `unlatch`: an option, a command or prose."""
    found, context, words = _found(words)
    if words[:1] == [_VALUE] and isinstance(found, click.Group):
        return None
    if found is app:
        return f"no command {words}"
    try:
        values, rest, _ = found.make_parser(context).parse_args([*words])
    except click.UsageError as error:
        return error.format_message()
    names = [one.name for one in found.get_params(context) if isinstance(one, click.Argument)]
    typed = [word for name in names for word in _listed(values.get(name or ""))]
    # The value of a setting may be any word.
    prose = [word for word in typed if found.name != "set" and re.fullmatch(r"[a-z]{2,}", word)]
    return f"no part of the command: {rest or prose}" if rest or prose else None


def _listed(value: object) -> list[str]:
    return (
        [value] if isinstance(value, str) else [*value] if isinstance(value, list | tuple) else []
    )
