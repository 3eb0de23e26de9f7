"""The types of values in config.toml, and what messages call them."""

from pathlib import Path, PurePosixPath
from typing import Annotated

from unlatch.patterns import pattern
from unlatch.spi.tables import Check, Constraint

_VARIABLE = pattern(r"[A-Za-z_][A-Za-z0-9_]*")

# Without `strict`, true and 1e9 would be whole numbers, and "yes" would be true.
Count = Annotated[int, Constraint(strict=True, ge=1)]
YesNo = Annotated[bool, Constraint(strict=True)]
# A century; dates end some thousands of years back.
LONGEST_DAYS = 36_500
Days = Annotated[int, Constraint(strict=True, ge=0, le=LONGEST_DAYS)]
Word = Annotated[str, Constraint(min_length=1)]
_CATEGORY = r"^[^\W_][\w-]{0,59}$"
Category = Annotated[str, Constraint(pattern=_CATEGORY)]
_ALIAS = r"^[a-z0-9][a-z0-9_-]*$"
AliasName = Annotated[str, Constraint(pattern=_ALIAS)]
_ASKER = r"^(?:author|assignee|triage|write|team:[^\s:/]{1,100})$"
AskerName = Annotated[str, Constraint(pattern=_ASKER)]
# What messages call these patterns.
SHAPES = {
    _CATEGORY: "a word of at most 60 letters, digits, - and _",
    _ALIAS: "a name of small letters, digits, - and _, which begins with a letter or digit",
    _ASKER: "author, assignee, triage, write or team:NAME",
}


def _variable_name(value: str) -> str:
    # The value is not repeated: it may be the key.
    if not _VARIABLE.fullmatch(value):
        raise ValueError("expected the name of an environment variable, not the key itself")
    return value


def _absolute_path(value: str) -> str:
    if not Path(value).is_absolute():
        raise ValueError(f"{value!r} is not an absolute path")
    return value


def _path_inside(value: str) -> str:
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"{value!r} is not a path inside the project")
    return value


VariableName = Annotated[str, Check(_variable_name)]
AbsolutePath = Annotated[str, Check(_absolute_path)]
PathInside = Annotated[Word, Check(_path_inside)]
