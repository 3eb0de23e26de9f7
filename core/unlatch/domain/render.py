"""Text in the formats that trackers take, with people's words escaped for each."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from unlatch.domain.marker import defused
from unlatch.domain.text import without_controls

if TYPE_CHECKING:
    from unlatch.domain.text import Paragraph, Span, Text

# Everything that CommonMark, GFM or GitHub's maths may read as markup wherever it stands, and two
# address starts, which GFM would make links in which no escape works. A backslash before ASCII
# punctuation is a literal (CommonMark 0.31, section 2.4).
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>&~|$]")
_MARKDOWN_LINE_START = re.compile(r"^(\d{0,9})([#+=:.)-])")
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
# A zero-width space after the sign keeps GitHub from notifying people and from cross-linking
# (the way that Dependabot and Renovate do it).
_MENTION = re.compile(r"([@#]|\bGH-)(?=[\w-])", re.IGNORECASE)
# Jira's renderer takes a backslash before these signs alone (its BackslashEscapeRendererComponent);
# others need an entity, and a backslash most of all, for two of them are a line break.
_WIKI = re.compile(r"(?P<entity>\\|&(?=#?\w+;)|(?<=\bh[1-6])\.|(?<=\bbq)\.)|[{}\[\]()*_+^~?!|#%@-]")


def markdown(text: Text, *, mentions: bool = False) -> str:
    """GitHub-flavoured Markdown; `mentions` lets @names, #numbers and addresses take effect."""
    paragraphs = (_markdown_paragraph(paragraph, mentions=mentions) for paragraph in text)
    return "\n\n".join(filter(None, paragraphs))


def _markdown_paragraph(paragraph: Paragraph, *, mentions: bool) -> str:
    escaped = "".join(_markdown_span(span, mentions=mentions) for span in paragraph)
    # Four spaces would begin a code block, in which no escape works.
    lines = (line.lstrip(" \t") for line in escaped.strip().split("\n"))
    # An empty line would end the paragraph; ended by a backslash it is a line break.
    return "\\\n".join(_MARKDOWN_LINE_START.sub(r"\1\\\2", line) for line in lines)


def _markdown_span(span: Span, *, mentions: bool) -> str:
    escaped = _MARKDOWN.sub(r"\\\g<0>", _words(span))
    if not mentions:
        escaped = _ADDRESS.sub(r"\\", _MENTION.sub(r"\g<1>&#8203;", escaped))
    return _emphasised(escaped, "**") if span.bold else escaped


def _emphasised(text: str, sign: str) -> str:
    words = text.strip()
    return f"{sign}{words}{sign}" if words else ""


def _words(span: Span) -> str:
    return span.text if span.marker else defused(without_controls(span.text))


def as_html(text: Text) -> str:
    """HTML, for Azure DevOps."""
    return "".join(f"<p>{''.join(map(_html_span, paragraph))}</p>" for paragraph in text)


def _html_span(span: Span) -> str:
    escaped = html.escape(_words(span)).replace("\n", "<br>")
    # Azure DevOps turns @name and #number into links when text is typed, not when it is sent;
    # an entity costs nothing and keeps both spellings out of any later pass.
    escaped = escaped.replace("@", "&#64;")
    return f"<b>{escaped}</b>" if span.bold else escaped


def wiki(text: Text) -> str:
    """Jira's wiki markup, for its REST API version 2."""
    return "\n\n".join("".join(map(_wiki_span, paragraph)) for paragraph in text)


def _wiki_span(span: Span) -> str:
    lines = (_WIKI.sub(_wiki_escape, line) for line in _words(span).split("\n"))
    # Bold ends with its line.
    return "\n".join(_emphasised(line, "*") if span.bold else line for line in lines)


def _wiki_escape(sign: re.Match[str]) -> str:
    return f"&#{ord(sign[0])};" if sign["entity"] else f"\\{sign[0]}"


def adf(text: Text) -> dict[str, Any]:
    """Atlassian Document Format, for Jira's REST API version 3."""
    return {
        "type": "doc",
        "version": 1,
        "content": [
            {"type": "paragraph", "content": [node for span in paragraph for node in _adf(span)]}
            for paragraph in text
        ],
    }


def _adf(span: Span) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for number, line in enumerate(_words(span).split("\n")):
        if number:
            nodes.append({"type": "hardBreak"})
        if line:
            node: dict[str, Any] = {"type": "text", "text": line}
            if span.bold:
                node["marks"] = [{"type": "strong"}]
            nodes.append(node)
    return nodes
