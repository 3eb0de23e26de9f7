"""The calls that are made about work items."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from pydantic import ValidationError

from unlatch.errors import NotFound, TrackerError
from unlatch.spi import CommentRef, ops_in
from unlatch.transport import Answer, reading
from unlatch.transport.outcomes import judge
from unlatch_ado import answers, discussion
from unlatch_ado.connection import Connection
from unlatch_ado.errors import NotOffered, deleted, explain, missing, unreadable
from unlatch_ado.projects import Projects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from unlatch.transport import Transport
    from unlatch_ado.answers import WorkItem
    from unlatch_ado.discussion import Remark
    from unlatch_ado.patch import Step

# https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/get-work-items-batch
_BATCH = 200
_PAGE = 200
_NEWEST = 2000


class Client:
    """One organization's work items. Used from several threads at once.

    Args:
        organization_url: where requests go.
        transport: what they pass.
        newest: the newest version of the API to ask for, or None for what the server offers.
    """

    def __init__(
        self, organization_url: str, transport: Transport, *, newest: str | None = None
    ) -> None:
        self._connection = Connection(organization_url, transport, newest=newest)
        self._api = self._connection.api
        self.projects = Projects(self._connection)

    @property
    def knows_routes(self) -> bool:
        """Whether the next request goes out by itself, without a look-up of addresses."""
        return self._connection.knows_routes

    def read(self, item: str, *, description: bool = False, related: bool = False) -> WorkItem:
        """One work item, in whichever of the organization's projects it is.

        Args:
            item: its number.
            description: whether its description is wanted.
            related: whether its parent is; the description then comes along.

        Raises:
            NotFound: `item-deleted`, it lies in the recycle bin; `item-not-found`.
        """
        try:
            with self._connection.understood():
                return answers.work_item(self._read(item, description=description, related=related))
        except NotFound as gone:
            if gone.id == "item-not-found" and self._is_deleted(item):
                raise deleted(item) from gone
            raise

    def read_many(
        self, items: Iterable[str], *, related: bool = False
    ) -> dict[str, WorkItem | TrackerError]:
        """Many work items of any of the organization's projects, two hundred a request.

        Each has an answer or an error of its own.

        Args:
            related: whether their parents are wanted; the descriptions then come along.

        Raises:
            TrackerError: none of them could be read.
        """
        wanted = list(dict.fromkeys(str(int(item)) for item in items))
        found: dict[str, WorkItem | TrackerError] = {}
        for start in range(0, len(wanted), _BATCH):
            try:
                found |= self._batch(wanted[start : start + _BATCH], related=related)
            except TrackerError as error:
                if start == 0:
                    raise
                return {**dict.fromkeys(wanted, error), **found}
        return {**{item: missing() for item in wanted if item not in found}, **found}

    def change(self, item: str, steps: tuple[Step, ...]) -> WorkItem:
        """Send one patch document to a work item."""
        document = self._connection.document(steps)
        with self._connection.understood(writing=True):
            return answers.work_item(self._api.update_work_item(document, int(item)))

    def change_many(
        self, patches: Mapping[str, tuple[Step, ...]]
    ) -> dict[str, WorkItem | TrackerError]:
        """Send patch documents to several work items in one request; each has its own answer.

        Raises:
            TrackerError: what became of all of them.
        """
        documents = {int(item): self._connection.document(p) for item, p in patches.items()}
        with self._connection.understood(writing=True):
            found = answers.batch(self._api.update_work_items(documents))
        if len(found) != len(patches):
            raise unreadable(writing=True)
        return {
            item: _read_changed(status, body)
            for item, (status, body) in zip(patches, found, strict=True)
        }

    def create(self, project: str, type: str, steps: tuple[Step, ...]) -> WorkItem:
        """Make a work item."""
        document = self._connection.document(steps)
        with self._connection.understood(writing=True):
            return answers.work_item(self._api.create_work_item(document, project, type))

    def would_change(self, item: str, steps: tuple[Step, ...]) -> None:
        """Let the server judge a patch document that is not carried out.

        Raises:
            TrackerError: what `change` would raise.
        """
        document = self._connection.document(steps)
        with self._connection.understood(), reading():
            self._api.update_work_item(document, int(item), validate_only=True)

    def would_create(self, project: str, type: str, steps: tuple[Step, ...]) -> None:
        """Let the server judge a work item that is not made; as `would_change`."""
        document = self._connection.document(steps)
        with self._connection.understood(), reading():
            self._api.create_work_item(document, project, type, validate_only=True)

    def comments_with(
        self, project: str, item: str, op: str, since: datetime
    ) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, oldest first."""
        remarks = self._remarks(project, item, since)
        return tuple(remark.ref for remark in remarks if op in ops_in(remark.text))

    def ops(self, project: str, item: str, since: datetime) -> tuple[str, ...]:
        """The operations whose markers stand in comments since then, oldest first."""
        remarks = self._remarks(project, item, since)
        return tuple(op for remark in remarks for op in sorted(ops_in(remark.text)))

    def _remarks(self, project: str, item: str, since: datetime) -> list[Remark]:
        try:
            found = list(self._comments(project, item, since))
        except (NotFound, NotOffered):
            # Servers before 2019 keep comments in updates only. And where an item was moved, its
            # old project's address need not lead to it; updates are asked for without a project.
            found = list(self._updates(item))
        return sorted(found, key=lambda remark: remark.ref.created)

    def created_with(self, project: str, op: str, since: datetime) -> WorkItem | None:
        """The work item of the project whose description carries the marker of `op`."""
        for item in self.newest(project, since):
            if isinstance(item, TrackerError):
                # It may be the one; taken for absent, it would be made a second time.
                raise item
            if op in ops_in(discussion.plain(item.description)):
                return item
        return None

    def newest(self, project: str, since: datetime | None) -> Iterator[WorkItem | TrackerError]:
        """The work items of a project that were made since then, with their descriptions."""
        ids = self._newest(project, since)
        for start in range(0, len(ids), _BATCH):
            page = self._batch(ids[start : start + _BATCH], description=True)
            yield from (page[item] for item in ids[start : start + _BATCH] if item in page)

    def _read(self, item: str, *, description: bool, related: bool) -> object:
        if related:
            # The API takes no choice of fields together with relations.
            return self._api.get_work_item(int(item), expand="Relations")
        return self._api.get_work_item(int(item), fields=_fields(description=description))

    def _is_deleted(self, item: str) -> bool:
        try:
            with self._connection.understood():
                self._api.get_deleted_work_item(int(item))
        except TrackerError:
            # What keeps us from looking says nothing new about the item.
            return False
        return True

    def _comments(self, project: str, item: str, since: datetime) -> Iterator[Remark]:
        token: str | None = None
        while True:
            with self._connection.understood():
                page, token = discussion.comments(
                    self._api.get_comments(
                        project, int(item), top=_PAGE, continuation_token=token, order="desc"
                    )
                )
            yield from page
            if token is None or any(remark.ref.created < since for remark in page):
                return

    def _updates(self, item: str) -> Iterator[Remark]:
        seen, size = 0, _PAGE
        while size == _PAGE:
            with self._connection.understood():
                answer = self._api.get_updates(int(item), top=_PAGE, skip=seen)
                page, size = discussion.updates(answer)
            yield from page
            seen += size

    def _newest(self, project: str, since: datetime | None) -> list[str]:
        query = self._connection.query(newest_query(project, since))
        with self._connection.understood(), reading():
            found = self._api.query_by_wiql(query, time_precision=True, top=_NEWEST)
            return [str(number) for number in answers.ids(found)]

    def _batch(
        self, items: list[str], *, description: bool = False, related: bool = False
    ) -> dict[str, WorkItem | TrackerError]:
        # An item that is deleted in between shall not fail the others.
        fields = None if related else _fields(description=description)
        request = self._connection.batch([int(item) for item in items], fields)
        with self._connection.understood(), reading():
            found = self._api.get_work_items_batch(request) or []
            return {str(item.id): _read_one(item) for item in found if item is not None}


