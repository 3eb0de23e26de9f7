"""Merging blocks that name a tracker's items: links, and the items that a reopen reached.

A block has its first item under plain keys; from the second on, `items` holds all of them.
Two sides that added an item each are united as lists, in whatever form they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.worklog.json_text.three_way import ABSENT, Place, Rule, ThreeWay, Versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.spi.manifest import LinkShape

_Items = list[dict[str, Any]]
_ITEMS = "items"
_BASE = "base"


@dataclass(frozen=True, slots=True)
class _Unfolded:
    """A block as a list of items, and its other keys."""

    items: _Items
    rest: dict[str, Any]
    is_listed: bool = False


def block_rule(
    way: ThreeWay,
    shape: LinkShape,
    fields: Mapping[str, Rule] | None = None,
    *,
    whole: Rule | None = None,
) -> Rule:
    """The rule for two versions of a block.

    Args:
        fields: rules for an item's fields.
        whole: the rule for an item that is merged as a whole.
    """

    def item_rule(versions: Versions, place: Place) -> Any:
        return whole(versions, place) if whole else way.members(versions, place, rules=fields)

    def rule(versions: Versions, place: Place) -> Any:
        found = [_unfolded(side, shape) for side in versions]
        blocks = [block for block in found if block is not None]
        known = _by_identity([block.items for block in blocks], shape)
        if known is None or len(blocks) < len(found):
            return way.opposed(versions, place)
        items = way.records(Versions(*known), (*place, _ITEMS), rule=item_rule)
        rest = way.members(Versions(*(block.rest for block in blocks)), place, rules=fields)
        is_listed = blocks[1].is_listed and blocks[2].is_listed
        return _folded(_Unfolded(items, rest, is_listed), shape) or ABSENT

    return rule


def _unfolded(block: Any, shape: LinkShape) -> _Unfolded | None:
    """A block as a list; None for an unknown form."""
    if block is ABSENT:
        return _Unfolded([], {})
    if not isinstance(block, dict):
        return None
    plain = {key: block[key] for key in (shape.item, shape.url) if key in block}
    if _ITEMS in block:
        return _listed(block, plain, shape)
    if shape.item not in block:
        return None if plain else _Unfolded([], dict(block))
    own = {**plain, **({_BASE: block[_BASE]} if _BASE in block else {})}
    return _Unfolded([own], {key: value for key, value in block.items() if key not in own})


def _listed(block: dict[str, Any], plain: dict[str, Any], shape: LinkShape) -> _Unfolded | None:
    items = block[_ITEMS]
    if not isinstance(items, list):
        return None
    if not all(isinstance(item, dict) and shape.item in item for item in items):
        return None
    if plain and not any(plain.items() <= item.items() for item in items):
        return None  # the plain keys name an item of their own
    rest = {key: value for key, value in block.items() if key not in (*plain, _ITEMS)}
    return _Unfolded(items, rest, is_listed=True)


def _by_identity(lists: list[_Items], shape: LinkShape) -> list[dict[str, Any]] | None:
    """Each list's items by address, or by id where not all have one; None if that is ambiguous."""
    have_urls = all(isinstance(item.get(shape.url), str) for items in lists for item in items)

    def known_by(item: dict[str, Any]) -> str:
        if have_urls:
            return str(item[shape.url]).rstrip("/").casefold()
        return str(item[shape.item])

    known = [{known_by(item): item for item in items} for items in lists]
    same_length = [len(one) for one in known] == [len(items) for items in lists]
    return known if same_length else None


def _folded(block: _Unfolded, shape: LinkShape) -> dict[str, Any]:
    if not block.items:
        return block.rest
    first = block.items[0]
    if len(block.items) == 1 and not block.is_listed and block.rest.keys().isdisjoint(first):
        return {**first, **block.rest}
    plain = {key: first[key] for key in (shape.item, shape.url) if key in first}
    return {**plain, **block.rest, _ITEMS: block.items}
