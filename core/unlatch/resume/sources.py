"""What efforts, sessions and runs know: the newest first, and of long records the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.efforts.highlights import highlights, sentences
from unlatch.efforts.identifiers import identifiers
from unlatch.resume.called import names_in_calls
from unlatch.resume.failures import failures
from unlatch.resume.points import Briefing, Point
from unlatch.resume.said import MOST_PROSE, OVERRULED, Said, overruled
from unlatch.sessions.model import CalloutKind
from unlatch.transport.redact import Masking
from unlatch.values import dataclass
from unlatch.worklog.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from unlatch.efforts.model import Effort
    from unlatch.project.workspace import Workspace
    from unlatch.resume.open_work import OwnWork
    from unlatch.resume.related import Related, RelatedSession
    from unlatch.sessions.model import Session

# Bytes at the end of the logs of all efforts.
_ROOM = 1 << 20
# Entries of a section from one source, and next steps from one conversation.
_MOST, _MOST_NEXT = 200, 3
_SECTIONS = {"decided": "decisions", "rejected": "failed", "next": "left"}
# The agents' tools for their own lists of tasks.
_OWN_LISTS = frozenset(("todowrite", "todoread", "update_plan", "write_todos"))

Texts = dict[str, list[str]]


@dataclass
class Sources:
    """Reads the work of one increment.

    Args:
        own: what the increment's own files say; what is done there is not left to do.
        with_tool_output: whether to read the errors of imported transcripts.
        accepted: the ids of tasks that an auditor of a run accepted.
        known: the names of the tools that agents called, and the ids of tasks.
    """

    workspace: Workspace
    own: OwnWork
    with_tool_output: bool = True
    accepted: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    _room: int = _ROOM
    _seen: set[str] = field(default_factory=set)
    _mask: Callable[[str], str] = field(default_factory=lambda: Masking().text)

    def read(self, related: Related) -> Iterator[Briefing]:
        """A briefing of each work, the newest first."""
        found: list[tuple[datetime | None, Callable[[], Briefing]]] = [
            *((it.updated, lambda it=it: self._effort(it)) for it in related.efforts),
            *((_last(it.session), lambda it=it: self._session(it)) for it in related.sessions),
            *((it.work.updated, lambda it=it: it.work.brief(self)) for it in related.others),
        ]
        # Of the same second, the last one of a kind is the newest.
        for _, read in sorted(found, key=lambda it: _moment(it[0]))[::-1]:
            yield read()

    def _effort(self, effort: Effort) -> Briefing:
        from unlatch.efforts.store import effort_store  # noqa: PLC0415

        transcript = effort_store(self.workspace, by="").transcript(effort.id)
        entries, is_whole = transcript.tail(self._room)
        self._room -= sum(len(str(one.get("content"))) for one in entries)
        self._room = max(self._room, 0)
        texts, steps, names = section_texts(), list[str](), list[str]()
        places = {"identifier": names, "next": steps}
        lines = [*map(self._masked, entries)]
        corrections = overruled(lines)
        for one in highlights(enumerate(lines)):
            if one.kind == "decided" and (words := corrections.get(one.line)):
                texts["decisions"] += [f"{OVERRULED} {one.text}", f"{words} (correction)"]
                continue
            places.get(one.kind, texts[_SECTIONS.get(one.kind, "left")]).append(one.text)
        texts["left"] += steps[-_MOST_NEXT:]
        for reopen in effort.reopens:
            self._add_summary(texts, reopen.prior_summary)
        self._add_summary(texts, effort.summary)
        found = briefing_from(f"effort:{effort.id}", texts, names)
        if is_whole:
            return found
        rest = f"the older part of a long conversation: `unlatch effort show {quote(effort.id)}`"
        return found + Briefing(unread=(Point(rest, f"effort:{effort.id}"),))

    def _masked(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """A line of a log with a masked text: what a secret stands next to shows that it is one."""
        content = entry.get("content")
        text = self._clean(content) if isinstance(content, str) else content
        return {**entry, "content": text}

    def _clean(self, text: str) -> str:
        return without_controls(self._mask(text))

    def _session(self, one: RelatedSession) -> Briefing:
        from unlatch.sessions.context import decisions  # noqa: PLC0415
        from unlatch.sessions.subagents import all_embedded  # noqa: PLC0415

        session, texts = one.session, section_texts()
        is_imported = one.is_imported or (not self.with_tool_output and _is_published(one))
        said = Said(session, self._clean)
        entries = [it for phase in session.phases for it in phase.callouts(CalloutKind.DECISION)]
        own = {(session.id, it.line) for it in entries}  # which `said` has
        every = decisions(session, all_embedded(one.store, session))
        others = [it for it in every if (it.session, it.line) not in own]
        texts["decisions"] = [*(it.text for it in others), *said.texts["decided"]]
        texts["failed"], texts["left"] = said.texts["rejected"], said.texts["next"][-_MOST_NEXT:]
        if self.with_tool_output or not is_imported:
            for phase in session.phases:
                texts["failed"] += failures(phase, with_calls=not one.is_imported)
        texts["left"] += self._todo(session)
        for phase in session.phases:
            for callout in phase.callouts(CalloutKind.SUMMARY):
                self._add_summary(texts, callout.text)
        self._add_summary(texts, session.summary)
        named = Counter(identifiers(self._clean(said.prose[-MOST_PROSE:])))
        # What a long conversation mentions only once is mostly an example.
        names = [it for it, times in named.items() for _ in range(times) if times > is_imported]
        calls = [it for phase in session.phases for it in phase.calls]
        self.known |= {it.tool for it in calls}
        given = "\n".join(
            it.arguments for it in calls if not it.failed and it.tool.casefold() not in _OWN_LISTS
        )
        names += names_in_calls(self._clean(given[-MOST_PROSE:]))
        return briefing_from(one.ref, texts, names[::-1])

    def _todo(self, session: Session) -> Iterator[str]:
        """The open tasks of a session, without those that later work has ended."""
        for one in session.tasks:
            text = str(one.get("content") or "")
            is_open = self.is_new(text) and one.get("status") != "completed"
            if is_open and not self.own.has_done(text, text.partition(" ")[0].rstrip(":")):
                yield text

    def is_new(self, text: str) -> bool:
        """Whether no later work has named this task."""
        is_new = text.casefold() not in self._seen
        self._seen.add(text.casefold())
        return is_new

    def said(self, words: str) -> Iterator[tuple[str, str]]:
        """The decisions, failures and next steps in a text, each with its section."""
        for kind, sentence in sentences(self._clean(words)):
            yield _SECTIONS[kind], sentence

    def _add_summary(self, texts: Texts, summary: str | None) -> None:
        """A summary, and what it says of decisions, failures and next steps."""
        if summary:
            for section, sentence in self.said(summary):
                texts[section].append(sentence)
            texts["done"].append(summary)


def _is_published(one: RelatedSession) -> bool:
    """Whether a session of the project was imported from a transcript."""
    from unlatch.sessions import front_matter  # noqa: PLC0415
    from unlatch.sessions.imported.origin import SOURCE  # noqa: PLC0415

    return SOURCE in front_matter.read(one.store.read(one.path).text)


def section_texts() -> Texts:
    """Texts by section, the newest last; only what is left is in the order of the work."""
    return {"done": [], "decisions": [], "failed": [], "left": []}


def briefing_from(source: str, texts: Texts, named: Iterable[str] = ()) -> Briefing:
    """A briefing of one source, the newest first."""
    ordered = {name: found if name == "left" else found[::-1] for name, found in texts.items()}
    sections = {
        name: tuple(Point(it, source) for it in found[:_MOST]) for name, found in ordered.items()
    }
    unread = tuple(
        Point(f"{len(found) - _MOST:,} more entries: {name}", source)
        for name, found in ordered.items()
        if len(found) > _MOST
    )
    names = tuple(Point(it, source) for it in named)
    return Briefing(**sections, identifiers=names, unread=unread, origin="")


def _last(session: Session) -> datetime | None:
    return session.meta.ended or session.meta.started


def _moment(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0
