"""Read a session's Markdown file."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch.worklog.json_text import json_or_none
from unlatch.worklog.text.markdown_lines import Line, Scan, scan
from unlatch.worklog.times import read_stamp
from unlatch_sessions import front_matter
from unlatch_sessions.heading import SUMMARY, read_heading
from unlatch_sessions.session_model import Callout, Meta, Phase, Session, Status, Subagent, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


TOOL_CALLS = "**Tool calls:**"
_LEVEL = 2
# An id is the name of its file, too, and stands in commands.
_ID = re.compile(r"\w[\w.-]{0,199}")
_SHOWN = 60
_CALLOUT = re.compile(r" {0,3}> ?\[!(?P<kind>[\w-]+)\][-+]?[ \t]*+(?P<head>.*)")
_QUOTE = re.compile(r" {0,3}> ?")
_CALL = re.compile(
    r"(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"(?:[ \t]*+(?:\u2192|->)[ \t]*+(?P<result>.*))?"
)
_FAILED = re.compile(r"(?:\u2717|ERROR:)[ \t]*")
_TIME = re.compile(r"[*_](?P<time>\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)[*_]")
_TASKS = re.compile(r"(?:json[ \t]+)?tasks\Z", re.IGNORECASE)
_CLOSING_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*\Z")
_TITLE = re.compile(r"(?:\A|(?<=[\r\n]))# ++(?P<title>[^\r\n]*+)")
_CLOSING = re.compile(r"(?<! ) ++#++[ \t]*+\Z|(?<![ \t])[ \t]++\Z")
_BREAK = re.compile(r"\r\n|\r|\n")
_LINES = re.compile(r"(?:\A|\r\n|\r|\n)?[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Document:
    """A session, and the offsets of its parts in the text.

    Args:
        end: the end of the last phase: the offset of the summary, or of the end of the text.
        tasks_at: the place of the content of the last tasks block, if any.
    """

    session: Session
    text: str
    end: int
    tasks_at: tuple[int, int] | None


def read_document(text: str) -> Document:
    """Read a session's file.

    Raises:
        StoreError: `session-damaged` or `session-in-conflict`.
    """
    meta = read_meta(text)
    scanned = scan(text)
    if marker := next((o for o in scanned.lines if o.text.startswith(front_matter.MARKER)), None):
        raise front_matter.in_conflict(marker.number)
    headings = [line for line in scanned.lines if line.level == _LEVEL]
    trailing = headings.pop() if headings and headings[-1].words == SUMMARY else None
    end = trailing.start if trailing else len(text)
    starts = [*headings, None]
    phases = tuple(
        _phase(number, text, heading, after.start if after else end, scanned.lines)
        for number, (heading, after) in enumerate(pairwise(starts), 1)
        if heading
    )
    summary = text[end:].partition("\n")[2].strip() if trailing else None
    tasks_at, tasks = _last_tasks(text, scanned)
    title = next((line.words for line in scanned.lines if line.level == 1), meta.session_id)
    begin = headings[0].start if headings else end
    outside = tuple(_callouts([o for o in scanned.lines if not begin <= o.start < end]))
    return Document(Session(meta, title, phases, tasks, summary, outside), text, end, tasks_at)


def read_meta(text: str) -> Meta:
    """Read the front matter alone.

    Raises:
        StoreError: `session-damaged`.
    """
    fields = front_matter.read(text)
    session_id = _text(fields, "session_id")
    if session_id is None:
        raise _damaged("the front matter has no session_id")
    if not _ID.fullmatch(session_id):
        problem = "letters, digits, '.', '_' and '-' make an id"
        raise _damaged(f"the session_id {session_id[:_SHOWN]!r} is not valid: {problem}")
    try:
        status = Status(_text(fields, "status") or "")
    except ValueError:
        statuses = ", ".join(Status)
        raise _damaged(f"{fields.get('status')!r} is no status; known are {statuses}") from None
    return Meta(
        session_id=session_id,
        status=status,
        started=read_stamp(fields.get("started")),
        ended=read_stamp(fields.get("ended")),
        channel=_text(fields, "channel"),
        participants=tuple(
            participant
            for participant in _list(fields, "participants")
            if isinstance(participant, str)
        ),
        model=_text(fields, "model"),
        tokens_used=_number(fields.get("tokens_used")),
        resume_point=_text(fields, "resume_point"),
        subagents=tuple(_subagent(o) for o in _list(fields, "subagents") if isinstance(o, dict)),
        increment=_text(fields, "increment"),
        effort=_text(fields, "effort"),
        branch=_text(fields, "branch"),
        fork_of=_text(fields, "fork_of"),
    )


def nested(callout: Callout) -> Iterator[Callout]:
    """The callouts in the text of a callout."""
    for inner in _callouts(scan(callout.text).lines):
        yield replace(inner, line=callout.line + inner.line)


def read_head(text: str) -> tuple[Meta, str]:
    """Read the front matter, and the title below it; StoreError `session-damaged`."""
    meta = read_meta(text)
    match = _TITLE.search(text, front_matter.body_offset(text))
    return meta, _CLOSING.sub("", match["title"]) if match else meta.session_id


def with_title(text: str, title: str) -> str:
    """The text with another title in place of its own; without one it stays."""
    start = front_matter.body_offset(text)
    return text[:start] + _TITLE.sub(lambda _: f"# {title}", text[start:], count=1)


def _phase(number: int, text: str, heading: Line, end: int, lines: Sequence[Line]) -> Phase:
    first, last = (
        bisect_left(lines, at, key=attrgetter("start")) for at in (heading.start + 1, end)
    )
    inside = lines[first:last]
    title, agent, channel = read_heading(heading.words)
    body = text[heading.start + len(heading.text) : end]
    below = body.lstrip("\r\n")
    return Phase(
        number=number,
        title=title,
        agent=agent,
        channel=channel,
        at=_time(inside),
        entries=tuple(sorted([*_calls(inside), *_callouts(inside)], key=lambda entry: entry.line)),
        text=below,
        line=heading.number,
        first=heading.number + len(_BREAK.findall(body[: len(body) - len(below)])),
    )


def _time(lines: Sequence[Line]) -> Any:
    match = _TIME.fullmatch(lines[0].text.strip()) if lines else None
    return read_stamp(match["time"]) if match else None


def _calls(lines: Sequence[Line]) -> Iterator[ToolCall]:
    listed = False
    for line in lines:
        bare = line.text.strip()
        if bare == TOOL_CALLS:
            listed = True
        elif bare[:1] not in ("-", "*", "+") or not line.body:
            listed = listed and line.text[:1] in (" ", "\t")
        elif listed and (match := _CALL.fullmatch(line.text[line.body :].rstrip())):
            yield _call(match, line.number)


def _call(match: re.Match[str], number: int) -> ToolCall:
    code = match["code"]
    if code.startswith(" ") and code.endswith(" ") and code.strip():
        code = code[1:-1]
    tool, _, arguments = code.strip().partition(" ")
    result = match["result"] or ""
    failed = _FAILED.match(result)
    return ToolCall(
        tool, arguments.strip(), result[failed.end() :] if failed else result, bool(failed), number
    )


def _callouts(lines: Sequence[Line]) -> Iterator[Callout]:
    for quote in _quotes(lines):
        if match := _CALLOUT.fullmatch(quote[0].text):
            text = "\n".join(_QUOTE.sub("", line.text, count=1) for line in quote[1:])
            yield Callout(match["kind"].lower(), match["head"].strip(), text, quote[0].number)


def _quotes(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The runs of adjacent lines that begin with `>`."""
    quote: list[Line] = []
    for line in lines:
        is_quoted = _QUOTE.match(line.text) is not None
        if quote and (not is_quoted or line.number != quote[-1].number + 1):
            yield quote
            quote = []
        if is_quoted:
            quote.append(line)
    if quote:
        yield quote


