"""A number as an argument."""

from math import isfinite
from typing import Any

import click


class Number(click.FloatRange):
    """A number within limits; click takes "nan" and "inf", which are within some of them."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number
