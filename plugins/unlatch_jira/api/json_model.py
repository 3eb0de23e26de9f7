"""Parse Jira's JSON into models, which keep its used parts; other modules read no raw answers.

A model takes the raw answer, and raises `Misread` for an undocumented one. Null fields count as
missing, since Jira sends either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.errors import Rejected
from unlatch.transport import answer_fields
from unlatch.transport.answer_fields import Misread

if TYPE_CHECKING:
    from collections.abc import Callable

_Model = TypeVar("_Model")


def parse(model: Callable[[Any], _Model], raw: Any) -> _Model:
    """`raw` as a model.

    Raises:
        Rejected: `answer-not-understood`; the message names the undocumented part.
    """
    try:
        return model(raw)
    except Misread as error:
        raise Rejected(
            "answer-not-understood",
            f"Jira's answer is not as documented, {error}",
            hint="check that trackers.jira.site is a Jira site and api_version is right for it",
        ) from error


def text(value: Any) -> str:
    """A string; ids are mostly strings, sometimes numbers."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else answer_fields.text(value)
