"""The record of both sides of a link when they were last in sync."""

from __future__ import annotations

from typing import Any

from unlatch.increments.documents.marks import is_mark
from unlatch.increments.model.link import Base, Boxes
from unlatch.worklog.record import TEXT, TEXTS, BadRecord, Field, Record, Type, text


def _marks(raw: Any) -> dict[str, str]:
    marks = raw if isinstance(raw, dict) else {}
    return {key: mark for key, mark in marks.items() if isinstance(mark, str) and is_mark(mark)}


BOXES = Record(
    "BoxesRecord",
    "The check boxes in an item's body when both sides were last in sync, by their ids.",
    Boxes,
    Field("ticked", TEXTS, "ticked"),
    Field("open", TEXTS, "open"),
    Field("lines", TEXT, "lines", required=True),
    Field("marks", Type("Marks", _marks, dict), "marks"),
)


def _boxes(raw: Any) -> Boxes | None:
    try:
        return BOXES.read(raw)  # type: ignore[no-any-return]  # its model
    except BadRecord:
        return None


BASE = Record(
    "BaseRecord",
    "Both sides of a link when they were last in sync.",
    Base,
    Field("local", Type("Status", text), "local", required=True),
    Field("remote", Type("Category", text), "remote", required=True),
    Field("state", TEXT, "state", required=True),
    Field("boxes", Type("Boxes", _boxes, BOXES.write), "boxes"),
)


def read_base(value: object) -> Base | None:
    try:
        return BASE.read(value)  # type: ignore[no-any-return]  # its model
    except BadRecord:
        return None
