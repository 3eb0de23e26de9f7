"""What a change of a work item comes to, before any of it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from unlatch.errors import Rejected
from unlatch.spi import PlannedRequest, is_held_closed, must_move
from unlatch_ado.patch import Plan, changed_tags, comment_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import Change, RemoteItem
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.workflow import Workflow

Fields = tuple[tuple[str, str], ...]


def plan(
    settings: AdoSettings,
    item: RemoteItem,
    change: Change,
    *,
    rewrites: bool = False,
    workflow: Workflow | None,
    knows_routes: bool,
) -> tuple[PlannedRequest, ...]:
    """The requests of a reopen, a close or an update, with their URLs in full.

    Args:
        rewrites: whether title and description are set as well, as in an update.
        workflow: the states of the item's type, where they are kept from an earlier request.
        knows_routes: whether the library's look-up of addresses is kept from an earlier request.
    """
    requests = _requests(settings, item, change, workflow, rewrites=rewrites)
    look_up = ("OPTIONS", "/_apis", "ask for the addresses of requests (kept for a day)")
    return tuple(
        PlannedRequest(method, f"{settings.organization_url}{path}", what)
        for method, path, what in (*(() if knows_routes else (look_up,)), *requests)
    )


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


def patch_for(item: RemoteItem, change: Change, *, state: str | None, fields: Fields = ()) -> Plan:
    """The one request that brings an item into `state` and does the rest of `change`."""
    return Plan(
        revision=int(item.revision) if item.revision else None,
        fields=((("System.State", state),) if state else ()) + fields,
        tags=(item.labels, changed_tags(item.labels, change)),
        comment=comment_of(change),
    )


def _requests(
    settings: AdoSettings,
    item: RemoteItem,
    change: Change,
    workflow: Workflow | None,
    *,
    rewrites: bool,
) -> Iterator[tuple[str, str, str]]:
    here = f"/_apis/wit/workItems/{item.ref.id}"
    type_ = item.type or ""
    project = quote(item.ref.target.partition("/")[2])
    states = f"/{project}/_apis/wit/workItemTypes/{quote(type_)}"
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
    if rewrites or not patch_for(item, change, state=state).is_empty:
        yield "PATCH", here, ", ".join(_in_words(item, change, state, rewrites=rewrites))


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
    item: RemoteItem, change: Change, state: str | None, *, rewrites: bool
) -> Iterator[str]:
    before, after = item.labels, changed_tags(item.labels, change)
    if rewrites:
        yield "set title and our part of the description, where they differ"
    if state:
        yield f"set state to {state}"
    if change.comment is not None:
        yield "post the comment"
    yield from (f"add tag {tag}" for tag in after if tag not in before)
    yield from (f"remove tag {tag}" for tag in before if tag not in after)
