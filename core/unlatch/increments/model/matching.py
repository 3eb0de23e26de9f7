"""Select increments by expressions: `status=completed`, `type=bug`, `title~words`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status, read_status
from unlatch.patterns import pattern
from unlatch.values import dataclass


class Trait(StrEnum):
    STATUS = "status"
    TYPE = "type"
    TITLE = "title"
    ID = "id"
    TRACKER = "tracker"
    REOPENED = "reopened"
    ARCHIVED = "archived"


# Fields that ~ can search.
_WORDS = frozenset({Trait.TYPE, Trait.TITLE, Trait.ID})
# Fields that = and != compare with alternatives, separated by commas.
_LISTS = frozenset({Trait.STATUS, Trait.TYPE, Trait.TRACKER})
_YES_OR_NO = frozenset({Trait.REOPENED, Trait.ARCHIVED})
_EXPRESSION = pattern(r"(?P<trait>\w+)\s*(?P<how>!=|=|~)\s*+(?P<value>.*)")
_SYNTAX = "use FIELD=VALUE, FIELD!=VALUE or FIELD~WORDS"
_ANSWERS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class Condition:
    """A parsed expression: = and != compare whole words, ~ looks for a part, without case.

    Args:
        values: alternatives, in lower case.
    """

    trait: Trait
    how: str
    values: frozenset[str]

    def holds(self, increment: Increment) -> bool:
        own = {value.casefold() for value in _values(self.trait, increment)}
        if self.how == "~":
            return any(wanted in value for value in own for wanted in self.values)
        return self.values.isdisjoint(own) is (self.how == "!=")


def read_condition(text: str) -> Condition:
    """Parse an expression; UsageError `filter-invalid` where it is wrong."""
    match = _EXPRESSION.fullmatch(text.strip())
    is_trait = match is not None and match["trait"].casefold() in set(Trait)
    if match is None or not is_trait or not match["value"]:
        raise _invalid(text, _SYNTAX)
    trait, how = Trait(match["trait"].casefold()), match["how"]
    if how == "~" and trait not in _WORDS:
        raise _invalid(text, f"{trait} allows only = and !=")
    is_list = trait in _LISTS and how != "~"
    words = alternatives([match["value"]]) if is_list else (match["value"],)
    if not words:
        raise _invalid(text, _SYNTAX)
    return Condition(trait, how, frozenset(_read_value(trait, word, text) for word in words))


def alternatives(values: Iterable[str]) -> tuple[str, ...]:
    """Values that may be given together, separated by commas."""
    parts = (part.strip() for value in values for part in value.split(","))
    return tuple(filter(None, parts))


def _read_value(trait: Trait, word: str, text: str) -> str:
    if trait is Trait.STATUS:
        if (status := read_status(word)) is None:
            raise _invalid(text, f"the status must be one of {', '.join(Status)}")
        return status.value
    if trait in _YES_OR_NO:
        if word.casefold() not in _ANSWERS:
            raise _invalid(text, f"{trait} must be yes or no")
        return _answer(_ANSWERS[word.casefold()])
    return word.casefold()


def matching(
    increments: Iterable[Increment], conditions: Sequence[Condition]
) -> tuple[Increment, ...]:
    """The increments that fulfil all conditions; archived ones only if a condition names them."""
    if not any(condition.trait is Trait.ARCHIVED for condition in conditions):
        conditions = (*conditions, Condition(Trait.ARCHIVED, "=", frozenset({"no"})))
    return tuple(
        increment for increment in increments if all(each.holds(increment) for each in conditions)
    )


def _values(trait: Trait, increment: Increment) -> tuple[str, ...]:
    if trait is Trait.TRACKER:
        return tuple(link.tracker for link in increment.links)
    return (_VALUES[trait](increment),)


def _answer(is_so: bool) -> str:
    return "yes" if is_so else "no"


_VALUES: Mapping[Trait, Callable[[Increment], str]] = {
    Trait.STATUS: lambda increment: increment.status.value,
    Trait.TYPE: lambda increment: increment.type or "none",
    Trait.TITLE: lambda increment: increment.title,
    Trait.ID: lambda increment: increment.id,
    Trait.REOPENED: lambda increment: _answer(bool(increment.effective_reopens)),
    Trait.ARCHIVED: lambda increment: _answer(increment.archived),
}


def _invalid(text: str, why: str) -> UsageError:
    hint = f"for example status=completed or title~words; fields: {', '.join(Trait)}"
    return UsageError("filter-invalid", f"invalid filter {text!r}: {why}", hint=hint)
