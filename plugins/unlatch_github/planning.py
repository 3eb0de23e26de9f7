"""What a change of an issue comes to, before any of it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import PlannedRequest, is_held_closed, must_move
from unlatch_github.client import STATES, comments_path, issue_path, label_path, labels_path
from unlatch_github.labels import within, without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import Change, RemoteItem
    from unlatch_github.settings import GithubSettings


def plan(
    settings: GithubSettings, item: RemoteItem, change: Change, *, rewrites: bool = False
) -> tuple[PlannedRequest, ...]:
    """The requests of a reopen, a close or an update, with their URLs in full.

    Args:
        rewrites: whether title and body are set as well, as in an update.
    """
    return tuple(
        PlannedRequest(method, f"{settings.api_url}{path}", what)
        for method, path, what in _requests(item, change, rewrites=rewrites)
    )


def labels_to_add(item: RemoteItem, change: Change) -> tuple[str, ...]:
    """The labels that the issue shall have and has not."""
    return without(change.add_labels, item.labels)


def labels_to_remove(item: RemoteItem, change: Change) -> tuple[str, ...]:
    """The labels that the issue has and shall not have, as it spells them."""
    return within(item.labels, change.remove_labels)


def _requests(
    item: RemoteItem, change: Change, *, rewrites: bool
) -> Iterator[tuple[str, str, str]]:
    ref = item.ref
    yield "GET", issue_path(ref), "read the issue"
    if is_held_closed(item, change):
        return
    if rewrites:
        yield "PATCH", issue_path(ref), "set title and our part of the body, where they differ"
    if change.goal is not None and must_move(item, change.goal):
        yield "PATCH", issue_path(ref), f"set state to {STATES[change.goal][0]}"
    if change.comment is not None:
        yield "POST", comments_path(ref), "post the comment"
    if names := labels_to_add(item, change):
        yield "POST", labels_path(ref), f"add label {', '.join(names)}"
    for name in labels_to_remove(item, change):
        yield "DELETE", label_path(ref, name), f"remove label {name}"
