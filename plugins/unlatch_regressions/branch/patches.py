"""What a commit changed, so that a commit that undoes it, or makes the same change, is recognised.

As of `git patch-id`, line numbers do not matter. In place of one digest there are two, of the text
before and after the change: they are swapped in the patch that undoes it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_OLD = (b"deleted file mode ", b"old mode ")
_NEW = (b"new file mode ", b"new mode ")


@dataclass(frozen=True, slots=True)
class Patch:
    """A change.

    Args:
        old: a digest of the changed places before it.
        new: the same after it.
        blobs: the ids of each file's content before and after it, by its name in the diff.
    """

    old: str
    new: str
    blobs: Mapping[str, tuple[str, str]]

    def is_same(self, other: Patch) -> bool:
        return self.changes and (self.old, self.new) == (other.old, other.new)

    @property
    def changes(self) -> bool:
        """Whether it changes anything: some commits and merges do not."""
        return self.old != self.new

    def undoes(self, other: Patch) -> bool:
        """Whether it takes back the whole change, maybe with other changes."""
        if (self.old, self.new) == (other.new, other.old):
            return self.changes
        return bool(other.blobs) and all(
            name in self.blobs and self.blobs[name][1] == before
            for name, (before, _) in other.blobs.items()
        )


def read_patch(lines: Iterable[bytes]) -> Patch:
    """The patch in a diff of git, without renames and with full ids."""
    old, new = hashlib.sha256(), hashlib.sha256()
    blobs: dict[str, tuple[str, str]] = {}
    name, in_header = "", True
    for line in lines:
        if line.startswith(b"diff --git "):
            name, in_header = _text(line), True
            before = after = line
        elif line.startswith(b"@@ "):
            before = after = b"@@"
            in_header = False
        elif not in_header:
            before = b"" if line.startswith(b"+") else line[1:] + b"\n"
            after = b"" if line.startswith(b"-") else line[1:] + b"\n"
        else:
            if line.startswith(b"index "):
                first, _, second = _text(line[6:].partition(b" ")[0]).partition("..")
                blobs[name] = (first, second)
            before, after = _header(line, blobs.get(name, ("", "")))
        old.update(before)
        new.update(after)
    return Patch(old.hexdigest(), new.hexdigest(), blobs)


def _header(line: bytes, blobs: tuple[str, str]) -> tuple[bytes, bytes]:
    """What a line between the name of a file and its first change says of before and after."""
    words = line.rpartition(b" ")
    if line.startswith(_OLD):
        return words[2], b""
    if line.startswith(_NEW):
        return b"", words[2]
    if line.startswith(b"Binary files "):
        return _bytes(blobs[0]), _bytes(blobs[1])
    return b"", b""


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
