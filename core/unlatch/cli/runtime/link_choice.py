"""Choose one of the links of an increment at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.context import can_pick
from unlatch.cli.terminal import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.model.increment import Link


def pick_link(links: Sequence[Link], question: str) -> Link | None:
    """The only link, or the one that the user picks; None without a terminal that shows a menu.

    Raises:
        prompts.Unanswered: the user interrupted it.
        click.exceptions.Exit: the user left it, with exit code 2.
    """
    if len(links) == 1:
        return links[0]
    if not (links and can_pick()):
        return None
    from unlatch.cli.runtime.picker import pick  # noqa: PLC0415  (slow to load)

    by_key = {f"{one.tracker} {one.key}": one for one in links}
    rows = {key: [output.clean(one.tracker), output.clean(one.key)] for key, one in by_key.items()}
    return by_key[pick(question, rows)]
