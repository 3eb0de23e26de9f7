"""The reason that a comment gives, as unlatch may repeat it in its own name."""

from unlatch.spi.text import one_line
from unlatch.worklog.text.neutral import without_surrogates

# A tracker's comment has up to 65,536 characters; the link leads to all of them.
LONGEST_QUOTE = 1000
# Within the quotation marks, one of these would look like their end.
_MARKS = str.maketrans(dict.fromkeys('"“”„‟″‶〝〞〟\uff02', "'"))


def quoted_reason(reason: str) -> str:
    """A stranger's text as one quoted line; empty if nothing of it can be seen.

    Bots obey lines that begin with their commands, and unlatch may have rights that the stranger
    lacks. In quotation marks no line of it is at a beginning, and everybody sees whose words they
    are. Markup, mentions, links and markers are escaped where a comment is rendered.
    """
    words = one_line(without_surrogates(reason)).translate(_MARKS)
    if len(words) > LONGEST_QUOTE:
        words = f"{words[:LONGEST_QUOTE].rsplit(' ', 1)[0]} …"
    return f"“{words}”" if words else ""
