"""TOML of any author, without the texts that a parser needs much time or memory for."""

from __future__ import annotations

from typing import Any

from unlatch.patterns import pattern

# A parser's time and memory grow with the square of the parts of a key.
_MOST_PARTS = 50
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
# Matched only from the start of a key, because matches from within one take quadratic time.
_LONG_KEY = pattern(rf"(?<![\w.-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_MOST_PARTS}}}")


def load_toml(text: str) -> dict[str, Any]:
    """The content of a text; ValueError if it is not TOML, has a long key or is nested too deep."""
    import tomllib  # noqa: PLC0415  (slow to load, and not needed by every command)

    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a key of more than {_MOST_PARTS} parts (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
