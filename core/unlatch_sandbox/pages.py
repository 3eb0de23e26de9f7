"""Pages for people. The template engine escapes all text of items."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from flask import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class CommentView:
    """`is_markdown`: whether the tracker shows the text as Markdown."""

    author: str
    text: str
    at: str
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class ItemView:
    """`open`: whether the tracker counts the item as unfinished; `state`: its own word."""

    tracker: str
    id: str
    place: str
    title: str
    type: str
    state: str
    open: bool
    labels: list[str]
    assignee: str | None
    url: str
    updated: str
    notes: list[str] = field(default_factory=list)
    description: str = ""
    comments: list[CommentView] = field(default_factory=list)


_NAMES = {"github": "GitHub", "ado": "Azure DevOps", "jira": "Jira"}
# C0 without tab and line feed, DEL, C1, and characters that change the reading order.
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def _shown(value: Any) -> Any:
    """A value for a page; the templates' own markup is unchanged."""
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return _ACTING.sub("\ufffd", value) if is_text else value


_TEMPLATES = Path(__file__).parent / "templates"

_environment = Environment(
    loader=FileSystemLoader(_TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_shown,
)


# Without HTML of the text's own, and without images, which the pages' policy blocks.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).disable("image")
_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)


def _markdown(text: str) -> Markup:
    """A comment as GitHub shows it: rendered, without HTML comments."""
    visible = _ACTING.sub("\ufffd", _HIDDEN.sub("", text))
    return Markup(_MARKDOWN.render(visible))  # noqa: S704  (the renderer escapes it)


_environment.filters["markdown"] = _markdown


@cache
def _style() -> Markup:
    return Markup((_TEMPLATES / "style.css").read_text(encoding="utf-8"))  # noqa: S704  (our file)


@cache
def _policy() -> str:
    """The policy of all pages: no scripts, and no styles but ours."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def page(template: str, status: int = 200, **values: Any) -> Response:
    text = _environment.get_template(template).render(names=_NAMES, style=_style(), **values)
    # Characters that cannot be encoded came from a client; the page shows question marks.
    answer = Response(
        text.encode("utf-8", "replace"), status, content_type="text/html; charset=utf-8"
    )
    answer.headers["Content-Security-Policy"] = _policy()
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def item_page(item: ItemView | None) -> Response:
    if item is None:
        return page("missing.html", 404)
    return page("item.html", item=item)


def plain(html: str) -> str:
    """The visible text of HTML, line by line."""
    broken = re.sub(r"(?i)<br\s*/?>|</(?:p|div|li|h\d)>", "\n", html)
    lines = broken.split("\n")
    return "\n".join(Markup(line).striptags() for line in lines).strip()  # noqa: S704 (stripped)