def _last_tasks(
    text: str, scanned: Scan
) -> tuple[tuple[int, int] | None, tuple[Mapping[str, object], ...]]:
    fences = [fence for fence in scanned.fences if _TASKS.match(fence.info)]
    if not fences:
        return None, ()
    start = end = fences[-1].start
    for line in _LINES.finditer(text, start):
        if _CLOSING_FENCE.match(line[0].strip("\r\n")):
            break
        end = line.end()
    tasks = json_or_none(text[start:end])
    listed = tasks if isinstance(tasks, list) else []
    return (start, end), tuple(task for task in listed if isinstance(task, dict))


def _subagent(raw: Mapping[str, Any]) -> Subagent:
    session, agent, model = (_text(raw, name) for name in ("session", "agent", "model"))
    return Subagent(session, agent, model, _number(raw.get("tokens")))


def _text(fields: Mapping[str, Any], key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) and value not in ("", "null", "~") else None


def _list(fields: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = fields.get(key)
    return value if isinstance(value, list) else ()


def _number(raw: object) -> int:
    return int(raw) if isinstance(raw, str) and raw.isdecimal() and len(raw) <= 15 else 0  # noqa: PLR2004


def _damaged(why: str) -> StoreError:
    hint = "correct it, or restore the file if git tracks it"
    return StoreError("session-damaged", why, hint=hint)
