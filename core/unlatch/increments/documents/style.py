"""How a file writes its tasks, told from the tasks that it has."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from unlatch.increments.documents.state_words import State, read_status, state_of_box

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.documents.fields import Field
    from unlatch.increments.documents.tasks import Place

STATUS_LABEL = "**Status**: "
STORY_LABEL = "**User Story**: "
CRITERIA_LABEL = "**Satisfies ACs**: "

_T = TypeVar("_T")


def most_common(values: Iterable[_T]) -> _T | None:
    """The value that occurs most, of equals the first; None if there is none."""
    ranked = Counter(values).most_common(1)
    return ranked[0][0] if ranked else None


def spelling(places: Sequence[Place], *, done: bool) -> str | None:
    """How most of these tasks that are done, or open, write it; None if none does."""
    wanted = State.DONE if done else State.OPEN
    statuses = [read_status(place.status.value) for place in places if place.status]
    written = (status.spelling for status in statuses if status.state is wanted)
    return most_common(written) or None


def decoration(places: Iterable[Place]) -> tuple[str, str]:
    """What done tasks have before the id and behind the title of their heading."""
    done = (place.heading for place in places if place.state is State.DONE)
    shapes = (
        (
            heading.mark if heading.mark_state is State.DONE else "",
            heading.suffix if heading.suffix_state is State.DONE else "",
        )
        for heading in done
        if not heading.mark.startswith("[")
    )
    return most_common(shapes) or ("", "")


def box_mark(mark: str, *, done: bool) -> str | None:
    """A heading's mark with its check box set or cleared; None if it is no check box."""
    if not mark.startswith("["):
        return None
    is_done = state_of_box(mark) is State.DONE
    return mark if is_done is done else ("[x]" if done else "[ ]") + mark[3:]


def label(fields: Iterable[Field | None], default: str) -> str:
    """What stands before such a value in most tasks."""
    found = most_common(field.label for field in fields if field) or default
    return found if found.endswith((" ", "\t")) else found + " "


def is_bare(status_label: str) -> bool:
    """Whether a check box without a label stands for the status: "- [x] Completed"."""
    return "status" not in status_label.lower()


def status_label(places: Sequence[Place], words: str | None) -> str:
    """What stands before a status in most tasks, if `words` can stand behind it."""
    found = label((place.status for place in places), STATUS_LABEL)
    status = read_status(words or "")
    return STATUS_LABEL if is_bare(found) and not (status.box and status.word) else found
