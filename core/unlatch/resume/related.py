"""The efforts, sessions and runs of an increment.

Each of them names its increment, so a link holds in both directions and cannot be half.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.paths import BRIEFING
from unlatch.resume.kinds import RelatedWork, kinds_in
from unlatch.resume.places import shares_efforts
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import exists, read_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from unlatch.efforts.model import Effort
    from unlatch.efforts.store import EffortStore
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

    efforts: tuple[Effort, ...] = ()
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
        return bool(self.efforts or self.others)

    @property
    def refs(self) -> list[str]:
        return [*self._efforts, *(one.ref for one in self.others)]

    @property
    def resumable(self) -> dict[str, list[str]]:
        """The work that a resume reaches, by its kind."""
        found = {"efforts": self._efforts}
        for one in self.others:
            if one.work.is_resumable:
                found.setdefault(f"{one.kind}s", []).append(one.ref)
        return {kind: refs for kind, refs in found.items() if refs}

    @property
    def _efforts(self) -> list[str]:
        return [f"effort:{one.id}" for one in self.efforts]


def find_related(workspace: Workspace, increment: Increment) -> Related:
    """The work that names an increment; loads nothing of a kind that the project does not use."""
    search = Search(workspace, increment)
    others = tuple(search.others())
    efforts = search.efforts({ref for one in others for ref in one.work.belongs_to})
    unreadable = [_located(one, workspace) for one in search.unreadable]
    filed = search.filed()
    unread, known = (*unreadable, *search.unreadable_file), frozenset(search.known)
    return Related(efforts, others, unread, filed, known)


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
        from unlatch.resume.references import References  # noqa: PLC0415

        self._workspace, self._increment = workspace, increment
        self._references = References(workspace)
        self.unreadable: list[UnlatchError] = []
        self.unreadable_file: list[UnlatchError] = []
        self.known: set[str] = set()

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

    def efforts(self, named: set[str]) -> tuple[Effort, ...]:
        if (store := efforts_of(self._workspace)) is None:
            return ()
        from unlatch.efforts.store import project_of  # noqa: PLC0415

        found: list[Effort] = []
        with self.noting():
            self.unreadable += store.unreadable()
            project = project_of(self._workspace)
            named = {ref.removeprefix("effort:") for ref in named}
            ours = [it for it in store.all() if it.id in named or it.project == project]
            found = [it for it in ours if it.id in named or self.is_meant(it.increment)]
            self.known |= {f"effort:{it.id}" for it in ours if it not in found}
        readable = [one for one in found if self._has_readable_log(store, one)]
        self.known |= {f"effort:{it.id}" for it in readable}
        return tuple(sorted(readable, key=lambda one: (one.created, one.id)))

    def _has_readable_log(self, store: EffortStore, effort: Effort) -> bool:
        problems = len(self.unreadable)
        with self.noting(), suppress(FileNotFoundError):
            transcript = store.transcript(effort.id)
            read_file(transcript.folder / transcript.name, at_most=1)
        return len(self.unreadable) == problems

    def others(self) -> Iterator[RelatedWork]:
        for kind in kinds_in(self._workspace):
            with self.noting():
                yield from (
                    RelatedWork(kind.name, it) for it in kind.related(self._workspace, self)
                )

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


def efforts_of(workspace: Workspace) -> EffortStore | None:
    """The efforts of a project; None, and nothing loaded, if it has no folder of efforts."""
    if not exists(workspace.paths.home / "efforts") and not shares_efforts(workspace):
        return None
    from unlatch.efforts.store import effort_store  # noqa: PLC0415

    return effort_store(workspace, by="")


def names_of(workspace: Workspace, kind: str) -> Collection[str]:
    """The ids of all work of a kind; none if the project does not use it."""
    if kind == "effort":
        efforts = efforts_of(workspace)
        return set(efforts.names()) if efforts else ()
    return {name for it in kinds_in(workspace) if it.name == kind for name in it.names(workspace)}
