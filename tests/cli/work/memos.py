"""A kind of work in a package of its own: memos, one text file each, as a third party adds one.

The first line names the increment, and the second is `open` or `done`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

import click

from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.increments import named_increment
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.table import Entry, Reach
from unlatch.cli.terminal import output
from unlatch.errors import StoreError, UnlatchError
from unlatch.project.workspace import Workspace
from unlatch.related.increment_names import References
from unlatch.related.kinds import Dangling, Described, OpenWork, Search, Sources, Step
from unlatch.related.points import Briefing, Point
from unlatch.worklog.search_index import Document, Source, file_stamp

MEMO = Entry(
    "memo",
    "",
    "Keep memos",
    Reach.LOCAL,
    {"read": "memos", "file": "memos"},
    "tests.cli.work",
    topic="memos",
)


@dataclass
class Memo:
    path: Path

    @property
    def id(self) -> str:
        return self.path.stem

    @property
    def lines(self) -> list[str]:
        return self.path.read_text(encoding="utf-8").splitlines()

    @property
    def increment(self) -> str:
        return self.lines[0]

    @property
    def status(self) -> str:
        return self.lines[1]

    @property
    def updated(self) -> None:
        return None

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def belongs_to(self) -> tuple[str, ...]:
        return ()

    @property
    def is_resumable(self) -> bool:
        return True

    def brief(self, sources: Sources) -> Briefing:
        return Briefing(decisions=tuple(Point(it, f"memo:{self.id}") for it in self.lines[2:]))

    def step(self, workspace: Workspace, *, by: str) -> Step:
        def reopen(reason: str | None) -> str:
            self.path.write_text("\n".join([self.increment, "open", *self.lines[2:], f"{reason}"]))
            return "open"

        is_done = self.status == "done"
        command = f"unlatch memo read {self.id}"
        return Step(f"memo:{self.id}", self.status, "open", is_done, command, reopen)

    def open_work(self) -> OpenWork | None:
        is_open = self.status == "open"
        return OpenWork(f"memo:{self.id}", "open", f"rm {self.path}") if is_open else None

    def limited(self, covers: Callable[[Path], bool]) -> "Memo":
        return self


@dataclass
class MemoDocuments:
    memos: list[Memo]

    def sources(self) -> Iterator[Source]:
        for memo in self.memos:
            text = "\n".join(memo.lines[2:])
            yield Source(memo.id, file_stamp(memo.path), partial(Document, text))

    def describe(self, key: str) -> Described | None:
        return next(
            (Described(it.id, it.lines[2], it.status, None) for it in self.memos if it.id == key),
            None,
        )


class MemoKind:
    name = "memo"
    verbs = MappingProxyType({"show": "read", "history": "read", "resume": "read", "link": "file"})
    resumes_all = False
    beside = "lines"
    has_tool_output = False

    def names(self, workspace: Workspace) -> Iterator[str]:
        yield from (memo.id for memo in _memos(workspace))

    def find(self, workspace: Workspace, wanted: str) -> str:
        return next(memo.id for memo in _memos(workspace) if memo.id == wanted)

    def related(self, workspace: Workspace, search: Search) -> Iterator[Memo]:
        for memo in _memos(workspace):
            search.known.add(f"memo:{memo.id}")
            if search.is_meant(memo.increment):
                yield memo

    def unfinished(self, workspace: Workspace) -> Iterator[tuple[str, str]]:
        yield from ((it.id, it.status) for it in _memos(workspace) if it.status == "open")

    def in_progress(self, workspace: Workspace) -> Iterator[str]:
        yield from ()

    def dangling(self, workspace: Workspace, references: References) -> Iterator[Dangling]:
        for memo in _memos(workspace):
            if not references.find(memo.increment):
                yield Dangling(f"memo:{memo.id}", memo.increment, memo.path)

    def unreadable(self, workspace: Workspace) -> Iterator[UnlatchError]:
        for path in (workspace.paths.home / "memos").glob("*.bad"):
            yield StoreError("memo-unreadable", f"{path.name} is no memo", where=str(path))

    def files(self, workspace: Workspace) -> Iterator[Path]:
        yield from (memo.path for memo in _memos(workspace))

    def documents(self, workspace: Workspace) -> MemoDocuments:
        return MemoDocuments(_memos(workspace))


KIND = MemoKind()


def _memos(workspace: Workspace) -> list[Memo]:
    return [Memo(path) for path in sorted((workspace.paths.home / "memos").glob("*.txt"))]


@click.command("read", help="Print a memo. (local)")
@click.argument("name")
@with_context
def read_memo(context: Context, *, name: str) -> int:
    output.data(*Memo(context.workspace.paths.home / f"memos/{name}.txt").lines)
    return 0


@click.command("file", help="Say to which increment a memo belongs. (local)")
@click.argument("name")
@click.argument("increment")
@with_context
def file_memo(context: Context, *, name: str, increment: str) -> int:
    path = context.workspace.paths.home / f"memos/{name}.txt"
    path.write_text("\n".join([named_increment(context, increment), *Memo(path).lines[1:]]))
    return 0
