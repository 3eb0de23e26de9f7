"""Tell comments that only thank or agree from those that say something more."""

import re

from unlatch.patterns import pattern
from unlatch_ci.comments.shown_lines import shown_lines

# Longer thanks mostly say something more, as what still fails.
_MOST_WORDS = 15
_WORD = pattern(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_NAME = pattern(r"(?:@[\w-]+(?:/[\w.-]+)?|https?://\S+|:[a-z0-9_+-]{1,40}:)")
# Code or a picture.
_SHOWING = pattern(r"^ {0,3}(?:```|~~~)|!\[|<img\b", re.IGNORECASE | re.MULTILINE)
_THANKS = """thanks thank thx thankyou ty tks cheers great perfect awesome nice cool excellent
brilliant amazing wonderful works worked working fixed solved resolved confirmed confirm ok okay
danke merci gracias obrigado obrigada grazie bedankt tack dank kiitos спасибо 谢谢 感谢
ありがとう ありがとうございます 감사합니다"""
_TROUBLE = """not no never nope still but however again unfortunately although though except yet
same fail fails failed failing error errors crash crashes crashed broken breaks wrong bug issue
problem persists reopen cannot without why how when what where which"""
_OF_THANKS, _OF_TROUBLE = frozenset(_THANKS.split()), frozenset(_TROUBLE.split())


def says_nothing_more(text: str) -> bool:
    """Whether the Markdown of a comment has no words of its own, or a few words of thanks."""
    if _SHOWING.search(text):
        return False
    lines = filter(None, shown_lines(text))
    words = _WORD.findall(_NAME.sub(" ", " ".join(lines)).casefold())
    if len(words) > _MOST_WORDS or any(_is_trouble(word) for word in words):
        return False
    return len(words) < 2 or not _OF_THANKS.isdisjoint(words)  # noqa: PLR2004  (as "+1 please")


def _is_trouble(word: str) -> bool:
    return word in _OF_TROUBLE or word.replace("\u2019", "'").endswith("n't")
