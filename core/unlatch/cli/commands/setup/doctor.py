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

from unlatch.cli.commands.setup.fix import DECLINED, apply_fixes
from unlatch.cli.render.describe import times
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, with_session

if TYPE_CHECKING:
    from unlatch.cli.table import Entry
    from unlatch.doctor.finding import Finding, Setting
    from unlatch.doctor.online import Examined

_STYLES = {"error": output.bad, "warning": output.warn, "note": output.faint}
_WIDEST = 100


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @click.argument("trackers", metavar="[TRACKER...]", nargs=-1)
    @click.option(
        "--online", is_flag=True, help="Ask the trackers what the token may do; writes nothing."
    )
    @click.option("--fix", is_flag=True, help="Mend what is safe, after showing how.")
    @click.option("--dry-run", is_flag=True, help="With --fix: only show it.")
    @click.option("--yes", is_flag=True, help="With --fix: ask nothing.")
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        trackers: tuple[str, ...],
        online: bool,
        fix: bool,
        dry_run: bool,
        yes: bool,
        as_json: bool,
    ) -> int:
        if trackers and not online:
            raise click.UsageError("trackers are named with --online")
        if (dry_run or yes) and not fix:
            raise click.UsageError("--dry-run and --yes go with --fix")
        fixes = apply_fixes(session, dry_run=dry_run, yes=yes, quiet=as_json) if fix else []
        if fixes is None:
            return DECLINED
        asked = _ask(session, trackers) if online else []
        # Who names a tracker wants to know about that one alone.
        document = _document(session, asked, fixes, alone=bool(trackers))
        code = 1 if document["errors"] else 0
        if as_json:
            output.document("doctor", code, **document)
        else:
            _tell(document)
        return code

    return run


def _ask(session: Session, wanted: tuple[str, ...]) -> list[Examined]:
    from unlatch.doctor.online import examine_online  # noqa: PLC0415

    with session.trackers() as trackers:
        return examine_online(session.workspace, trackers, wanted)


def _document(
    session: Session, asked: list[Examined], fixes: list[output.Json], *, alone: bool
) -> output.Json:
    from unlatch.doctor.run import count_increments, examine  # noqa: PLC0415

    settings, findings = ([], []) if alone else examine(session.workspace)
    findings += [one for tracker in asked for one in tracker.findings]
    return {
        "root": str(session.layout.root),
        "settings": [_setting_entry(one) for one in settings],
        "findings": [_finding_entry(one) for one in findings],
        "access": [_access_entry(one) for one in asked],
        "fixes": fixes,
        "increments": count_increments(session.layout),
        "errors": sum(one.severity == "error" for one in findings),
        "warnings": sum(one.severity == "warning" for one in findings),
    }


def _access_entry(one: Examined) -> output.Json:
    found = one.found
    return {
        "tracker": one.tracker,
        "login": found.login if found else None,
        "places": [
            {"target": place.target, "rights": dict(place.rights)}
            for place in (found.places if found else ())
        ],
    }


def _setting_entry(one: Setting) -> output.Json:
    return {"key": one.key, "value": one.value, "source": one.source}


def _finding_entry(one: Finding) -> output.Json:
    return {
        "severity": one.severity.value,
        "id": one.id,
        "message": one.message,
        "where": one.where,
        "hint": one.hint,
        "increment": one.increment,
    }


def _tell(document: output.Json) -> None:
    _tell_settings(document["settings"])
    project = [one for one in document["findings"] if one["increment"] is None]
    if project:
        output.data(output.strong("Project"))
    for one in project:
        _tell_finding(one, one["where"])
    own = [one for one in document["findings"] if one["increment"] is not None]
    own.sort(key=lambda one: str(one["increment"]))
    for name, group in groupby(own, key=lambda one: str(one["increment"])):
        output.data(output.strong(name))
        for one in group:
            _tell_finding(one, (one["where"] or "").rpartition(f"{name}/")[2])
    output.data(
        f"{times(document['increments'], 'increment')} looked at: "
        f"{times(document['errors'], 'error')}, {times(document['warnings'], 'warning')}"
    )


def _tell_settings(settings: list[output.Json]) -> None:
    rows, last = [], ""
    for one in settings:
        # trusted_hosts may come from several places, which all count.
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


def _tell_finding(one: output.Json, where: str | None) -> None:
    place = f"{output.clean(where)}: " if where else ""
    head = f"  {one['severity']:<9}"
    message = _without_place(one["message"], where or "")
    said = _wrapped(f"{place}{output.clean(message)} [{one['id']}]", head)
    output.data(said.replace(one["severity"], _STYLES[one["severity"]](one["severity"]), 1))
    if one["hint"]:
        output.data(_wrapped(f"next: {output.clean(one['hint'])}", " " * len(head)))


def _without_place(message: str, where: str) -> str:
    """What is said of a place, without its name where it begins with that."""
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
