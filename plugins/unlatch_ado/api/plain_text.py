"""The text of HTML."""

import html
import re

from unlatch.patterns import pattern

_BLOCK = pattern(r"</?(?:p|div|li|h[1-6])\b[^<>]*>|<br\b[^<>]*>", re.IGNORECASE)


def plain(text: str) -> str:
    """The text of some HTML, one line per block, for finding a marker.

    The editor may have rewritten the rest.
    """
    blocks = _BLOCK.sub("\n", " ".join(text.split()))
    lines = html.unescape(re.sub(r"<[^<>]*>", " ", blocks)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
