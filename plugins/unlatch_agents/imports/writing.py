"""The text of a session made from a transcript: a new one, or one that a later import continues."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.times import read_stamp, stamp
from unlatch_agents.imports.agents import Subagents, agent_of, by_key
from unlatch_agents.imports.composing import Page, beginning
from unlatch_agents.imports.progress import unseen, until
from unlatch_agents.imports.todo_lists import keeps_list, tasks_of
from unlatch_agents.transcripts.conversation import CUT
from unlatch_sessions import changes, front_matter
from unlatch_sessions.document import read_document, read_meta
from unlatch_sessions.heading import one_line
from unlatch_sessions.imported.origin import IN_PROJECT, MASKED, PLACE, SOURCE, masked_before
from unlatch_sessions.markup import tasks_block
from unlatch_sessions.session_model import Meta, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from unlatch.transport.trace import Masking
    from unlatch_agents.transcripts import Event, Transcript
    from unlatch_sessions.front_matter import Value

SUBAGENTS = "import_subagents"
_LAST, _UNTIL = "import_last", "import_until"


@dataclass
class Writing:
    """One import of a transcript.

    Args:
        events: those to import.
        is_running: the agent writes the transcript.
        increment: the one that a new session belongs to.
        origin: the session that has what this one copied; empty if it is no fork.
        is_in_project: whether the transcript's file is.
        phases: how many were added.
        added: the number of events that were added.
    """

    transcript: Transcript
    events: Sequence[Event]
    subagents: Subagents
    masking: Masking | None
    is_running: bool
    increment: str | None = None
    origin: str = ""
    is_in_project: bool = False
    phases: int = 0
    added: int = 0

    @property
    def source(self) -> str:
        return source_of(self.transcript)

    @cached_property
    def title(self) -> str:
        transcript = self.transcript
        # Of a cut title the last word can be half of a secret.
        words = (
            transcript.title.rpartition(" ")[0]
            if transcript.title.endswith(CUT)
            else transcript.title
        )
        return beginning(self.subagents.mask(words)) or self.untitled

    @property
    def untitled(self) -> str:
        """The title while the transcript has none."""
        return f"Session of {agent_of(self.transcript)}"

    def created(self, day: datetime, id: str) -> str:
        """The text of a new session."""
        page = self._page(self.events, self._opening)
        if not self.is_running:
            for key in self.subagents.transcripts:
                self._place(page, key)
        values: dict[str, Value] = {
            "type": "session",
            "session_id": id,
            "started": stamp(day),
            "ended": None,
            "status": Status.ACTIVE.value,
            "channel": None,
            "participants": [],
            "model": None,
            "tokens_used": 0,
            "resume_point": None,
            "subagents": [],
            "increment": self.increment,
            "effort": None,
            SOURCE: self.source,
        }
        if self.origin:
            values["fork_of"] = self.origin
        head = f"{front_matter.written(values)}\n# {self.title}\n"
        if self.origin:
            head += f"\nForked from [[{self.origin}]], which has what came before.\n"
        text = head + "\n".join([*page.lines, ""])
        return self._with_values(text)

    def continued(self, text: str) -> str:
        """The text with its missing events; a person's text stays."""
        fields = front_matter.read(text)
        session = read_document(text).session
        listed = {subagent.session for subagent in session.meta.subagents}
        linked = {
            key for key, session_id in self.subagents.sessions.items() if session_id in listed
        }
        self.subagents.placed |= linked
        events = unseen(self.events, fields.get(_LAST), fields.get(_UNTIL))
        page = self._page(events, "" if session.phases else self._opening)
        if not self.is_running:
            for key in self.subagents.sessions:
                self._place(page, key)
        if page.lines:
            text = changes.add_phase(page.lines[1:], phases=page.phases)(text)
        return self._with_values(text)

    @property
    def _opening(self) -> str:
        return self.title if self.transcript.parent else "Before the first prompt"

    def _page(self, events: Sequence[Event], opening: str) -> Page:
        agent, findings = agent_of(self.transcript), by_key(self.transcript)
        root = self.transcript.cwd
        page = Page(agent, self.subagents.mask, findings, self.subagents.callout, opening, root)
        page.add(events)
        if any(map(keeps_list, events)):
            page.add_block(tasks_block(tasks_of(self.events, self.subagents.mask)))
        self.phases, self.added = page.phases, len(events)
        return page

    def _place(self, page: Page, subagent: str) -> None:
        """Add the callout of a subagent that no call names, if there is a phase for it."""
        if not page.opening:
            page.add_block(self.subagents.callout(subagent))

    def _with_values(self, text: str) -> str:
        """The text with the front matter that follows from the whole transcript."""
        meta, fields = read_meta(text), front_matter.read(text)
        values = self._state(meta, fields) | self._progress()
        if self.transcript.subagents:
            values[SUBAGENTS] = self.subagents.mode.value
        if self.is_in_project:
            values[PLACE] = IN_PROJECT
        if self.masking and self.masking.count:
            values[MASKED] = self.masking.count + masked_before(fields)
        changed = {
            key: value for key, value in values.items() if not _is_same(fields.get(key), value)
        }
        entries = [*self.subagents.entries()]
        ids = {entry.session for entry in entries}
        kept = [
            entry for entry in meta.subagents if entry.session is None or entry.session not in ids
        ]
        if entries and [*meta.subagents] != (merged := [*kept, *entries]):
            changed["subagents"] = [asdict(entry) for entry in merged]
        return front_matter.with_values(text, changed)

    def _state(self, meta: Meta, fields: Mapping[str, object]) -> dict[str, Value]:
        transcript, agent = self.transcript, str(agent_of(self.transcript))
        values: dict[str, Value] = {
            "tokens_used": transcript.usage.total,
            "model": meta.model or one_line(transcript.model) or None,
        }
        if branch := meta.branch or one_line(transcript.branch):
            values["branch"] = branch
        if not _is_edited(meta, fields):
            ended = None if self.is_running else transcript.ended
            status = Status.ACTIVE if self.is_running else Status.COMPLETED
            values |= {"status": status.value, "ended": stamp(ended) if ended else None}
        if agent not in meta.participants:
            values["participants"] = [*meta.participants, agent]
        return values

    def _progress(self) -> dict[str, Value]:
        if not self.events:
            return {}
        return {_LAST: one_line(self.events[-1].key), _UNTIL: until(self.events)}


def source_of(transcript: Transcript) -> str:
    """The name of a transcript in the sessions made from it."""
    return one_line(f"{transcript.agent}:{transcript.id}")


def _is_edited(meta: Meta, fields: Mapping[str, object]) -> bool:
    """Whether a person changed status or end: an import writes them as its last event was."""
    last = read_stamp(fields.get(_UNTIL))
    ended = stamp(last) if last else None
    own = ((Status.ACTIVE, None), (Status.COMPLETED, ended))
    return (meta.status, stamp(meta.ended) if meta.ended else None) not in own


def _is_same(stored: object, value: Value) -> bool:
    """Whether the front matter has a value; it was read as text."""
    return stored == ("null" if value is None else str(value))