def _read_one(answer: object) -> WorkItem | TrackerError:
    try:
        return answers.work_item(answer)
    except ValidationError as error:
        told = unreadable(writing=False)
        told.__cause__ = error
        return told


def _read_changed(status: int, body: bytes) -> WorkItem | TrackerError:
    answer = Answer("PATCH", "", status, {"Content-Type": "application/json"}, body)
    if error := explain(answer) or judge(answer, write=True):
        return error
    try:
        return answers.work_item(answer.json())
    except ValidationError as error:
        told = unreadable(writing=True)
        told.__cause__ = error
        return told


def _fields(*, description: bool) -> list[str]:
    return [*answers.FIELDS, answers.DESCRIPTION] if description else [*answers.FIELDS]


def newest_query(project: str, since: datetime | None) -> str:
    """WIQL for the items that were made in a project since then, newest first.

    A quote within a string is written twice:
    https://learn.microsoft.com/azure/devops/boards/queries/wiql-syntax
    """
    name = project.replace("'", "''")
    limit = ""
    if since is not None:
        moment = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        limit = f"AND [System.CreatedDate] >= '{moment}' "
    return (
        "SELECT [System.Id] FROM WorkItems "  # noqa: S608 (WIQL, and escaped)
        f"WHERE [System.TeamProject] = '{name}' {limit}"
        "ORDER BY [System.Id] DESC"
    )
