"""Learning cases as files: JSON lines of chats, Markdown, and puzzles for prompts."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch_sessions.learning.cases import Case, CaseType
from unlatch_sessions.markup import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Format(StrEnum):
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    PUZZLE = "puzzle"


_ASKED = "What do you do next?"


def write_cases(cases: Iterable[Case], format: Format) -> str:
    """The content of a file with the cases."""
    if format is Format.JSONL:
        return "".join(f"{_json(case)}\n" for case in cases)
    write = _markdown if format is Format.MARKDOWN else _puzzle
    return "\n".join("\n".join(write(case)) + "\n" for case in cases)


def messages(case: Case) -> list[dict[str, str]]:
    """The case as a chat that ends with the expected answer.

    The format is the conversational one of TRL ("Dataset formats and types", huggingface.co/docs).
    """
    if case.type is CaseType.PUZZLE:
        chat = [("user", f"{case.context}\n\n{case.given}\n\n{_ASKED}")]
    else:
        chat = [("user", case.context), ("assistant", case.given), ("user", case.words or "")]
    return [{"role": role, "content": text} for role, text in (*chat, ("assistant", case.expected))]


def _json(case: Case) -> str:
    # ASCII: other readers of JSON lines take U+2028 for the end of a line.
    return json.dumps({"messages": messages(case), "metadata": case.metadata})


def _markdown(case: Case) -> Iterator[str]:
    parts = {"Context": case.context, **_named(case)}
    yield f"## {case.type.capitalize()} {case.id}"
    for name, text in parts.items():
        yield from ("", f"**{name}**", "", *quoted(text))
    yield ""
    yield from (f"- {name}: {value}" for name, value in case.metadata.items() if value is not None)


def _named(case: Case) -> dict[str, str]:
    if case.type is CaseType.PUZZLE:
        return {"Failure": case.given, "Expected behaviour": case.expected}
    return {
        "Agent": case.given,
        "Correction": case.words or "",
        "Correct behaviour": case.expected,
    }


def _puzzle(case: Case) -> Iterator[str]:
    """A task for a prompt, with its solution folded."""
    yield f"## Puzzle {case.id}"
    yield from ("", *quoted(case.context), "", *quoted(case.given), "")
    if case.words:
        yield from (*quoted(case.words), "")
    yield from (_ASKED, "", "<details><summary>Solution</summary>", "")
    yield from (*quoted(case.expected), "", "</details>")
