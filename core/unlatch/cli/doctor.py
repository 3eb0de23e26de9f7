"""unlatch doctor: check files and configuration."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.describe import times
from unlatch.cli.session import JSON, Session, with_session

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import DoctorDocument, FindingEntry, SettingEntry
    from unlatch.cli.table import Entry
    from unlatch.engine.doctor import Finding, Setting

_STYLES = {"error": output.bad, "warning": output.warn, "note": output.faint}
_WIDEST = 100


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @JSON
    @with_session
    def run(session: Session, *, as_json: bool) -> int:
        from unlatch.engine.doctor import Finding, Setting, examine  # noqa: PLC0415

        found = list(examine(session.workspace))
        document = _document(
            session,
            [one for one in found if isinstance(one, Setting)],
            [one for one in found if isinstance(one, Finding)],
        )
        if as_json:
            output.document(document)
        else:
            _tell(document)
        return document["exitCode"]

    return run


def _document(session: Session, settings: list[Setting], findings: list[Finding]) -> DoctorDocument:
    errors = sum(one.severity == "error" for one in findings)
    return {
        "schema": "unlatch.doctor/1",
        "root": str(session.layout.root),
        "settings": [_setting_entry(one) for one in settings],
        "findings": [_finding_entry(one) for one in findings],
        "increments": sum(1 for _ in session.layout.folders()),
        "errors": errors,
        "warnings": sum(one.severity == "warning" for one in findings),
        "exitCode": 1 if errors else 0,
    }


def _setting_entry(one: Setting) -> SettingEntry:
    return {"key": one.key, "value": one.value, "source": one.source}


def _finding_entry(one: Finding) -> FindingEntry:
    return {
        "severity": one.severity.value,
        "id": one.id,
        "message": one.message,
        "where": one.where,
        "hint": one.hint,
        "increment": one.increment,
    }


def _tell(document: DoctorDocument) -> None:
    _tell_settings(document["settings"])
    project = [one for one in document["findings"] if one["increment"] is None]
    if project:
        output.data(output.strong("Project"))
    for one in project:
        _tell_finding(one, one["where"])
    own = [one for one in document["findings"] if one["increment"] is not None]
    for name, group in groupby(own, key=lambda one: str(one["increment"])):
        output.data(output.strong(name))
        for one in group:
            _tell_finding(one, (one["where"] or "").rpartition(f"{name}/")[2])
    output.data(
        f"{times(document['increments'], 'increment')} looked at: "
        f"{times(document['errors'], 'error')}, {times(document['warnings'], 'warning')}"
    )


def _tell_settings(settings: list[SettingEntry]) -> None:
    rows = [(one["key"], _value(one["value"]), _source(one["source"])) for one in settings]
    if rows:
        output.table(("Setting", "Value", "From"), rows, flexible=1)


def _value(value: Any) -> str:
    if value in (None, [], {}):
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _source(source: str) -> str:
    home = str(Path.home())
    return f"~{source.removeprefix(home)}" if source.startswith(home) else source


def _tell_finding(one: FindingEntry, where: str | None) -> None:
    place = f"{output.clean(where)}: " if where else ""
    head = f"  {one['severity']:<9}"
    said = _wrapped(f"{place}{output.clean(one['message'])} [{one['id']}]", head)
    output.data(said.replace(one["severity"], _STYLES[one["severity"]](one["severity"]), 1))
    if one["hint"]:
        output.data(_wrapped(f"next: {output.clean(one['hint'])}", " " * len(head)))


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
