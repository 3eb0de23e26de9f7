"""The options of unlatch list: filters, order and number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import complete_tracker, filter_option, flag, together
from unlatch.errors import UsageError
from unlatch.increments.model.matching import Condition, Trait, alternatives, read_condition
from unlatch.increments.model.status import Status, read_status
from unlatch.lifecycle.lists.listing import Filters, Listing, Order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.limits import Limits


def _beginning(begun: str, words: Iterable[str]) -> list[str]:
    """The words that complete one that is begun."""
    return [str(word) for word in words if word.startswith(begun)]


_KEYS = [*(key.value for key in Order), *(f"-{key}" for key in Order)]
# `take_listing` reads them.
listing = together(
    flag("--all", "everything", help="Also list archived increments."),
    flag("--items", help="List the items that were reopened or closed alone."),
    filter_option(
        "--status",
        "statuses",
        metavar="STATUS",
        multiple=True,
        shell_complete=lambda _ctx, _option, begun: _beginning(begun, Status),
        help="Only list these statuses (repeat, or separate them by commas).",
    ),
    filter_option(
        "--type",
        "types",
        metavar="TYPE",
        multiple=True,
        help="Only list these types (bug,feature); none for increments without a type.",
    ),
    filter_option(
        "--tracker",
        "trackers",
        metavar="NAME",
        multiple=True,
        shell_complete=complete_tracker,
        help="Only list increments with an item on these trackers.",
    ),
    flag("--reopened", help="Only list increments that were reopened."),
    flag("--stale", help="Only list increments without activity for longer than [limits] allows."),
    click.option(
        "--since",
        metavar="TIME",
        help="Only list increments with activity since this day or time (UTC); 30d for 30 days.",
    ),
    filter_option(
        "--search",
        "words",
        metavar="WORDS",
        help="Only list increments with these words in the title, the ID or a reason.",
    ),
    click.option(
        "--matching",
        "expressions",
        metavar="EXPR",
        multiple=True,
        help="Only list increments matching EXPR (type!=bug, title~words), as resume "
        "--all-matching does; repeat to combine.",
    ),
    click.option(
        "--sort",
        "key",
        type=click.Choice(_KEYS),
        metavar="KEY",
        help="Sort by id, created, activity, status, title or reopened; -KEY reverses.",
    ),
    flag("--reverse", help="Reverse the order."),
    click.option(
        "--limit", type=click.IntRange(min=1), metavar="N", help="List at most N increments."
    ),
)


def take_listing(
    context: Context,
    *,
    everything: bool,
    key: str | None,
    reverse: bool,
    limit: int | None,
    **options: Any,
) -> tuple[Listing, int]:
    """The list that was asked for, and the number of archived increments that it leaves out.

    Raises:
        UsageError: `status-unknown`, `filter-invalid`, `time-unknown` or `unknown-tracker`.
    """
    filters = _filters(context, **options)
    wants_archived = any(condition.trait is Trait.ARCHIVED for condition in filters.conditions)
    folders = [*context.workspace.manager.collection.folders()]
    listed = [folder for folder in folders if everything or wants_archived or not folder.archived]
    listing = Listing(
        context.workspace,
        listed,
        len(listed) == len(folders),
        filters,
        order=Order(key.removeprefix("-")) if key else None,
        reverse=reverse is not (key or "").startswith("-"),
        limit=limit,
    )
    return listing, len(folders) - len(listed)


def _filters(
    context: Context,
    *,
    statuses: Sequence[str],
    types: Sequence[str],
    trackers: Sequence[str],
    reopened: bool,
    stale: bool,
    since: str | None,
    words: str | None,
    expressions: Sequence[str],
) -> Filters:
    names = alternatives(trackers)
    for name in names:
        context.workspace.registry.manifest(name)
    given = {
        Trait.STATUS: [_status(word).value for word in alternatives(statuses)],
        Trait.TYPE: alternatives(types),
        Trait.TRACKER: names,
        Trait.REOPENED: ["yes"] if reopened else [],
    }
    conditions = [
        *(Condition(trait, "=", values) for trait, values in _conditions(given)),
        *map(read_condition, expressions),
    ]
    limits = _limits(context) if stale else None
    return Filters(conditions, (words or "").strip(), _since(context, since), limits)


def _conditions(given: dict[Trait, Sequence[str]]) -> list[tuple[Trait, frozenset[str]]]:
    folded = {trait: frozenset(map(str.casefold, words)) for trait, words in given.items()}
    return [(trait, words) for trait, words in folded.items() if words]


def _status(wanted: str) -> Status:
    if status := read_status(wanted):
        return status
    hint = f"use one of {', '.join(Status)}"
    raise UsageError("status-unknown", f"there is no status {wanted!r}", hint=hint)


def _since(context: Context, since: str | None) -> datetime | None:
    if since is None:
        return None
    from unlatch.cli.options.period import read_period  # noqa: PLC0415

    return read_period(since, None, context.workspace.clock())[0]


def _limits(context: Context) -> Limits:
    """The limits; ConfigError: the configuration has mistakes."""
    return context.workspace.config.limits.rules
