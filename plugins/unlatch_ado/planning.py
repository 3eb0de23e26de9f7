"""What a change of a work item comes to, before any of it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from unlatch.errors import Rejected
from unlatch.spi import Goal, PlannedRequest, is_held_closed, must_move
from unlatch_ado.creation import linked_items
from unlatch_ado.patch import Plan, changed_tags, comment_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.spi import Change, Draft, RemoteItem
    from unlatch_ado.client import Client
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.tables import FieldValue
    from unlatch_ado.workflow import Workflow

Fields = tuple[tuple[str, "FieldValue"], ...]
_Request = tuple[str, str, str]


def plan_change(
    settings: AdoSettings,
    client: Client,
    item: RemoteItem,
    change: Change,
    *,
    rewrites: bool = False,
    parent: str | None = None,
) -> tuple[PlannedRequest, ...]:
    """The requests of a reopen, a close or an update, with their URLs in full.

    Args:
        rewrites: whether title and description are set as well, as in an update.
        parent: the number of the item's parent, if it is known to have one.
    """
    requests = _of_change(settings, client, item, change, rewrites=rewrites, parent=parent)
    return _in_full(settings, client, requests)


def plan_creation(
    settings: AdoSettings, client: Client, draft: Draft, change: Change
) -> tuple[PlannedRequest, ...]:
    """The requests that make a work item."""
    return _in_full(settings, client, _of_creation(settings, client, draft, change))


def target_state(
    settings: AdoSettings, item: RemoteItem, change: Change, workflow: Workflow
) -> str | None:
    """The state to go to; None if the item is where it shall be.

    Raises:
        Rejected: `no-legal-state`.
    """
    if change.goal is None or not must_move(item, change.goal):
        return None
    configured = settings.state_for(change.goal, item.type or "")
    return workflow.target(item.state, change.goal, configured=configured)


def patch_for(
    settings: AdoSettings,
    item: RemoteItem,
    change: Change,
    *,
    state: str | None,
    fields: Fields = (),
) -> Plan:
    """The one request that brings an item into `state` and does the rest of `change`."""
    moved: Fields = ()
    if state is not None and change.goal is not None:
        moved = (("System.State", state), *settings.fields.of(change.goal).items())
    return Plan(
        revision=int(item.revision) if item.revision else None,
        fields=moved + fields,
        tags=(item.labels, changed_tags(item.labels, change)),
        comment=comment_of(change),
    )


def _in_full(
    settings: AdoSettings, client: Client, requests: Iterable[_Request]
) -> tuple[PlannedRequest, ...]:
    look_up = ("OPTIONS", "/_apis", "ask for the addresses of requests (kept for a day)")
    return tuple(
        PlannedRequest(method, f"{settings.organization_url}{path}", what)
        for method, path, what in (*(() if client.knows_routes else (look_up,)), *requests)
    )


def _of_change(
    settings: AdoSettings,
    client: Client,
    item: RemoteItem,
    change: Change,
    *,
    rewrites: bool,
    parent: str | None,
) -> Iterator[_Request]:
    here, type_ = _item(item.ref.id), item.type or ""
    project = item.ref.target.partition("/")[2]
    workflow = client.projects.known_workflow(project, type_)
    states = f"/{quote(project)}/_apis/wit/workItemTypes/{quote(type_)}"
    yield "GET", here, "read the work item"
    if workflow is None:
        yield "GET", states, f"read the states of a {type_} (kept for a day)"
    if is_held_closed(item, change):
        return
    try:
        state = _state_in_words(settings, item, change, workflow)
    except Rejected as refusal:
        yield "GET", states, f"read the states of a {type_} again: {refusal.message}"
        return
    if state and change.goal is Goal.OPEN:
        yield from _beforehand(settings, client, project, parent)
    if rewrites or not patch_for(settings, item, change, state=state).is_empty:
        words = _in_words(settings, item, change, state, rewrites=rewrites)
        yield "PATCH", here, ", ".join(words)


def _beforehand(
    settings: AdoSettings, client: Client, project: str, parent: str | None
) -> Iterator[_Request]:
    """What `on_reopen` asks for, as far as it is known before the item was read with it."""
    wanted = settings.on_reopen
    if wanted.iteration == "current" and client.projects.known_iterations(project) is None:
        nodes = f"/{quote(project)}/_apis/wit/classificationNodes/iterations"
        yield "GET", nodes, "read the iterations, where it has one (kept for a day)"
    if wanted.assignee == "me":
        yield "GET", "/_apis/ConnectionData", "ask whose token it is, where the assignee has left"
    if parent is not None:
        yield "GET", _item(parent), "read the parent"
        if wanted.parent == "reopen":
            yield "PATCH", _item(parent), "reopen the parent, where it is closed"


def _of_creation(
    settings: AdoSettings, client: Client, draft: Draft, change: Change
) -> Iterator[_Request]:
    project, type_ = settings.project or "", settings.type_for(draft.type)
    items = linked_items(settings, draft)
    if items:
        numbers = ", ".join(item for _, item in items)
        yield "POST", "/_apis/wit/workItemsBatch", f"read the work items to link to: {numbers}"
    if client.projects.known_workflow(project, type_) is None:
        states = f"/{quote(project)}/_apis/wit/workItemTypes/{quote(type_)}"
        yield "GET", states, f"read the states of a {type_} (kept for a day)"
    words = [f"make a {type_} in {settings.target}"]
    words += [f"add tag {tag}" for tag in changed_tags((), change)]
    words += [f"link to {item} ({kind.rpartition('.')[2]})" for kind, item in items]
    back = settings.link_back(draft.increment)
    words += [f"link back to {back}"] if back else []
    words += [f"set {name} to {value}" for name, value in settings.fields.create.items()]
    made = f"/{quote(project)}/_apis/wit/workItems/${quote(type_)}"
    yield "POST", made, ", ".join(words)


def _item(number: str) -> str:
    return f"/_apis/wit/workItems/{number}"


def _state_in_words(
    settings: AdoSettings, item: RemoteItem, change: Change, workflow: Workflow | None
) -> str | None:
    if workflow is not None:
        return target_state(settings, item, change, workflow)
    if change.goal is None or not must_move(item, change.goal):
        return None
    configured = settings.state_for(change.goal, item.type or "")
    return configured or f"one that is {change.goal}, chosen from the states of its type"


def _in_words(
    settings: AdoSettings, item: RemoteItem, change: Change, state: str | None, *, rewrites: bool
) -> Iterator[str]:
    before, after = item.labels, changed_tags(item.labels, change)
    if rewrites:
        yield "set title and our part of the description, where they differ"
    if state and change.goal is not None:
        yield f"set state to {state}"
        fields = settings.fields.of(change.goal).items()
        yield from (f"set {name} to {value}" for name, value in fields)
    if change.comment is not None:
        yield "post the comment"
    yield from (f"add tag {tag}" for tag in after if tag not in before)
    yield from (f"remove tag {tag}" for tag in before if tag not in after)
