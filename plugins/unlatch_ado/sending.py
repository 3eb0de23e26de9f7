"""Sending a request in full or without refused tags, and reading its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from unlatch.errors import Forbidden, TrackerError
from unlatch_ado.errors import unreadable
from unlatch_ado.seeing import Seen, understand

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi import Change
    from unlatch_ado.answers import WorkItem
    from unlatch_ado.patch import Patch
    from unlatch_ado.projects import Projects
    from unlatch_ado.settings import AdoSettings

T = TypeVar("T")


def was_commented(seen: Seen, answer: WorkItem, change: Change) -> bool:
    """Whether the answer shows that the comment was posted: a request is taken as a whole."""
    return change.comment is not None and answer.revision > seen.item.revision


def sent(patch: Patch, send: Callable[[Patch], T]) -> tuple[T, tuple[str, ...]]:
    """Send a request; where tags may not be created, once more without them.

    Nothing of the first request was taken then: 403 TF401289 refuses it as a whole.

    Returns:
        The answer, and the tags that were refused.
    """
    try:
        return send(patch), ()
    except Forbidden as refusal:
        if refusal.id != "tag-not-permitted" or not patch.new_tags:
            raise
        return send(patch.without_new_tags()), patch.new_tags


def notes_on_refused(tags: tuple[str, ...]) -> tuple[str, ...]:
    """A note that names the tags that were refused."""
    names = ", ".join(tags)
    note = f"not added, because this account may not create tags in the project: {names}"
    return (note,) if tags else ()


def answered(settings: AdoSettings, projects: Projects, answer: WorkItem) -> Seen:
    """The answer to a change, understood.

    Raises:
        UnknownOutcome: it cannot be; the change was made all the same.
    """
    try:
        return understand(settings, projects, answer)
    except TrackerError as error:
        raise unreadable(writing=True) from error
