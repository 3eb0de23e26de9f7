"""Violations of the project's rules, and the options about them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import problem_entry
from unlatch.cli.runtime.session import flag
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.model.reopening import category_of
from unlatch.increments.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from unlatch.cli.runtime.session import Session
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.activation_guard import ActivationOptions

FORCE = flag("--force", help="Override limits and rules; recorded in the history.")
CATEGORY = click.option(
    "--category", metavar="WORD", help="The kind of reason, as the project's rules name it."
)


def tell_warnings(warnings: Iterable[UnlatchError], *, known: Collection[str] = ()) -> None:
    """Each on a line of its own.

    Args:
        known: the ids of those that were shown before.
    """
    for warning in warnings:
        if warning.id not in known:
            note = f"    {output.warn('note:')} {output.clean(warning.message)}"
            output.talk(f"{note} {output.faint(f'[{warning.id}]')}")


def warn_of_frequency(
    session: Session, increment: Increment, *, more: int = 0, told: Iterable[UnlatchError] = ()
) -> None:
    """Warn where an increment was reopened often, or will have been with `more` reopens.

    Args:
        told: warnings that are shown anyway; they may say the same.
    """
    count = increment.effective_reopens + more
    if count < session.workspace.config.frequent_reopens:
        return
    if not any(one.id == "reopened-too-often" for one in told):
        verb = "will be" if more else "was"
        warning = (
            f"    This {verb} reopen number {count}: an increment that is reopened often "
            "may want an increment of its own."
        )
        output.talk(output.warn(warning))


def warning_entries(warnings: Iterable[UnlatchError]) -> list[output.Json]:
    """The same for scripts."""
    return [problem_entry(warning) for warning in warnings]


def with_category(
    session: Session, increment: Increment, activation: ActivationOptions
) -> ActivationOptions:
    """The options with a category; prompts where the project requires one and none was given."""
    rules = session.workspace.config.reopen.rules
    is_reopen = increment.status is Status.COMPLETED
    if activation.category is not None or not rules.category_required or not is_reopen:
        return activation
    known = f" ({', '.join(rules.categories)})" if rules.categories else ""
    while True:
        given = output.prompt(f"Category{known}", default="", show_default=False)
        try:
            return replace(activation, category=category_of(given, rules))
        except UsageError as error:
            output.talk(output.warn(f"{error.message}; try again"))
