"""A reader of outside text as a target: what it may do with any bytes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

# Parts of one input, such as the documents of a unit.
SEPARATOR = b"\0"


@dataclass(frozen=True)
class Target:
    """A reader of outside text.

    Args:
        read: reads an input; any exception is a fault. It returns what was read, which is None
            where the reader refused the input with an error of ours.
        seeds: inputs of the usual shapes.
        planted: whether to take what was read for a fault. No seed leads to it, so finding it
            shows that the target reaches the parts of a reader that few inputs reach.
    """

    read: Callable[[bytes], Any]
    seeds: Callable[[], Iterable[bytes]]
    planted: Callable[[Any], bool]


def text_of(data: bytes) -> str:
    """The text of a document, as it is read from a file."""
    return data.decode("utf-8", "replace")


def parts_of(data: bytes, count: int) -> list[bytes]:
    """The parts of an input; missing ones are empty."""
    parts = data.split(SEPARATOR, count - 1)
    return parts + [b""] * (count - len(parts))
