"""unlatch doctor: check files and configuration, and fix them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.options.increments import increment_argument
from unlatch.cli.render.describe import times
from unlatch.cli.render.diff import ask_consent, diff_of, show_diff
from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.runtime.increments import named_increments
from unlatch.cli.terminal import output
from unlatch.errors import ConfigError, UsageError
from unlatch_doctor.cli.doctor_report import tell_report

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch_doctor.online import Examined

_FINDING = ("severity", "id", "message", "where", "hint", "increment")


@click.command()
@increment_argument("names", metavar="[ID|TRACKER...]", nargs=-1)
@flag("--online", help="Check the token's permissions on the trackers; read only.")
@flag("--fix", help="Show safe fixes, ask, and write them.")
@flag("--dry-run", help="With --fix: show the fixes, and write nothing.")
@flag("--yes", help="With --fix: do not ask.")
@flag("--verbose", help="List every finding, instead of the first of each kind.")
@flag("--settings", help="Also list all settings with their sources.")
@with_json
def run(
    context: Context,
    *,
    names: tuple[str, ...],
    online: bool,
    fix: bool,
    dry_run: bool,
    yes: bool,
    verbose: bool,
    settings: bool,
    as_json: bool,
) -> int:
    if (dry_run or yes) and not fix:
        raise click.UsageError("--dry-run and --yes go with --fix")
    named = () if online else _increments(context, names)
    fixes = _fix(context, named, dry_run=dry_run, yes=yes, quiet=as_json) if fix else []
    if fixes is None:
        output.talk("Nothing was changed.")
        return DECLINED
    report = _report(context, names if online else None, named, fixes)
    code = 1 if report["errors"] else 0
    if as_json:
        output.document("doctor", code, **report)
    else:
        tell_report(report, every=verbose or bool(named), settings=settings)
    return code


def _increments(context: Context, names: Sequence[str]) -> Collection[str]:
    if any(name in context.workspace.registry.manifests for name in names):
        raise click.UsageError("trackers are named with --online")
    return {increment for name in names for increment in _names(context, name)}


def _names(context: Context, word: str) -> Sequence[str]:
    """The folders of increments, or else of the record of an item."""
    try:
        return named_increments(context, [word]).names
    except UsageError:
        with suppress(UsageError):
            return [context.workspace.beside.find(word).name]
        raise


def _fix(
    context: Context, named: Collection[str], *, dry_run: bool, yes: bool, quiet: bool
) -> list[output.Json] | None:
    """Apply the safe fixes, of the named increments or of all; None if the user declines."""
    from unlatch_doctor.run import apply_fix, safe_fixes  # noqa: PLC0415

    fixes = safe_fixes(context.workspace)
    chosen = [fix for fix in fixes if not named or fix.increment in named]
    diffs = [diff_of(fix.path, fix.before, fix.after) for fix in chosen]
    for diff in () if quiet else diffs:
        show_diff(diff)
    if chosen and not dry_run:
        question = f"Change {times(len(chosen), 'file')}?"
        if not ask_consent(question, yes=yes, command="unlatch doctor --fix --yes"):
            return None
    done = [not dry_run and apply_fix(context.workspace, fix) for fix in chosen]
    if not quiet and not chosen:
        output.talk("No safe fixes.")
    elif not quiet and not dry_run:
        output.talk(f"{output.good(output.sign('ok'))} {times(sum(done), 'file')} fixed")
    return [
        {**output.fields(fix, "id", "increment", "path"), "diff": diff, "done": is_done}
        for fix, diff, is_done in zip(chosen, diffs, done, strict=True)
    ]


def _report(
    context: Context,
    trackers: tuple[str, ...] | None,
    named: Collection[str],
    fixes: Sequence[output.Json],
) -> output.Json:
    """The report; if trackers or increments are named, about these alone."""
    from unlatch_doctor.run import count_increments, examine, with_online  # noqa: PLC0415

    examined: Sequence[Examined] = ()
    if trackers is not None:
        from unlatch_doctor.online import examine_online  # noqa: PLC0415

        with context.trackers() as opened:
            try:
                examined = examine_online(context.workspace, opened, trackers)
            except ConfigError:
                if trackers:  # otherwise the findings have its mistakes
                    raise
    settings, findings = ([], []) if trackers else examine(context.workspace)
    findings = with_online(findings, examined)
    if named:
        findings = [finding for finding in findings if finding.increment in named]
    return {
        "root": str(context.paths.root),
        "settings": [output.fields(setting, "key", "value", "source") for setting in settings],
        "findings": [output.fields(finding, *_FINDING) for finding in findings],
        "access": [_access_entry(examined) for examined in examined],
        "fixes": fixes,
        "increments": len(named) or count_increments(context.paths),
        "items": 0 if named else count_increments(context.workspace.beside.paths),
        "errors": sum(finding.severity == "error" for finding in findings),
        "warnings": sum(finding.severity == "warning" for finding in findings),
    }


def _access_entry(examined: Examined) -> output.Json:
    places = examined.found.places if examined.found else ()
    return {
        "tracker": examined.tracker,
        "login": examined.found.login if examined.found else None,
        "places": [{"target": place.target, "rights": dict(place.rights)} for place in places],
    }
