"""Print a report of doctor: the findings, by default one entry for each kind, then settings."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from unlatch.cli.render.describe import times
from unlatch.cli.terminal import output

_STYLES = {"error": output.bad, "warning": output.warn, "note": output.faint}
_SEVERITIES = tuple(_STYLES)
_INDENT = " " * 9
_MOST_NAMED = 3


def tell_report(report: output.Json, *, every: bool, settings: bool) -> None:
    """Print a report; `every` shows each finding, `settings` the settings in force.

    Findings about the project are grouped only if their messages are equal.
    """
    findings = sorted(report["findings"], key=_order)
    cut = False
    for alike in _alike(findings):
        if every or len(alike) == 1:
            for finding in alike:
                _tell_finding(finding)
        else:
            _tell_finding(alike[0], more=_count(alike))
            cut = True
    if settings:
        tell_settings(report["settings"])
    items = f" and {times(report['items'], 'item')}" if report["items"] else ""
    checked = f"{times(report['increments'], 'increment')}{items} checked"
    counts = f"{times(report['errors'], 'error')}, {times(report['warnings'], 'warning')}"
    output.data(*output.hang("", f"{checked}: {counts}"))
    if cut:
        output.talk("All findings: unlatch doctor --verbose", "Of one increment: unlatch doctor ID")


def _alike(findings: Sequence[output.Json]) -> Iterable[Sequence[output.Json]]:
    kinds: dict[tuple[str | None, ...], list[output.Json]] = {}
    for finding in findings:
        message = finding["message"] if finding["increment"] is None else None
        kinds.setdefault((finding["severity"], finding["id"], message), []).append(finding)
    return kinds.values()


def _order(finding: output.Json) -> tuple[int, str, bool]:
    is_project = finding["increment"] is None
    # Findings about the project keep the order of the checks.
    return _SEVERITIES.index(finding["severity"]), "" if is_project else finding["id"], is_project


def _count(findings: Sequence[output.Json]) -> str:
    if findings[0]["increment"] is None:
        places = [finding["where"] or "" for finding in findings]
        return f"{len(findings):,} in all: {_first(places)}"
    names = list(dict.fromkeys(finding["increment"] for finding in findings))
    if len(names) == 1:
        return f"{len(findings):,} in {names[0]}"
    # Their numbers, which commands accept and which are shorter than names.
    numbers = [name.partition("-")[0] for name in names]
    return f"{len(findings):,} in {len(names):,} increments: {_first(numbers)}"


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")


def _tell_finding(finding: output.Json, *, more: str = "") -> None:
    severity, where = finding["severity"], _place(finding)
    message = output.clean(_without_place(finding["message"], where))
    text = f"{output.clean(where)}: {message}" if where else message
    first, *others = output.hang(f"{severity:<9}", f"{text} [{finding['id']}]")
    output.data(first.replace(severity, _STYLES[severity](severity), 1), *others)
    if more:
        output.data(*output.hang(_INDENT, output.clean(more)))
    if finding["hint"]:
        output.data(*output.hang(_INDENT, f"next: {output.clean(finding['hint'])}"))


def _place(finding: output.Json) -> str:
    """The place, from the folder of its increment."""
    where, increment = finding["where"] or "", finding["increment"]
    if increment is None:
        return where
    _, name, inside = where.rpartition(f"{increment}/")
    return f"{increment}/{inside}" if name else where or increment


def _without_place(message: str, where: str) -> str:
    """A message without the name of its file or key at the beginning."""
    path, _, key = where.partition(":")
    name = path.rpartition("/")[2]
    for place, ends in ((name, " :"), (key, ":")):
        rest = message.removeprefix(place)
        if place and rest and rest != message and rest[0] in ends:
            return rest.lstrip(" :")
    return message


def tell_settings(settings: Sequence[output.Json]) -> None:
    """Print settings with their values and sources."""
    rows, last = [], ""
    for setting in settings:
        # trusted_hosts may have several sources, which all apply.
        key = "" if setting["key"] == last else setting["key"]
        rows.append((key, _value(setting["value"]), _source(setting["source"])))
        last = setting["key"]
    if rows:
        output.table(("Setting", "Value", "From"), rows, flexible=(1, 2))


def _value(value: Any) -> str:
    if value in (None, [], {}):
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _source(source: str) -> str:
    home = str(Path.home())
    return f"~{source.removeprefix(home)}" if source.startswith(home) else source
