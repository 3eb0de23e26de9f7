"""The lines of a comment in HTML that its author shows as text, as lines of Markdown.

What is shown as code, as a quote, in a list or in a table becomes a quote without words, so that
nothing in it counts as the author's own line.
"""

from __future__ import annotations

from html.parser import HTMLParser

_HIDDEN = frozenset(
    {
        *("pre", "blockquote", "ul", "ol", "table", "script", "style", "textarea", "template"),
        *("xmp", "q", "dl", "title", "select"),
        *("h1", "h2", "h3", "h4", "h5", "h6"),
    }
)
_BLOCKS = frozenset({"div", "p", "section", "article", "header", "footer", "hr"})
_CODE = "code"
# Stands for something that is no text, such as an image.
_OTHER = "\N{OBJECT REPLACEMENT CHARACTER}"


def as_markdown(html: str) -> str:
    """The text of a comment; an element that does not end hides the rest."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return "".join(reader.parts)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        # The element that hides what is in it, and how many of its name are open.
        self._hiding, self._depth = "", 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._hiding:
            self._depth += tag == self._hiding
        elif tag in _HIDDEN or tag == _CODE:
            self._hiding, self._depth = tag, 1
            self.parts.append("`" if tag == _CODE else "\n\n>\n\n")
        elif tag == "br":
            self.parts.append("\n")
        elif tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag == "img" or (tag == "a" and "data-vss-mention" in dict(attrs)):
            # The name in a mention may be chosen so that it looks like a command.
            self.parts.append(_OTHER)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self._hiding == tag:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._hiding:
            self._depth -= tag == self._hiding
            if self._depth == 0:
                self.parts.append("`" if tag == _CODE else "")
                self._hiding = ""
        elif tag in _BLOCKS:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        words = " ".join(data.split())
        if not self._hiding:
            lead = " " if data[:1].isspace() and self.parts and words else ""
            tail = " " if data[-1:].isspace() and words else ""
            self.parts.append(f"{'' if self._is_at_start else lead}{words}{tail}")
        elif self._hiding == _CODE:
            self.parts.append(words.replace("`", "'"))

    @property
    def _is_at_start(self) -> bool:
        return not self.parts or self.parts[-1].endswith("\n")
