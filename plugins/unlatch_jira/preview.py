"""A client that lists writes instead of sending them; reads are listed and sent.

It answers writes as expected from Jira, so that the code for writing also plans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.spi import PlannedRequest
from unlatch_jira.api.client import JiraClient
from unlatch_jira.api.comments import Comment
from unlatch_jira.api.connection import JiraConnection
from unlatch_jira.api.models import Issue, read_issue
from unlatch_jira.api.workflow_models import Transition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unlatch.spi import Goal
    from unlatch.transport import Transport
    from unlatch_jira.api.edit import Edit
    from unlatch_jira.settings import JiraSettings

_NEW = "NEW-KEY"


class UndecidedError(Exception):
    """The next requests depend on Jira's answers."""


class PreviewConnection(JiraConnection):
    """Lists requests, and sends only reads."""

    def __init__(self, settings: JiraSettings, transport: Transport) -> None:
        super().__init__(settings, transport)
        self.listed: list[PlannedRequest] = []

    def note(self, method: str, path: str, what: str) -> None:
        """List a request."""
        self.listed.append(PlannedRequest(method, f"{self.api}/{path}", what))

    def issue(self, key: str, fields: str, **query: str | None) -> dict[str, Any]:
        self.note("GET", f"issue/{key}", f"read {key}")
        return super().issue(key, fields, **query)

    def query(self, model: Any, path: str, body: dict[str, Any]) -> Any:
        self.note("POST", path, f"read {path}")
        return super().query(model, path, body)

    def send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        query: dict[str, str] | None = None,
    ) -> dict[str, Any] | None:
        self.note(method, path, "write, and go on as Jira answers")
        raise UndecidedError(path)

    def _read(self, url: str, query: dict[str, str] | None = None) -> Any:
        what = f"read {url.partition('/rest/')[2]}"
        self.listed.append(PlannedRequest("GET", url, what))
        return super()._read(url, query)


class PreviewClient(JiraClient):
    """Answers with the issues as the listed writes would change them."""

    def __init__(self, settings: JiraSettings, wire: PreviewConnection) -> None:
        super().__init__(settings, wire)
        self._settings = settings
        self._listing = wire
        self._expected: dict[str, Issue] = {}

    def issue(
        self, key: str, *fields: str, moves: bool = False, property_key: str | None = None
    ) -> Issue:
        expected = self._expected.get(key)
        if expected is None:
            return super().issue(key, *fields, moves=moves, property_key=property_key)
        self._listing.note("GET", f"issue/{key}", "read the issue back")
        return expected

    def issue_after(
        self, key: str, *fields: str, is_shown: Callable[[Issue], bool], moves: bool = False
    ) -> Issue:
        _ = is_shown
        return self.issue(key, *fields, moves=moves)

    def moves(self, issue: Issue) -> tuple[Transition, ...]:
        if issue.key not in self._expected:
            return super().moves(issue)
        open_end = "take further transitions, chosen from those that Jira then offers"
        self._listing.note("POST", f"issue/{issue.key}/transitions", open_end)
        raise UndecidedError(issue.key)

    def find_transition(self, issue: Issue, word: str, goal: Goal | None = None) -> Transition:
        if issue.key not in self._expected:
            return super().find_transition(issue, word, goal)
        return Transition({"id": word, "name": word, "to": {"name": word}})

    def move(
        self,
        issue: Issue,
        move: Transition,
        fields: Mapping[str, Any],
        properties: Sequence[Mapping[str, Any]] = (),
        comment: Any = None,
    ) -> None:
        names = [*fields, *([] if comment is None else ["the comment"])]
        filled = f", with {', '.join(names)}" if names else ""
        what = f"take the transition {move.name!r} to {move.to.name!r}{filled}"
        self._listing.note("POST", f"issue/{issue.key}/transitions", what)
        kept: dict[str, Any] = {"resolution": None} if move.to.means.is_open else {}
        if comment is not None:
            kept["comment"] = _posted(comment)
        self._expect(issue, status=move.to.raw, **kept)

    def edit(self, issue: Issue, edit: Edit) -> Issue | None:
        self._listing.note("PUT", f"issue/{issue.key}", str(edit))
        before = self._expected.get(issue.key, issue)
        kept = [name for name in before.item.labels if name not in edit.remove_labels]
        after = self._expect(
            before,
            labels=[*kept, *edit.add_labels],
            comment=_posted(edit.comment),
            **{name: value for name, value in edit.fields.items() if name == "summary"},
        )
        return after if self.is_cloud else None

    def comment(self, key: str, body: Any, extras: Mapping[str, Any]) -> Comment:
        self._listing.note("POST", f"issue/{key}/comment", "post the comment")
        return Comment({"id": "", "created": "", "body": body})

    def create(self, fields: dict[str, Any], properties: list[dict[str, Any]]) -> str:
        kind, project = fields["issuetype"]["name"], fields["project"]["key"]
        self._listing.note("POST", "issue", f"create an issue of the type {kind} in {project}")
        visible = {"status": {"name": "as its workflow begins"}, "labels": [], **fields}
        raw = {"id": _NEW, "key": _NEW, "fields": {**visible, "project": None, "parent": None}}
        self._expected[_NEW] = read_issue(raw, self._settings)
        return _NEW

    def _expect(self, issue: Issue, **changed: Any) -> Issue:
        raw = issue.answer.raw
        after = {**raw, "fields": {**raw["fields"], **changed}, "transitions": None}
        self._expected[issue.key] = read_issue(after, self._settings)
        return self._expected[issue.key]


def _posted(comment: Any) -> dict[str, Any]:
    """The comments of an issue with this one."""
    return {"comments": [{"id": "", "created": "", "body": comment}], "total": 1}
