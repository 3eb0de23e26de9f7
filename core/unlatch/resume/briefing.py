"""What is known of an increment: decisions, failed attempts, open work and identifiers.

Everything is quoted from efforts, sessions, runs and the increment's own files, masked, and never
an instruction. Where the originals are missing, a briefing.md that was committed stands in.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.documents.quoting import one_line
from unlatch.increments.files.work.files import files_of
from unlatch.transport.redact import Masking
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.efforts.model import Effort
    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.project.workspace import Workspace
    from unlatch.resume.related import Related, RelatedRun, RelatedSession

_LONGEST = 400
_MOST_IDENTIFIERS = 60


@dataclass(frozen=True, slots=True)
class Point:
    """One thing to know, on one line, and where it is from: effort:auth-bug, or an increment."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is known of an increment.

    Args:
        reopens: when it was reopened, by whom and why.
        done: summaries of work that has ended.
        decisions: what was decided, and corrections by people.
        failed: attempts and calls that failed, and what was rejected.
        left: open tasks, criteria and questions.
        identifiers: names of files, items, commits and code; those in decisions first.
    """

    reopens: tuple[Point, ...] = ()
    done: tuple[Point, ...] = ()
    decisions: tuple[Point, ...] = ()
    failed: tuple[Point, ...] = ()
    left: tuple[Point, ...] = ()
    identifiers: tuple[Point, ...] = ()

    def sections(self) -> dict[str, tuple[Point, ...]]:
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __add__(self, other: Briefing) -> Briefing:
        """Both, each text once."""
        mine, more = self.sections(), other.sections()
        return Briefing(**{name: _once((*mine[name], *more[name])) for name in mine})


def briefing_of(workspace: Workspace, increment: Increment, related: Related) -> Briefing:
    """The briefing of an increment from its own files and the work that belongs to it."""
    own = Briefing(reopens=(*_reopens(increment),), left=(*_open_work(increment),))
    parts = [
        own,
        *(_of_effort(workspace, one) for one in related.efforts),
        *map(_of_session, related.sessions),
        *map(_of_run, related.runs),
    ]
    whole = sum(parts, Briefing())
    return _masked(replace(whole, identifiers=_ranked(whole)))


def _reopens(increment: Increment) -> Iterator[Point]:
    for entry in increment.reopens:
        if entry.reverted_at is None:
            yield Point(_reopened(entry), increment.id)


def _reopened(entry: ReopenEntry) -> str:
    """When, by whom and why; of a tracker no words, and a name only if it is a single word."""
    by = f" by {entry.reopened_by}" if not entry.source or " " not in entry.reopened_by else ""
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
    for one in highlights(transcript.numbered()):
        found[one.kind].append(Point(one.text, source))
    return Briefing(
        done=(Point(effort.summary, source),) if effort.summary else (),
        decisions=(*found["decided"],),
        failed=(*found["rejected"],),
        identifiers=(*found["identifier"],),
    )


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
    return _once([*named, *rest])[:_MOST_IDENTIFIERS]


def _masked(briefing: Briefing) -> Briefing:
    mask = Masking().text
    shown = {
        name: _once(Point(_line(mask(one.text)), one.source) for one in points)
        for name, points in briefing.sections().items()
    }
    return Briefing(**shown)


def _line(text: str) -> str:
    line = re.sub(r"\s+", " ", one_line(text)).strip()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()}..."


def _once(points: Iterable[Point]) -> tuple[Point, ...]:
    return tuple({one.text: one for one in reversed([*points]) if one.text}.values())[::-1]
