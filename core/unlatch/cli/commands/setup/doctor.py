"""unlatch doctor: check files and configuration, and fix them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.commands.setup.doctor_render import tell_report
from unlatch.cli.render.describe import times
from unlatch.cli.render.diff import agreed, diff_of, show_diff
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, with_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.doctor.online import Examined

DECLINED = 2


@click.command()
@click.argument("trackers", metavar="[TRACKER...]", nargs=-1)
@click.option(
    "--online", is_flag=True, help="Check the token's permissions on the trackers; read only."
)
@click.option("--fix", is_flag=True, help="Show safe fixes, ask, and write them.")
@click.option("--dry-run", is_flag=True, help="With --fix: show the fixes, and write nothing.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
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
    examined = _examine_online(session, trackers) if online else []
    # With named trackers only these are checked.
    report = _report(session, examined, fixes, alone=bool(trackers))
    code = 1 if report["errors"] else 0
    if as_json:
        output.document("doctor", code, **report)
    else:
        tell_report(report)
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
        {
            "id": one.id,
            "increment": one.increment,
            "path": one.path,
            "diff": diff,
            "done": is_done,
        }
        for one, diff, is_done in zip(found, diffs, done, strict=True)
    ]


def _examine_online(session: Session, wanted: tuple[str, ...]) -> list[Examined]:
    from unlatch.doctor.online import examine_online  # noqa: PLC0415

    with session.trackers() as trackers:
        return examine_online(session.workspace, trackers, wanted)


def _report(
    session: Session, examined: Sequence[Examined], fixes: Sequence[output.Json], *, alone: bool
) -> output.Json:
    from unlatch.doctor.run import count_increments, examine  # noqa: PLC0415

    settings, findings = ([], []) if alone else examine(session.workspace)
    findings += [one for tracker in examined for one in tracker.findings]
    return {
        "root": str(session.layout.root),
        "settings": [
            {"key": one.key, "value": one.value, "source": one.source} for one in settings
        ],
        "findings": [
            {
                "severity": one.severity.value,
                "id": one.id,
                "message": one.message,
                "where": one.where,
                "hint": one.hint,
                "increment": one.increment,
            }
            for one in findings
        ],
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
