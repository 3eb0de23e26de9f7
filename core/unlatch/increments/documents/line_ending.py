"""How a file ends its lines."""

from __future__ import annotations


def line_ending(text: str) -> str:
    """The line ending that a file has most of; of a file without any, a newline."""
    windows = text.count("\r\n")
    counts = {
        "\n": text.count("\n") - windows,
        "\r\n": windows,
        "\r": text.count("\r") - windows,
    }
    return max(counts, key=lambda ending: counts[ending])
