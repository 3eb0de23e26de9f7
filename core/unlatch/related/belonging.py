"""The efforts, sessions and runs of an increment.

Each of them names its increment, so a link holds in both directions and cannot be half.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.paths import BRIEFING
from unlatch.related.kinds import RelatedWork, Work, kinds_in
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import read_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Related:
    """The other work of an increment, the oldest of each kind first.

    Args:
        others: the work of the kinds of packages.
        unreadable: the errors of work that may belong to it.
        filed: the text of briefing.md.
        known: the refs of all work that can be read, of other increments too.
        kinds: the kinds that are wanted; None for all.
    """

    others: tuple[RelatedWork, ...] = ()
    unreadable: tuple[UnlatchError, ...] = ()
    filed: str | None = None
    known: frozenset[str] = frozenset()
    kinds: Collection[str] | None = None

    def is_missing(self, ref: str) -> bool:
        """Whether work of the wanted kinds is not here, or cannot be read."""
        is_wanted = self.kinds is None or f"{ref.partition(':')[0]}s" in self.kinds
        return is_wanted and ref not in self.known

    def __bool__(self) -> bool:
        return bool(self.others)

    @property
    def refs(self) -> list[str]:
        return [related.ref for related in self.others]

    @property
    def resumable(self) -> dict[str, list[str]]:
        """The work that a resume reaches, by its kind."""
        by_kind: dict[str, list[str]] = {}
        for related in self.others:
            if related.work.is_resumable:
                by_kind.setdefault(f"{related.kind}s", []).append(related.ref)
        return by_kind


def find_related(workspace: Workspace, increment: Increment) -> Related:
    """The work that names an increment; loads nothing of a kind that the project does not use."""
    search = Search(workspace, increment)
    others = tuple(search.others())
    unreadable = [_located(error, workspace) for error in search.unreadable]
    filed = search.filed()
    unread, names = (*unreadable, *search.unreadable_file), frozenset(search.known)
    return Related(others, unread, filed, names)


def _located(error: UnlatchError, workspace: Workspace) -> UnlatchError:
    """The error with the name of its file; a note does not show the place."""
    place = Path(error.where or "")
    if not place.is_relative_to(workspace.paths.home):
        return error
    inside = place.relative_to(workspace.paths.home)
    if len(inside.parts) == 1:  # the folder of a kind, which the message names
        return error
    message = f"{inside.as_posix()}: {error.message}"
    return StoreError(error.id, message, where=error.where, hint=error.hint)


class Search:
    """The search for the work of one increment."""

    def __init__(self, workspace: Workspace, increment: Increment) -> None:
        from unlatch.related.increment_names import References  # noqa: PLC0415

        self._workspace, self._increment = workspace, increment
        self._references = References(workspace)
        self.unreadable: list[UnlatchError] = []
        self.unreadable_file: list[UnlatchError] = []
        self.known: set[str] = set()
        self.named: set[str] = set()

    def is_meant(self, name: str | None) -> bool:
        """Whether a recorded name can mean the increment."""
        return self._references.means(name, self._increment.id)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Add an error to the unreadable ones."""
        try:
            yield
        except UnlatchError as error:
            self.unreadable.append(error)

    def others(self) -> Iterator[RelatedWork]:
        works: dict[str, list[Work]] = {}
        kinds = kinds_in(self._workspace)
        for kind in reversed(kinds):  # sessions name efforts
            of_kind = works.setdefault(kind.name, [])
            with self.noting():
                for work in kind.related(self._workspace, self):
                    of_kind.append(work)
                    self.named |= {*work.belongs_to}
        return (RelatedWork(kind.name, work) for kind in kinds for work in works[kind.name])

    def filed(self) -> str | None:
        try:
            return read_filed(self._increment.folder)
        except StoreError as error:
            self.unreadable_file.append(error)
            return None


def read_filed(folder: Path) -> str | None:
    """The text of briefing.md in the folder of an increment; StoreError `briefing-unreadable`."""
    path = folder / BRIEFING
    try:
        return read_file(path).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        problem = "it is not UTF-8 text"
    except StoreError as error:
        problem = error.message
    except OSError as error:
        problem = error.strerror or type(error).__name__
    message = f"{BRIEFING} is ignored: {problem}"
    raise StoreError("briefing-unreadable", message, where=str(path))


def names_of(workspace: Workspace, kind: str) -> set[str]:
    """The ids of all work of a kind; none if the project does not use it."""
    return {
        name for used in kinds_in(workspace) if used.name == kind for name in used.names(workspace)
    }
