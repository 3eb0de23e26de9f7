"""A number as an argument."""

from math import isnan
from typing import Any

import click


class Number(click.FloatRange):
    """A number within limits; click takes "nan", which is within all limits."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        found: float = super().convert(value, param, ctx)
        if isnan(found):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return found
