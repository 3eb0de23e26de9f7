"""Texts in Jira's two formats: rendered, read, and unlatch's sections of a description.

Version 3 of its REST API uses the Atlassian Document Format, version 2 wiki markup.
"""

from __future__ import annotations

import html
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from unlatch.errors import Rejected
from unlatch.patterns import pattern
from unlatch.spi import Checks, Heading, KeptPart, Span, fit_text, read_checks
from unlatch.spi.render import BOXES, emphasised, line_of, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from unlatch.spi import Check, Draft, Text
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


# The maximum characters of a comment or description in Jira.
_LONGEST = 32_767


class Format(Protocol):
    """The text format of one version of the REST API."""

    def render(self, text: Text) -> Any:
        """`text` as a body."""

    def with_kept(self, body: Any, text: Text, increment: str) -> Any:
        """`body` with `text` between our marks, in place of the old section or at the end."""


def wrap_section(text: Text, increment: str) -> Text:
    """`text` between the marks of its section; an issue may have several sections."""
    begin, end = section_marks(increment)
    return ((Span(begin, bold=True),), *text, (Span(end, bold=True),))


def section_marks(increment: str) -> tuple[str, str]:
    """The lines above and below the section of an increment."""
    # Jira's editors keep no hidden mark, so these are visible. They are bold, unlike any text of
    # people that we render.
    return f"Kept by unlatch from here: {increment}", f"Kept by unlatch up to here: {increment}"


def plain(body: Any) -> str:
    """The text of a body: wiki markup unchanged, blocks of a document as lines."""
    if isinstance(body, str):
        return body
    return "\n".join(_blocks(body)) if isinstance(body, dict) else ""


def _blocks(node: dict[str, Any]) -> list[str]:
    lines = [""]
    for child in children(node):
        if child.get("type") == "hardBreak":
            lines[-1] += "\n"
        elif child.get("type") == "text":
            lines[-1] += str(child.get("text", ""))
        elif "content" in child:
            lines += [*_blocks(child), ""]
    return list(filter(None, lines))


def addresses(body: Any) -> Iterator[str]:
    """The addresses of a document's links and cards; those in wiki markup are in its text."""
    nodes = [body] if isinstance(body, dict) else []
    while nodes:
        node = nodes.pop()
        nodes += children(node)
        marks = node.get("marks")
        for place in (node, *(marks if isinstance(marks, list) else ())):
            attributes = place.get("attrs") if isinstance(place, dict) else None
            if isinstance(attributes, dict):
                yield from (str(attributes[key]) for key in ("href", "url") if key in attributes)


