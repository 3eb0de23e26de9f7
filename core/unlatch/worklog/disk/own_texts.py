"""The texts of a trusted checkout that this user wrote with unlatch there, or agreed to.

They are known by digests in the user's own state folder: names and addresses in commits prove
nothing. A text that a command made from another one is this user's if the other one is, so that a
command in a stranger's branch does not turn the stranger's words into the user's. The names of
files are texts as well.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.checkout_folder import checkout_folder
from unlatch.worklog.disk.safe_open import read_file, root_of
from unlatch.worklog.disk.user_files import read_user_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

# In the private folder of a checkout: that the user trusts it, and the digests.
TRUSTED, TEXTS = "trusted", "texts"
_OWN, _MADE = "own", "made"
# Bytes; some 50,000 texts.
_LARGEST = 1 << 23


class OwnTexts:
    """The texts that are noted for a checkout; none where it is not trusted."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._own: set[str] = set()
        # The former texts of one that a command changed, each as sha256 and as git's id.
        self._made: dict[str, list[tuple[str, str]]] = {}
        folder = trusted_folder(root)
        lines: list[str] = []
        with suppress(OSError):
            if folder is not None:
                lines = read_user_file(folder / TEXTS, at_most=_LARGEST).decode().splitlines()
        for line in lines:
            kind, _, rest = line.partition(" ")
            if kind == _OWN:
                self._own.add(rest)
            elif kind == _MADE and len(ids := rest.split()) == 3:  # noqa: PLR2004
                self._made.setdefault(ids[0], []).append((ids[1], ids[2]))

    def has(self, content: bytes, committed: Collection[str] = ()) -> bool:
        """Whether a text is this user's.

        Args:
            committed: git's ids of texts that the user trusts as well.
        """
        left, seen = [_ids(content)], set[str]()
        while left:
            digest, blob = left.pop()
            if digest in self._own or blob in committed or digest in committed:
                return True
            if digest not in seen:
                seen.add(digest)
                left += self._made.get(digest, ())
        return False

    def has_file(self, path: Path) -> bool:
        """Whether a file as it is now is this user's; a missing one has no text."""
        try:
            return self.has(read_file(path))
        except FileNotFoundError:
            return True
        except (OSError, StoreError):
            return False

    def has_name(self, path: Path) -> bool:
        """Whether this user made a file of this name here, or agreed to it."""
        return _name_id(self._root, path) in self._own


def trusted_folder(root: Path) -> Path | None:
    """The private folder of a checkout that the user trusts."""
    folder = checkout_folder(root)
    return folder if folder is not None and os.path.lexists(folder / TRUSTED) else None


@contextmanager
def own_texts(*paths: Path, moved_to: Path | None = None) -> Iterator[None]:
    """Note the texts of files that the block writes for this user; nothing if it fails.

    The words in them must be what the user typed, or were in the files before.

    Args:
        moved_to: the folder that the block may move them to.
    """
    root = root_of(paths[0])
    folder = root and trusted_folder(root)
    if root is None or folder is None:
        yield
        return
    before = {path: _content(path) for path in paths}
    yield
    own, lines = OwnTexts(root), list[str]()
    for path, former in before.items():
        text = _content(path)
        if text is None and moved_to is not None:
            text = _content(moved_to / path.name)
        if text is None or text == former:
            continue
        if former is None:
            lines.append(f"{_OWN} {_name_id(root, path)}")
        digest, _ = _ids(text)
        is_own = former is None or own.has(former)
        lines.append(
            f"{_OWN} {digest}" if is_own else f"{_MADE} {digest} {' '.join(_ids(former or b''))}"
        )
    _append(folder, lines)


def agree_to_texts(root: Path, paths: Iterable[Path]) -> None:
    """Note that this user agrees to the texts of files as they are, and to their names."""
    if folder := trusted_folder(root):
        texts = {path: text for path in paths if (text := _content(path)) is not None}
        ids = {_ids(text)[0] for text in texts.values()} | {_name_id(root, path) for path in texts}
        _append(folder, sorted(f"{_OWN} {digest}" for digest in ids))


def _append(folder: Path, lines: list[str]) -> None:
    """Append lines; they are lost where the folder cannot be written, and the oldest in time."""
    path = folder / TEXTS
    with suppress(OSError, StoreError):
        opened = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE)
        with os.fdopen(opened, "ab") as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
            is_large = file.tell() > _LARGEST // 2
        if is_large:
            kept = read_user_file(path, at_most=2 * _LARGEST).splitlines(keepends=True)
            replace_file(path, b"".join(kept[len(kept) // 2 :]))


def _content(path: Path) -> bytes | None:
    with suppress(OSError, StoreError):
        return read_file(path)
    return None


def _name_id(root: Path, path: Path) -> str:
    from hashlib import sha256  # noqa: PLC0415  (slow to load; for trusted checkouts)

    return sha256(b"name " + os.fsencode(os.path.relpath(path, root))).hexdigest()


def _ids(content: bytes) -> tuple[str, str]:
    """A digest of a text, which is git's id in a repository with sha256, and git's id elsewhere."""
    from hashlib import sha1, sha256  # noqa: PLC0415  (slow to load; for trusted checkouts)

    data = b"blob %d\0" % len(content) + content
    return sha256(data).hexdigest(), sha1(data, usedforsecurity=False).hexdigest()
