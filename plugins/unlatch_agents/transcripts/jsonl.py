"""Lines of JSON objects, of bounded length; broken lines and other values are counted."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

from unlatch.worklog.json_text import TooDeep
from unlatch_agents.transcripts.values import parsed, parsed_object

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from unlatch_agents.transcripts.conversation import Json

    Lines = Iterable[tuple[int, Json]]

# Bytes; a line with a screenshot has a few millions.
MAX_LINE = 32 << 20
# Bytes at each end of a file that are enough to list it.
END = 64 << 10
_BOM = "\ufeff"


def read_lines(file: BinaryIO, unknown: Counter[str]) -> Iterator[tuple[int, Json]]:
    """The objects in a file with their line numbers; other lines are counted in `unknown`."""
    for number, raw in enumerate(raw_lines(file), 1):
        if len(raw) > MAX_LINE:
            unknown["line too long"] += 1
        elif not raw.isspace():
            value = _object(raw, unknown)
            if value is not None:
                yield number, value


def _object(raw: bytes, unknown: Counter[str]) -> Json | None:
    try:
        value = parsed(raw.decode("utf-8", "replace").lstrip(_BOM))
    except TooDeep:
        unknown["line nested too deeply"] += 1
    except ValueError:
        unknown["line that is not JSON"] += 1
    else:
        if isinstance(value, dict):
            return value
        unknown["line without an object"] += 1
    return None


def raw_lines(file: BinaryIO) -> Iterator[bytes]:
    while raw := file.readline(MAX_LINE + 1):
        rest = raw
        while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE + 1)
        yield raw


def whole(file: BinaryIO) -> Json:
    """The object in a file that has one, over many lines; empty if it has none."""
    return parsed_object(file.read(MAX_LINE).decode("utf-8", "replace"))


def ends(file: BinaryIO) -> BinaryIO:
    """The first and the last lines of a file, without reading those between."""
    head = file.read(END) + file.readline(MAX_LINE)
    start = file.tell()
    size = file.seek(0, io.SEEK_END)
    if size - start <= END:
        file.seek(start)
        return io.BytesIO(head + file.read())
    file.seek(size - END)
    file.readline(END)
    return io.BytesIO(head + file.read(END))
