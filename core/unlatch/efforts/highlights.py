"""Decisions, rejected attempts and identifiers of a log, verbatim and with their lines."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# One kind of highlight each; the first matching rule of a sentence counts.
_SENTENCES = MappingProxyType(
    {
        "rejected": re.compile(
            r"\b(reject\w*|ruled? out|did ?n[o']t work|does ?n[o']t work|not an option|gave up on|"
            r"abandon\w*|dead end|tried .{0,200} but|failed because|instead of)\b",
            re.IGNORECASE,
        ),
        "decided": re.compile(
            r"\b(decid\w+|decision|agreed (to|on|that)|settled on|chose\w*|go(ing)? with|"
            r"we('ll| will) (use|keep)|let's use)\b",
            re.IGNORECASE,
        ),
    }
)
_IDENTIFIERS = re.compile(
    r"`[^`\n]{2,80}`"  # code spans
    r"|https?://[^\s<>\"')\]]+"
    r"|(?<![\w./-])/?(?:[\w.-]+/)+[\w.-]+\.\w+"  # paths; matched from their start, for speed
    r"|\b[A-Z][A-Z0-9]+-\d+\b|(?<!\w)#\d+\b"  # items
    r"|\b[0-9a-f]{7,40}\b(?<![g-z])(?=\W|$)"  # commits
    r"|\b[a-z]+_[a-z0-9_]+\b|\b[a-z]+[A-Z]\w+\b"  # names in code
    r"|\bv?\d+\.\d+(?:\.\d+)?\b"  # versions
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Highlight:
    """A text of a log; `line` is the number of its line, from 1."""

    line: int
    kind: str
    text: str


def highlights(lines: Iterable[tuple[int, dict[str, Any] | None]]) -> list[Highlight]:
    """The highlights of numbered lines of a log, in their order; each text once."""
    found: dict[tuple[str, str], Highlight] = {}
    for number, entry in lines:
        content = (entry or {}).get("content")
        if isinstance(content, str) and (entry or {}).get("role") in {"user", "assistant"}:
            for one in _of_text(number, content):
                found.setdefault((one.kind, one.text), one)
    return list(found.values())


def _of_text(number: int, content: str) -> Iterator[Highlight]:
    for sentence in filter(None, map(str.strip, _SENTENCE_END.split(content))):
        kinds = (kind for kind, rule in _SENTENCES.items() if rule.search(sentence))
        if kind := next(kinds, None):
            yield Highlight(number, kind, sentence[:_LONGEST])
    for identifier in identifiers(content):
        yield Highlight(number, "identifier", identifier)


def identifiers(text: str) -> Iterator[str]:
    """Code spans, addresses, paths, items, commits, names in code and versions, verbatim."""
    return (match[0] for match in _IDENTIFIERS.finditer(text))
