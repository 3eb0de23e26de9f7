"""Select increments by expressions: `status=completed`, `type=bug`, `title~words`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status, read_status


class Trait(StrEnum):
    STATUS = "status"
    TYPE = "type"
    TITLE = "title"
    ID = "id"
    TRACKER = "tracker"
    ARCHIVED = "archived"


# Fields that ~ can search.
_WORDS = frozenset({Trait.TYPE, Trait.TITLE, Trait.ID})
_EXPRESSION = re.compile(r"\s*(?P<trait>\w+)\s*(?P<how>!=|=|~)\s*(?P<value>.*?)\s*")
_ANSWERS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class Condition:
    """A parsed expression: = and != compare whole words, ~ looks for a part, without case."""

    trait: Trait
    how: str
    value: str

    def holds(self, increment: Increment) -> bool:
        wanted = self.value.casefold()
        values = {value.casefold() for value in _values(self.trait, increment)}
        if self.how == "~":
            return any(wanted in value for value in values)
        return (wanted in values) is (self.how == "=")


def read_condition(text: str) -> Condition:
    """Parse an expression; UsageError `filter-invalid` where it is wrong."""
    match = _EXPRESSION.fullmatch(text)
    known = match is not None and match["trait"].casefold() in set(Trait)
    if match is None or not known or not match["value"]:
        raise _invalid(text, "use FIELD=VALUE, FIELD!=VALUE or FIELD~WORDS")
    trait, value = Trait(match["trait"].casefold()), match["value"]
    if match["how"] == "~" and trait not in _WORDS:
        raise _invalid(text, f"{trait} allows only = and !=")
    if trait is Trait.STATUS:
        if (status := read_status(value)) is None:
            raise _invalid(text, f"the status must be one of {', '.join(Status)}")
        value = status.value
    if trait is Trait.ARCHIVED:
        if value.casefold() not in _ANSWERS:
            raise _invalid(text, "archived must be yes or no")
        value = "yes" if _ANSWERS[value.casefold()] else "no"
    return Condition(trait, match["how"], value)


def matching(
    increments: Iterable[Increment], conditions: Sequence[Condition]
) -> tuple[Increment, ...]:
    """The increments that fulfil all conditions; archived ones only if a condition names them."""
    if not any(one.trait is Trait.ARCHIVED for one in conditions):
        conditions = (*conditions, Condition(Trait.ARCHIVED, "=", "no"))
    return tuple(one for one in increments if all(each.holds(one) for each in conditions))


def _values(trait: Trait, increment: Increment) -> tuple[str, ...]:
    if trait is Trait.TRACKER:
        return tuple(link.tracker for link in increment.links)
    values = {
        Trait.STATUS: increment.status.value,
        Trait.TYPE: increment.type or "none",
        Trait.TITLE: increment.title,
        Trait.ID: increment.id,
        Trait.ARCHIVED: "yes" if increment.archived else "no",
    }
    return (values[trait],)


def _invalid(text: str, why: str) -> UsageError:
    hint = f"for example status=completed or title~words; fields: {', '.join(Trait)}"
    return UsageError("filter-invalid", f"invalid filter {text!r}: {why}", hint=hint)
