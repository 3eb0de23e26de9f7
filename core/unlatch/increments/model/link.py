"""The link of an increment to one item, and its base."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Boxes:
    """The check boxes of an item and of its increment when both were last in sync.

    Args:
        ticked: the keys of those that were ticked.
        open: the keys of the others.
        lines: a digest of the lines that the increment listed.
        marks: what the files had in open boxes in place of a space, by key; unticking on the item
            restores it.
    """

    ticked: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    lines: str = ""
    marks: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def states(self) -> dict[str, bool]:
        return {**dict.fromkeys(self.ticked, True), **dict.fromkeys(self.open, False)}


@dataclass(frozen=True, slots=True)
class Base:
    """Both sides of a link when in sync; `remote` is the category of the tracker's own `state`.

    Args:
        boxes: the check boxes in the item's body; None if they were never compared.
    """

    local: str
    remote: str
    state: str
    boxes: Boxes | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """An increment's link to one item.

    Args:
        base: both sides when last in sync; None if they were never compared.
        path: the place in metadata.json that names the item; empty for a new link.
        story: the user story that the item is about; None for the increment as a whole.
        target: the container of an item without an address ("octo/widgets"), or SpecWeave's
            profile of it; None for the configured one.
        has_block: whether its place is an object, so that it can hold the base.
    """

    tracker: str
    item: str
    url: str | None = None
    base: Base | None = None
    path: tuple[str | int, ...] = ()
    story: str | None = None
    target: str | None = None
    has_block: bool = True

    @property
    def name(self) -> str:
        """Its id, behind its target where that is known (octo/widgets#4)."""
        return f"{self.target}#{self.item}" if "/" in (self.target or "") else self.item

    @property
    def key(self) -> str:
        """The item's key in operations: its address, else its name."""
        return self.url or self.name
