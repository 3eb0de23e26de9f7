"""Comments and descriptions in Jira's two formats.

Version 3 of its REST API uses the Atlassian Document Format, version 2 wiki markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from unlatch.errors import Rejected
from unlatch.spi import Span, fit_text
from unlatch_jira.api.rendering import adf, wiki

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.spi import Draft, Text

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


def children(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes inside of a node."""
    content = node.get("content")
    nodes = content if isinstance(content, list) else ()
    return [child for child in nodes if isinstance(child, dict)]


def find_section(is_begin: Sequence[bool], is_end: Sequence[bool]) -> slice | None:
    """The section with both of its marks.

    If a person removed one mark, the other is not paired with a later one.
    """
    for end in (place for place, found in enumerate(is_end) if found):
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
