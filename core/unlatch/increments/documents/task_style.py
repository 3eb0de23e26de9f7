"""The style in which a file writes the status of its tasks: that of most of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from unlatch.increments.documents.state_words import State, Status, opposite, read_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.documents.tasks import Field, TaskBlock

_STATUS_LABEL = "**Status**: "
_T = TypeVar("_T")


class StatusStyle:
    """How a file writes the status of its tasks."""

    def __init__(self, blocks: Sequence[TaskBlock]) -> None:
        self.blocks = blocks
        statuses = [read_status(block.status.value) for block in blocks if block.status]
        self._spellings = {
            state: most_common(one.spelling for one in statuses if one.state is state)
            for state in (State.DONE, State.OPEN)
        }

    def spelling(self, *, done: bool) -> str | None:
        """The spelling of most tasks that are done, or open; None if there is none."""
        return self._spellings[State.DONE if done else State.OPEN] or None

    def words(self, own: Status | None = None, *, done: bool) -> str:
        """The status of a task; `own` is its present one, the example in a file without others."""
        contrary = self.spelling(done=not done)
        example = read_status(contrary) if contrary else own
        return self.spelling(done=done) or opposite(example, done=done)

    def label(self, words: str | None) -> str:
        """The label of most statuses, if `words` can stand behind it."""
        found = label((block.status for block in self.blocks), _STATUS_LABEL)
        status = read_status(words or "")
        return _STATUS_LABEL if is_bare(found) and not (status.box and status.word) else found

    def decoration(self) -> tuple[str, str]:
        """The marks before the id and after the title that the headings of done tasks have."""
        shapes = (
            (
                heading.mark if heading.mark_state is State.DONE else "",
                heading.suffix if heading.suffix_state is State.DONE else "",
            )
            for block in self.blocks
            if block.state is State.DONE and not (heading := block.heading).mark.startswith("[")
        )
        return most_common(shapes) or ("", "")


def most_common(values: Iterable[_T]) -> _T | None:
    """The most frequent value, of equals the first; None if there is none."""
    ranked = Counter(values).most_common(1)
    return ranked[0][0] if ranked else None


def label(fields: Iterable[Field | None], default: str) -> str:
    """The most frequent label, with a space at its end."""
    found = most_common(field.label for field in fields if field) or default
    return found if found.endswith((" ", "\t")) else found + " "


def is_bare(status_label: str) -> bool:
    """Whether a check box without a label stands for the status: "- [x] Completed"."""
    return "status" not in status_label.lower()
