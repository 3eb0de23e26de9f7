"""unlatch history verify: compare the history with the trackers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import with_json
from unlatch.cli.options.increments import increment_argument
from unlatch.cli.options.items import typed_items
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import broken_entries
from unlatch.cli.render.notes import tell_left_out
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.terminal import output
from unlatch.worklog.name_matching import first_of
from unlatch.worklog.times import stamp
from unlatch_audit.cli.named_records import Groups, find_named
from unlatch_audit.verify.results import Check, Part, Verdict, VerifiedEntry, VerifiedIncrement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import BrokenIncrement

_STYLES = {Verdict.OK: output.good, Verdict.DIFFERS: output.bad, Verdict.UNCHECKED: output.warn}
_LONGEST = max(map(len, Verdict))
_KINDS = {
    "file": "the files",
    "reopen": "items reopened",
    "close": "items closed",
    "create": "item created",
    "update": "items updated",
    "transitioned": "status changed",
    "withdrawn": "reopen withdrawn",
    "unknown": "unknown operation",
}


@click.command("verify", help="Compare the history with the trackers. (reads trackers)")
@increment_argument(
    "wanted",
    metavar="[ID|ITEM]...",
    callback=partial(typed_items, numbers=False),  # a number may be that of a deleted increment
    nargs=-1,
)
@with_json
def verify(context: Context, *, wanted: tuple[str, ...], as_json: bool) -> int:
    lost: Sequence[VerifiedIncrement] = ()
    gaps: Sequence[str] = ()
    broken: Sequence[BrokenIncrement] = ()
    if context.has_project:
        from unlatch_audit.verify.deletions import find_lost  # noqa: PLC0415  (starts git)

        lost, gaps = find_lost(context.workspace)
    if wanted:
        groups, lost = find_named(context, wanted, lost)
        gaps = ()
    else:
        groups, broken = _all(context)
    increments = [*_verify(context, groups), *lost]
    verified = [increment for increment in increments if increment.entries]
    differing, unchecked = (
        sum(increment.count(verdict) for increment in verified)
        for verdict in (Verdict.DIFFERS, Verdict.UNCHECKED)
    )
    code = UNDECIDED if differing or unchecked or broken else 0
    if as_json:
        parts = {
            "checked": sum(len([*increment.checks]) for increment in verified),
            "differing": differing,
            "unchecked": unchecked,
        }
        entries = [_increment_entry(increment) for increment in increments]
        document = {"increments": entries, **parts, "gaps": [*gaps]}
        document["broken"] = broken_entries(broken)
        output.document("history-verify", code, **document)
        return code
    with context.paged():
        for increment in verified:
            # Of all increments, only what needs attention.
            output.data(*_lines(increment, all_entries=bool(wanted)))
    tell_left_out(broken)
    if gaps:
        names = first_of(gaps)
        output.note(f"no increment has the number {names}: deleted, never made, or elsewhere")
    output.talk(_summary(verified, differing, unchecked))
    return code


def _all(context: Context) -> tuple[Groups, Sequence[BrokenIncrement]]:
    from unlatch_audit.cli.item_records import records_of_items  # noqa: PLC0415  (slow to load)

    groups, broken = records_of_items(context)
    if context.has_project:
        sound, unread = context.workspace.manager.read_all()
        groups, broken = [(context, sound), *groups], [*unread, *broken]
    return groups, broken


def _verify(context: Context, groups: Groups) -> list[VerifiedIncrement]:
    from unlatch_audit.verify.verify import verify_history  # noqa: PLC0415  (slow to load)

    verified: list[VerifiedIncrement] = []
    with context.transport() as options:
        for own, increments in groups:
            with own.trackers(options) as trackers:
                verified += verify_history(own.workspace, trackers, increments)
    return verified


def _lines(increment: VerifiedIncrement, *, all_entries: bool) -> Iterator[str]:
    entries = [
        entry
        for entry in increment.entries
        if all_entries or any(check.verdict is not Verdict.OK for check in entry.checks)
    ]
    if not entries:
        return
    yield output.strong(output.clean(increment.name))
    for entry in entries:
        yield from _entry_lines(entry)


def _entry_lines(entry: VerifiedEntry) -> Iterator[str]:
    what = _KINDS.get(entry.kind, entry.kind)
    by = f" by {output.clean(entry.by)}" if entry.by else ""
    when = f"{stamp(entry.at).replace('T', ' ').removesuffix('Z')}  " if entry.at else ""
    id_ = f" {output.faint(entry.id)}" if entry.id else ""
    yield f"  {when}{output.clean(what)}{by}{id_}"
    fine: dict[str, list[Check]] = {}
    for check in entry.checks:
        if check.verdict is Verdict.OK:
            fine.setdefault(_place(check), []).append(check)
    for place, checks in fine.items():
        yield from _check_line(Verdict.OK, f"{place}: {_fine_parts(checks)}")
    for check in entry.checks:
        if check.verdict is not Verdict.OK:
            text = f"{_place(check)}: {output.clean(check.message)}"
            yield from _check_line(check.verdict, f"{text} {output.faint(f'[{check.id}]')}")


def _fine_parts(checks: Sequence[Check]) -> str:
    """The parts; a comment with the account that posted it, as the tracker shows it."""
    parts = (
        f"{check.part} by {output.clean(check.author)}"
        if check.part is Part.COMMENT and check.author
        else check.part.value
        for check in checks
    )
    return ", ".join(dict.fromkeys(parts))


def _place(check: Check) -> str:
    return output.clean(f"{check.tracker} {check.item}") if check.item else "files"


def _check_line(verdict: Verdict, text: str) -> list[str]:
    return output.hang(f"    {_STYLES[verdict](f'{verdict:<{_LONGEST}}')}  ", text)


def _summary(increments: Sequence[VerifiedIncrement], differing: int, unchecked: int) -> str:
    entries = sum(len(increment.entries) for increment in increments)
    if not entries:
        return "Nothing is recorded yet."
    number = sum(len([*increment.checks]) for increment in increments)
    verb = "differs" if differing == 1 else "differ"
    counts = f"{times(number, 'part')} checked: {differing} {verb}, {unchecked} not checked"
    return f"{'1 entry' if entries == 1 else f'{entries} entries'}, {counts}."


def _increment_entry(increment: VerifiedIncrement) -> output.Json:
    return {
        "id": increment.id,
        "name": increment.name,
        "entries": [_entry(entry) for entry in increment.entries],
    }


def _entry(entry: VerifiedEntry) -> output.Json:
    return {
        "id": entry.id or None,
        "kind": entry.kind,
        "at": stamp(entry.at) if entry.at else None,
        "by": entry.by,
        "checks": [
            output.fields(check, "part", "verdict", "id", "message", "tracker", "item", "author")
            for check in entry.checks
        ],
    }
