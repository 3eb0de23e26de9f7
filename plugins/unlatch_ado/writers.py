"""Writers: send requests, let the server validate them, or list them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from unlatch.errors import Forbidden
from unlatch.spi import PlannedRequest
from unlatch_ado.api.models import WorkItem
from unlatch_ado.api.patch import DESCRIPTION, HYPERLINK, ITERATION, STATE, TITLE, Link, Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from unlatch.errors import TrackerError
    from unlatch_ado.api.client import Client
    from unlatch_ado.api.workflow import Workflow
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.settings_types import FieldValue
    from unlatch_ado.snapshot import WorkItemSnapshot

T = TypeVar("T")


class Writer:
    """Sends the requests.

    Args:
        client: sends the requests.
        settings: the configuration, for code that decides about requests.
    """

    def __init__(self, client: Client, settings: AdoSettings) -> None:
        self._client = client
        self.settings = settings
        self.projects = client.projects

    def change(self, item: WorkItem, patch: Patch) -> WorkItem:
        """Change a work item; returns its new content."""
        return self._client.change(str(item.id), patch.steps(), is_silent=patch.is_silent)

    def check(self, item: WorkItem, patch: Patch) -> None:
        """Validate a change on the server without applying it (`validateOnly`).

        Raises:
            TrackerError: Azure DevOps refuses it.
        """
        self._client.would_change(str(item.id), patch.steps())

    def create(self, project: str, workflow: Workflow, patch: Patch) -> WorkItem:
        """Create a work item of a type."""
        return self._client.create(project, workflow.type, patch.steps(), is_silent=patch.is_silent)

    def read_linked(self, numbers: Sequence[str]) -> Mapping[str, WorkItem | TrackerError]:
        """Read the work items that a new one links to."""
        return self._client.read_many(numbers) if numbers else {}


class ValidatingWriter(Writer):
    """Lets the server validate each request, without effect."""

    def change(self, item: WorkItem, patch: Patch) -> WorkItem:
        """Validate a change; returns the work item as expected."""
        super().check(item, patch)
        return _changed(item, patch)

    def check(self, item: WorkItem, patch: Patch) -> None:
        """Do nothing: the change itself is validated."""

    def create(self, project: str, workflow: Workflow, patch: Patch) -> WorkItem:
        """Validate a new work item; returns it as expected."""
        self._client.would_create(project, workflow.type, patch.steps())
        return _new(project, workflow, patch)


class PreviewWriter(Writer):
    """Lists the requests instead of sending them; reads are also sent.

    Requests with answers cached for a day (addresses, work item types, iterations) are not listed.
    """

    def __init__(self, client: Client, settings: AdoSettings) -> None:
        super().__init__(client, settings)
        self._requests: list[PlannedRequest] = []

    @property
    def requests(self) -> tuple[PlannedRequest, ...]:
        """The requests so far, in order."""
        return tuple(self._requests)

    def was_read(self, seen: WorkItemSnapshot) -> None:
        """List the requests that read a work item."""
        self._list("GET", _path(seen.item.id), "read the work item")
        if seen.renewal.names_account:
            self._list("GET", "/_apis/ConnectionData", "read the account of the token")
        if seen.parent is not None:
            self._list("GET", _path(seen.item.parent), "read the parent")

    def change(self, item: WorkItem, patch: Patch) -> WorkItem:
        """List a change; returns the work item as expected."""
        self._list("PATCH", _path(item.id), ", ".join(in_words(patch)))
        return _changed(item, patch)

    def check(self, item: WorkItem, patch: Patch) -> None:
        """List the validating request."""
        _ = patch
        self._list("PATCH", _path(item.id), "check whether it can be reopened, without effect")

    def create(self, project: str, workflow: Workflow, patch: Patch) -> WorkItem:
        """List a new work item; returns it as expected."""
        words = [f"make a {workflow.type} in {self.settings.target_of(project)}", *in_words(patch)]
        path = f"/{quote(project)}/_apis/wit/workItems/${quote(workflow.type)}"
        self._list("POST", path, ", ".join(words))
        return _new(project, workflow, patch)

    def read_linked(self, numbers: Sequence[str]) -> Mapping[str, WorkItem | TrackerError]:
        """Read the work items that a new one links to, and list the request."""
        if numbers:
            words = f"read the work items to link to: {', '.join(numbers)}"
            self._list("POST", "/_apis/wit/workItemsBatch", words)
        return super().read_linked(numbers)

    def _list(self, method: str, path: str, what: str) -> None:
        url = f"{self.settings.organization_url}{path}"
        self._requests.append(PlannedRequest(method, url, what))


def _path(number: object) -> str:
    return f"/_apis/wit/workItems/{number}"


def _changed(item: WorkItem, patch: Patch) -> WorkItem:
    """The expected work item after a change."""
    new = dict(patch.fields)
    return replace(
        item,
        revision=item.revision + 1,
        state=str(new.get(STATE, item.state)),
        title=str(new.get(TITLE, item.title)),
        description=str(new.get(DESCRIPTION, item.description)),
        iteration=str(new.get(ITERATION, item.iteration)),
        tags=patch.tags[1],
    )


def _new(project: str, workflow: Workflow, patch: Patch) -> WorkItem:
    """The expected new work item, in the first state of its type."""
    state = next(iter(workflow.states), "")
    return _changed(WorkItem(0, 0, project, workflow.type, "", state, ()), patch)


def send_aloud(patch: Patch, send: Callable[[Patch], T], notes: list[str]) -> T:
    """Send a request; if the account may not suppress notifications, send it again with them.

    It needs the permission "Suppress notifications for work item updates":
    https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/update
    """
    try:
        return send(patch)
    except Forbidden as refusal:
        if not patch.is_silent or refusal.id == "tag-not-permitted":
            raise
    answer = send(replace(patch, is_silent=False))
    notes.append("notifications were sent: this account may not suppress them in the project")
    return answer


def send_dropping_tags(patch: Patch, send: Callable[[Patch], T]) -> tuple[T, tuple[str, ...]]:
    """Send a request; if tags may not be created, send it again without them.

    Nothing of the first request was applied then: 403 TF401289 refuses it as a whole.

    Returns:
        The answer, and the refused tags.
    """
    try:
        return send(patch), ()
    except Forbidden as refusal:
        if refusal.id != "tag-not-permitted" or not patch.new_tags:
            raise
        return send(patch.without_new_tags()), patch.new_tags


def notes_on_refused(tags: tuple[str, ...]) -> tuple[str, ...]:
    """A note that names the refused tags."""
    names = ", ".join(tags)
    note = f"not added, because this account may not create tags in the project: {names}"
    return (note,) if tags else ()


def in_words(patch: Patch) -> Iterator[str]:
    """The parts of a request, one after another."""
    for name, value in patch.fields:
        # A new item always gets its title and description.
        if patch.revision is not None or name not in (TITLE, DESCRIPTION):
            yield _field(name, value)
    if patch.comment is not None:
        yield "post the comment"
    yield from (f"add tag {tag}" for tag in patch.new_tags)
    yield from (f"remove tag {tag}" for tag in patch.lost_tags)
    yield from map(_link, patch.links)


def _field(name: str, value: FieldValue) -> str:
    if name == STATE:
        return f"set state to {value}"
    if name == TITLE:
        return "set the title"
    if name == DESCRIPTION:
        return "set our part of the description"
    return f"set {name} to {value}"


def _link(link: Link) -> str:
    if link.kind == HYPERLINK:
        return f"link back to {link.url}"
    return f"link to {link.url.rpartition('/')[2]} ({link.kind.rpartition('.')[2]})"
