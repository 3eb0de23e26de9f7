"""Labels that trackers refused, as text and for --json."""

from __future__ import annotations

from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.render.documents import link_entry
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.increments.records.links import same_item
from unlatch.lifecycle.items.refused_labels import known_refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.planning import RefusedLabels
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link

# The maximum number of items to name; the document has all.
_NAMED = 10
RETRY = "unlatch sync --retry-refused"


def tell_refused(named_labels: Sequence[tuple[str, RefusedLabels]], command: str = RETRY) -> None:
    """Name the items that lack refused labels, and the command that asks for them again."""
    for name, refusal in named_labels[:_NAMED]:
        labels = output.clean(" ".join(refusal.signed))
        line = f"{output.clean(name)}: the tracker refused these labels: {labels}"
        output.data(*output.hang(f"{output.warn('!')} ", line))
    if more := len(named_labels[_NAMED:]):
        output.data(f"  and {more} more; --json lists them")
    if named_labels:
        output.talk(f"When the account may change them, ask again. Next: {command}")


def tell_known_refusals(
    context: Context, increment: Increment, links: Sequence[Link] | None = None
) -> bool:
    """The same for an increment, or an item alone, that a command left; whether there are any.

    Args:
        links: only these; None for all.
    """
    named_labels = [
        (link_name(context, labels.refusal.link), labels)
        for labels in known_refusals(context.workspace, increment)
        if links is None or any(same_item(labels.refusal.link, link) for link in links)
    ]
    tell_refused(
        named_labels, RETRY if increment.is_item else f"unlatch sync {quote(increment.id)}"
    )
    return bool(named_labels)


def link_name(context: Context, link: Link) -> str:
    """The name of a linked item for people, as far as its tracker is configured."""
    settings = context.workspace.settings.get(link.tracker)
    with suppress(UnlatchError):
        return settings.name(settings.locate(link.name, link.url)) if settings else link.key
    return link.key


def refused_entry(
    link: Link, name: str, labels: RefusedLabels, increment: Increment | None
) -> output.Json:
    return {
        "increment": increment.id if increment else None,
        **link_entry(link),
        "name": name,
        "op": labels.refusal.op,
        "add": list(labels.add),
        "remove": list(labels.remove),
    }
