"""Read the past of a work item: its comments with markers, and its changes of state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Conflict, NotFound, Rejected, Unauthorised
from unlatch.spi import ItemHistory, MarkedComment, StateChange, ops_in

if TYPE_CHECKING:
    from unlatch_ado.api.client import Client
    from unlatch_ado.api.workflow import Workflow


def read_history(client: Client, project: str, number: str) -> ItemHistory:
    """The comments with markers, and the changes of state.

    The token's account, and the states of the type, are only read if there is anything to judge.
    """
    marked = [one for one in client.remarks(project, number) if ops_in(one.text)]
    updates = [one for one in client.updates(number) if one.state is not None]
    me = client.projects.find_account() if marked or updates else None
    workflow = _find_workflow(client, number) if updates else None
    comments = (
        MarkedComment(
            one.ref.id,
            one.text,
            one.author.name,
            edited=one.edited,
            created=one.ref.created,
            own=one.author.is_same_as(me),
        )
        for one in marked
    )
    changes = (
        StateChange(
            one.at,
            one.state,
            one.author.name,
            one.author.is_same_as(me),
            _is_open(workflow, one.state),
        )
        for one in updates
        if one.at is not None and one.state is not None
    )
    return ItemHistory(tuple(comments), tuple(changes))


def _find_workflow(client: Client, number: str) -> Workflow | None:
    """The states of the type that a work item has now; None if they cannot be read."""
    try:
        item = client.read(number)
        return client.projects.workflow(item.project, item.type)
    except (Conflict, NotFound, Rejected, Unauthorised):
        return None


def _is_open(workflow: Workflow | None, state: str) -> bool | None:
    """Whether a state counts as open; None if the type does not have it any more."""
    category = workflow.category(state) if workflow else None
    return None if category is None else category.is_open
