"""Jira's answers about issues, as models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.spi import Category, RemoteItem, read_stamp
from unlatch.transport.answer import each, flag, optional, required, table
from unlatch.values import dataclass
from unlatch_jira.api.comments import CommentPage
from unlatch_jira.api.json_model import parse, text
from unlatch_jira.api.rich_text import kept_parts
from unlatch_jira.api.workflow_models import Named, Status, Transition

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch_jira.settings import JiraSettings
    from unlatch_jira.settings_types import Transitions


class Account:
    """A person, as far as it is shown with an issue."""

    def __init__(self, raw: Any) -> None:
        self.name = optional(table(raw), "displayName", text)
        self.active = optional(raw, "active", flag) is not False


class Parent:
    """An issue's parent, with its status if Jira shows it."""

    def __init__(self, raw: Any) -> None:
        self.key = required(table(raw), "key", text)
        self.status = optional(raw, "fields", _status)


def _status(fields: Any) -> Status | None:
    return optional(table(fields), "status", Status)


class _Fields:
    def __init__(self, raw: Any) -> None:
        # With custom fields, whose names differ by site.
        self.raw = table(raw)
        self.summary = required(raw, "summary", text)
        self.status = required(raw, "status", Status)
        self.type = optional(raw, "issuetype", Named)
        self.labels = optional(raw, "labels", each(text)) or ()
        self.assignee = optional(raw, "assignee", Account)
        self.resolution = optional(raw, "resolution", Named)
        self.updated = optional(raw, "updated", text)
        self.created = optional(raw, "created", text)
        # The first on Cloud alone.
        self.moved = optional(raw, "statuscategorychangedate", text)
        self.resolved = optional(raw, "resolutiondate", text)
        self.description: Any = raw.get("description")
        self.comment = optional(raw, "comment", CommentPage)
        self.parent = optional(raw, "parent", Parent)
        self.project_id = optional(raw, "project", _id)


def _id(raw: Any) -> str:
    return required(table(raw), "id", text)


class IssueAnswer:
    """An issue with the requested fields."""

    def __init__(self, raw: Any) -> None:
        self.raw = table(raw)
        self.id = _id(raw)
        self.key = required(raw, "key", text)
        self.fields = required(raw, "fields", _Fields)
        # Missing if the server lacks the expansion, empty if no transition is allowed.
        self.transitions = optional(raw, "transitions", each(Transition))
        self.properties = optional(raw, "properties", table) or {}


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue in the plugin.

    Args:
        item: the issue for unlatch.
        answer: Jira's whole answer.
    """

    item: RemoteItem
    answer: IssueAnswer

    @property
    def key(self) -> str:
        return self.answer.key

    @property
    def resolution(self) -> Named | None:
        return self.answer.fields.resolution

    def without_doubtful_moves(self) -> Issue:
        """The issue without transitions if they are none, or one lacks its screen.

        They are requested before the issue is moved.
        """
        moves = self.answer.transitions
        if moves is None or (moves and all(move.has_screen for move in moves)):
            return self
        return replace(self, answer=IssueAnswer({**self.answer.raw, "transitions": None}))

    def custom(self, field: str) -> Any:
        """The value of a custom field, if it was requested."""
        return self.answer.fields.raw.get(field)

    @property
    def description(self) -> Any:
        return self.answer.fields.description

    @property
    def created(self) -> datetime | None:
        return read_stamp(self.answer.fields.created)


def read_issue(raw: Any, settings: JiraSettings) -> Issue:
    """The issue in an answer.

    Raises:
        Rejected: `answer-not-understood`.
    """
    answer = parse(IssueAnswer, raw)
    fields = answer.fields
    means = _category(fields, settings.transitions)
    dropped = _is_dropped(fields, means, settings.dropped_resolutions)
    item = RemoteItem(
        ref=settings.ref(answer.key),
        title=fields.summary,
        state=fields.status.name,
        category=Category.DROPPED if dropped else means,
        type=fields.type.name if fields.type else None,
        labels=fields.labels,
        assignee=fields.assignee.name if fields.assignee else None,
        updated=read_stamp(fields.updated),
        created=read_stamp(fields.created),
        state_since=read_stamp(fields.moved or (None if means.is_open else fields.resolved)),
        kept=kept_parts(fields.description),
    )
    return Issue(item, answer)


def _category(fields: _Fields, transitions: Transitions) -> Category:
    """The category of an issue: of its status, else by configured names and its resolution."""
    status = fields.status
    if status.category is not None:
        return status.means
    if transitions.reopen and status.is_called(transitions.reopen):
        return Category.DOING
    ends = filter(None, (transitions.complete, transitions.drop))
    is_over = fields.resolution is not None or any(map(status.is_called, ends))
    return Category.DONE if is_over else Category.TODO


def _is_dropped(fields: _Fields, means: Category, dropped: tuple[str, ...]) -> bool:
    # An open issue may keep an old resolution.
    if means is not Category.DONE or fields.resolution is None:
        return False
    return any(map(fields.resolution.is_called, dropped))
