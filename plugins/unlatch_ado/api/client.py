"""Requests about work items."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from unlatch.errors import NotFound, Rejected, TrackerError, Unauthorised
from unlatch.spi import CommentRef, op_posted, ops_in
from unlatch.transport import Answer, each_page, reading
from unlatch.transport.answer import Misread
from unlatch.transport.errors import general_error
from unlatch.values import dataclass
from unlatch_ado.api import models as answers
from unlatch_ado.api.connection import connect
from unlatch_ado.api.errors import NotOffered, deleted, explain, missing, unreadable
from unlatch_ado.api.patch import DESCRIPTION, Step
from unlatch_ado.api.projects import Projects

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from unlatch.transport import Transport
    from unlatch_ado.api.comments import Remark, Update, WrittenComment
    from unlatch_ado.api.models import OwnedItem, Revision, WorkItem

# https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/get-work-items-batch
_BATCH = 200
_PAGE = 200
# The maximum numbers in one query.
_NUMBERS = 1000
_MEMBERS = 100
_REVISIONS = 1000


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a work item to read in addition to the usual fields.

    Args:
        description: its description.
        related: its parent; the API then sends every field, the description included.
    """

    description: bool = False
    related: bool = False

    @property
    def fields(self) -> list[str] | None:
        """The fields to ask for; None for all of them, with the relations."""
        if self.related:
            return None
        return [*answers.FIELDS, DESCRIPTION] if self.description else [*answers.FIELDS]

    def read_from(self, answer: object) -> WorkItem:
        """The work item in an answer with these parts."""
        return answers.work_item(answer, described=self.description or self.related)


_USUAL = Parts()
_WITH_DESCRIPTION = Parts(description=True)


