"""Transcripts that Codex compressed with Zstandard once they were idle (openai/codex#25087)."""

from __future__ import annotations

from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from unlatch.errors import StoreError
from unlatch.worklog.installer import install_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SUFFIX = ".zst"
# Bytes that stay in memory.
_IN_MEMORY = 32 << 20
# Of compressed bytes; a block of four can stand for 128 KiB.
_AT_ONCE = 1 << 10
# A transcript takes some ten to a hundred times its compressed size: other files are made to fill a
# disk.
_MOST_TIMES, _ALLOWED = 200, 64 << 20


@contextmanager
def decompressed(file: BinaryIO, path: Path, *, most: int = -1) -> Iterator[BinaryIO]:
    """The content of a compressed file, at least its first `most` bytes.

    Raises:
        StoreError: `transcript-compressed` without a library for it, or `transcript-unreadable`.
    """
    with SpooledTemporaryFile(_IN_MEMORY) as content:
        start, error = _decompressor(path)
        try:
            for part in _parts(file, start):
                content.write(part)
                if 0 <= most <= content.tell():
                    break
        except (error, EOFError) as problem:
            message = f"the transcript cannot be decompressed: {problem}"
            hint = "start its agent once, or restore the file from a backup"
            raise StoreError(
                "transcript-unreadable", message, where=str(path), hint=hint
            ) from problem
        content.seek(0)
        yield cast("BinaryIO", content)


def _parts(file: BinaryIO, start: Callable[[], Any]) -> Iterator[bytes]:
    """The content of the frames; EOFError for a file that ends within one, or grows too much."""
    frame, size = start(), 0
    while compressed := file.read(_AT_ONCE):
        while compressed:
            frame = start() if frame.eof else frame
            part = frame.decompress(compressed)
            size += len(part)
            if size > max(_ALLOWED, file.tell() * _MOST_TIMES):
                raise EOFError(f"it becomes more than {_MOST_TIMES} times as large")
            yield part
            compressed = frame.unused_data if frame.eof else b""
    if not frame.eof:
        raise EOFError("the file is cut off")


def _decompressor(path: Path) -> tuple[Callable[[], Any], type[Exception]]:
    """What begins a frame, with the attributes of `bz2.BZ2Decompressor`, and its error."""
    try:
        from compression import zstd  # type: ignore[import-not-found]  # noqa: PLC0415  (3.14)
    except ImportError:
        pass
    else:
        return zstd.ZstdDecompressor, zstd.ZstdError
    try:
        import zstandard  # noqa: PLC0415  (an extra)
    except ImportError as error:
        message = "the transcript is compressed with Zstandard, which Python reads from 3.14 on"
        hint = install_command("unlatch[zstd]")
        raise StoreError("transcript-compressed", message, where=str(path), hint=hint) from error
    return lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
