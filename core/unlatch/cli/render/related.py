"""The efforts, sessions and runs of an increment, as lines and as a part of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.related.places import may_have_related

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.terminal import output
    from unlatch.increments.model.increment import Increment


def related_lines(context: Context, increment: Increment) -> Iterator[tuple[str, str, str]]:
    """The kind, id and status of each; loads nothing if the project has no such work."""
    if not may_have_related(context.workspace, increment):
        return
    from unlatch.cli.render.notes import tell_warnings  # noqa: PLC0415
    from unlatch.related.belonging import find_related  # noqa: PLC0415  (slow to load)

    found = find_related(context.workspace, increment)
    tell_warnings(found.unreadable)
    yield from ((it.kind.capitalize(), it.work.id, it.work.status) for it in found.others)


def related_keys(context: Context, increment: Increment) -> output.Json:
    """The key `related` of a document; none if nothing is related."""
    entries = [
        {"ref": f"{kind.lower()}:{name}", "status": status}
        for kind, name, status in related_lines(context, increment)
    ]
    return {"related": entries} if entries else {}
