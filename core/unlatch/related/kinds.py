"""The interface of a kind of work that a package adds, and the kinds that a project uses.

A package registers its kind by an entry point of the group `unlatch.kinds`. The name is that of the
kind, as `run` in run:2026-11-11-build, and the work is in the folder `.unlatch/runs`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from unlatch.errors import PluginBroken, StoreError, UnlatchError
from unlatch.related.places import installed_kinds, other_kinds
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.related.increment_names import References
    from unlatch.related.own_work import OwnWork
    from unlatch.related.points import Briefing
    from unlatch.worklog.search_index import Source


@dataclass(frozen=True, slots=True)
class Described:
    """A piece of work as it is now."""

    id: str
    title: str
    status: str
    changed: datetime | None
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """The resume of one effort, session or run, before it is done.

    Args:
        ref: its kind and id, as in effort:auth-bug.
        goal: its status afterwards.
        is_finished: whether it needs a reason.
        next: the command that continues it.
        change: resumes it for a reason, and returns its status.
        enter: makes it the active one, where no other can be meant.
    """

    ref: str
    before: str
    goal: str
    is_finished: bool
    next: str
    change: Callable[[str | None], str]
    enter: Callable[[], None] = lambda: None

    @property
    def is_due(self) -> bool:
        return self.before != self.goal


@dataclass(frozen=True, slots=True)
class OpenWork:
    """An effort, session or run of an increment that has not ended; `next` is what ends it."""

    ref: str
    status: str
    next: str


@dataclass(frozen=True, slots=True)
class Dangling:
    """A link to nothing.

    Args:
        ref: the work that has it, as in effort:auth-bug.
        named: the increment, or effort:ID.
        fix: the command that corrects it; None where a person edits the file.
    """

    ref: str
    named: str
    where: Path
    fix: str | None = None


class Documents(Protocol):
    """The documents of one kind, for search."""

    def sources(self) -> Iterable[Source]:
        """All that can be found."""

    def describe(self, key: str) -> Described | None:
        """A hit, read again; None if it is gone or cannot be read."""


class Search(Protocol):
    """The search for the work of one increment.

    Attributes:
        unreadable: the errors of work that may belong to it.
        known: the refs of all work that can be read.
        named: the refs of work that belongs to the increment with other work.
    """

    unreadable: list[UnlatchError]
    known: set[str]
    named: set[str]

    def is_meant(self, name: str | None) -> bool:
        """Whether a recorded name can mean the increment."""

    def noting(self) -> AbstractContextManager[None]:
        """Add an error of the block to the unreadable ones."""


class Sources(Protocol):
    """What a briefing has from the newer work of an increment.

    Attributes:
        own: what the increment's own files say.
        with_tool_output: whether to quote the output of tools.
        accepted: the ids of tasks that an auditor accepted.
        known: words that are no identifiers.
        room: the bytes that are still read of logs of any length.
    """

    own: OwnWork
    with_tool_output: bool
    accepted: set[str]
    known: set[str]
    room: int

    def is_new(self, text: str) -> bool:
        """Whether no later work has named this task."""

    def said(self, words: str) -> Iterator[tuple[str, str]]:
        """The decisions, failures and next steps in a text, each with its section."""

    def add_summary(self, texts: dict[str, list[str]], summary: str | None) -> None:
        """Add a summary, and what it says of decisions, failures and next steps, by section."""

    def clean(self, text: str) -> str:
        """A text without secrets and control characters."""

    def identifiers(self, text: str) -> Iterator[str]:
        """The identifiers in a clean text."""


class Work(Protocol):
    """A piece of work that belongs to an increment.

    Attributes:
        id: its name in commands.
        updated: when it last changed.
        files: the files whose texts a briefing shows, without those that this user's own programs
            alone write.
        belongs_to: other work that belongs to the increment with it, as in effort:auth-bug.
        is_resumable: whether a resume of the increment resumes it.
    """

    id: str
    status: str
    updated: datetime | None
    files: tuple[Path, ...]
    belongs_to: tuple[str, ...]
    is_resumable: bool

    def brief(self, sources: Sources) -> Briefing:
        """What it knows."""

    def step(self, workspace: Workspace, *, by: str) -> Step:
        """Its resume; reads and writes nothing before `Step.change`."""

    def open_work(self) -> OpenWork | None:
        """How it is ended; None if it has ended."""

    def limited(self, covers: Callable[[Path], bool]) -> Work | None:
        """The same work, without what it has from files that are not covered."""


class WorkKind(Protocol):
    """A kind of work.

    Attributes:
        name: that of the entry point, and of the command group of the kind.
        verbs: the commands of that group to which `show`, `history`, `resume` and `link` lead.
            Without `link`, its work names its increment itself. That command takes the work and
            the increment, or the work and `--remove`.
        beside: the plural of what its documents have with the summary; "" if that is all.
        resumes_all: whether a resume of an increment resumes all its work, or only the newest.
        has_tool_output: whether the failures in its briefings can be the output of tools.
    """

    name: str
    verbs: Mapping[str, str]
    beside: str
    resumes_all: bool
    has_tool_output: bool

    def names(self, workspace: Workspace) -> Iterator[str]:
        """The ids of all work."""

    def find(self, workspace: Workspace, wanted: str) -> str:
        """The id of the work of this name; UsageError if there is none, or more than one."""

    def related(self, workspace: Workspace, search: Search) -> Iterator[Work]:
        """The work of the increment of a search, the oldest first.

        It adds what cannot be read to `search.unreadable`, and all that can to `search.known`. The
        kinds are asked in the reverse of their order: sessions name efforts.
        """

    def unfinished(self, workspace: Workspace) -> Iterator[tuple[str, str]]:
        """The id and status of all that is not over, without what cannot be read."""

    def in_progress(self, workspace: Workspace) -> Iterator[str]:
        """The recorded names of the increments that someone works on, the newest work first."""

    def dangling(self, workspace: Workspace, references: References) -> Iterator[Dangling]:
        """The links to increments that do not exist."""

    def unreadable(self, workspace: Workspace) -> Iterator[UnlatchError]:
        """The errors of files that cannot be read."""

    def files(self, workspace: Workspace) -> Iterator[Path]:
        """The files of all work whose texts a briefing can show."""

    def documents(self, workspace: Workspace) -> Documents:
        """What search reads."""


@dataclass(frozen=True, slots=True)
class RelatedWork:
    """A piece of work with its kind."""

    kind: str
    work: Work

    @property
    def ref(self) -> str:
        return f"{self.kind}:{self.work.id}"


def kinds_in(workspace: Workspace) -> list[WorkKind]:
    """The kinds of packages that a project uses; loads nothing if it has no folder of one."""
    return [_loaded(name, target) for name, target in other_kinds(workspace).items()]


def kind_named(name: str) -> WorkKind:
    """An installed kind.

    Raises:
        PluginBroken: `plugin-broken`: its package cannot be loaded.
    """
    return _loaded(name, installed_kinds()[name])


def _loaded(name: str, target: str) -> WorkKind:
    module, _, attribute = target.partition(":")
    try:
        kind: WorkKind = getattr(import_module(module), attribute)
    except Exception as error:
        message = f"the kind of work '{name}' cannot be loaded: {error}"
        raise PluginBroken("plugin-broken", message, where=target) from error
    return kind


@contextmanager
def collecting_unread(kind: str, unread: dict[str, UnlatchError]) -> Iterator[None]:
    """Put the error of a kind of work that cannot be listed into `unread`."""
    try:
        yield
    except UnlatchError as error:
        unread[kind] = error


def unread_warnings(unread: Mapping[str, UnlatchError]) -> tuple[UnlatchError, ...]:
    """The errors of kinds of work, as warnings that name the kind."""
    return tuple(_warning(kind, error) for kind, error in unread.items())


def _warning(kind: str, error: UnlatchError) -> UnlatchError:
    why = "; ".join(error.problems) or error.message
    message = f"{kind}s were not read: {why}"
    return StoreError(error.id, message, where=error.where, hint=error.hint)
