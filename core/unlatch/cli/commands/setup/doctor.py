"""unlatch doctor: check files and configuration, and fix them."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.render.describe import times
from unlatch.cli.render.diff import agreed, diff_of, show_diff
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.runtime.session import JSON, Session, flag, with_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.doctor.online import Examined

_STYLES = {"error": output.bad, "warning": output.warn, "note": output.faint}
_WIDEST = 100
_FINDING = ("severity", "id", "message", "where", "hint", "increment")


@click.command()
@click.argument("trackers", metavar="[TRACKER...]", nargs=-1)
@flag("--online", help="Check the token's permissions on the trackers; read only.")
@flag("--fix", help="Show safe fixes, ask, and write them.")
@flag("--dry-run", help="With --fix: show the fixes, and write nothing.")
@flag("--yes", help="With --fix: do not ask.")
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
    fixes = _fix(session, dry_run=dry_run, yes=yes, quiet=as_json) if fix else []
    if fixes is None:
        output.talk("Nothing was changed.")
        return DECLINED
    # With named trackers only these are checked.
    report = _report(session, trackers if online else None, fixes)
    code = 1 if report["errors"] else 0
    if as_json:
        output.document("doctor", code, **report)
    else:
        _tell_report(report)
    return code


def _fix(session: Session, *, dry_run: bool, yes: bool, quiet: bool) -> list[output.Json] | None:
    """Apply the safe fixes; None if the user declines them."""
    from unlatch.doctor.run import apply_fix, safe_fixes  # noqa: PLC0415

    found = list(safe_fixes(session.workspace))
    diffs = [diff_of(one.path, one.before, one.after) for one in found]
    for diff in () if quiet else diffs:
        show_diff(diff)
    if found and not dry_run:
        question = f"Change {times(len(found), 'file')}?"
        if not agreed(question, yes=yes, command="unlatch doctor --fix --yes"):
            return None
    done = [not dry_run and apply_fix(session.workspace, one) for one in found]
    if not quiet and not found:
        output.talk("No safe fixes.")
    elif not quiet and not dry_run:
        output.talk(f"{output.good(output.sign('ok'))} {times(sum(done), 'file')} fixed")
    return [
        {**output.fields(one, "id", "increment", "path"), "diff": diff, "done": is_done}
        for one, diff, is_done in zip(found, diffs, done, strict=True)
    ]


def _report(
    session: Session, trackers: tuple[str, ...] | None, fixes: Sequence[output.Json]
) -> output.Json:
    from unlatch.doctor.run import count_increments, examine  # noqa: PLC0415

    examined: Sequence[Examined] = ()
    if trackers is not None:
        from unlatch.doctor.online import examine_online  # noqa: PLC0415

        with session.trackers() as opened:
            examined = examine_online(session.workspace, opened, trackers)
    settings, findings = ([], []) if trackers else examine(session.workspace)
    findings += [one for tracker in examined for one in tracker.findings]
    return {
        "root": str(session.layout.root),
        "settings": [output.fields(one, "key", "value", "source") for one in settings],
        "findings": [output.fields(one, *_FINDING) for one in findings],
        "access": [_access_entry(one) for one in examined],
        "fixes": fixes,
        "increments": count_increments(session.layout),
        "errors": sum(one.severity == "error" for one in findings),
        "warnings": sum(one.severity == "warning" for one in findings),
    }


def _access_entry(one: Examined) -> output.Json:
    places = one.found.places if one.found else ()
    return {
        "tracker": one.tracker,
        "login": one.found.login if one.found else None,
        "places": [{"target": place.target, "rights": dict(place.rights)} for place in places],
    }


def _tell_report(report: output.Json) -> None:
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
        output.table(("Setting", "Value", "From"), rows, flexible=(1,))


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
    first, *others = _wrapped(f"{place}{message} [{one['id']}]", head)
    output.data(first.replace(severity, _STYLES[severity](severity), 1), *others)
    if one["hint"]:
        output.data(*_wrapped(f"next: {output.clean(one['hint'])}", " " * len(head)))


def _without_place(message: str, where: str) -> str:
    """A message without the name of its file or key, if it begins with that."""
    path, _, key = where.partition(":")
    name = path.rpartition("/")[2]
    for place, ends in ((name, " :"), (key, ":")):
        rest = message.removeprefix(place)
        if place and rest and rest != message and rest[0] in ends:
            return rest.lstrip(" :")
    return message


def _wrapped(text: str, head: str) -> list[str]:
    if not sys.stdout.isatty():
        return [f"{head}{text}"]
    return textwrap.wrap(
        text,
        width=min(shutil.get_terminal_size().columns, _WIDEST),
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        break_long_words=False,
    )
