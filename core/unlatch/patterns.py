"""Regular expressions that are compiled at their first use: a run has no use for most of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

__all__ = ["pattern"]


class _Later:
    """Stands for a `re.Pattern`; a method that was looked up once is an attribute."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(re.compile(*self._arguments), name)
        setattr(self, name, attribute)
        return attribute


if TYPE_CHECKING:
    from re import compile as pattern
else:
    pattern = _Later
