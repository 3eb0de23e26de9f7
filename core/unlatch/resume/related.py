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
from unlatch.resume.places import has_sessions, sessions_path, shares_efforts
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import exists, read_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from unlatch.efforts.model import Effort
    from unlatch.efforts.store import EffortStore
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.sessions.model import Session
    from unlatch.sessions.store import SessionStore


@dataclass(frozen=True, slots=True)
class RelatedSession:
    """A session; `is_imported` if it follows a transcript in the user's state folder."""

    store: SessionStore
    path: Path
    session: Session
    is_imported: bool

    @property
    def ref(self) -> str:
        return f"session:{self.session.id}"

    @property
    def is_over(self) -> bool:
        from unlatch.sessions.model import LIFECYCLE  # noqa: PLC0415

        return self.session.meta.status in LIFECYCLE.closed


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
    sessions: tuple[RelatedSession, ...] = ()
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
        return bool(self.efforts or self.sessions or self.others)

    @property
    def refs(self) -> list[str]:
        return [
            *self._efforts,
            *(one.ref for one in self.sessions),
            *(one.ref for one in self.others),
        ]

    @property
    def resumable(self) -> dict[str, list[str]]:
        """The work that a resume reaches, by its kind: an imported session is only read."""
        sessions = [one.ref for one in self.sessions if not one.is_imported]
        found = {"efforts": self._efforts, "sessions": sessions}
        for one in self.others:
            found.setdefault(f"{one.kind}s", []).append(one.ref)
        return {kind: refs for kind, refs in found.items() if refs}

    @property
    def _efforts(self) -> list[str]:
        return [f"effort:{one.id}" for one in self.efforts]


def sessions_of(workspace: Workspace) -> SessionStore | None:
    """The sessions of a project; None if it has no folder of sessions, or that is misconfigured."""
    if not exists(workspace.paths.root / sessions_path(workspace)):
        return None
    from unlatch.sessions.project import session_store  # noqa: PLC0415

    try:
        return session_store(workspace)
    except UnlatchError:  # doctor and the commands of sessions report it
        return None


def find_related(workspace: Workspace, increment: Increment) -> Related:
    """The work that names an increment; loads nothing of a kind that the project does not use."""
    search = Search(workspace, increment)
    sessions = sorted(search.sessions(), key=_started)
    efforts = search.efforts({one.session.meta.effort for one in sessions})
    others = tuple(search.others())
    unreadable = [_located(one, workspace) for one in search.unreadable]
    filed = search.filed()
    unread, known = (*unreadable, *search.unreadable_file), frozenset(search.known)
    return Related(efforts, tuple(sessions), others, unread, filed, known)


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


def _started(one: RelatedSession) -> tuple[str, str]:
    return str(one.session.meta.started or ""), one.session.id


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

    def sessions(self) -> Iterator[RelatedSession]:
        workspace = self._workspace
        if not has_sessions(workspace):
            return
        from unlatch.sessions.project import import_store  # noqa: PLC0415
        from unlatch.sessions.store import Broken  # noqa: PLC0415

        for store in filter(None, (sessions_of(workspace), import_store(workspace))):
            with self.noting():
                for found in store.heads():
                    if isinstance(found, Broken):
                        self.unreadable.append(found.error)
                    elif self.is_meant(found[1].increment):
                        yield from self._session(store, found[0])
                    else:
                        self.known.add(f"session:{found[1].session_id}")

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Add an error to the unreadable ones."""
        try:
            yield
        except UnlatchError as error:
            self.unreadable.append(error)

    def _session(self, store: SessionStore, path: Path) -> Iterator[RelatedSession]:
        with self.noting():
            session = store.read(path).session
            is_imported = store != sessions_of(self._workspace)
            self.known.add(f"session:{session.id}")
            yield RelatedSession(store, path, session, is_imported)

    def efforts(self, named: set[str | None]) -> tuple[Effort, ...]:
        if (store := efforts_of(self._workspace)) is None:
            return ()
        from unlatch.efforts.store import project_of  # noqa: PLC0415

        found: list[Effort] = []
        with self.noting():
            self.unreadable += store.unreadable()
            project = project_of(self._workspace)
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
