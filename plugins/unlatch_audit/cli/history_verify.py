"""unlatch history verify: compare the history with the trackers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import JSON
from unlatch.cli.options.increments import increment_argument
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import broken_entries
from unlatch.cli.render.notes import tell_left_out
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.increments import named_increments
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.worklog.name_matching import first_of
from unlatch.worklog.times import stamp
from unlatch_audit.verify.model import Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch_audit.verify.model import Check, VerifiedEntry, VerifiedIncrement

_STYLES = {Verdict.OK: output.good, Verdict.DIFFERS: output.bad, Verdict.UNCHECKED: output.warn}
_LONGEST = max(map(len, Verdict))
_KINDS = {
    "file": "the files",
    "reopen": "items reopened",
    "close": "items closed",
    "create": "item created",
    "update": "items updated",
    "transitioned": "status changed",
    "unknown": "unknown operation",
}


@click.command("verify", help="Compare the history with the trackers. (reads trackers)")
@increment_argument("wanted", metavar="[ID|ITEM]...", nargs=-1)
@JSON
@with_context
def verify(context: Context, *, wanted: tuple[str, ...], as_json: bool) -> int:
    found, broken = _verify(context, wanted)
    gaps: Sequence[str] = ()
    if context.has_project and not wanted:
        from unlatch_audit.verify.deletions import find_lost  # noqa: PLC0415  (starts git)

        lost = find_lost(context.workspace)
        found, gaps = [*found, *lost.deleted], lost.gaps
    verified = [one for one in found if one.entries]
    differing, unchecked = (
        sum(one.count(verdict) for one in verified)
        for verdict in (Verdict.DIFFERS, Verdict.UNCHECKED)
    )
    code = UNDECIDED if differing or unchecked or broken else 0
    if as_json:
        parts = {
            "checked": sum(len([*one.checks]) for one in verified),
            "differing": differing,
            "unchecked": unchecked,
        }
        entries = [_increment_entry(one) for one in found]
        document = {"increments": entries, **parts, "gaps": [*gaps]}
        document["broken"] = broken_entries(broken)
        output.document("history-verify", code, **document)
        return code
    with context.paged():
        for one in verified:
            # Of all increments, only what needs attention.
            output.data(*_lines(one, all_entries=bool(wanted)))
    tell_left_out(broken)
    if gaps:
        names = first_of(gaps)
        output.note(f"no increment has the number {names}: deleted, never made, or elsewhere")
    output.talk(_summary(verified, differing, unchecked))
    return code


def _verify(
    context: Context, wanted: Sequence[str]
) -> tuple[list[VerifiedIncrement], Sequence[BrokenIncrement]]:
    from unlatch.cli.runtime.item_words import find_record, records_of_items  # noqa: PLC0415  (slow to load)
    from unlatch_audit.verify.verify import verify_history  # noqa: PLC0415

    broken: Sequence[BrokenIncrement] = ()
    groups: list[tuple[Context, Sequence[Increment]]] = []
    if wanted:
        words = dict.fromkeys(wanted)
        records = {one: find_record(context, one) for one in words if context.is_item(one)}
        names = named_increments(context, [one for one in words if not records.get(one)]).names
        groups.append((context, [context.workspace.manager.read(name) for name in names]))
        groups += [
            (own, [own.workspace.manager.read(name)])
            for own, name in filter(None, records.values())
        ]
    else:
        groups, broken = records_of_items(context)
        if context.has_project:
            sound, unread = context.workspace.manager.read_all()
            groups, broken = [(context, sound), *groups], [*unread, *broken]
    found: list[VerifiedIncrement] = []
    with context.transport() as options:
        for own, increments in groups:
            with own.trackers(options) as trackers:
                found += verify_history(own.workspace, trackers, increments)
    return found, broken


def _lines(one: VerifiedIncrement, *, all_entries: bool) -> Iterator[str]:
    shown = [
        entry
        for entry in one.entries
        if all_entries or any(check.verdict is not Verdict.OK for check in entry.checks)
    ]
    if not shown:
        return
    yield output.strong(output.clean(one.name))
    for entry in shown:
        yield from _entry_lines(entry)


def _entry_lines(entry: VerifiedEntry) -> Iterator[str]:
    what = _KINDS.get(entry.kind, entry.kind)
    by = f" by {output.clean(entry.by)}" if entry.by else ""
    when = f"{stamp(entry.at).replace('T', ' ').removesuffix('Z')}  " if entry.at else ""
    yield f"  {when}{output.clean(what)}{by} {output.faint(entry.id)}".rstrip()
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
        f"{one.part} by {output.clean(one.author)}"
        if one.part is Part.COMMENT and one.author
        else one.part.value
        for one in checks
    )
    return ", ".join(dict.fromkeys(parts))


def _place(check: Check) -> str:
    return output.clean(f"{check.tracker} {check.item}") if check.item else "files"


def _check_line(verdict: Verdict, text: str) -> list[str]:
    return output.hang(f"    {_STYLES[verdict](f'{verdict:<{_LONGEST}}')}  ", text)


def _summary(found: Sequence[VerifiedIncrement], differing: int, unchecked: int) -> str:
    entries = sum(len(one.entries) for one in found)
    if not entries:
        return "Nothing is recorded yet."
    number = sum(len([*one.checks]) for one in found)
    verb = "differs" if differing == 1 else "differ"
    counts = f"{times(number, 'part')} checked: {differing} {verb}, {unchecked} not checked"
    return f"{'1 entry' if entries == 1 else f'{entries} entries'}, {counts}."


def _increment_entry(one: VerifiedIncrement) -> output.Json:
    return {"id": one.id, "name": one.name, "entries": [_entry(entry) for entry in one.entries]}


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
