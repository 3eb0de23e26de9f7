"""Jira's answers about issues, as models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from unlatch.spi import Category, RemoteItem, read_stamp
from unlatch.values import dataclass
from unlatch_jira.api.comments import CommentPage  # noqa: TC001  (pydantic reads it)
from unlatch_jira.api.json_model import Model, parse
from unlatch_jira.api.kept_parts import kept_parts
from unlatch_jira.api.workflow_models import (  # noqa: TC001  (pydantic reads them)
    Named,
    Status,
    Transition,
)

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch_jira.settings import JiraSettings
    from unlatch_jira.settings_types import Transitions


class Account(Model):
    """A person, as far as it is shown with an issue."""

    name: str | None = Field(default=None, alias="displayName")
    active: bool = True


class _ParentFields(Model):
    status: Status | None = None


class Parent(Model):
    """An issue's parent, with its status if Jira shows it."""

    key: str
    fields: _ParentFields = _ParentFields()


class _Project(Model):
    id: str


class _Fields(Model):
    # Custom fields have different names on each site.
    model_config = ConfigDict(extra="allow")

    summary: str
    status: Status
    type: Named | None = Field(default=None, alias="issuetype")
    labels: tuple[str, ...] = ()
    assignee: Account | None = None
    resolution: Named | None = None
    updated: str | None = None
    created: str | None = None
    description: Any = None
    comment: CommentPage | None = None
    parent: Parent | None = None
    project: _Project | None = None


class IssueAnswer(Model):
    """An issue with the requested fields."""

    id: str
    key: str
    fields: _Fields
    # Missing if the server lacks the expansion, empty if no transition is allowed.
    transitions: tuple[Transition, ...] | None = None
    properties: dict[str, Any] = Field(default_factory=dict)


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
        if moves and all("screen" in one.model_fields_set for one in moves):
            return self
        return replace(self, answer=self.answer.model_copy(update={"transitions": None}))

    def custom(self, field: str) -> Any:
        """The value of a custom field, if it was requested."""
        return (self.answer.fields.model_extra or {}).get(field)

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
    return to_issue(parse(IssueAnswer, raw), settings)


def to_issue(answer: IssueAnswer, settings: JiraSettings) -> Issue:
    """The issue in a parsed answer."""
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
