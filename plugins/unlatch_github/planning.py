"""What a change of an issue comes to, before any of it is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.spi import PlannedRequest, is_held_closed, must_move
from unlatch_github import paths
from unlatch_github.client import STATES
from unlatch_github.labels import within, without
from unlatch_github.settings import OnReopen
from unlatch_github.standing import leaves_milestone, wants_assignee
from unlatch_github.wishes import Wishes, wishes_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import Change, Draft, RemoteItem
    from unlatch_github.reading import Milestone
    from unlatch_github.settings import GithubSettings

Request = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known from answers besides the item.

    Args:
        milestone: the issue's, as it was last read.
        login: whether it is known whom the token belongs to.
    """

    milestone: Milestone | None = None
    login: bool = False


def plan(
    settings: GithubSettings, item: RemoteItem, change: Change, draft: Draft | None, known: Known
) -> tuple[PlannedRequest, ...]:
    """The requests of a reopen, a close or, with a draft, an update, with their URLs in full."""
    wishes = wishes_in(draft.wishes) if draft else None
    wanted = settings.on_reopen if opens(change, draft) else OnReopen()
    return _in_full(settings, _requests(item, change, wishes, known, wanted))


def plan_create(
    settings: GithubSettings, target: str, change: Change, draft: Draft
) -> tuple[PlannedRequest, ...]:
    """The requests that make an issue."""
    return _in_full(settings, _create_requests(target, change, wishes_in(draft.wishes)))


def opens(change: Change, draft: Draft | None) -> bool:
    """Whether a change is a reopen."""
    return draft is None and change.goal is not None and STATES[change.goal][0] == "open"


def labels_to_add(item: RemoteItem, change: Change) -> tuple[str, ...]:
    """The labels that the issue shall have and has not."""
    return without(change.add_labels, item.labels)


def labels_to_remove(item: RemoteItem, change: Change) -> tuple[str, ...]:
    """The labels that the issue has and shall not have, as it spells them."""
    return within(item.labels, change.remove_labels)


def state_fields(
    item: RemoteItem, milestone: Milestone | None, change: Change, wanted: OnReopen
) -> dict[str, Any]:
    """What has to be set for the issue to reach the goal; nothing if it is there."""
    fields: dict[str, Any] = {}
    if change.goal is not None and must_move(item, change.goal):
        state, reason = STATES[change.goal]
        fields |= {"state": state, "state_reason": reason}
    if leaves_milestone(milestone, wanted):
        fields["milestone"] = None
    return fields


def needs_lookup(wishes: Wishes, milestone: Milestone | None) -> bool:
    """Whether it has to be found out which milestone is meant."""
    wish = wishes.milestone
    if not isinstance(wish, str):
        return False
    return milestone is None or milestone.title.casefold() != wish.casefold()


def _in_full(settings: GithubSettings, requests: Iterator[Request]) -> tuple[PlannedRequest, ...]:
    return tuple(
        PlannedRequest(
            method,
            paths.graphql_url(settings.api_url)
            if path == paths.GRAPHQL
            else f"{settings.api_url}{path}",
            what,
        )
        for method, path, what in requests
    )


def _requests(
    item: RemoteItem, change: Change, wishes: Wishes | None, known: Known, wanted: OnReopen
) -> Iterator[Request]:
    ref = item.ref
    yield "GET", paths.issue_path(ref), "read the issue"
    if is_held_closed(item, change):
        return
    if wishes is not None:
        yield from _rewrites(item, wishes, known)
    if fields := state_fields(item, known.milestone, change, wanted):
        yield "PATCH", paths.issue_path(ref), " and ".join(_in_words(fields))
    if change.comment is not None:
        yield "POST", paths.comments_path(ref), "post the comment"
    if names := labels_to_add(item, change):
        yield "POST", paths.labels_path(ref), f"add label {', '.join(names)}"
    for name in labels_to_remove(item, change):
        yield "DELETE", paths.label_path(ref, name), f"remove label {name}"
    if wants_assignee(item.assignee, wanted):
        if not known.login:
            yield "GET", paths.USER, "find out whom the token belongs to"
        yield "POST", paths.assignees_path(ref), "assign it to the token's account"
    if wanted.project == "report":
        yield "POST", paths.GRAPHQL, "read its status in projects"


def _rewrites(item: RemoteItem, wishes: Wishes, known: Known) -> Iterator[Request]:
    if needs_lookup(wishes, known.milestone):
        yield "GET", paths.milestones_path(item.ref.target), "find the milestone"
    what = "set title and our part of the body, where they differ"
    if wishes.milestone is not None or wishes.type is not None:
        what = "set title, our part of the body, milestone and type, where they differ"
    yield "PATCH", paths.issue_path(item.ref), what
    there = {login.casefold() for login in (item.assignee or "").split(", ")}
    if new := [login for login in wishes.assignees if login.casefold() not in there]:
        yield "POST", paths.assignees_path(item.ref), f"assign it to {', '.join(new)}"


def _create_requests(target: str, change: Change, wishes: Wishes) -> Iterator[Request]:
    if needs_lookup(wishes, None):
        yield "GET", paths.milestones_path(target), "find the milestone"
    yield "POST", paths.issues_path(target), "make the issue with its labels"
    if change.comment is not None:
        yield "POST", f"{paths.issues_path(target)}/NUMBER/comments", "post the comment"


def _in_words(fields: dict[str, Any]) -> Iterator[str]:
    if "state" in fields:
        yield f"set state to {fields['state']}"
    if "milestone" in fields:
        yield "take it out of its closed milestone"
