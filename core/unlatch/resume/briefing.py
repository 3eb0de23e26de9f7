"""What is known of an increment: decisions, failed attempts, open work and identifiers.

Everything is quoted from efforts, sessions, runs and the increment's own files, masked, and never
an instruction. Where the originals are missing, a briefing.md that was committed stands in.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch.increments.files.work.files import files_of
from unlatch.resume.points import Briefing, Point, cleaned, once
from unlatch.transport.redact import MASK, Masking
from unlatch.worklog.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.efforts.model import Effort
    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.project.workspace import Workspace
    from unlatch.resume.related import Related, RelatedRun, RelatedSession

    Line = tuple[int, dict[str, Any] | None]

_MOST_IDENTIFIERS = 60
# A login; other names of people on a tracker can be sentences.
_LOGIN = re.compile(r"[A-Za-z0-9][\w.@-]{0,38}", re.ASCII)


def briefing_of(workspace: Workspace, increment: Increment, related: Related) -> Briefing:
    """The briefing of an increment from its own files and the work that belongs to it."""
    own = Briefing(reopens=(*_reopens(increment),), left=(*_open_work(increment),))
    parts = [
        own,
        *(_of_effort(workspace, one) for one in related.efforts),
        *map(_of_session, related.sessions),
        *map(_of_run, related.runs),
    ]
    # Identifiers are taken from texts that are masked.
    whole = cleaned(sum(parts, Briefing()))
    return replace(whole, identifiers=_ranked(whole))


def own_name(increment: Increment) -> str:
    """The name of an increment; of the record of an item its number, for the rest is its title."""
    return increment.id.partition("-")[0] if increment.is_item else increment.id


def _reopens(increment: Increment) -> Iterator[Point]:
    for entry in increment.reopens:
        if entry.reverted_at is None:
            yield Point(_reopened(entry), own_name(increment))


def _reopened(entry: ReopenEntry) -> str:
    """When, by whom and why; of a tracker no words, and of its people only a login."""
    is_shown = not entry.source or _LOGIN.fullmatch(entry.reopened_by)
    by = f" by {entry.reopened_by}" if is_shown else ""
    why = "on its tracker" if entry.source else entry.reason
    return f"{entry.reopened_at:%Y-%m-%d}{by}: {why}"


def _open_work(increment: Increment) -> Iterator[Point]:
    files = files_of(increment)
    try:
        work = files.layout.read(files.checked_texts())
    except UnlatchError:  # doctor reports it
        return
    for task in work.tasks:
        if not task.done and not task.discarded:
            yield Point(" ".join(filter(None, (task.id, task.title))), increment.id)
    for criterion in work.spec.criteria:
        if not criterion.done:
            text = " ".join(filter(None, (criterion.id, criterion.text)))
            yield Point(text, increment.id)


def _of_effort(workspace: Workspace, effort: Effort) -> Briefing:
    from unlatch.efforts.highlights import highlights  # noqa: PLC0415
    from unlatch.efforts.store import effort_store  # noqa: PLC0415

    source = f"effort:{effort.id}"
    transcript = effort_store(workspace, by="").transcript(effort.id)
    found: dict[str, list[Point]] = {"decided": [], "rejected": [], "identifier": []}
    for one in highlights(_masked(transcript.numbered())):
        found[one.kind].append(Point(one.text, source))
    return Briefing(
        done=(Point(effort.summary, source),) if effort.summary else (),
        decisions=(*found["decided"],),
        failed=(*found["rejected"],),
        identifiers=(*found["identifier"],),
    )


def _masked(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines of a log with masked texts: what a secret stands next to shows that it is one."""
    mask = Masking().text
    for number, entry in lines:
        content = entry.get("content") if entry else None
        masked = {"content": mask(without_controls(content))} if isinstance(content, str) else {}
        yield number, {**(entry or {}), **masked}


def _of_session(one: RelatedSession) -> Briefing:
    from unlatch.sessions.context import decisions  # noqa: PLC0415
    from unlatch.sessions.model import CalloutKind  # noqa: PLC0415

    session, source = one.session, one.ref
    said = [it for phase in session.phases for it in phase.callouts(CalloutKind.USER)]
    errors = [it for phase in session.phases for it in phase.callouts(CalloutKind.ERROR)]
    decided = [it.text for it in decisions(one.store, session, session.phases)]
    corrected = [f"{it.words} ({it.interpretation or 'correction'})" for it in said if it.corrects]
    failed = [" ".join(filter(None, (it.head, it.text))) for it in errors]
    left = [str(it.get("content")) for it in session.tasks if it.get("status") != "completed"]
    return Briefing(
        done=(Point(session.summary, source),) if session.summary else (),
        decisions=tuple(Point(it, source) for it in (*decided, *corrected)),
        failed=tuple(Point(it, source) for it in failed),
        left=tuple(Point(it, source) for it in left),
    )


def _of_run(one: RelatedRun) -> Briefing:
    state, source = one.state, one.ref
    answered = [f"{it.text} {it.answer}" for it in state.questions.values() if it.answer]
    asked = [f"Question of {it.task}: {it.text}" for it in state.open_questions()]
    tasks = [it for it in state.tasks.values() if not state.is_done(it.id)]
    failed = [f"{it.id} {it.title}: {it.checkpoint}" for it in tasks if it.attempts]
    return Briefing(
        decisions=tuple(Point(it, source) for it in answered),
        failed=tuple(Point(it, source) for it in failed),
        left=tuple(Point(it, source) for it in (*(f"{t.id} {t.title}" for t in tasks), *asked)),
    )


def _ranked(briefing: Briefing) -> tuple[Point, ...]:
    """The identifiers: those in decisions, failures and open work first, then the frequent ones."""
    from unlatch.efforts.highlights import identifiers  # noqa: PLC0415

    points = (*briefing.decisions, *briefing.failed, *briefing.left, *briefing.done)
    named = [Point(it, point.source) for point in points for it in identifiers(point.text)]
    counts = Counter(one.text for one in briefing.identifiers)
    rest = sorted(briefing.identifiers, key=lambda one: -counts[one.text])
    shown = (one for one in (*named, *rest) if MASK not in one.text)
    return once(shown)[:_MOST_IDENTIFIERS]
