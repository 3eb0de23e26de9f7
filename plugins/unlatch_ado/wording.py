"""Requests in a few words, for people who see a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_ado.patch import DESCRIPTION, HYPERLINK, STATE, TITLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_ado.patch import Link, Patch
    from unlatch_ado.tables import FieldValue


def in_words(patch: Patch) -> Iterator[str]:
    """The parts of a request, one after another."""
    for name, value in patch.fields:
        # That a new item gets its title and description goes without saying.
        if patch.revision is not None or name not in (TITLE, DESCRIPTION):
            yield _field(name, value)
    if patch.comment is not None:
        yield "post the comment"
    yield from (f"add tag {tag}" for tag in patch.new_tags)
    yield from (f"remove tag {tag}" for tag in patch.lost_tags)
    yield from map(_link, patch.links)


def _field(name: str, value: FieldValue) -> str:
    if name == STATE:
        return f"set state to {value}"
    if name == TITLE:
        return "set the title"
    if name == DESCRIPTION:
        return "set our part of the description"
    return f"set {name} to {value}"


def _link(link: Link) -> str:
    if link.kind == HYPERLINK:
        return f"link back to {link.url}"
    return f"link to {link.url.rpartition('/')[2]} ({link.kind.rpartition('.')[2]})"