def children(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes inside of a node."""
    content = node.get("content")
    nodes = content if isinstance(content, list) else ()
    return [child for child in nodes if isinstance(child, dict)]


def find_section(is_begin: Sequence[bool], is_end: Sequence[bool]) -> slice | None:
    """The section with both of its marks.

    If a person removed one mark, the other is not paired with a later one.
    """
    for end in (place for place, ends in enumerate(is_end) if ends):
        begins = [place for place in range(end) if is_begin[place]]
        if begins:
            return slice(begins[-1], end + 1)
    return None


class Wiki:
    """Wiki markup: version 2."""

    render = staticmethod(wiki)

    def with_kept(self, body: str | None, text: Text, increment: str) -> str:
        new = self.render(wrap_section(text, increment))
        lines = (body or "").split("\n")
        # The web editor ends lines with \r\n, and Cloud returns converted wiki text.
        words = [line.strip().replace("\\-", "-") for line in lines]
        begin, end = self.render(wrap_section((), increment)).replace("\\-", "-").split("\n\n")
        old = find_section([word == begin for word in words], [word == end for word in words])
        if old is None:
            return f"{body}\n\n{new}" if body and body.strip() else new
        ending = "\r" if lines[old.stop - 1].endswith("\r") else ""
        return "\n".join([*lines[: old.start], f"{new}{ending}", *lines[old.stop :]])


class Adf:
    """The Atlassian Document Format: version 3."""

    render = staticmethod(adf)

    def with_kept(self, body: dict[str, Any] | None, text: Text, increment: str) -> dict[str, Any]:
        new = self.render(wrap_section(text, increment))
        if not body:
            return new
        nodes = list(body.get("content", []))
        marks = [mark_of(node) for node in nodes]
        begin, end = section_marks(increment)
        old = find_section([mark == begin for mark in marks], [mark == end for mark in marks])
        place = slice(len(nodes), len(nodes)) if old is None else old
        nodes[place] = new["content"]
        return {**body, "content": nodes}


def mark_of(node: dict[str, Any]) -> str | None:
    """The words of a paragraph that is bold as a whole, as marks are."""
    inline = children(node)
    bold = all(
        any(mark.get("type") == "strong" for mark in child.get("marks", ())) for child in inline
    )
    return plain(node).strip() if node.get("type") == "paragraph" and bold else None


def format_of(version: int) -> Format:
    """The format of one version of the REST API."""
    return Adf() if version == 3 else Wiki()  # noqa: PLR2004


def fit(draft: Draft, render: Callable[[Text], Any]) -> Any:
    """A rendered description with a draft's text, without lines that Jira does not take.

    Raises:
        Rejected: `body-too-long`.
    """
    body = fit_text(draft.body, render, lambda body: _length(body) <= _LONGEST)
    return check_length(body, "description")


def _length(body: Any) -> int:
    """The characters of a body, with two for each node of a document: as its text has them.

    Jira does not say how it counts, and refuses a whole document that is too long.
    """
    if isinstance(body, str):
        return len(body)
    return len(str(body.get("text", ""))) + sum(2 + _length(child) for child in children(body))


def check_length(body: Any, what: str, *, remedy: str | None = None) -> Any:
    """Return `body` unless it is too long for Jira.

    Raises:
        Rejected: `body-too-long`.
    """
    length = _length(body)
    if length <= _LONGEST:
        return body
    error = Rejected(
        "body-too-long",
        f"the {what} has {length} characters in Jira's format; Jira allows {_LONGEST}",
        hint="shorten the text" if remedy is None else f"repeat with {remedy}",
    )
    error.remedy = remedy
    raise error


_BEGIN = pattern(re.escape(section_marks("\0")[0]).replace("\0", "(?P<increment>.+)"))
# People could write any number of marks, and each is searched for.
_MOST_SECTIONS = 20
# Jira reads a backslash before these signs as an escape, and entities everywhere.
_ESCAPE = pattern(r"\\(?P<sign>[{}\[\]()*_+^~?!|#%@-])|&#?\w{1,31};")


def kept_parts(body: Any) -> tuple[KeptPart, ...]:
    """The sections of a description: one for each increment that its marks name."""
    if isinstance(body, str):
        lines = body.splitlines()
        marks = [_mark_in(line.strip()) for line in lines]
        return _parts(marks, lambda place: lines[place], _without_markup)
    nodes = children(body) if isinstance(body, dict) else []
    marks = [mark_of(node) for node in nodes]
    return _parts(
        marks, lambda place: [line for node in nodes[place] for line in _lines(node)], str
    )


def _parts(
    marks: Sequence[str | None],
    lines: Callable[[slice], Sequence[str]],
    unescape: Callable[[str], str],
) -> tuple[KeptPart, ...]:
    begins = (_BEGIN.fullmatch(mark) for mark in marks if mark)
    parts = []
    names = dict.fromkeys(match["increment"] for match in begins if match)
    for name in islice(names, _MOST_SECTIONS):
        begin, end = section_marks(name)
        place = find_section([mark == begin for mark in marks], [mark == end for mark in marks])
        if place is not None:
            parts.append(KeptPart(name, read_checks(lines(place), unescape=unescape)))
    return tuple(parts)


def _mark_in(line: str) -> str | None:
    is_bold = len(line) > 1 and line[0] == line[-1] == "*"
    return _without_markup(line[1:-1]) if is_bold else None


def _without_markup(text: str) -> str:
    return _ESCAPE.sub(lambda match: match["sign"] or html.unescape(match[0]), text)


def _lines(node: dict[str, Any]) -> Iterator[str]:
    """The lines of a block; an action item of Jira's own counts by its state."""
    inner = children(node)
    if node.get("type") == "taskItem":
        state = (node.get("attrs") or {}).get("state")
        words = plain({"content": [{"type": "paragraph", "content": inner}]})
        # A box of ours, in a list that a person made action items.
        checks = read_checks([words])
        text = checks[0].text if checks else words
        yield f"[{'x' if state == 'DONE' else ' '}] {text}"
    elif any(child.get("type") in ("text", "hardBreak") for child in inner):
        yield from plain({"content": [node]}).splitlines()
    else:
        for child in inner:
            yield from _lines(child)
