"""A project's rules for reopening completed increments."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from unlatch.errors import StoreError, UsageError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.policies import Policy, RuleViolation
from unlatch.values import dataclass

LONGEST_CATEGORY = 60


@dataclass(frozen=True, slots=True)
class ReopenRules:
    """The rules, each followed by the policy for its violation.

    Args:
        within_days: the number of days after completion in which it is allowed.
        categories: the categories of reasons; none means any word.
        from_nth: the first reopen that is too many.
    """

    within_days: int | None = None
    too_late: Policy = Policy.REFUSE
    categories: tuple[str, ...] = ()
    category_required: bool = False
    category_missing: Policy = Policy.REFUSE
    from_nth: int | None = None
    frequent: Policy = Policy.WARN


def category_of(word: str | None, rules: ReopenRules) -> str | None:
    """A category, in the spelling of the project's list if any; UsageError `category-unknown`."""
    if word is None:
        return None
    word = word.strip()
    spellings = {category.casefold(): category for category in rules.categories}
    category = spellings.get(word.casefold(), "") if spellings else word
    if not _is_word(category):
        hint = f"one of {', '.join(rules.categories)}" if spellings else "one word, such as bug"
        message = f"{word[:LONGEST_CATEGORY]!r} is not a configured category"
        raise UsageError("category-unknown", message, hint=hint)
    return category


def _is_word(text: str) -> bool:
    return 0 < len(text) <= LONGEST_CATEGORY and text.replace("-", "").replace("_", "").isalnum()


def reopen_violations(
    increment: Increment, rules: ReopenRules, *, category: str | None, now: datetime
) -> Iterator[RuleViolation]:
    yield from _too_late(increment, rules, now)
    if rules.category_required and category is None:
        kinds = ", ".join(rules.categories) or "one word"
        hint = f"--category WORD ({kinds})"
        error = UsageError("category-missing", "the reason needs a category", hint=hint)
        yield RuleViolation(error, rules.category_missing)
    yield from _too_often(increment, rules)


def _too_late(increment: Increment, rules: ReopenRules, now: datetime) -> Iterator[RuleViolation]:
    finished = increment.completed_at or increment.last_activity
    if rules.within_days is None or finished is None:
        return
    if now - finished > timedelta(days=rules.within_days):
        allowed = f"reopening is for the first {rules.within_days} days (reopen.within_days)"
        message = f"it was completed on {finished:%Y-%m-%d}; {allowed}"
        hint = "make a new increment for the work: unlatch new TITLE"
        yield RuleViolation(StoreError("reopen-too-late", message, hint=hint), rules.too_late)


def _too_often(increment: Increment, rules: ReopenRules) -> Iterator[RuleViolation]:
    number = increment.effective_reopens + 1
    if rules.from_nth is not None and number >= rules.from_nth:
        message = f"this is reopen number {number} (reopen.from_nth is {rules.from_nth})"
        hint = "consider a new increment: unlatch new TITLE"
        yield RuleViolation(StoreError("reopened-too-often", message, hint=hint), rules.frequent)