class Client:
    """One organization's work items; threads may share it.

    Args:
        organization_url: the base of all requests.
        transport: sends the requests.
        newest: the newest version of the API to request; None for the server's newest.
    """

    def __init__(
        self, organization_url: str, transport: Transport, *, newest: str | None = None
    ) -> None:
        self._api = connect(organization_url, transport, newest=newest)
        self.projects = Projects(self._api)

    def read(self, item: str, parts: Parts = _USUAL) -> WorkItem:
        """Read a work item by its number, in any project of the organization.

        Raises:
            NotFound: `item-deleted`, it is in the recycle bin; `item-not-found`.
        """
        try:
            with self._api.understood():
                # The API allows no choice of fields together with relations.
                wanted = {"expand": "Relations"} if parts.related else {"fields": parts.fields}
                return parts.read_from(self._api.get_work_item(int(item), **wanted))
        except NotFound as gone:
            if gone.id == "item-not-found" and self._is_deleted(item):
                raise deleted(item) from gone
            raise

    def read_many(
        self, items: Iterable[str], parts: Parts = _USUAL
    ) -> dict[str, WorkItem | TrackerError]:
        """Read many work items of any project of the organization, two hundred per request.

        Each has its own answer or error.

        Raises:
            TrackerError: none of them could be read.
        """
        wanted = list(dict.fromkeys(str(int(item)) for item in items))
        by_id: dict[str, WorkItem | TrackerError] = {}
        for start in range(0, len(wanted), _BATCH):
            try:
                by_id |= self._batch(wanted[start : start + _BATCH], parts)
            except TrackerError as error:
                if start == 0:
                    raise
                return {**dict.fromkeys(wanted, error), **by_id}
        return {**{item: missing() for item in wanted if item not in by_id}, **by_id}

    def change(self, item: str, steps: tuple[Step, ...], *, is_silent: bool = False) -> WorkItem:
        """Send one patch document to a work item; if silent, without notifications."""
        document, quiet = self._api.document(steps), is_silent or None
        with self._api.understood(writing=True):
            answer = self._api.update_work_item(document, int(item), suppress_notifications=quiet)
            return answers.work_item(answer)

    def change_many(
        self, patches: Mapping[str, tuple[Step, ...]], *, silent: Collection[str] = ()
    ) -> dict[str, WorkItem | TrackerError]:
        """Send patch documents to several work items in one request; each has its own answer.

        Raises:
            TrackerError: the result of all of them.
        """
        documents = {int(item): self._api.document(p) for item, p in patches.items()}
        with self._api.understood(writing=True):
            results = answers.batch(self._api.update_work_items(documents, set(map(int, silent))))
        if len(results) != len(patches):
            raise unreadable(writing=True)
        return {
            item: _read_changed(status, body)
            for item, (status, body) in zip(patches, results, strict=True)
        }

    def create(
        self, project: str, type: str, steps: tuple[Step, ...], *, is_silent: bool = False
    ) -> WorkItem:
        """Create a work item; if silent, without notifications."""
        document, quiet = self._api.document(steps), is_silent or None
        with self._api.understood(writing=True):
            answer = self._api.create_work_item(
                document, project, type, suppress_notifications=quiet
            )
            return answers.work_item(answer)

    def would_change(self, item: str, steps: tuple[Step, ...]) -> None:
        """Validate a patch document on the server without applying it.

        Raises:
            TrackerError: Azure DevOps refuses it.
        """
        document = self._api.document(steps)
        with self._api.understood(), reading():
            self._api.update_work_item(document, int(item), validate_only=True)

    def would_create(self, project: str, type: str, steps: tuple[Step, ...]) -> None:
        """Validate a new work item on the server without creating it, as `would_change`."""
        document = self._api.document(steps)
        with self._api.understood(), reading():
            self._api.create_work_item(document, project, type, validate_only=True)

    def comments_with(self, project: str, item: str, op: str) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, oldest first."""
        remarks = self.remarks(project, item)
        return tuple(remark.ref for remark in remarks if op in ops_in(remark.text))

    def ops(self, project: str, item: str) -> tuple[str, ...]:
        """The operations that posted comments, oldest first."""
        remarks = self.remarks(project, item)
        return tuple(op for remark in remarks if (op := op_posted(remark.text)))

    def updates(self, item: str) -> Iterator[Update]:
        """The updates of an item, oldest first."""
        from unlatch_ado.api import comments as discussion  # noqa: PLC0415  (rarely needed)

        seen: list[Update] = []
        for _ in each_page():
            last = seen[-1].at if seen else None
            with self._api.understood():
                answer = self._api.get_updates(int(item), top=_PAGE, skip=len(seen))
                page = discussion.updates(answer, last)
            yield from page
            seen += page
            if len(page) != _PAGE:
                return

    def remarks(self, project: str, item: str) -> list[Remark]:
        """The comments of an item, oldest first."""
        try:
            remarks = list(self._comments(project, item))
        except (NotFound, NotOffered):
            # Servers before 2019 keep comments only in updates. An item that was moved may not be
            # found under its old project; updates are read without a project.
            remarks = [update.remark for update in self.updates(item) if update.remark]
        return sorted(remarks, key=lambda remark: remark.ref.created)

    def find_comment(self, project: str, item: str, comment: str) -> WrittenComment | None:
        """A comment by its id; None if the work item has none."""
        from unlatch_ado.api import comments as discussion  # noqa: PLC0415  (rarely needed)

        try:
            with self._api.understood():
                return discussion.comment(self._api.get_comment(project, int(item), int(comment)))
        except NotFound:
            return None

    def comment_in(self, item: str, revision: str) -> str | None:
        """The id of the comment that a revision added; None if it added none."""
        from unlatch_ado.api import comments as discussion  # noqa: PLC0415  (rarely needed)

        try:
            with self._api.understood():
                return discussion.comment_in(self._api.get_revision(int(item), int(revision)))
        except NotFound:
            return None

    def owned_item(self, item: str) -> OwnedItem:
        """A work item with its reason, and the accounts that it names."""
        fields = [*answers.FIELDS, *answers.OWNER_FIELDS]
        with self._api.understood():
            return answers.owned_item(self._api.get_work_item(int(item), fields=fields))

    def is_member(self, project: str, team: str, account: str) -> bool:
        """Whether an account certainly is in a team itself, and not only in a group in it.

        https://learn.microsoft.com/rest/api/azure/devops/core/teams
        """
        skip = 0
        for _ in each_page():
            try:
                with self._api.understood():
                    page = answers.members(
                        self._api.team_members(project, team, skip=skip, top=_MEMBERS)
                    )
            except (NotFound, Rejected, Unauthorised):
                return False
            if account in page:
                return True
            skip += len(page)
            if len(page) < _MEMBERS:
                return False
        return False

    def react(self, project: str, item: str, comment: str) -> None:
        """Like a comment, which Azure DevOps keeps once for each account."""
        with self._api.understood(writing=True):
            self._api.react(project, int(item), int(comment), "like")

    def commented_since(self, project: str, since: datetime) -> Iterator[Revision]:
        """The revisions of a project's work items with a comment since a time, oldest first.

        https://learn.microsoft.com/rest/api/azure/devops/wit/reporting-work-item-revisions
        """
        start = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        query = {"startDateTime": start}
        for _ in each_page():
            with self._api.understood():
                answer = self._api.revisions(project, {**query, "$maxPageSize": str(_REVISIONS)})
                page, token = answers.revisions(answer)
            yield from page
            if token is None:
                return
            query = {"continuationToken": token}

    def newest(self, project: str) -> Iterator[WorkItem | TrackerError]:
        """The work items of a project with their descriptions, the newest first.

        Read on demand, two hundred per request. Numbers follow the order of creation, so no clock
        is needed.
        """
        below: str | None = None
        for _ in each_page():
            numbers = self._numbers(project, below)
            if not numbers:
                return
            below = numbers[-1]
            for start in range(0, len(numbers), _BATCH):
                page = self._batch(numbers[start : start + _BATCH], _WITH_DESCRIPTION)
                yield from page.values()

    def _is_deleted(self, item: str) -> bool:
        try:
            with self._api.understood():
                self._api.get_deleted_work_item(int(item))
        except TrackerError:
            # An error of this read proves nothing about the item.
            return False
        return True

    def _comments(self, project: str, item: str) -> Iterator[Remark]:
        from unlatch_ado.api import comments as discussion  # noqa: PLC0415  (rarely needed)

        # In the body; the library drops those in headers (findings/azure-devops-lost-token.sh).
        token: str | None = None
        for _ in each_page():
            with self._api.understood():
                page, token = discussion.comments(
                    self._api.get_comments(
                        project, int(item), top=_PAGE, continuation_token=token, order="asc"
                    )
                )
            yield from page
            if token is None:
                return

    def _numbers(self, project: str, below: str | None) -> list[str]:
        query = self._api.query(newest_query(project, below))
        with self._api.understood(), reading():
            answer = self._api.query_by_wiql(query, top=_NUMBERS)
            return [str(number) for number in answers.ids(answer)]

    def _batch(self, items: list[str], parts: Parts) -> dict[str, WorkItem | TrackerError]:
        request = self._api.batch([int(item) for item in items], parts.fields)
        with self._api.understood(), reading():
            answer = self._api.get_work_items_batch(request) or []
            read = {str(item.id): _read_one(item, parts) for item in answer if item is not None}
        return {item: read[item] for item in items if item in read}


def _read_one(answer: object, parts: Parts) -> WorkItem | TrackerError:
    try:
        return parts.read_from(answer)
    except Misread as error:
        return _caused(unreadable(writing=False), error)


def _read_changed(status: int, body: bytes) -> WorkItem | TrackerError:
    answer = Answer("PATCH", "", status, {"Content-Type": "application/json"}, body)
    refusal = explain(answer) or general_error(answer, write=True)
    if refusal is not None:
        return refusal
    try:
        return answers.work_item(answer.json())
    except Misread as error:
        return _caused(unreadable(writing=True), error)


def _caused(error: TrackerError, cause: Exception) -> TrackerError:
    error.__cause__ = cause
    return error


def newest_query(project: str, below: str | None) -> str:
    """WIQL for the work items of a project, the newest first.

    A quote within a string is doubled:
    https://learn.microsoft.com/azure/devops/boards/queries/wiql-syntax

    Args:
        below: an upper limit for the numbers, exclusive; None for no limit.
    """
    name = project.replace("'", "''")
    limit = "" if below is None else f"AND [System.Id] < {int(below)} "
    return (
        "SELECT [System.Id] FROM WorkItems "  # noqa: S608 (WIQL, and escaped)
        f"WHERE [System.TeamProject] = '{name}' {limit}"
        "ORDER BY [System.Id] DESC"
    )
