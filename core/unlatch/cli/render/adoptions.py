"""Statuses that the files of other tools show."""

from unlatch.cli.terminal import output
from unlatch.lifecycle.units.adoption import Adoption


def adoption_line(one: Adoption) -> str:
    return f"{one.increment}: {one.recorded} -> {one.shown}, by {output.clean(one.why)}"


def adoption_entry(one: Adoption) -> output.Json:
    return output.fields(one, "increment", "recorded", "shown", "by", "layout")
