"""The sessions of a project: one Markdown file each."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from unlatch.errors import StoreError, UnlatchError, UsageError
from unlatch.values import dataclass
from unlatch.worklog.collection import listing
from unlatch.worklog.disk.atomic import move_folder, replace_file, sweep, writing
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.own_texts import own_texts
from unlatch.worklog.disk.safe_open import make_folders, open_folder, read_file
from unlatch.worklog.name_matching import choose, dated_name, slug
from unlatch.worklog.search_index import file_stamp
from unlatch_sessions.changes import Change, apply
from unlatch_sessions.document import Document, read_document, read_head, read_meta, with_title
from unlatch_sessions.front_matter import IN_CONFLICT, MARKER, in_conflict, with_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from unlatch_sessions.session_model import Meta, Session

T = TypeVar("T")
SUFFIX = ".md"
_HEAD = 4096
_ACTIVE = re.compile(rb"^status[ \t]*:[ \t]*[\"']?active", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Broken:
    """A file in the folder that is not a session."""

    path: Path
    error: UnlatchError


@dataclass(frozen=True, slots=True)
class SessionStore:
    """The sessions in one folder.

    Args:
        root: the folder; it is made when the first session starts.
        mode: the permissions of new files.
        left_out: files that are not read.
    """

    root: Path
    mode: int = 0o666
    left_out: frozenset[Path] = frozenset()

    def paths(self) -> list[Path]:
        """The files, by name; StoreError: the folder cannot be read."""
        paths = (self.root / name for name in self.names())
        return [path for path in paths if path not in self.left_out]

    def names(self) -> list[str]:
        """The sorted names of all files; StoreError: the folder cannot be read."""
        with listing(self.root), open_folder(self.root) as opened:
            return [name for name in opened.names() if name.endswith(SUFFIX) and name[0] != "."]
        return []

    def stamps(self) -> Iterator[tuple[str, str]]:
        """The name of each file, and a text that changes with its size or time."""
        for path in self.paths():
            yield path.name, file_stamp(path)

    def all(self) -> Iterator[tuple[Path, Session] | Broken]:
        """All sessions, by the names of their files."""
        for path in self.paths():
            try:
                yield path, self.read(path).session
            except UnlatchError as error:
                yield Broken(path, error)

    def read(self, path: Path) -> Document:
        """A session's file.

        Raises:
            StoreError: `session-damaged`, `session-in-conflict`, `session-unreadable`,
                `unsafe-path` or `file-too-large`.
        """
        text = self.text(path)
        document = _located(path, lambda: read_document(text))
        _located(path, lambda: _check_code(path, text))
        return document

    def text(self, path: Path) -> str:
        """The content of a session's file; StoreError: it cannot be read, or is not UTF-8."""
        return _located(path, lambda: _decoded(read_file(path)))

    def is_in_conflict(self, path: Path) -> bool:
        """Whether git's conflict markers are in a file; StoreError: it is damaged otherwise."""
        try:
            self.read(path)
        except StoreError as error:
            if error.id != IN_CONFLICT:
                raise
            return True
        return False

    def heads(self) -> Iterator[tuple[Path, Meta, str] | Broken]:
        """Front matter and title of each file, without reading its phases."""
        for path in self.paths():
            try:
                yield path, *_located(path, partial(read_head, self.text(path)))
            except UnlatchError as error:
                yield Broken(path, error)

    def unchanged_since(self, moment: datetime) -> Iterator[Path]:
        """The active sessions whose files are older, as far as the beginning of a file tells."""
        with listing(self.root), open_folder(self.root) as opened:
            for path in self.paths():
                old = opened.lstat(path.name).st_mtime <= moment.timestamp()
                if old and _ACTIVE.search(opened.read(path.name, at_most=_HEAD)):
                    yield path

    def find(self, wanted: str) -> Path:
        """The file of a session: by its id, its file's name or path, or a unique part of an id.

        It may begin with `session:`, as in briefings and documents.

        Raises:
            UsageError: `session-unknown` or `session-ambiguous`, with candidates as problems.
        """
        wanted = wanted.removeprefix("session:")
        names = {path.stem: path for path in self.paths()}
        stem = Path(wanted).name.removesuffix(SUFFIX)
        is_path = os.sep in wanted or wanted.endswith(SUFFIX)
        if path := names.get(stem) if is_path else names.get(wanted):
            return path
        ids = {self._id(path): path for path in names.values()}
        several = f"'{wanted}' matches several sessions"
        listing = "unlatch session list shows them, and --imported the imported ones"
        unknown = UsageError("session-unknown", f"there is no session '{wanted}'", hint=listing)
        ambiguous = UsageError("session-ambiguous", several, hint="name one in full")
        return ids[choose(ids, wanted, unknown=unknown, ambiguous=ambiguous)]

    def create(
        self,
        title: str,
        day: datetime,
        text: Callable[[str], str],
        *,
        ids: dict[str, str] | None = None,
    ) -> Path:
        """Make a file named after the day and the title; `text` makes its content from its id.

        Args:
            ids: those in the files, by name, as far as the caller's earlier calls read them.

        Raises:
            StoreError: `not-writable`.
        """
        with writing(self.root), suppress(FileExistsError):
            make_folders(self.root)
        with folder_lock(self.root):
            sweep(self.root)
            path = self._free(day, title, {} if ids is None else ids)
            with own_texts(path):
                replace_file(path, text(path.stem).encode(), mode=self.mode)
        return path

    def change(self, path: Path, *changes: Change) -> Document:
        """Change a session in one step, as its file is now.

        Raises:
            StoreError: it cannot be read or changed so; the file stays as it was.
        """
        with folder_lock(self.root):
            text = self.text(path)
            _located(path, lambda: _check_code(path, text))
            new = _located(path, lambda: apply(text, changes))
            document = _located(path, lambda: read_document(new))
            if new != text:
                sweep(self.root)
                with own_texts(path):
                    replace_file(path, new.encode(), mode=self.mode)
        return document

    def rename(self, path: Path, title: str) -> Path:
        """Give a session another title, and the id and file that a new one of its day would have.

        Raises:
            StoreError: `session-damaged`, `session-unreadable` or `not-writable`.
        """
        with folder_lock(self.root):
            text = self.text(path)
            started = _located(path, lambda: read_meta(text)).started
            target = self._free(started, title, {}) if started else path
            new = with_values(with_title(text, title), {"session_id": target.stem})
            with own_texts(path):
                replace_file(path, new.encode(), mode=self.mode)
            move_folder(path, target)
        return target

    def _free(self, day: datetime, title: str, ids: dict[str, str]) -> Path:
        names = self.names()
        ids |= {name: self._id(self.root / name) for name in names if name not in ids}
        taken = {name.removesuffix(SUFFIX) for name in names} | {*ids.values()}
        name = dated_name(day, slug(title, otherwise="session"), taken)
        return self.root / f"{name}{SUFFIX}"

    def _id(self, path: Path) -> str:
        return _session_id(path, file_stamp(path))


@lru_cache(maxsize=1 << 14)
def _session_id(path: Path, _stamp: str) -> str:
    """The id in a file, read once for many new sessions, or that of its name."""
    with suppress(UnlatchError, OSError):
        return read_meta(_decoded(read_file(path))).session_id
    return path.stem


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} of the file is not UTF-8"
        raise StoreError("session-damaged", message, hint="convert it to UTF-8") from error


def _check_code(path: Path, text: str) -> None:
    """Check that no conflict is in code, as in tasks; one that is quoted there is none of git's."""
    if (at := text.find(f"\n{MARKER}")) < 0:
        return
    from unlatch.project.git.run import run_git  # noqa: PLC0415  (rarely needed)

    if run_git(path.parent, "ls-files", "--unmerged", "--", path.name):
        raise in_conflict(text.count("\n", 0, at) + 2)


def _located(path: Path, read: Callable[[], T]) -> T:
    """Name the file in errors of its content."""
    try:
        return read()
    except StoreError as error:
        if error.where is None:
            error.where = str(path)
        raise
    except PermissionError as error:
        message, hint = "there is no permission to read the file", "check its permissions"
        raise StoreError("session-unreadable", message, where=str(path), hint=hint) from error
