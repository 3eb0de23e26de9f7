"""The calls that are made to Azure DevOps."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from datetime import UTC
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from unlatch.errors import NotFound
from unlatch.spi import CommentRef, ops_in
from unlatch.transport import reading
from unlatch_ado import answers
from unlatch_ado.cache import Cache
from unlatch_ado.errors import NotOffered, explain, unreadable
from unlatch_ado.workflow import Workflow, as_json, from_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from unlatch.transport import Transport
    from unlatch_ado.answers import Remark, WorkItem
    from unlatch_ado.patch import Step

# https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/get-work-items-batch
_BATCH = 200
_PAGE = 200
_NEWEST = 2000


class Client:
    """One organization's work items. Used from several threads at once."""

    def __init__(self, organization_url: str, transport: Transport) -> None:
        self._organization = organization_url.lower()
        self._cache = Cache(transport.cache)
        self._sdk = _load_sdk(transport.cache)
        self._api = self._sdk.WorkItems(organization_url, transport.session(explain), self._cache)
        self._workflows: dict[tuple[str, str], Workflow] = {}
        self._asking = threading.Lock()

    def read(self, item: str, *, description: bool = False) -> WorkItem:
        """One work item, in whichever of the organization's projects it is."""
        fields = [*answers.FIELDS, answers.DESCRIPTION] if description else [*answers.FIELDS]
        with self._understood():
            return answers.work_item(self._api.get_work_item(int(item), fields=fields))

    def change(self, item: str, steps: tuple[Step, ...]) -> WorkItem:
        """Send one patch document to a work item."""
        with self._understood(writing=True):
            return answers.work_item(self._api.update_work_item(self._document(steps), int(item)))

    def create(self, project: str, type: str, steps: tuple[Step, ...]) -> WorkItem:
        """Make a work item."""
        with self._understood(writing=True):
            made = self._api.create_work_item(self._document(steps), project, type)
            return answers.work_item(made)

    def workflow(self, project: str, type: str, *, anew: bool = False) -> Workflow:
        """A work item type's states and moves, asked for once a day, or `anew`."""
        name = (project.casefold(), type.casefold())
        # One thread asks, the others wait for its answer.
        with self._asking:
            known = None if anew else self.known_workflow(project, type)
            if known is None:
                with self._understood():
                    known = answers.workflow(self._api.get_work_item_type(project, type))
                self._cache.put("workflow", self._organization, *name, value=as_json(known))
            self._workflows[name] = known
        return known

    def comments_with(
        self, project: str, item: str, op: str, since: datetime
    ) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, oldest first."""
        try:
            found = list(self._comments(project, item, since))
        except (NotFound, NotOffered):
            # Servers before 2019 keep comments in updates only. And where an item was moved, its
            # old project's address need not lead to it; updates are asked for without a project.
            found = list(self._updates(item))
        refs = (remark.ref for remark in found if op in ops_in(remark.text))
        return tuple(sorted(refs, key=lambda ref: ref.created))

    def created_with(self, project: str, op: str, since: datetime) -> WorkItem | None:
        """The work item of the project whose description carries the marker of `op`."""
        ids = self._newest(project, since)
        for start in range(0, len(ids), _BATCH):
            for item in self._batch(ids[start : start + _BATCH]):
                if op in ops_in(answers.plain(item.description)):
                    return item
        return None

    def known_workflow(self, project: str, type: str) -> Workflow | None:
        """The same, where it is kept from an earlier request."""
        name = (project.casefold(), type.casefold())
        if name in self._workflows:
            return self._workflows[name]
        return from_json(self._cache.get("workflow", self._organization, *name))

    def _comments(self, project: str, item: str, since: datetime) -> Iterator[Remark]:
        token: str | None = None
        while True:
            with self._understood():
                page, token = answers.comments(
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
            with self._understood():
                page, size = answers.updates(self._api.get_updates(int(item), top=_PAGE, skip=seen))
            yield from page
            seen += size

    def _newest(self, project: str, since: datetime) -> list[int]:
        query = self._sdk.Wiql(query=newest_query(project, since))
        with self._understood(), reading():
            return answers.ids(self._api.query_by_wiql(query, time_precision=True, top=_NEWEST))

    def _batch(self, ids: list[int]) -> list[WorkItem]:
        # An item that is deleted in between shall not fail the others.
        request = self._sdk.WorkItemBatchGetRequest(
            ids=ids, fields=[*answers.FIELDS, answers.DESCRIPTION], error_policy="omit"
        )
        with self._understood(), reading():
            found = self._api.get_work_items_batch(request) or []
            return [answers.work_item(item) for item in found if item is not None]

    def _document(self, steps: tuple[Step, ...]) -> list[Any]:
        operation = self._sdk.JsonPatchOperation
        return [operation(op=step.op, path=step.path, value=step.value) for step in steps]

    @property
    def knows_routes(self) -> bool:
        """Whether the next request goes out by itself, without a look-up of addresses."""
        return bool(self._api.knows_routes)

    @contextmanager
    def _understood(self, *, writing: bool = False) -> Iterator[None]:
        try:
            yield
        except (ValidationError, *self._sdk.UNREADABLE) as error:
            raise unreadable(writing=writing) from error


def newest_query(project: str, since: datetime) -> str:
    """WIQL for the items that were made in a project since then, newest first.

    A quote within a string is written twice:
    https://learn.microsoft.com/azure/devops/boards/queries/wiql-syntax
    """
    name = project.replace("'", "''")
    moment = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (
        "SELECT [System.Id] FROM WorkItems "  # noqa: S608 (WIQL, and escaped)
        f"WHERE [System.TeamProject] = '{name}' AND [System.CreatedDate] >= '{moment}' "
        "ORDER BY [System.Id] DESC"
    )


_LOADING = threading.Lock()
_FOLDER = "AZURE_DEVOPS_CACHE_DIR"


def _load_sdk(folder: Path) -> Any:
    """Import the library.

    It makes a folder when it is imported, by default in the home directory, and fails where it
    cannot. Nothing that we use reads or writes there.
    """
    with _LOADING:
        before = os.environ.get(_FOLDER)
        os.environ[_FOLDER] = str(folder)
        try:
            from unlatch_ado import _sdk  # noqa: PLC0415
        finally:
            if before is None:
                del os.environ[_FOLDER]
            else:
                os.environ[_FOLDER] = before
    return _sdk
