"""Text in Jira's two formats, with people's words escaped for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.patterns import pattern
from unlatch.spi import Checks, Heading, Span
from unlatch.spi.render import BOXES, emphasised, line_of, words_of

if TYPE_CHECKING:
    import re

    from unlatch.spi import Check, Text
    from unlatch.spi.text import Block, Paragraph

# Jira's renderer accepts a backslash before these signs alone (BackslashEscapeRendererComponent).
# Others need an entity, even a backslash: two of them are a line break.
_WIKI = pattern(r"(?P<entity>\\|&(?=#?\w+;)|(?<=\bh[1-6])\.|(?<=\bbq)\.)|[{}\[\]()*_+^~?!|#%@-]")


def wiki(text: Text) -> str:
    """Jira's wiki markup, for its REST API version 2."""
    return "\n\n".join(map(_wiki_block, text))


def _wiki_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"h3. {_wiki(line_of(block.text))}"
    if isinstance(block, Checks):
        return "\n".join(
            f"{'*' * (item.depth + 1)} {BOXES[item.done]}{_wiki(line_of(item.text))}"
            for item in block.items
        )
    return _wiki(block)


def _wiki(paragraph: Paragraph) -> str:
    return "".join(map(_wiki_span, paragraph))


def _wiki_span(span: Span) -> str:
    def escape(sign: re.Match[str]) -> str:
        return f"&#{ord(sign[0])};" if sign["entity"] else f"\\{sign[0]}"

    lines = (_WIKI.sub(escape, line) for line in words_of(span).split("\n"))
    # Bold ends with its line.
    return "\n".join(emphasised(line, "*") if span.bold else line for line in lines)


def adf(text: Text) -> dict[str, Any]:
    """Atlassian Document Format, for Jira's REST API version 3."""
    return {"type": "doc", "version": 1, "content": list(map(_adf_block, text))}


def _adf_block(block: Block) -> dict[str, Any]:
    if isinstance(block, Heading):
        return {
            "type": "heading",
            "attrs": {"level": 3},
            "content": _adf_nodes(line_of(block.text)),
        }
    if isinstance(block, Checks):
        return {"type": "bulletList", "content": list(map(_adf_check, block.items))}
    return {"type": "paragraph", "content": _adf_nodes(block)}


def _adf_check(item: Check) -> dict[str, Any]:
    # Jira rejects nested lists out of order; nesting is shown by spaces.
    head = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}" * item.depth + BOXES[item.done]
    content = _adf_nodes((*((Span(head),) if head else ()), *line_of(item.text)))
    return {"type": "listItem", "content": [{"type": "paragraph", "content": content}]}


def _adf_nodes(paragraph: Paragraph) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for span in paragraph:
        marks = {"marks": [{"type": "strong"}]} if span.bold else {}
        for number, line in enumerate(words_of(span).split("\n")):
            if number:
                nodes.append({"type": "hardBreak"})
            if line:
                nodes.append({"type": "text", "text": line, **marks})
    return nodes
