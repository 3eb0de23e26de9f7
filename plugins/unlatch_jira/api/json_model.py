"""Parse Jira's JSON into models, which keep its used parts; other modules read no raw answers.

A model takes the raw answer, and raises `Misread` for an undocumented one. Null fields count as
missing, since Jira sends either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.errors import Rejected
from unlatch.transport import answer as answer_fields
from unlatch.transport.answer import Misread

if TYPE_CHECKING:
    from collections.abc import Callable

    from requests import Response

_Model = TypeVar("_Model")


def parse(model: Callable[[Any], _Model], raw: Any) -> _Model:
    """`raw` as a model.

    Raises:
        Rejected: `answer-not-understood`; the message names the undocumented part.
    """
    try:
        return model(raw)
    except Misread as error:
        raise undocumented(f", {error}") from error


def content(answer: Response) -> Any:
    """The JSON of a complete answer; a proxy may send an empty one.

    Raises:
        Rejected: `answer-not-understood`.
    """
    try:
        return answer.json()
    except ValueError as error:
        raise undocumented(": it is empty or not JSON") from error


def undocumented(what: str) -> Rejected:
    """The error of an answer with another content than Jira documents."""
    return Rejected(
        "answer-not-understood",
        f"Jira's answer is not as documented{what}",
        hint="check that trackers.jira.site is a Jira site and api_version is right for it",
    )


def text(value: Any) -> str:
    """A string; ids are mostly strings, sometimes numbers."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else answer_fields.text(value)
