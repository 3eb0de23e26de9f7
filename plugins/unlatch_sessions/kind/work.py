"""A session that belongs to an increment."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.related.kinds import OpenWork, Sources, Step
from unlatch.values import dataclass
from unlatch_sessions.imported.origin import is_of_checkout
from unlatch_sessions.session_model import LIFECYCLE, Session, Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.related.points import Briefing
    from unlatch_sessions.store import SessionStore


@dataclass(frozen=True, slots=True)
class SessionWork:
    """A session, as `unlatch.related.kinds.Work` describes it.

    Args:
        is_imported: whether it follows a transcript in the user's state folder; it is only read.
    """

    store: SessionStore
    path: Path
    session: Session
    is_imported: bool

    @property
    def id(self) -> str:
        return self.session.id

    @property
    def status(self) -> str:
        return self.session.meta.status.value

    @property
    def updated(self) -> datetime | None:
        return self.session.meta.ended or self.session.meta.started

    @property
    def files(self) -> tuple[Path, ...]:
        is_own = self.is_imported and not is_of_checkout(self.store, self.path)
        return () if is_own else (self.path,)

    @property
    def belongs_to(self) -> tuple[str, ...]:
        effort = self.session.meta.effort
        return (f"effort:{effort}",) if effort else ()

    @property
    def is_resumable(self) -> bool:
        return not self.is_imported

    @property
    def _ref(self) -> str:
        return f"session:{self.id}"

    def brief(self, sources: Sources) -> Briefing:
        from unlatch_sessions.kind.points import points  # noqa: PLC0415  (slow to load)

        return points(self.store, self.path, self.session, sources, is_imported=self.is_imported)

    def step(self, workspace: Workspace, *, by: str) -> Step:
        def resume(reason: str | None) -> str:
            from unlatch_sessions import lifecycle  # noqa: PLC0415  (not for a preview)

            now = workspace.clock()
            done = lifecycle.resume(self.store, self.path, now=now, reason=reason)
            return done.session.meta.status.value

        command = f"unlatch session show {quote(self.id)}"
        is_over = self.session.meta.status in LIFECYCLE.reopened
        return Step(self._ref, self.status, Status.ACTIVE.value, is_over, command, resume)

    def open_work(self) -> OpenWork | None:
        if self.is_imported or self.session.meta.status in LIFECYCLE.closed:
            return None
        return OpenWork(self._ref, self.status, f"unlatch session complete {quote(self.id)}")

    def limited(self, covers: Callable[[Path], bool]) -> SessionWork:
        """The session without embedded ones that are not covered."""
        if not self.files:
            return self
        left_out = frozenset(path for path in self.store.paths() if not covers(path))
        return replace(self, store=replace(self.store, left_out=left_out))
