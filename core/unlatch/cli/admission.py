"""What the project's own rules have against making an increment active."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.failure import problem_entry
from unlatch.cli.session import is_interactive
from unlatch.domain.reopening import category_of
from unlatch.domain.status import Status
from unlatch.engine.admission import Wish, admit
from unlatch.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.cli.contracts.parts import Problem
    from unlatch.cli.session import Session
    from unlatch.domain.increment import Increment
    from unlatch.errors import UnlatchError

FORCE = click.option(
    "--force", is_flag=True, help="Go on in spite of limits and rules; that is recorded."
)
CATEGORY = click.option(
    "--category", metavar="WORD", help="The kind of reason, as the project's rules name it."
)


def tell_warnings(warnings: Iterable[UnlatchError]) -> None:
    """Each on a line of its own."""
    for warning in warnings:
        told = f"    {output.warn('note:')} {output.clean(warning.message)}"
        output.talk(f"{told} {output.faint(f'[{warning.id}]')}")


def warning_entries(warnings: Iterable[UnlatchError]) -> list[Problem]:
    """The same for scripts."""
    return [problem_entry(warning) for warning in warnings]


def foretold(session: Session, increment: Increment, wish: Wish) -> tuple[UnlatchError, ...]:
    """What the rules have against it, before anything is asked.

    Raises:
        UnlatchError: they refuse it, so that a question would be asked for nothing.
    """
    return admit(session.workspace, increment, replace(wish, is_asked=is_interactive())).warnings


def with_category(session: Session, increment: Increment, wish: Wish) -> Wish:
    """The wish with a category, asked for where the project needs one and none was named."""
    rules = session.workspace.config.reopen.rules
    is_reopen = increment.status is Status.COMPLETED
    if wish.category is not None or not rules.category_required or not is_reopen:
        return wish
    known = f" ({', '.join(rules.categories)})" if rules.categories else ""
    while True:
        given = output.prompt(f"Category{known}", default="", show_default=False)
        try:
            return replace(wish, category=category_of(given, rules))
        except UsageError as error:
            output.talk(output.warn(f"{error.message}; try again"))
