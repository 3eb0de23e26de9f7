"""The merge of sessions, for git and `unlatch merge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_sessions.merge.documents import merge_sessions
from unlatch_sessions.merge.resolving import resolve_session
from unlatch_sessions.project import session_store
from unlatch_sessions.store import SUFFIX

if TYPE_CHECKING:
    from unlatch.project.git.conflict import MergeResult
    from unlatch.project.workspace import Workspace
    from unlatch.worklog.text.merge import MergedText, Side


class SessionMerging:
    """As `unlatch.related.kinds.Merging` describes it."""

    suffix = SUFFIX

    def merge(self, base: bytes, ours: bytes, theirs: bytes) -> MergedText:
        return merge_sessions(base, ours, theirs)

    def resolve(
        self, workspace: Workspace, wanted: str, *, take: Side | None, add: bool, dry_run: bool
    ) -> MergeResult:
        store = session_store(workspace)
        return resolve_session(store, wanted, take=take, add=add, dry_run=dry_run)
