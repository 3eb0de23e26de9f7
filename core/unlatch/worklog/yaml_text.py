"""YAML of any author, without the texts that stand for more than they are long."""

from __future__ import annotations

from typing import Any

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
