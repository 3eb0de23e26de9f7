"""Text in the formats that trackers take, with people's words escaped for each."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from unlatch.domain.text import without_controls

if TYPE_CHECKING:
    from unlatch.domain.text import Span, Text

# Everything that CommonMark, GFM or GitHub's maths may read as markup. A backslash before ASCII
# punctuation is a literal (CommonMark 0.31, section 2.4).
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>&~|$]")
_MARKDOWN_LINE_START = re.compile(r"^([ \t]*)([#+=-]|\d{1,9}(?=[.)]))", re.MULTILINE)
# A zero-width space after the sign keeps GitHub from notifying people and from cross-linking
# (the way that Dependabot and Renovate do it).
_MENTION = re.compile(r"([@#]|\bGH-)(?=\w)", re.IGNORECASE)
_WIKI = re.compile(r"[\\{}\[\]*_+^~?!|#\-]")


def markdown(text: Text, *, mentions: bool = False) -> str:
    """GitHub-flavoured Markdown; `mentions` lets @names and #numbers take effect."""
    return "\n\n".join(
        "".join(_markdown_span(span, mentions=mentions) for span in paragraph) for paragraph in text
    )


def _markdown_span(span: Span, *, mentions: bool) -> str:
    escaped = _MARKDOWN.sub(r"\\\g<0>", without_controls(span.text))
    escaped = _MARKDOWN_LINE_START.sub(_escape_line_start, escaped)
    if not mentions:
        escaped = _MENTION.sub(r"\g<1>&#8203;", escaped)
    return f"**{escaped.strip()}**" if span.bold else _hard_breaks(escaped)


def _escape_line_start(match: re.Match[str]) -> str:
    indent, sign = match[1], match[2]
    # Four spaces would begin a code block, in which no escape works.
    indent = indent.replace("\t", " ")[:3]
    return f"{indent}{sign}\u200b" if sign.isdigit() else f"{indent}\\{sign}"


def _hard_breaks(text: str) -> str:
    # An empty line would end the paragraph, and the next line could begin a block.
    return re.sub(r"\n+", lambda run: "\\\n" * len(run[0]), text)


def as_html(text: Text) -> str:
    """HTML, for Azure DevOps."""
    return "".join(f"<p>{''.join(map(_html_span, paragraph))}</p>" for paragraph in text)


def _html_span(span: Span) -> str:
    escaped = html.escape(without_controls(span.text)).replace("\n", "<br>")
    # Azure DevOps turns @name and #number into links when text is typed, not when it is sent;
    # an entity costs nothing and keeps both spellings out of any later pass.
    escaped = escaped.replace("@", "&#64;")
    return f"<b>{escaped}</b>" if span.bold else escaped


def wiki(text: Text) -> str:
    """Jira's wiki markup, for its REST API version 2."""
    return "\n\n".join("".join(map(_wiki_span, paragraph)) for paragraph in text)


def _wiki_span(span: Span) -> str:
    escaped = _WIKI.sub(r"\\\g<0>", without_controls(span.text))
    # Block marks count at the start of a line only, and these begin with a letter.
    escaped = re.sub(r"(?m)^(\s*)(h[1-6]|bq)\.", r"\1\2\\.", escaped)
    return f"*{escaped.strip()}*" if span.bold else escaped


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
    for number, line in enumerate(without_controls(span.text).split("\n")):
        if number:
            nodes.append({"type": "hardBreak"})
        if line:
            node: dict[str, Any] = {"type": "text", "text": line}
            if span.bold:
                node["marks"] = [{"type": "strong"}]
            nodes.append(node)
    return nodes
