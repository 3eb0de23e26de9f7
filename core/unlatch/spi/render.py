"""Text in the formats of trackers, with people's words escaped for each."""

import re

from unlatch.patterns import pattern
from unlatch.spi.text import Block, Check, Checks, Heading, Paragraph, Span, Text, defused
from unlatch.worklog.text.neutral import without_controls

_BRACKETS = {True: "[x] ", False: "[ ] ", None: ""}
# For formats without check boxes of their own; `read_checks` reads them back.
BOXES = {True: "\N{BALLOT BOX WITH CHECK} ", False: "\N{BALLOT BOX} ", None: ""}

# Signs that CommonMark, GFM or GitHub's maths may read as markup anywhere. A backslash before ASCII
# punctuation makes it literal (CommonMark 0.31, section 2.4).
_MARKDOWN = pattern(r"[\\`*_{}\[\]<>&~|$]")
_MARKDOWN_ESCAPE = pattern(r"\\(?P<sign>[!-/:-@\[-`{-~])|&#?\w{1,31};")
_MARKDOWN_LINE_START = pattern(r"^(\d{0,9})([#+=:.)-])", re.MULTILINE)
# Four spaces would begin a code block, in which no escape works.
_MARKDOWN_INDENT = pattern(r"^[ \t]+", re.MULTILINE)
# Number signs at the end of a heading would belong to its markup.
_MARKDOWN_HEADING_END = pattern(r"(?<=\s)#+$")
_ESCAPED = r"\\\g<0>"
# GFM would turn these starts of addresses into links, in which no escape works.
_ADDRESS = pattern(r"(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
# A zero-width space after the sign keeps GitHub from notifying people and from cross-linking, as in
# Dependabot and Renovate.
_MENTION = pattern(r"([@#]|\bGH-)(?=\\?[\w-])", re.IGNORECASE)


def without_references(words: str) -> str:
    """`words` with a space in each @name, #number and address, so that none can take effect."""
    return _ADDRESS.sub(" ", _MENTION.sub(r"\g<1> ", words))


def plain(text: Text) -> str:
    """The words alone, without escaping."""
    return "\n\n".join(map(_plain, text))


def _plain(block: Block) -> str:
    if isinstance(block, Heading):
        return block.text
    if isinstance(block, Checks):
        lines = (
            f"{'  ' * check.depth}- {_BRACKETS[check.done]}{check.text}" for check in block.items
        )
        return "\n".join(lines)
    return "".join(span.text for span in block)


def markdown(text: Text, *, mentions: bool = False) -> str:
    """GitHub-flavoured Markdown; `mentions` lets @names, #numbers and addresses take effect."""
    blocks = (_markdown_block(block, mentions=mentions) for block in text)
    return "\n\n".join(filter(None, blocks))


def from_markdown(line: str) -> str:
    """The words of a line of `markdown`, for `kept_parts`."""
    import html  # noqa: PLC0415  (with the names of 2,000 characters)

    return _MARKDOWN_ESCAPE.sub(lambda match: match["sign"] or html.unescape(match[0]), line)


def _markdown_block(block: Block, *, mentions: bool) -> str:
    if isinstance(block, Heading):
        line = _markdown_paragraph(line_of(block.text), mentions=mentions)
        return f"### {_MARKDOWN_HEADING_END.sub(_ESCAPED, line)}"
    if isinstance(block, Checks):
        lines = (
            _markdown_paragraph(line_of(check.text), mentions=mentions) for check in block.items
        )
        return "\n".join(
            f"{'  ' * item.depth}- {_BRACKETS[item.done]}{line}"
            for item, line in zip(block.items, lines, strict=True)
        )
    return _markdown_paragraph(block, mentions=mentions)


def line_of(text: str) -> Paragraph:
    """The words of a heading or a check box as a paragraph of one line."""
    return (Span(" ".join(text.split())),)


def _markdown_paragraph(paragraph: Paragraph, *, mentions: bool) -> str:
    escaped = "".join(_markdown_span(span, mentions=mentions) for span in paragraph).strip()
    lines = _MARKDOWN_LINE_START.sub(r"\1\\\2", _MARKDOWN_INDENT.sub("", escaped))
    # An empty line would end the paragraph; ended by a backslash it is a line break.
    return lines.replace("\n", "\\\n")


def _markdown_span(span: Span, *, mentions: bool) -> str:
    escaped = _MARKDOWN.sub(r"\\\g<0>", words_of(span))
    if not mentions:
        escaped = _ADDRESS.sub(r"\\", _MENTION.sub(r"\g<1>&#8203;", escaped))
    return emphasised(escaped, "**") if span.bold else escaped


def emphasised(text: str, sign: str) -> str:
    """`text` between two signs, without white space at its edges."""
    words = text.strip()
    return f"{sign}{words}{sign}" if words else ""


def words_of(span: Span) -> str:
    """The characters of a span for a renderer to escape: without controls and false markers."""
    return span.text if span.marker else defused(without_controls(span.text))


def as_html(text: Text) -> str:
    """HTML, for Azure DevOps."""
    return "".join(map(_html_block, text))


def _html_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h3>{_html(line_of(block.text))}</h3>"
    if isinstance(block, Checks):
        return f"<ul>{''.join(map(_html_check, block.items))}</ul>"
    return f"<p>{_html(block)}</p>"


def _html(paragraph: Paragraph) -> str:
    return "".join(map(_html_span, paragraph))


def _html_check(item: Check) -> str:
    # Nesting is shown by spaces, so that items of several depths stay one list.
    return f"<li>{'&nbsp;&nbsp;' * item.depth}{BOXES[item.done]}{_html(line_of(item.text))}</li>"


def _html_span(span: Span) -> str:
    import html  # noqa: PLC0415  (with the names of 2,000 characters; one tracker takes HTML)

    escaped = html.escape(words_of(span)).replace("\n", "<br>")
    # Azure DevOps turns @name and #number into links when text is typed, not when it is sent;
    # an entity keeps them out of any later pass.
    escaped = escaped.replace("@", "&#64;")
    return f"<b>{escaped}</b>" if span.bold else escaped
