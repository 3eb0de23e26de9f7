"""Start, pause, resume and end sessions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.values import dataclass
from unlatch.worklog.times import stamp
from unlatch_sessions import changes, front_matter, markup
from unlatch_sessions.document import Document, read_document, read_meta
from unlatch_sessions.heading import Heading, one_line, read_channel, write_heading
from unlatch_sessions.session_model import LIFECYCLE, RESUMED, Agent, Session, Status
from unlatch_sessions.store import Broken, SessionStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta
    from pathlib import Path

    from unlatch_sessions.changes import Change
    from unlatch_sessions.front_matter import Value

_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Start:
    """The facts of a new session."""

    title: str
    channel: str | None = None
    agent: Agent | None = None
    model: str | None = None
    increment: str | None = None
    effort: str | None = None
    branch: str | None = None
    fork_of: str | None = None


def start(store: SessionStore, facts: Start, *, now: datetime) -> Path:
    """Start a session; returns its file.

    Raises:
        UsageError: `session-title` or `channel-name`.
        StoreError: `not-writable`.
    """
    title = one_line(facts.title)[:_LONGEST_TITLE].rstrip()
    if not title:
        raise UsageError("session-title", "the title is empty", hint="name the work in a few words")
    channel = read_channel(facts.channel) if facts.channel else None

    def text(id: str) -> str:
        values: dict[str, Value] = {
            "type": "session",
            "session_id": id,
            "started": stamp(now),
            "ended": None,
            "status": Status.ACTIVE.value,
            "channel": channel,
            "participants": [str(facts.agent)] if facts.agent else [],
            "model": facts.model,
            "tokens_used": 0,
            "resume_point": None,
            "subagents": [],
            "increment": facts.increment,
            "effort": facts.effort,
            "branch": facts.branch,
        }
        if facts.fork_of:
            values["fork_of"] = facts.fork_of
        return f"{front_matter.written(values)}\n# {title}\n"

    return store.create(title, now, text)


def beside_conflict(store: SessionStore, path: Path, *, now: datetime) -> Path:
    """The session that is written to while git's conflict markers are in the file of another.

    It is the active one that names the other as its `fork_of`, or a new one with a phase, which
    belongs to the same work. Its name has no words of the other, which anybody can have named.
    """
    heads = (head for head in store.heads() if not isinstance(head, Broken))
    for place, meta, _ in heads:
        if meta.fork_of == path.stem and meta.status is Status.ACTIVE:
            return place
    facts = Start("Continued session", fork_of=path.stem)
    with suppress(StoreError):
        meta = read_meta(front_matter.our_side(store.text(path)))
        facts = replace(facts, increment=meta.increment, effort=meta.effort, branch=meta.branch)
    new = start(store, facts, now=now)
    heading = write_heading(Heading("Continued", None, None))
    store.change(new, changes.add_phase([heading, "", markup.time_line(now)]))
    return new


def pause(store: SessionStore, path: Path) -> Document:
    """Pause a session at its current phase; StoreError `session-not-active`."""

    def change(text: str, session: Session) -> str:
        _require(session, Status.PAUSED)
        point = session.phases[-1].id if session.phases else None
        values: dict[str, Value] = {"status": Status.PAUSED.value, "resume_point": point}
        return front_matter.with_values(text, values)

    return store.change(path, _with_session(change))


def resume(
    store: SessionStore, path: Path, *, now: datetime, reason: str | None = None
) -> Document:
    """Resume a session; an ended one requires a reason, which is logged.

    Raises:
        StoreError: `session-active` or `reason-required`.
    """

    def change(text: str, session: Session) -> str:
        status = session.meta.status
        if status is Status.ACTIVE:
            message = f"the session '{session.id}' is active already"
            hint = f"unlatch session show {quote(session.id)}"
            raise StoreError("session-active", message, hint=hint)
        if status in LIFECYCLE.reopened and not reason:
            message = f"the session '{session.id}' is {status}; to resume it needs a reason"
            hint = f"unlatch session resume {quote(session.id)} --reason TEXT"
            raise StoreError("reason-required", message, hint=hint)
        if reason:
            block = markup.user(reason, RESUMED)
            text = changes.add_to_last(block, otherwise="Resumed", now=now)(text)
        values: dict[str, Value] = {"status": Status.ACTIVE.value, "resume_point": None}
        if session.meta.ended:
            values["ended"] = None
        return front_matter.with_values(text, values)

    return store.change(path, _with_session(change))


def link(store: SessionStore, path: Path, increment: str | None) -> Document:
    """Record the increment that a session belongs to; the same again changes nothing."""
    if (document := store.read(path)).session.meta.increment == increment:
        return document
    return store.change(path, changes.set_values({"increment": increment}))


def end(
    store: SessionStore, path: Path, status: Status, *, now: datetime, summary: str | None = None
) -> Document:
    """Complete a session, or record that it failed; StoreError `session-not-active`."""

    def change(text: str, session: Session) -> str:
        _require(session, status)
        values: dict[str, Value] = {
            "status": status.value,
            "ended": stamp(now),
            "resume_point": None,
        }
        text = front_matter.with_values(text, values)
        if not summary:
            return text
        earlier = session.summary if session.summary not in (None, "", summary.strip()) else None
        if earlier:
            text = changes.add_to_last(markup.summary(earlier), otherwise="Work", now=now)(text)
        return changes.set_summary(summary)(text)

    return store.change(path, _with_session(change))


def pause_idle(
    store: SessionStore, *, after: timedelta, clock: Callable[[], datetime]
) -> list[Session]:
    """Pause the active sessions without a change for this long; returns them.

    The file's last change counts, also by a person.
    """
    if not after:
        return []
    idle = []
    for path in store.unchanged_since(clock() - after):
        with suppress(StoreError):  # no longer active, or unreadable
            idle.append(pause(store, path).session)
    return idle


def require_open(session: Session) -> None:
    """Refuse a session that is not active; StoreError `session-not-active`."""
    if session.meta.status is not Status.ACTIVE:
        raise _not_active(session)


def _require(session: Session, to: Status) -> None:
    if not LIFECYCLE.can_move(session.meta.status, to):
        raise _not_active(session)


def _not_active(session: Session) -> StoreError:
    message = f"the session '{session.id}' is {session.meta.status}"
    return StoreError(
        "session-not-active", message, hint=f"unlatch session resume {quote(session.id)}"
    )


def _with_session(change: Callable[[str, Session], str]) -> Change:
    return lambda text: change(text, read_document(text).session)
