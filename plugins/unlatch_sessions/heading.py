"""The heading of a phase: `## Title @agent@version #channel`.

`@agent` and `#channel` count only as its last words; at the end of a title such a word gets a
backslash.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from unlatch.errors import UsageError
from unlatch.worklog.text.neutral import without_controls, without_surrogates
from unlatch_sessions.session_model import Agent

SUMMARY = "Summary"
_LONGEST = 200
_AGENT = re.compile(r"@(?P<name>[^\s@]+)(?:@(?P<version>[^\s@]+))?")
_CHANNEL = re.compile(r"#(?P<name>[^\W\d_][^\s#]*)")
_LAST_WORD = re.compile(r"(?P<before>.*?)(?:^|(?<!\s)\s++)(?P<word>\S++)\s*+", re.DOTALL)


class Heading(NamedTuple):
    title: str
    agent: Agent | None
    channel: str | None


def read_heading(words: str) -> Heading:
    """Read the words behind `##`."""
    agent: Agent | None = None
    channel: str | None = None
    while last := _LAST_WORD.fullmatch(words):
        if agent is None and (match := _AGENT.fullmatch(last["word"])):
            agent = Agent(match["name"], match["version"])
        elif channel is None and (match := _CHANNEL.fullmatch(last["word"])):
            channel = match["name"]
        else:
            break
        words = last["before"]
    return Heading(_unescaped(words.strip()), agent, channel)


def write_heading(heading: Heading) -> str:
    """The line of a phase.

    Raises:
        UsageError: `phase-title`.
    """
    title = one_line(heading.title)
    if not title or (title == SUMMARY and heading.agent is None and heading.channel is None):
        message = f"a phase cannot have the title '{title}'"
        if title:
            message += ", which is that of the last section"
        raise UsageError("phase-title", message, hint="choose another title")
    parts = [_escaped(title[:_LONGEST].rstrip())]
    if heading.agent:
        parts.append(f"@{heading.agent}")
    if heading.channel:
        parts.append(f"#{heading.channel}")
    return f"## {' '.join(parts)}"


def read_agent(text: str) -> Agent:
    """An agent, as in `coder@1.2` or `@coder`.

    Raises:
        UsageError: `agent-name`.
    """
    match = _AGENT.fullmatch("@" + text.removeprefix("@"))
    if match is None or not text.isprintable():
        message = f"'{one_line(text)}' is not the name of an agent"
        raise UsageError("agent-name", message, hint="use NAME or NAME@VERSION without spaces")
    return Agent(match["name"], match["version"])


def read_channel(text: str) -> str:
    """A channel, as in `dev` or `#dev`.

    Raises:
        UsageError: `channel-name`.
    """
    match = _CHANNEL.fullmatch("#" + text.removeprefix("#"))
    if match is None or not text.isprintable():
        message = f"'{one_line(text)}' is not the name of a channel"
        raise UsageError(
            "channel-name", message, hint="use a word that begins with a letter, as in dev"
        )
    return match["name"]


def one_line(text: str) -> str:
    """The text on one line, without control characters."""
    return " ".join(without_controls(without_surrogates(text)).split())


def _escaped(title: str) -> str:
    last = title.rsplit(" ", 1)[-1]
    bare = last.lstrip("\\")
    if _AGENT.fullmatch(bare) or _CHANNEL.fullmatch(bare):
        return f"{title[: len(title) - len(last)]}\\{last}"
    return title


def _unescaped(title: str) -> str:
    last = title.rsplit(" ", 1)[-1]
    bare = last.lstrip("\\")
    if last != bare and (_AGENT.fullmatch(bare) or _CHANNEL.fullmatch(bare)):
        return title[: len(title) - len(last)] + last[1:]
    return title
