"""The types of values in config.toml, and what messages call them."""

from typing import Annotated

from pydantic import Field

# Without `strict`, true and 1e9 would be whole numbers, and "yes" would be true.
Count = Annotated[int, Field(strict=True, ge=1)]
YesNo = Annotated[bool, Field(strict=True)]
# A century; dates end some thousands of years back.
LONGEST_DAYS = 36_500
Days = Annotated[int, Field(strict=True, ge=0, le=LONGEST_DAYS)]
Word = Annotated[str, Field(min_length=1)]
_CATEGORY = r"^[^\W_][\w-]{0,59}$"
Category = Annotated[str, Field(pattern=_CATEGORY)]
_ALIAS = r"^[a-z0-9][a-z0-9_-]*$"
AliasName = Annotated[str, Field(pattern=_ALIAS)]
# What messages call these patterns.
SHAPES = {
    _CATEGORY: "a word of at most 60 letters, digits, - and _",
    _ALIAS: "a name of small letters, digits, - and _, which begins with a letter or digit",
}
