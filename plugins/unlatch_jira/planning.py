"""What a change of an issue comes to, before any of it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import Goal, PlannedRequest, is_held_closed, must_move

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import Change, RemoteItem
    from unlatch_jira.settings import JiraSettings


def plan(
    settings: JiraSettings,
    api: str,
    item: RemoteItem,
    change: Change,
    *,
    rewrites: bool = False,
) -> tuple[PlannedRequest, ...]:
    """The requests of a reopen, a close or an update, with their URLs in full.

    Which transition it will be, Jira's answer to the first request tells. What some workflows and
    servers want besides (a look at required fields, a comment by itself where an edit drops it) is
    left out.

    Args:
        api: what the addresses of requests begin with.
        rewrites: whether summary and description are set as well, as in an update.
    """
    below = f"{api}/issue/{item.ref.id}"
    return tuple(
        PlannedRequest(method, f"{below}{path}", what)
        for method, path, what in _requests(settings, item, change, rewrites=rewrites)
    )


def labels_to_add(item: RemoteItem, change: Change) -> tuple[str, ...]:
    """The labels that the issue shall have and has not."""
    return tuple(name for name in change.add_labels if name not in item.labels)


def labels_to_remove(item: RemoteItem, change: Change) -> tuple[str, ...]:
    """The labels that the issue has and shall not have."""
    return tuple(name for name in change.remove_labels if name in item.labels)


def _requests(
    settings: JiraSettings, item: RemoteItem, change: Change, *, rewrites: bool
) -> Iterator[tuple[str, str, str]]:
    offered = "" if change.goal is None else " and the transitions that it offers"
    yield "GET", "", f"read the issue{offered}"
    if not settings.allows(item.ref) or is_held_closed(item, change):
        return
    goal = change.goal if change.goal is not None and must_move(item, change.goal) else None
    if goal is not None:
        yield from _transitions(settings, item, goal)
    if change.goal is Goal.OPEN and "children" in change.options:
        below = "read it, take a transition to an open status, and comment"
        yield "GET", "", f"for each closed child that a search lists: {below}"
    if edits := _edits(item, change, rewrites=rewrites):
        yield "PUT", "", ", ".join(edits)
    # Cloud answers an edit with the issue.
    if (goal is not None or edits) and not (edits and settings.is_cloud):
        yield "GET", "", "read the issue back"


def _transitions(
    settings: JiraSettings, item: RemoteItem, goal: Goal
) -> Iterator[tuple[str, str, str]]:
    way = settings.paths.towards(goal, item.state)
    for number, step in enumerate(way):
        if number:
            yield "GET", "", "read the issue and the transitions that it offers"
        yield "POST", "/transitions", f"take the configured path: {step}"
    if not way:
        yield "POST", "/transitions", _transition(settings, item, goal)


def _transition(settings: JiraSettings, item: RemoteItem, goal: Goal) -> str:
    configured = settings.transitions_at(item.ref.target, item.type).towards(goal)
    if configured is not None:
        return f"take the configured transition, {configured}"
    side = "an open" if goal is Goal.OPEN else "a done"
    return f"take one transition to {side} status, chosen from what the issue offers"


def _edits(item: RemoteItem, change: Change, *, rewrites: bool) -> list[str]:
    return [
        *(["set summary and our part of the description, where they differ"] if rewrites else []),
        *(["post the comment"] if change.comment is not None else []),
        *(f"add label {name}" for name in labels_to_add(item, change)),
        *(f"remove label {name}" for name in labels_to_remove(item, change)),
    ]
