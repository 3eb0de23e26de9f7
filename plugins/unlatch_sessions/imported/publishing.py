"""Publishing an imported session: its masked text becomes a session of the project."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.transport.trace import Masking
from unlatch.values import dataclass
from unlatch.worklog.times import stamp
from unlatch_sessions import front_matter
from unlatch_sessions.document import read_document
from unlatch_sessions.imported.masking import masked_session
from unlatch_sessions.imported.origin import SOURCE, masked_before, sources
from unlatch_sessions.session_model import Status

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from unlatch_sessions.front_matter import Value
    from unlatch_sessions.store import SessionStore


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a session to publish.

    Args:
        masked: the places that were masked, when it was imported and now.
        linked: the ids of subagents' sessions that the text names.
    """

    text: str
    source: str
    masked: int
    linked: tuple[str, ...]


def draft(imports: SessionStore, path: Path) -> Draft:
    """The text of an imported session with secrets and the home folder masked.

    Raises:
        StoreError: `session-damaged` or `session-unreadable`.
    """
    document = imports.read(path)
    fields = front_matter.read(document.text)
    masking = Masking()
    text = masked_session(document.text, masking)
    masked = masking.count + masked_before(fields)
    linked = tuple(
        subagent.session for subagent in document.session.meta.subagents if subagent.session
    )
    return Draft(text, str(fields.get(SOURCE, "")), masked, linked)


def publish(project: SessionStore, copy: Draft, *, now: datetime) -> Path:
    """Copy a session into the project under a free name.

    Raises:
        StoreError: `session-published` if the project has it; `not-writable`.
    """
    in_conflict: dict[str, Path] = {}
    published = sources(project, project.paths(), in_conflict)
    if there := published.get(copy.source) or in_conflict.get(copy.source):
        message = f"the session was published as '{there.stem}'"
        hint = f"to publish it again: rm {quote(str(there))}, then run the command again"
        raise StoreError("session-published", message, where=str(there), hint=hint)
    session = read_document(copy.text).session
    values: dict[str, Value] = {}
    if session.meta.status is Status.ACTIVE:  # nobody continues the copy
        values = {"status": Status.COMPLETED.value, "ended": stamp(now)}

    def text(id: str) -> str:
        return front_matter.with_values(copy.text, {**values, "session_id": id})

    return project.create(session.title, session.meta.started or now, text)
