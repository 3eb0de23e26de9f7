"""Transcripts that Codex compressed with Zstandard once they were idle (openai/codex#25087)."""

from __future__ import annotations

from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, BinaryIO, cast

from unlatch.errors import StoreError
from unlatch.worklog.installer import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIX = ".zst"
# Bytes that stay in memory.
_IN_MEMORY = 32 << 20


@contextmanager
def decompressed(file: BinaryIO, path: Path, *, most: int = -1) -> Iterator[BinaryIO]:
    """The content of a compressed file, at least its first `most` bytes.

    Raises:
        StoreError: `transcript-compressed` without a library for it, or `transcript-unreadable`.
    """
    with SpooledTemporaryFile(_IN_MEMORY) as content:
        stream, error = _stream(file, path)
        try:
            if most < 0:
                copyfileobj(stream, content)
            else:
                content.write(stream.read(most))
        except error as problem:
            message = f"the transcript cannot be decompressed: {problem}"
            hint = "start its agent once, or restore the file from a backup"
            raise StoreError(
                "transcript-unreadable", message, where=str(path), hint=hint
            ) from problem
        content.seek(0)
        yield cast("BinaryIO", content)


def _stream(file: BinaryIO, path: Path) -> tuple[BinaryIO, type[Exception]]:
    try:
        from compression import zstd  # type: ignore[import-not-found]  # noqa: PLC0415  (3.14)
    except ImportError:
        pass
    else:
        return zstd.open(file), zstd.ZstdError
    try:
        import zstandard  # noqa: PLC0415  (an extra)
    except ImportError as error:
        message = "the transcript is compressed with Zstandard, which Python reads from 3.14 on"
        hint = install_command("unlatch[zstd]")
        raise StoreError("transcript-compressed", message, where=str(path), hint=hint) from error
    reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    return cast("BinaryIO", reader), zstandard.ZstdError
