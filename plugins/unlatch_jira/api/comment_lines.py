"""The lines of a comment that its author shows as text, as lines of Markdown.

What Jira shows as code, as a quote, in a list or in a box becomes a quote without words, so that
nothing in it counts as the author's own line.
"""

from __future__ import annotations

import re
from typing import Any

from unlatch.patterns import pattern
from unlatch_jira.api.rich_text import children

_HIDDEN = ">"
# Stands for something that is no text, such as an emoji.
_OTHER = "\N{OBJECT REPLACEMENT CHARACTER}"
_BLOCK = pattern(r"\{(?P<name>code|noformat|quote|panel)(?::[^{}]*)?\}", re.IGNORECASE)
# What stands in these has no effect.
_VERBATIM = frozenset({"code", "noformat"})
_ENDS = pattern(r"\r\n?|\n")
_QUOTED = pattern(r"\s*(?:bq\.|[*#-]+\s)", re.IGNORECASE)


def as_markdown(body: Any) -> str:
    """The text of a comment: of a document of version 3, or of wiki markup."""
    if isinstance(body, str):
        return _of_wiki(body)
    blocks = children(body) if isinstance(body, dict) else []
    return "\n\n".join(_block(block) for block in blocks)


def _block(node: dict[str, Any]) -> str:
    if node.get("type") != "paragraph":
        return _HIDDEN
    return "".join(map(_inline, children(node)))


def _inline(node: dict[str, Any]) -> str:
    kind = node.get("type")
    if kind == "hardBreak":
        return "\n"
    if kind == "text":
        words = str(node.get("text", ""))
        marks = node.get("marks") or ()
        is_code = any(isinstance(mark, dict) and mark.get("type") == "code" for mark in marks)
        # Code goes on across lines, and an empty one would end it.
        return "`{}`".format(" ".join(words.replace("`", "'").split())) if is_code else words
    given = node.get("attrs")
    name = given.get("text") if isinstance(given, dict) else None
    # A name may be chosen so that it looks like a command.
    return _OTHER + (" ".join(name.split()) if isinstance(name, str) else "")


def _of_wiki(text: str) -> str:
    """Wiki markup; a block that does not end hides the rest."""
    parts, at = [], 0
    opened: list[str] = []
    for mark in _BLOCK.finditer(text):
        name = mark["name"].lower()
        if not opened:
            parts += [text[at : mark.start()], f"\n\n{_HIDDEN}\n\n"]
            opened.append(name)
        elif opened[-1] == name:
            opened.pop()
            at = mark.end()
        elif opened[-1] not in _VERBATIM:
            opened.append(name)
    parts.append("" if opened else text[at:])
    lines = _ENDS.split("".join(parts))
    return "\n".join(f"\n{_HIDDEN}\n" if _QUOTED.match(line) else line for line in lines)
