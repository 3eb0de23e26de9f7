"""Find the command in a comment.

A command is a line that begins with `/reopen`, `/close` or `/undo`. What GitHub shows as code or as
a quote, and what it does not show, is none: people quote commands, explain them, and leave those of
templates in hidden comments.
"""

import re
from enum import StrEnum

from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch_ci.comments.shown_lines import shown_lines

_COMMAND = pattern(
    r"/(?P<verb>reopen|close|undo)(?:[ \t]++(?P<rest>.*))?\Z", re.IGNORECASE | re.DOTALL
)
# Phones and macOS turn two hyphens into a dash.
_DROPPED_TOO = pattern(r"(?:--|[\u2013\u2014])even-if-not-planned(?:[ \t]+|\Z)", re.IGNORECASE)

# Before a signature, or of a heading.
_RULE = " \t-_*="


class Verb(StrEnum):
    """What a comment asks for."""

    REOPEN = "reopen"
    CLOSE = "close"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Command:
    """A command and its reason.

    Args:
        reason: the rest of the line, and the paragraph that follows; lines as they were written.
            Empty if there is neither.
        even_if_not_planned: whether an item that was dropped or locked is meant, too.
    """

    verb: Verb
    reason: str = ""
    even_if_not_planned: bool = False


class SeveralCommands(ValueError):
    """A comment has more than one command, and none of them counts."""


def read_command(text: str) -> Command | None:
    """The command in the Markdown of a comment, in time proportional to its length.

    Raises:
        SeveralCommands: there are several.
    """
    lines = shown_lines(text)
    places = [
        (number, command)
        for number, line in enumerate(lines)
        if line is not None and (command := _COMMAND.match(line.rstrip()))
    ]
    if not places:
        return None
    if len(places) > 1:
        raise SeveralCommands
    number, command = places[0]
    verb, rest = Verb(command["verb"].lower()), command["rest"] or ""
    option = _DROPPED_TOO.match(rest) if verb is Verb.REOPEN else None
    rest = rest[option.end() :] if option else rest
    reason = "\n".join(filter(None, (rest.strip(), *_paragraph(lines[number + 1 :]))))
    return Command(verb, reason, even_if_not_planned=option is not None)


def _paragraph(lines: list[str | None]) -> list[str]:
    """The words of the next paragraph; none if something else comes first, as a line of dashes."""
    words: list[str] = []
    for line in lines:
        if line is None or (not line.strip(_RULE) and (words or line.strip())):
            break
        words += filter(None, [line.strip()])
    return words
