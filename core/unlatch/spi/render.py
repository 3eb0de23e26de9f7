"""Text in the formats of trackers, with people's words escaped for each."""

import html
import re
from typing import Any

from unlatch.spi.text import (
    Block,
    Check,
    Checks,
    Heading,
    Paragraph,
    Span,
    Text,
    defused,
    without_controls,
)

_BRACKETS = {True: "[x] ", False: "[ ] ", None: ""}
# For formats without check boxes of their own.
_BOXES = {True: "\N{BALLOT BOX WITH CHECK} ", False: "\N{BALLOT BOX} ", None: ""}

# Signs that CommonMark, GFM or GitHub's maths may read as markup anywhere. A backslash before ASCII
# punctuation makes it literal (CommonMark 0.31, section 2.4).
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>&~|$]")
_MARKDOWN_LINE_START = re.compile(r"^(\d{0,9})([#+=:.)-])", re.MULTILINE)
# Four spaces would begin a code block, in which no escape works.
_MARKDOWN_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
# Number signs at the end of a heading would belong to its markup.
_MARKDOWN_HEADING_END = re.compile(r"(?<=\s)#+$")
_ESCAPED = r"\\\g<0>"
# GFM would turn these starts of addresses into links, in which no escape works.
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
# A zero-width space after the sign keeps GitHub from notifying people and from cross-linking, as in
# Dependabot and Renovate.
_MENTION = re.compile(r"([@#]|\bGH-)(?=[\w-])", re.IGNORECASE)
# Jira's renderer accepts a backslash before these signs alone (BackslashEscapeRendererComponent).
# Others need an entity, even a backslash: two of them are a line break.
_WIKI = re.compile(r"(?P<entity>\\|&(?=#?\w+;)|(?<=\bh[1-6])\.|(?<=\bbq)\.)|[{}\[\]()*_+^~?!|#%@-]")


def plain(text: Text) -> str:
    """The words alone, without escaping."""
    return "\n\n".join(map(_plain, text))


def _plain(block: Block) -> str:
    if isinstance(block, Heading):
        return block.text
    if isinstance(block, Checks):
        lines = (f"{'  ' * one.depth}- {_BRACKETS[one.done]}{one.text}" for one in block.items)
        return "\n".join(lines)
    return "".join(span.text for span in block)


def markdown(text: Text, *, mentions: bool = False) -> str:
    """GitHub-flavoured Markdown; `mentions` lets @names, #numbers and addresses take effect."""
    blocks = (_markdown_block(block, mentions=mentions) for block in text)
    return "\n\n".join(filter(None, blocks))


def _markdown_block(block: Block, *, mentions: bool) -> str:
    if isinstance(block, Heading):
        line = _markdown_paragraph(_line(block.text), mentions=mentions)
        return f"### {_MARKDOWN_HEADING_END.sub(_ESCAPED, line)}"
    if isinstance(block, Checks):
        lines = (_markdown_paragraph(_line(one.text), mentions=mentions) for one in block.items)
        return "\n".join(
            f"{'  ' * item.depth}- {_BRACKETS[item.done]}{line}"
            for item, line in zip(block.items, lines, strict=True)
        )
    return _markdown_paragraph(block, mentions=mentions)


def _line(text: str) -> Paragraph:
    return (Span(" ".join(text.split())),)


def _markdown_paragraph(paragraph: Paragraph, *, mentions: bool) -> str:
    escaped = "".join(_markdown_span(span, mentions=mentions) for span in paragraph).strip()
    lines = _MARKDOWN_LINE_START.sub(r"\1\\\2", _MARKDOWN_INDENT.sub("", escaped))
    # An empty line would end the paragraph; ended by a backslash it is a line break.
    return lines.replace("\n", "\\\n")


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
    return "".join(map(_html_block, text))


def _html_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h3>{_html(_line(block.text))}</h3>"
    if isinstance(block, Checks):
        return f"<ul>{''.join(map(_html_check, block.items))}</ul>"
    return f"<p>{_html(block)}</p>"


def _html(paragraph: Paragraph) -> str:
    return "".join(map(_html_span, paragraph))


def _html_check(item: Check) -> str:
    # Nesting is shown by spaces, so that items of several depths stay one list.
    return f"<li>{'&nbsp;&nbsp;' * item.depth}{_BOXES[item.done]}{_html(_line(item.text))}</li>"


def _html_span(span: Span) -> str:
    escaped = html.escape(_words(span)).replace("\n", "<br>")
    # Azure DevOps turns @name and #number into links when text is typed, not when it is sent;
    # an entity keeps them out of any later pass.
    escaped = escaped.replace("@", "&#64;")
    return f"<b>{escaped}</b>" if span.bold else escaped


def wiki(text: Text) -> str:
    """Jira's wiki markup, for its REST API version 2."""
    return "\n\n".join(map(_wiki_block, text))


def _wiki_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"h3. {_wiki(_line(block.text))}"
    if isinstance(block, Checks):
        return "\n".join(
            f"{'*' * (item.depth + 1)} {_BOXES[item.done]}{_wiki(_line(item.text))}"
            for item in block.items
        )
    return _wiki(block)


def _wiki(paragraph: Paragraph) -> str:
    return "".join(map(_wiki_span, paragraph))


def _wiki_span(span: Span) -> str:
    def escape(sign: re.Match[str]) -> str:
        return f"&#{ord(sign[0])};" if sign["entity"] else f"\\{sign[0]}"

    lines = (_WIKI.sub(escape, line) for line in _words(span).split("\n"))
    # Bold ends with its line.
    return "\n".join(_emphasised(line, "*") if span.bold else line for line in lines)


def adf(text: Text) -> dict[str, Any]:
    """Atlassian Document Format, for Jira's REST API version 3."""
    return {"type": "doc", "version": 1, "content": list(map(_adf_block, text))}


def _adf_block(block: Block) -> dict[str, Any]:
    if isinstance(block, Heading):
        return {"type": "heading", "attrs": {"level": 3}, "content": _adf_nodes(_line(block.text))}
    if isinstance(block, Checks):
        return {"type": "bulletList", "content": list(map(_adf_check, block.items))}
    return {"type": "paragraph", "content": _adf_nodes(block)}


def _adf_check(item: Check) -> dict[str, Any]:
    # Jira rejects nested lists out of order; nesting is shown by spaces.
    head = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}" * item.depth + _BOXES[item.done]
    content = _adf_nodes((*((Span(head),) if head else ()), *_line(item.text)))
    return {"type": "listItem", "content": [{"type": "paragraph", "content": content}]}


def _adf_nodes(paragraph: Paragraph) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for span in paragraph:
        marks = {"marks": [{"type": "strong"}]} if span.bold else {}
        for number, line in enumerate(_words(span).split("\n")):
            if number:
                nodes.append({"type": "hardBreak"})
            if line:
                nodes.append({"type": "text", "text": line, **marks})
    return nodes
