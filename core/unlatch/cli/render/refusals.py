"""The increments that stay as they are, each cause once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.runtime.failure import problem_entry
from unlatch.cli.terminal import output
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.lifecycle.change import Refusal


def tell_refusals(refusals: Iterable[Refusal]) -> None:
    """Show the first increment for each cause with the next step, and name the others."""
    causes: dict[tuple[str, str], list[Refusal]] = {}
    for one in refusals:
        causes.setdefault(_cause(one), []).append(one)
    for alike in causes.values():
        _tell(alike)


def _cause(refusal: Refusal) -> tuple[str, str]:
    """The error as it is for every increment: without the name of this one."""
    return refusal.error.id, refusal.error.message.replace(refusal.id, "")


def _tell(alike: Sequence[Refusal]) -> None:
    first, error = alike[0], alike[0].error
    stays = f"stays {first.before.status}" if first.before else "stays as it is"
    message = f"{output.clean(error.message)} {output.faint(f'[{error.id}]')}"
    output.failed(f"{output.clean(first.id)} {stays}: {message}", error.hint)
    output.data(*(f"    - {output.clean(one)}" for one in error.problems))
    if others := [output.clean(one.id) for one in alike[1:]]:
        more = times(len(others), "more increment")
        output.data(f"    {more} likewise: {first_of(others)}")


def refused_entry(refusal: Refusal) -> output.Json:
    """An increment among many that stays as it is; its status is null if it cannot be read."""
    status = refusal.before.status if refusal.before else None
    error = problem_entry(refusal.error)
    return {"id": refusal.id, "status": status, "previousStatus": status, "error": error}
