"""Acceptance commands: one argument list a line. There is no shell, so shell syntax is refused."""

from __future__ import annotations

import re
import shlex

_SINGLE = re.compile(r"'[^']*'")
_DOUBLE = re.compile(r'"(?:\\[\s\S]|[^"\\])*+(?:"|\\?\Z)')
_ESCAPED = re.compile(r"\\.")
_QUOTED = re.compile(rf"{_SINGLE.pattern}|{_DOUBLE.pattern}|{_ESCAPED.pattern}")
_COMMENT = re.compile(rf"(?P<quoted>{_QUOTED.pattern})|(?<!\S)#.*")
_IN_QUOTES = re.compile(r"[$`]")
# Operators, variables and patterns; and the home folder.
_SPECIAL = re.compile(r"[|&;<>()`$*?\[{]|(?<!\S)~")
# Nothing but a shell has these.
_BUILTINS = frozenset(
    {"cd", "export", "source", ".", "set", "unset", "alias", "eval", "exec", "if", "for", "while"}
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


class ShellSyntax(ValueError):
    """A line that only a shell can run; the message has the reason."""


def split_command(line: str) -> tuple[str, ...]:
    """The argument list of a command; empty for an empty line or a comment.

    Raises:
        ShellSyntax: it has an operator, a variable, a pattern, a builtin, or an open quote.
    """
    bare = _COMMENT.sub(lambda match: match["quoted"] or "", line)
    _check_characters(bare)
    try:
        words = shlex.split(bare)
    except ValueError as error:
        raise ShellSyntax(f"it cannot be read: {str(error).lower()}") from None
    if words and words[0] in _BUILTINS:
        raise ShellSyntax(f"{words[0]!r} works in a shell only")
    if words and _ASSIGNMENT.match(words[0]):
        raise ShellSyntax(f"a shell sets {words[0]!r}; write 'env {words[0]} ...'")
    return tuple(words)


def _check_characters(line: str) -> None:
    """Refuse characters with a meaning to a shell, unless quotes take it from them."""
    for quoted in _DOUBLE.findall(_SINGLE.sub("", line)):
        # Between these quotes, a backslash before one means something else to shlex.
        if match := _IN_QUOTES.search(quoted):
            raise ShellSyntax(f"{match[0]!r} has a meaning to a shell; use single quotes")
    if match := _SPECIAL.search(_QUOTED.sub("", line)):
        raise ShellSyntax(f"{match[0]!r} has a meaning to a shell; quote it, or use a script")


def command_lines(block: str) -> list[tuple[int, str]]:
    """The commands in a fenced block by their lines from 0; a backslash continues a line."""
    commands: list[tuple[int, str]] = []
    first, text = 0, ""
    for number, line in enumerate(block.split("\n")):
        first = first if text else number
        text += line
        if text.endswith("\\") and not text.endswith("\\\\"):
            text = text[:-1] + " "
            continue
        if text.strip():
            commands.append((first, text.strip()))
        text = ""
    if text.strip():
        commands.append((first, text.strip()))
    return commands
