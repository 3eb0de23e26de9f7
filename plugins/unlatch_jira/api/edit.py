"""The edit of an issue for a change, as one request."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected
from unlatch.spi import NO_NOTIFY, VISIBILITY, Span, visible
from unlatch.values import dataclass
from unlatch_jira.api.comments import INTERNAL
from unlatch_jira.api.rich_text import check_length, fit, format_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch.spi import Change, Draft
    from unlatch.spi.text import Paragraph
    from unlatch_jira.api.models import Issue
    from unlatch_jira.settings import JiraSettings

_LONGEST_SUMMARY = 255
_SUMMARY_AND_TEXT = ("summary", "description")


@dataclass(frozen=True, slots=True)
class Edit:
    """The remaining changes of an issue.

    Args:
        op: the operation, stored as a property of the issue; None for no property.
        fields: fields to set.
        add_labels: missing labels.
        remove_labels: labels to remove.
        comment: the body of a comment, in Jira's format and with its marker, or None.
        restriction: the members of the comment that say who may see it; empty for everybody.
        is_silent: whether Jira is asked to send no mail of it.
    """

    op: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    comment: Any = None
    restriction: Mapping[str, Any] = field(default_factory=dict)
    is_silent: bool = False

    def __bool__(self) -> bool:
        return bool(self.fields or self.add_labels or self.remove_labels or self.comment)

    def body(self) -> dict[str, Any]:
        """The request's body, with single labels, so that other labels stay."""
        update: dict[str, list[dict[str, Any]]] = {}
        for verb, names in (("add", self.add_labels), ("remove", self.remove_labels)):
            for name in names:
                update.setdefault("labels", []).append({verb: name})
        if self.comment is not None:
            update["comment"] = [{"add": {"body": self.comment}}]
        return {
            **({"fields": dict(self.fields)} if self.fields else {}),
            **({"update": update} if update else {}),
            **({"properties": [property_of(self.op)]} if self.op else {}),
        }

    def without(self, off_screen: Collection[str]) -> Edit:
        """The same without fields that no screen shows, such as labels and the comment.

        Summary and description stay: an update needs them.
        """
        kept = {
            name: value
            for name, value in self.fields.items()
            if name not in off_screen or name in _SUMMARY_AND_TEXT
        }
        smaller = replace(self, fields=kept)
        if "labels" in off_screen:
            smaller = replace(smaller, add_labels=(), remove_labels=())
        return replace(smaller, comment=None) if "comment" in off_screen else smaller

    def __str__(self) -> str:
        """Its parts, as listed in a plan."""
        parts = [
            *(f"set {name}" for name in self.fields),
            *(["post the comment"] if self.comment is not None else []),
            *(f"add label {name}" for name in self.add_labels),
            *(f"remove label {name}" for name in self.remove_labels),
        ]
        return ", ".join(parts)


def build_edit(settings: JiraSettings, issue: Issue, change: Change) -> Edit:
    """The edit for a change of an issue, without its state, which needs transitions.

    Raises:
        Rejected: `body-too-long`.
    """
    has = issue.item.labels
    return Edit(
        op=change.op,
        fields=_text_fields(settings, issue, change.draft) if change.draft else {},
        add_labels=tuple(name for name in change.add_labels if name not in has),
        remove_labels=tuple(name for name in change.remove_labels if name in has),
        comment=_comment(settings, change),
        restriction=_restriction(change),
        is_silent=not settings.notify or NO_NOTIFY.name in change.options.plugin,
    )


def _comment(settings: JiraSettings, change: Change) -> Any:
    if change.comment is None:
        return None
    style = format_of(settings.version)
    body = style.render((*change.comment, marker(change.op)))
    smaller = "none" if change.options.comment == "short" else "short"
    return check_length(body, "comment", remedy=f"--comment {smaller}")


def _restriction(change: Change) -> dict[str, Any]:
    """Who may see the comment, as Jira takes it.

    An internal note is one of Jira Service Management:
    https://support.atlassian.com/jira/kb/how-to-create-internal-comments-in-jsm-via-rest-api/

    Raises:
        Rejected: `visibility-unknown`.
    """
    wanted = change.options.value_of(VISIBILITY.name)
    if not wanted:
        return {}
    if wanted == INTERNAL:
        return {"properties": [{"key": "sd.public.comment", "value": {"internal": True}}]}
    kind, _, name = wanted.partition(":")
    if kind not in ("role", "group") or not name:
        raise Rejected(
            "visibility-unknown",
            f"invalid value of --visibility: {wanted!r}",
            hint="use role:NAME, group:NAME or internal",
        )
    return {"visibility": {"type": kind, "value": name}}


def _text_fields(settings: JiraSettings, issue: Issue, draft: Draft) -> dict[str, Any]:
    """Summary and description, if they differ.

    Jira has no guard against another edit between our read and our write of the description.
    """
    style = format_of(settings.version)
    body = fit(draft, lambda part: style.with_kept(issue.description, part, draft.increment))
    now = {"summary": issue.item.title, "description": issue.description}
    new = {"summary": title_of(draft), "description": body}
    return {name: value for name, value in new.items() if value != now[name]}


def property_of(op: str) -> dict[str, Any]:
    """The property of an operation on an issue: a shortcut, no proof."""
    return {"key": f"unlatch.op.{op}", "value": {"by": "unlatch"}}


def marker(op: str) -> Paragraph:
    """The paragraph with the marker of an operation."""
    return (Span(visible(op), marker=True),)


def title_of(draft: Draft) -> str:
    """The draft's title, cut to Jira's limit."""
    title = draft.title
    return title if len(title) <= _LONGEST_SUMMARY else f"{title[: _LONGEST_SUMMARY - 3]}..."
