"""An item of any tracker for the console and the item pages."""

from __future__ import annotations

from dataclasses import dataclass, field


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
