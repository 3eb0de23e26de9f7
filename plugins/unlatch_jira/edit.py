"""What one edit of an issue asks for, as the one request that it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from unlatch.domain.text import Span, without_controls
from unlatch.spi import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch.domain.text import Paragraph
    from unlatch.spi import Draft

_LONGEST_SUMMARY = 255


@dataclass(frozen=True, slots=True)
class Edit:
    """The changes that an issue still needs.

    Args:
        op: the operation, which the edit leaves as a property of the issue.
        fields: fields to set.
        add_labels: labels that it lacks.
        remove_labels: labels that it has and shall not have.
        comment: the body of a comment, in Jira's format and with its marker, or None.
    """

    op: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    comment: Any = None

    def __bool__(self) -> bool:
        return bool(self.fields or self.add_labels or self.remove_labels or self.comment)

    def body(self) -> dict[str, Any]:
        """The request's body; labels one by one, so that nobody else's are touched."""
        update: dict[str, list[dict[str, Any]]] = {}
        if self.add_labels or self.remove_labels:
            update["labels"] = [
                *({"add": name} for name in self.add_labels),
                *({"remove": name} for name in self.remove_labels),
            ]
        if self.comment is not None:
            update["comment"] = [{"add": {"body": self.comment}}]
        return {
            **({"fields": dict(self.fields)} if self.fields else {}),
            **({"update": update} if update else {}),
            "properties": [property_of(self.op)],
        }

    def without(self, off_screen: Collection[str]) -> Edit:
        """The same without the labels, the comment and what else no screen shows.

        Summary and description stay: what an update is for is not left out without an error.
        """
        kept = {
            name: value
            for name, value in self.fields.items()
            if name not in off_screen or name in ("summary", "description")
        }
        smaller = replace(self, fields=kept)
        if "labels" in off_screen:
            smaller = replace(smaller, add_labels=(), remove_labels=())
        return replace(smaller, comment=None) if "comment" in off_screen else smaller


def property_of(op: str) -> dict[str, Any]:
    """The property that an operation leaves on an issue: a shortcut, never the proof."""
    return {"key": f"unlatch.op.{op}", "value": {"by": "unlatch"}}


def marker(op: str) -> Paragraph:
    """The paragraph that an operation is found again by."""
    return (Span(visible(op), marker=True),)


def title_of(draft: Draft) -> str:
    """The draft's title on one line, as long as Jira takes it."""
    title = " ".join(without_controls(draft.title).split())
    return title if len(title) <= _LONGEST_SUMMARY else f"{title[: _LONGEST_SUMMARY - 3]}..."
