"""The report of the doctor in words."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unlatch.cli.render.describe import times
from unlatch.cli.runtime import output

if TYPE_CHECKING:
    from collections.abc import Sequence

_STYLES = {"error": output.bad, "warning": output.warn, "note": output.faint}
_WIDEST = 100


def tell_report(report: output.Json) -> None:
    """Show the settings, the findings by increment, and their number."""
    _tell_settings(report["settings"])
    findings = sorted(report["findings"], key=lambda one: one["increment"] or "")
    for increment, group in groupby(findings, key=lambda one: one["increment"]):
        output.data(output.strong(increment or "Project"))
        for one in group:
            where = one["where"] or ""
            _tell_finding(one, where.rpartition(f"{increment}/")[2] if increment else where)
    output.data(
        f"{times(report['increments'], 'increment')} checked: "
        f"{times(report['errors'], 'error')}, {times(report['warnings'], 'warning')}"
    )


def _tell_settings(settings: Sequence[output.Json]) -> None:
    rows, last = [], ""
    for one in settings:
        # trusted_hosts may have several sources, and all of them apply.
        key = "" if one["key"] == last else one["key"]
        rows.append((key, _value(one["value"]), _source(one["source"])))
        last = one["key"]
    if rows:
        output.table(("Setting", "Value", "From"), rows, flexible=1)


def _value(value: Any) -> str:
    if value in (None, [], {}):
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _source(source: str) -> str:
    home = str(Path.home())
    return f"~{source.removeprefix(home)}" if source.startswith(home) else source


def _tell_finding(one: output.Json, where: str) -> None:
    severity = one["severity"]
    head = f"  {severity:<9}"
    place = f"{output.clean(where)}: " if where else ""
    message = output.clean(_without_place(one["message"], where))
    text = _wrapped(f"{place}{message} [{one['id']}]", head)
    output.data(text.replace(severity, _STYLES[severity](severity), 1))
    if one["hint"]:
        output.data(_wrapped(f"next: {output.clean(one['hint'])}", " " * len(head)))


def _without_place(message: str, where: str) -> str:
    """A message without the name of its file or key, if it begins with that."""
    path, _, key = where.partition(":")
    name = path.rpartition("/")[2]
    for place, ends in ((name, " :"), (key, ":")):
        rest = message.removeprefix(place)
        if place and rest and rest != message and rest[0] in ends:
            return rest.lstrip(" :")
    return message


def _wrapped(text: str, head: str) -> str:
    if not sys.stdout.isatty():
        return f"{head}{text}"
    return textwrap.fill(
        text,
        width=min(shutil.get_terminal_size().columns, _WIDEST),
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        break_long_words=False,
    )
