"""Decisions, rejected attempts and identifiers of a log, verbatim and with their lines."""

from __future__ import annotations

import re
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from unlatch.related.identifiers import identifiers
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# The first matching rule of a sentence, or of its part, counts.
_SENTENCES = MappingProxyType(
    {
        "rejected": re.compile(
            r"\b(reject\w*|ruled? out|did ?n[o']t work|does ?n[o']t work|not an option|"
            r"g(?:a|i)v(?:e|ing) up on|abandon\w*|dead end|tried .{0,200} but|broke|"
            r"failed (because|with|due to)|roll(ed|ing) back|revert(ed|ing)|"
            r"(do ?n['\u2019o]t|do not|never|avoid) us(e|ing))\b",
            re.IGNORECASE,
        ),
        "decided": re.compile(
            r"\b(decid\w+|decisions?|agreed (to|on|that)|settled on|chose\w*|go(ing)? with|"
            r"we('ll| will) (use|keep)|let('s|\u2019s| us) (use|take|keep)|opt(ed|ing) for|"
            r"instead of|(use|take|keep) .{1,200} instead)\b|^agreed:",
            re.IGNORECASE,
        ),
        "next": re.compile(
            r"\b(next steps?|next up|still (to do|open|missing|needs?)|remains (open|to)|"
            r"left to do|follow[- ]ups?|blocked (on|by) (?!none)\w+)\b|"
            r"\bopen questions?:|\b(?-i:TODO)\b|\bto-?do:|^(next|remaining|blocked):",
            re.IGNORECASE,
        ),
    }
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# What separates parts of a sentence; one that says "it" needs the part before.
_PARTS = re.compile(
    r"(?<=;)\s+(?!(?:but )?(?:it|they|this|that|these|those|which)\b)", re.IGNORECASE
)
# A decision for something, also where its reason is a failure.
_CHOSEN = re.compile(
    r"\b(decided (on|to use)|agreed (on|to use)|settled on|chose|opt(ed|ing) for|"
    r"go(ing)? with|we('ll| will) (use|keep))\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+")
_LONGEST = 400
# The beginnings of a person's words that overrule what was decided before them.
_OVERRULING = re.compile(
    r"\W*(?:no(?:[,.!:;]|\W*$)(?! (?:thanks|thank|problem|worries|need))"
    r"|not\b(?! (?:sure|bad|yet|now|necessar))"
    r"|(?:do not|don['\u2019]?t) (?!forget|worry|hesitate|bother|mind|know|see|understand|think|you"
    r"|i |we )"
    r"|instead\b|actually\b)",
    re.IGNORECASE,
)
OVERRULED = "(overruled)"


@dataclass(frozen=True, slots=True)
class Highlight:
    """A text of a log; `line` is the number of its line, from 1."""

    line: int
    kind: str
    text: str


def highlights(lines: Iterable[tuple[int, dict[str, Any] | None]]) -> list[Highlight]:
    """The highlights of numbered lines of a log, in their order; each text once."""
    by_text: dict[tuple[str, str], Highlight] = {}
    for number, entry in lines:
        content = (entry or {}).get("content")
        if isinstance(content, str) and (entry or {}).get("role") in {"user", "assistant"}:
            for highlight in _of_text(number, content):
                by_text.setdefault((highlight.kind, highlight.text), highlight)
    return list(by_text.values())


def sentences(text: str) -> Iterator[tuple[str, str]]:
    """The kinds and words of the sentences that are highlights.

    Items of a list behind such a sentence with a colon at its end are of its kind.
    """
    of_list: str | None = None
    for line in filter(None, map(str.strip, text.split("\n"))):
        item = _ITEM.match(line)
        if item is None:
            of_list = None
        for sentence in _SENTENCE_END.split(line[item.end() :] if item else line):
            for kind, part in _parts(sentence, of_list):
                if not item and part.endswith((":", ":**")):
                    of_list = kind
                else:
                    yield kind, cut(part)


def _parts(sentence: str, default: str | None) -> Iterator[tuple[str, str]]:
    """A sentence with its kind, or its parts with theirs if they are of different kinds."""
    parts: list[tuple[str | None, str]] = []
    for part in _PARTS.split(sentence):
        kind = _kind(part) or default
        before, text = parts[-1] if parts else (kind, "")
        if parts and (kind is None or before in {None, kind}):
            parts[-1] = before or kind, f"{text} {part}"
        else:
            parts.append((kind, part))
    for kind, text in parts:
        displayed = text.rstrip(";") if len(parts) > 1 else sentence
        if kind == "rejected" and _CHOSEN.search(text):
            yield "decided", displayed
        if kind:
            yield kind, displayed


def _kind(text: str) -> str | None:
    return next((kind for kind, rule in _SENTENCES.items() if rule.search(text)), None)


def cut(text: str) -> str:
    """The beginning of a text, which ends with a whole word: half of a name would be another."""
    if len(text) <= _LONGEST:
        return text
    words, _, _ = text[:_LONGEST].rpartition(" ")
    return f"{words or text[:_LONGEST]}..."


def _of_text(number: int, content: str) -> Iterator[Highlight]:
    for kind, sentence in sentences(content):
        yield Highlight(number, kind, sentence)
    for identifier in identifiers(content):
        yield Highlight(number, "identifier", identifier)


def is_overruling(words: str) -> bool:
    """Whether the words of a person begin by overruling what was said before them."""
    return bool(_OVERRULING.match(words))


def overruled(entries: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """The places of an agent's lines in a log, and the words after them that overrule these."""
    return {
        at: str(after["content"])
        for at, (line, after) in enumerate(pairwise(entries))
        if (line.get("role"), after.get("role")) == ("assistant", "user")
        and is_overruling(str(after.get("content")))
    }
