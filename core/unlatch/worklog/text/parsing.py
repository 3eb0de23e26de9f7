"""TOML and YAML of any author, without the texts that a parser needs much time or memory for."""

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

    if key := _LONG_KEY.search(text):
        line = text.count("\n", 0, key.start()) + 1
        raise ValueError(f"a key of more than {_MOST_PARTS} parts (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


# A parser needs seconds and much memory for more.
MOST_CHARACTERS = 1 << 18


class BadYaml(ValueError):
    """A text is not YAML, has aliases, is nested too deep or is too long.

    Attributes:
        line: of the mistake, from 0; None if it is not known.
    """

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.line = line


def load_yaml(text: str) -> Any:
    """The content of a text, each scalar as its text; raises BadYaml.

    A few lines of aliases of aliases can stand for billions of values, so there may be none.
    """
    import yaml  # noqa: PLC0415  (slow to load, and rarely needed)

    if len(text) > MOST_CHARACTERS:
        raise BadYaml(f"it has more than {MOST_CHARACTERS:,} characters")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        if "*" in text:
            _refuse_aliases(yaml.parse(text, Loader=loader))
        return yaml.load(text, Loader=loader)  # noqa: S506  (it makes texts only)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or "it cannot be read"
        raise BadYaml(why, mark.line if mark else None) from error
    except RecursionError as error:
        raise BadYaml("it is nested too deep") from error


def _refuse_aliases(events: Any) -> None:
    import yaml  # noqa: PLC0415  (as above)

    for event in events:
        if isinstance(event, yaml.AliasEvent):
            mark = event.start_mark
            raise BadYaml("an alias (*) is not supported", mark.line if mark else None)
