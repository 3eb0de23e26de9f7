"""Lists the requests of a change instead of sending them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from unlatch.spi import Category, PlannedRequest, RemoteItem
from unlatch_github.api import paths
from unlatch_github.api.models import Identity, IssueSnapshot, Milestone, without

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.spi import ItemRef
    from unlatch_github.api.client import Client

_WORDS = {
    "title": "set the title",
    "body": "set our part of the body",
    "type": "set the type",
}


class Preview:
    """Lists each request, and answers as expected from GitHub.

    Args:
        client: sends the reads for the plan.
    """

    def __init__(self, client: Client) -> None:
        self.settings = client.settings
        self.requests: list[PlannedRequest] = []
        self._client = client

    def read(self, ref: ItemRef) -> None:
        """List the request that reads the issue before the change."""
        self._note("GET", paths.issue_path(ref), "read the issue")

    def change(self, issue: IssueSnapshot, fields: Mapping[str, Any]) -> IssueSnapshot:
        self._note("PATCH", paths.issue_path(issue.item.ref), " and ".join(_in_words(fields)))
        return replace(issue, item=_moved(issue.item, fields.get("state")))

    def create(self, target: str, fields: Mapping[str, Any]) -> IssueSnapshot:
        self._note(
            "POST", paths.repository_path(target, "issues"), "create the issue with its labels"
        )
        item = RemoteItem(self.settings.ref(target, 0), fields["title"], "open", Category.TODO)
        return IssueSnapshot(item, None, None, ())

    def assign(self, issue: IssueSnapshot, logins: Sequence[str]) -> IssueSnapshot:
        path = paths.issue_path(issue.item.ref, "assignees")
        self._note("POST", path, f"assign it to {', '.join(logins)}")
        return replace(issue, assignees=(*issue.assignees, *logins))

    def comment(self, ref: ItemRef, body: str) -> tuple[str, None]:
        self._note("POST", paths.issue_path(ref, "comments"), "post the comment")
        return "", None

    def add_labels(self, item: RemoteItem, names: Sequence[str]) -> tuple[str, ...]:
        self._note("POST", paths.issue_path(item.ref, "labels"), f"add label {', '.join(names)}")
        return (*item.labels, *names)

    def remove_label(self, item: RemoteItem, name: str) -> tuple[str, ...]:
        self._note("DELETE", paths.issue_path(item.ref, "labels", name), f"remove label {name}")
        return without(item.labels, [name])

    def milestones(self, target: str) -> tuple[Milestone, ...]:
        self._note("GET", paths.repository_path(target, "milestones"), "find the milestone")
        return self._client.milestones(target)

    def has_label(self, target: str, name: str) -> bool:
        what = f"see whether the repository has the label {name}"
        self._note("GET", paths.repository_path(target, "labels", name), what)
        return self._client.has_label(target, name)

    def identity(self) -> Identity:
        if (identity := self._client.account.known) is not None:
            return identity
        self._note("GET", paths.USER, "find out whom the token belongs to")
        return Identity("the token's account")

    def standing(self, ref: ItemRef, *, changes: bool) -> dict[str, Any]:
        self._note("POST", paths.GRAPHQL, "read its status in projects")
        return self._client.standing(ref, changes=changes) if changes else {}

    def set_project_status(self, ids: Mapping[str, str], option: str, name: str) -> dict[str, Any]:
        self._note("POST", paths.GRAPHQL, f"set its status in a project to {name}")
        return {}

    def _note(self, method: str, path: str, what: str) -> None:
        api_url = self.settings.api_url
        url = paths.graphql_url(api_url) if path == paths.GRAPHQL else f"{api_url}{path}"
        self.requests.append(PlannedRequest(method, url, what))


# Sends the requests of a change, or lists them.
Writer: TypeAlias = "Client | Preview"


def _moved(item: RemoteItem, state: str | None) -> RemoteItem:
    if state is None:
        return item
    category = Category.TODO if state == "open" else Category.DONE
    return replace(item, state=state, category=category)


def _in_words(fields: Mapping[str, Any]) -> Iterator[str]:
    if "state" in fields:
        yield f"set state to {fields['state']}"
    if "milestone" in fields:
        cleared = fields["milestone"] is None
        yield "take it out of its closed milestone" if cleared else "set the milestone"
    yield from (words for field, words in _WORDS.items() if field in fields)
