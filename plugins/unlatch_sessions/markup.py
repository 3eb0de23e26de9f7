"""The Markdown of a session; texts of people, models and tools are escaped."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from unlatch.config.choices import SubagentMode
from unlatch.worklog.text.markdown_lines import scan
from unlatch.worklog.text.neutral import without_controls, without_surrogates
from unlatch.worklog.times import stamp
from unlatch_sessions.heading import one_line
from unlatch_sessions.session_model import Agent, CalloutKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime


FAILED = "\u2717"
LONGEST_RESULT = 100
_LONGEST_CALL = 300
_BORDER = '" - '
_TICKS = re.compile(r"`+")
_BREAKS = re.compile("[\u2028\u2029]")
# Line starts with a meaning in a session.
_MEANING = re.compile(
    r"\A(?P<lead>[ \t]*(?:> ?)?)(?=##(?:[ \t]|\Z)|\[![\w-]|\*\*Tool calls:|<{7} )"
)
_TASKS = re.compile(
    r"(?P<fence>(?<![ \t])[ \t]*+(?:(?<!`)`{3,}+|(?<!~)~{3,}+))"
    r"[ \t]*+(?:json[ \t]++)?tasks[ \t]*+\Z",
    re.IGNORECASE,
)


def time_line(moment: datetime) -> str:
    """The line below a phase's heading."""
    return f"*{stamp(moment)}*"


def call_line(tool: str, arguments: str, result: str, *, failed: bool) -> str:
    """A line of a list of tool calls; a long result is cut."""
    call = cut(one_line(f"{one_line(tool).replace(' ', '_')} {arguments}"), _LONGEST_CALL)
    excerpt = cut(one_line(result), LONGEST_RESULT)
    mark = f"{FAILED} " if failed else ""
    return f"- {_code(call)} \u2192 {mark}{excerpt}".rstrip()


def decision(text: str) -> list[str]:
    return _callout(CalloutKind.DECISION, text)


def error(text: str, resolution: str | None = None) -> list[str]:
    """The callout of an error."""
    lines = _callout(CalloutKind.ERROR, text)
    return [*lines, f"> Resolution: {one_line(resolution)}"] if resolution else lines


def user(words: str, interpretation: str | None = None) -> list[str]:
    """The callout of a person's exact words."""
    quoted = f'"{_clean(words)}"'
    if interpretation:
        # A quote at the end, or before such a dash, would end the words.
        note = one_line(interpretation).rstrip('"').replace(_BORDER, '" \u2013 ')
        quoted += f" - {note}"
    return _callout(CalloutKind.USER, quoted)


def summary(text: str) -> list[str]:
    """The callout of an earlier summary."""
    return _callout(CalloutKind.SUMMARY, text)


def subagent(
    agent: Agent,
    model: str | None,
    mode: SubagentMode,
    *,
    session: str | None = None,
    content: str | None = None,
) -> list[str]:
    """The callout of a subagent.

    Args:
        session: the id of its own session; None for an inline one.
        content: its work if it is inline, a brief summary if it is linked.
    """
    head = f"@{agent} ({one_line(model)})" if model else f"@{agent}"
    lines = [f"> [!{CalloutKind.SUBAGENT}] {head}", f"> mode: {mode}"]
    if mode is SubagentMode.INLINE:
        return [*lines, *quoted(content or "")]
    lines.append(f"> ![[{session}]]" if mode is SubagentMode.EMBED else f"> [[{session}]]")
    if content and mode is SubagentMode.LINK:
        lines.append(f"> Summary: {one_line(content)}")
    return lines


def tasks_block(tasks: Sequence[Mapping[str, object]]) -> list[str]:
    return ["```json tasks", *tasks_json(tasks), "```"]


def tasks_json(tasks: Sequence[Mapping[str, object]]) -> list[str]:
    """The content of a tasks block, one task per line, without an end of the block."""
    lines = [json.dumps(dict(task), ensure_ascii=True) for task in tasks]
    return ["[", *(f"  {line}," for line in lines[:-1]), *(f"  {line}" for line in lines[-1:]), "]"]


def prose(text: str) -> list[str]:
    """A text as a part of a phase: no session markup begins in it, and its code is closed."""
    # With the empty line, its first line cannot begin front matter.
    lines = ["", *_clean(text).strip("\n").split("\n")]
    scanned = scan("\n".join(lines))
    for line in scanned.lines:
        lines[line.number - 1] = _MEANING.sub(r"\g<lead>\\", line.text)
    lines = [_TASKS.sub(r"\g<fence>json", line) for line in lines[1:]]
    return [*lines, *scanned.closing]


def quoted(text: str) -> list[str]:
    """The text as a block quote."""
    lines = [f"> {line}".rstrip(" \t") for line in _clean(text).strip("\n").split("\n")]
    return [_MEANING.sub(r"\g<lead>\\", lines[0]), *lines[1:]]


def cut(line: str, length: int) -> str:
    return line if len(line) <= length else line[: length - 1].rstrip() + "\u2026"


def _callout(kind: CalloutKind, text: str) -> list[str]:
    return [f"> [!{kind}]", *quoted(text)]


def _clean(text: str) -> str:
    return without_controls(_BREAKS.sub("\n", without_surrogates(text)))


def _code(text: str) -> str:
    """A code span, with more backticks around it than in any run inside."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1 if longest else 1)
    return f"{ticks} {text} {ticks}" if longest else f"{ticks}{text}{ticks}"
