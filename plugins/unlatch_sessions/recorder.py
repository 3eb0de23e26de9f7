"""Recording an agent's work into its session while it goes on."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Self

from unlatch.config.choices import AutoSave, SubagentMode
from unlatch.errors import UsageError
from unlatch.values import dataclass
from unlatch_sessions import changes, markup
from unlatch_sessions.document import read_document
from unlatch_sessions.heading import Heading, one_line, read_agent, read_channel, write_heading
from unlatch_sessions.lifecycle import Start, end, require_open, start
from unlatch_sessions.session_model import Agent, Meta, Status, Subagent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from unlatch_sessions.changes import Change
    from unlatch_sessions.store import SessionStore


_LONGEST_SUMMARY = 200


@dataclass
class Recorder:
    """Writes to one session; entries since the last save are lost with the process.

    Use it as a context manager: it saves at the end.

    Args:
        clock: the time, with a zone.
        interval: the time between two saves with `AutoSave.INTERVAL`.
    """

    store: SessionStore
    path: Path
    clock: Callable[[], datetime]
    auto_save: AutoSave = AutoSave.PHASE
    interval: timedelta = timedelta(seconds=30)
    subagents: SubagentMode = SubagentMode.LINK
    _unsaved: list[Change] = field(default_factory=list)
    _saved_at: datetime | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.save()

    def phase(self, title: str, agent: Agent | None = None, channel: str | None = None) -> None:
        """Begin a phase; UsageError `phase-title`."""
        heading = write_heading(Heading(title, agent, channel))
        self.save()
        self._record(changes.add_phase([heading, "", markup.time_line(self.clock())]))
        if agent:
            self._unsaved.append(changes.add_participant(str(agent)))
        self._end_of_entry()

    def call(
        self, tool: str, arguments: str = "", result: str = "", *, failed: bool = False
    ) -> None:
        """Record a tool call; a result of more than 100 characters is cut.

        One that begins with `ERROR:` is that of a failed call, as in the file.
        """
        self._record(changes.add_call(markup.call_line(tool, arguments, result, failed=failed)))
        self._end_of_entry()

    def decision(self, text: str) -> None:
        self._block(text, markup.decision(text))

    def error(self, text: str, resolution: str | None = None) -> None:
        self._block(text, markup.error(text, resolution))

    def user(self, words: str, interpretation: str | None = None) -> None:
        """Record the exact words of a person, and the action taken."""
        self._block(words, markup.user(words, interpretation))

    def prose(self, text: str) -> None:
        """Record a text of the agent."""
        changes.check_text(text)
        self._record(changes.add_prose(text))
        self._end_of_entry()

    def tasks(self, tasks: Sequence[Mapping[str, object]]) -> None:
        """Record the state of all tasks."""
        self._record(changes.set_tasks(tasks))
        self._end_of_entry()

    def tokens(self, count: int) -> None:
        """Add to the tokens used."""
        self._record(changes.add_tokens(count))

    def subagent(
        self,
        agent: Agent,
        work: str | None,
        *,
        summary: str | None = None,
        model: str | None = None,
        tokens: int = 0,
        mode: SubagentMode | None = None,
        session: str | None = None,
    ) -> str | None:
        """Record a subagent's work; returns the id of its own session, if it has one.

        Args:
            work: its work, for the callout of an inline one, or for its own session; None if that
                of a linked one begins, which its session records from now on.
            summary: of linked work; by default its beginning.
            mode: by default that of the recorder.
            session: the id of its session; without it, one is made for linked and embedded work.
        """
        mode = mode or self.subagents
        if work is not None or mode is not SubagentMode.LINK:
            changes.check_text(work or "")
        if mode is SubagentMode.INLINE:
            session = None
        elif session is None:
            session = self._own_session(agent, work, model, tokens)
        beginning = _beginning(work) if work else None
        content = work if mode is SubagentMode.INLINE else summary or beginning
        lines = markup.subagent(agent, model, mode, session=session, content=content)
        self._record(changes.add_block(lines))
        self._unsaved.append(changes.add_subagent(Subagent(session, str(agent), model, tokens)))
        self._end_of_entry()
        return session

    def save(self) -> None:
        """Write all entries since the last save, in one step.

        Raises:
            StoreError: `session-not-active`, `session-damaged`, `not-writable`.
        """
        if self._unsaved:
            self.store.change(self.path, *self._unsaved)
            self._unsaved.clear()
            self._saved_at = self.clock()

    def _block(self, text: str, lines: list[str]) -> None:
        changes.check_text(text)
        self._record(changes.add_block(lines))
        self._end_of_entry()

    def _record(self, change: Change) -> None:
        if not self._unsaved:
            self._unsaved.append(_if_open)
        self._unsaved.append(change)

    def _end_of_entry(self) -> None:
        due = self._saved_at is None or self.clock() - self._saved_at >= self.interval
        is_interval = self.auto_save is AutoSave.INTERVAL
        if self.auto_save is AutoSave.CALL or (is_interval and due):
            self.save()

    def _own_session(self, agent: Agent, work: str | None, model: str | None, tokens: int) -> str:
        opened = self.store.read(self.path).session
        parent = opened.meta
        title = f"{agent.name}: {_beginning(work or opened.title)}"
        _, channel = agent_and_channel(parent)
        facts = Start(title, channel, agent, model, branch=parent.branch)
        path = start(self.store, facts, now=self.clock())
        with Recorder(self.store, path, self.clock) as own:
            own.phase("Work", agent, channel)
            if work:
                own.prose(work)
            own.tokens(tokens)
        if not work:
            return path.stem
        done = end(self.store, path, Status.COMPLETED, now=self.clock())
        return done.session.id


def agent_and_channel(meta: Meta) -> tuple[Agent | None, str | None]:
    """The first agent and the channel of a session, as far as a heading can name them."""
    agent, channel = None, None
    with suppress(UsageError):
        agent = read_agent(meta.participants[0]) if meta.participants else None
    with suppress(UsageError):
        channel = read_channel(meta.channel) if meta.channel else None
    return agent, channel


def _if_open(text: str) -> str:
    require_open(read_document(text).session)
    return text


def _beginning(work: str) -> str:
    return markup.cut(one_line(work), _LONGEST_SUMMARY)


def read_tasks(raw: object) -> list[Mapping[str, object]]:
    """The tasks of a JSON array: objects with `content`, and perhaps `id`, `status`, `priority`.

    Raises:
        UsageError: `task-list-invalid`.
    """
    statuses = ("pending", "in_progress", "completed")
    hint = 'use an array as [{"id": "1", "content": "Write a test", "status": "pending"}]'
    if not isinstance(raw, list):
        raise UsageError("task-list-invalid", "the tasks are not a JSON array", hint=hint)
    for number, task in enumerate(raw, 1):
        if not isinstance(task, dict) or not isinstance(task.get("content"), str):
            message = f"task {number} is not an object with a text in 'content'"
            raise UsageError("task-list-invalid", message, hint=hint)
        if task.get("status", "pending") not in statuses:
            message = f"task {number} has a status other than {', '.join(statuses)}"
            raise UsageError("task-list-invalid", message, hint=hint)
    return raw
