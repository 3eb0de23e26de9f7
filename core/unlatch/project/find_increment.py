"""The increment that a person means: by number, name, a part of it, a path, or a linked item."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.name_matching import Match, in_range, similar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.project.workspace import Workspace

# As Jira and GitHub name items: SCRUM-28, octo/widgets#4, #4. fabrikam/widgets 101 is Azure
# DevOps' work item 101.
_ITEM = pattern(
    r"[A-Za-z][A-Za-z0-9_]*-[0-9]+|[^0-9.][^ #]*#[0-9]+|#[0-9]+|[^0-9.][^ /#]*/[^/#]+ [0-9]+"
)

_NUMBERED = pattern(r"[0-9]{3,9}[A-Za-z]?-\S+")


@dataclass(frozen=True, slots=True)
class MeantIncrement:
    """The increment that a word means.

    Args:
        item: the word, if it is an item that the increment is linked to, as its link has it.
        is_part: whether the word is only a part of the name, or a former one.
    """

    name: str
    item: str | None = None
    is_part: bool = False


def is_item(word: str) -> bool:
    """Whether a word has the form of an item's address or name; #4 alone names no tracker."""
    return names_item(word) and not word.startswith("#")


def names_item(word: str) -> bool:
    """Whether a word has the form of an item's address or name, or is a number such as #4."""
    return "://" in word or _ITEM.fullmatch(word) is not None


def find_increment(workspace: Workspace, wanted: str) -> MeantIncrement:
    """The increment that a word means.

    The first that fits: its name or number, a path to its folder or to a file in it, a whole name
    that it had before, an item that it is linked to, its name without the number, a part of its
    name. Use cases that write
    take only names and numbers, so that one that has gone is never taken for another.

    Raises:
        UsageError: `unknown-increment` or `ambiguous-increment`, `placeholder` for ID; for an
            address also as `Trackers.recognise`.
    """
    manager = workspace.manager
    how, folders = manager.collection.match(wanted)
    if how is None and (os.sep in wanted or "." in wanted):
        name = name_at(wanted, root=workspace.paths.root, places=manager.places())
        if name is not None:
            return MeantIncrement(name)
    is_exact = how is not None and how < Match.TITLE
    if not is_exact:
        from unlatch.increments.model.reason import refuse_placeholder  # noqa: PLC0415  (rarely needed)

        # `unlatch link ID URL`, pasted as it is, would change 0007-identity.
        refuse_placeholder(wanted, "the increment", placeholders=("ID",))
    is_name = not is_exact and _NUMBERED.fullmatch(wanted)
    if is_name and (former := manager.once_named(wanted)):
        return MeantIncrement(manager.one_of(former, wanted).name, is_part=True)
    if not is_exact and names_item(wanted):
        from unlatch.project.linked import find_linked  # noqa: PLC0415  (loads the trackers)

        if linked := [manager.find(increment.id) for increment in find_linked(workspace, wanted)]:
            return MeantIncrement(manager.one_of(linked, wanted).name, item=wanted)
        if how is None:
            raise _not_linked(workspace, wanted)
    name = manager.one_of(folders, wanted).name
    return MeantIncrement(name, is_part=how is not None and how.is_part)


def is_range(word: str) -> bool:
    """Whether a word looks like a range of numbers; a folder's name (0007-login) may, too."""
    return word[:1].isdecimal() and "-" in word


def find_range(workspace: Workspace, word: str) -> tuple[str, ...]:
    """The names of the increments in a range of numbers (1-12); none for any other word."""
    if not is_range(word):
        return ()
    names = dict.fromkeys(folder.name for folder in workspace.manager.collection.folders())
    return tuple(in_range(names, word))


def name_at(path: str, *, root: Path, places: Mapping[Path, str]) -> str | None:
    """The name for a folder, or for the file or folder in it that is at a path.

    Args:
        path: absolute, or from the current folder.
        root: the folder that all places are in; either may be reached through links.
    """
    with suppress(OSError, RuntimeError, ValueError):  # it is elsewhere, or cannot be a path
        place = root / Path(path).resolve(strict=True).relative_to(root.resolve())
        return next((places[path] for path in (place, *place.parents) if path in places), None)
    return None


def _not_linked(workspace: Workspace, word: str) -> UsageError:
    if "://" in word:
        message, hint = f"no increment is linked to {word}", f"unlatch new --from {quote(word)}"
        return UsageError("item-not-linked", message, hint=hint)
    message = f"no increment is named {word!r}, or linked to an item of this name"
    hint = f"unlatch search {quote(word)}"
    if not is_item(word):
        hint = "paste the item's address, or its name: octo/widgets#4, SCRUM-28"
    near = similar([folder.name for folder in workspace.manager.collection.folders()], word)
    return UsageError("item-not-linked", message, hint=hint, problems=near)
