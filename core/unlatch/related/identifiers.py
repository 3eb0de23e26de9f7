"""Names of files, items, hosts, commits, settings and code in a text, verbatim."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPAN = re.compile(r"`[^`\n]{1,200}`")
_LONGEST = 300
# Signs to remove from a word; with more it is no identifier.
_MOST_SIGNS = 12
# What separates words; a comma does not within an address or braces.
_GAP = re.compile(
    r"[\s`\"|\u00ab\u00bb\u2018\u201c\u201d\u201e\u2192\u3001\u3002\u300c\u300d\uff08\uff09]+"
    r"|<(?!=)|(?<![=~-])>(?!=)|\]\("
)
_COMMA = re.compile(r"[,;](?=\D)")
_AROUND = ".,;:!?'\u2019\u2026"
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_OPENINGS = {closing: opening for opening, closing in _PAIRS.items()}
# Most words, for speed.
_PLAIN = re.compile(r"[A-Za-z]?[a-z]*[.,;:!?]*")
_MASKED = "***"
# A hidden file, or a path from the folder.
_HIDDEN = re.compile(r"\.[\w/]|\.\./")
_IDENTIFIER = re.compile(
    r"[A-Za-z][\w+.-]*://\S+"  # addresses
    r"|\S*\w(?:==|>=|<=|~=|!=|=)\S+"  # versions and settings
    r"|--[A-Za-z][\w.-]*(?:=\S+)?"  # options
    r"|\$\{?[A-Za-z_]\w*\}?|\S*[^\W_]_[^\W_]\S*"  # variables, names in code
    r"|__\w+__|[\w.]+\(\)"
    r"|(?:\S*[\w/])?#\d+"  # items
    r"|\S*[\w.-]@[\w-]\S*|@[\w-]+/\S+"  # people, packages, repositories
    r"|[A-Za-z]:\\\S*|\\\\\S+|\S+\\\w\S*"  # paths of Windows
    r"|(?:~|\.\.?|\.\w[\w.-]*)/\S+|(?:/[^\s/]+){2,}/?"  # paths from a root, or hidden
    # Paths of three parts, or of two with more than letters, or with a slash at the end.
    r"|(?=\S*[A-Za-z])[\w.@+-]+(?:/[^\s/]+){2,}/?|(?=\S*[A-Za-z])(?:[\w.@+-]+/){1,2}"
    r"|(?=[^\s/]*[\d._-]|[^\s/]+/[^\s/]*[\d._-])[A-Za-z@_.][\w.@+-]*/[A-Za-z_.{*][^\s/]*"
    # Versions and addresses; hosts with a port, ARNs, images and digests, but no times and ratios.
    r"|v?\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:[-+][0-9A-Za-z.-]+)?(?:[:/]\d+)*"
    r"|(?!\d+(?::\d\d?)+(?:am|pm)?\Z|\d{4}-\d\d-\d\dT)(?=\S*(?:[\d.-]|::))[\w.:/{}-]*[\w}]:[\w.:-]\S*"
    r"|(?=:*[0-9A-Fa-f])[0-9A-Fa-f:]*::[0-9A-Fa-f:]*(?:/\d+)?|\[[0-9A-Fa-f:]+\](?::\d+)?"
    r"|(?!(?:[A-Za-z]\.)+[A-Za-z]?\Z)\.?[A-Za-z_$*][\w$-]*(?:\.[\w$-]+)+"
    r"|\.[a-z][\w-]{2,}"  # files without a folder, keys, hidden files
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=\D*\d)[0-9a-f]{7,128}"  # UUIDs, commits
    r"|(?=\S*\d)[A-Za-z]\w*(?:-\w+)+|[A-Z]+\d{3,}"  # keys of items, names of machines, errors
    r"|[A-Z]\w*(?:-[A-Z]\w*)+"  # headers
    r"|(?=\w{5})\w*[a-z][A-Z]\w*"  # names in code
)


def identifiers(text: str) -> Iterator[str]:
    """The code spans of a text, and its words that look like an identifier, without punctuation."""
    at = 0
    for span in _SPAN.finditer(text):
        yield from _words(text[at : span.start()])
        yield span[0]
        at = span.end()
    yield from _words(text[at:])


def _words(text: str) -> Iterator[str]:
    for word in _GAP.split(text):
        if _PLAIN.fullmatch(word) or len(word) > _LONGEST or _MASKED in word:
            continue
        is_whole = "://" in word or "{" in word
        for part in [word] if is_whole else _COMMA.split(word):
            bare = _bare(part)
            if _IDENTIFIER.fullmatch(bare):
                yield bare


def _bare(word: str) -> str:
    """A word without the punctuation, emphasis and brackets around it."""
    for _ in range(_MOST_SIGNS):
        if not word or (shorter := _shortened(word)) == word:
            break
        word = shorter
    return word


def _shortened(word: str) -> str:
    """A word without a sign at its beginning or end that does not belong to it."""
    first, last = word[0], word[-1]
    is_unopened = last in _OPENINGS and word.count(last) > word.count(_OPENINGS[last])
    if last in _AROUND or is_unopened:
        return word[:-1]
    if word.endswith(("'s", "\u2019s")):
        return word[:-2]
    if first in _AROUND and not _HIDDEN.match(word):
        return word[1:]
    if word.startswith("**") or (word.endswith("**") and not word.endswith("/**")):
        return word.removeprefix("**").removesuffix("**")
    if first in _PAIRS and (_encloses(word) or word.count(first) > word.count(_PAIRS[first])):
        return word[1:].removesuffix(_PAIRS[first])
    return word


def _encloses(word: str) -> bool:
    """Whether the bracket at the beginning of a word is closed by its last character."""
    depth = 0
    for at, sign in enumerate(word):
        depth += (sign == word[0]) - (sign == _PAIRS[word[0]])
        if not depth:
            return at == len(word) - 1
    return False
