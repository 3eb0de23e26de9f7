"""What complete, abandon and undo ask and show."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import replace
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.render.describe import lines_of, times, tracker_title
from unlatch.cli.render.dialog import Dialog
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.runtime.context import Context, is_interactive, require_terminal
from unlatch.cli.runtime.failure import UNDECIDED, error_lines
from unlatch.cli.terminal import output, prompts
from unlatch.config.choices import Part
from unlatch.errors import UnlatchError, unexpected
from unlatch.increments.model.status import Status
from unlatch.lifecycle.change import ChangeOptions, Done, Ended, Outcome
from unlatch.lifecycle.units.archiving import archive_command, archive_unit
from unlatch.related.belonging import find_related
from unlatch.related.places import may_have_related
from unlatch.spi.operation import Kind
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.model.reopens import Amendment
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.status_change import StatusChange
    from unlatch.project.trackers import Trackers

# The keys of an increment in the documents for many.
_UNDO_KEYS = ("error", "trackers", "left", "undone")
_MANY_KEYS = ("error", "trackers", "spared", "forced", "warnings", "left", "evidence")


class FinishDialog(Dialog):
    """The prompts and the report of complete, abandon and undo.

    Attributes:
        archive: archive the units; by default the command for it is shown.
        briefing: write the briefings; None asks at a terminal, or names the command.
    """

    keys = ("spared", "undone", "trackers", "forced", "evidence", "warnings")

    def __init__(
        self, context: Context, options: ChangeOptions, *, archive: bool, briefing: bool | None
    ) -> None:
        super().__init__(context, options)
        is_asked = not (options.as_json or options.is_many)  # several are not asked about
        self.archive, self.briefing = archive, briefing if is_asked else bool(briefing)
        self.keys_of_many = _UNDO_KEYS if options.command == "undo" else _MANY_KEYS

    def leave_idle(self, changes: Sequence[StatusChange]) -> list[StatusChange]:
        """The changes of increments that do not have the status already."""
        if idle := [change for change in changes if change.is_idle]:
            count, verb = times(len(idle), "increment"), "is" if len(idle) == 1 else "are"
            output.talk(f"{count} {verb} already {idle[0].to}; nothing to do.")
        return [change for change in changes if change not in idle]

    def confirm(self, changes: Sequence[StatusChange]) -> Sequence[StatusChange] | None:
        if self.options.yes:
            return changes
        command, silent = self.options.command, self.options.as_json
        return confirm_finish(self.context, command, changes, silent=silent)

    def tell(self, done: Done) -> None:
        change: Any = done.change
        _tell_change(change, done.outcome)

    def ended(self, ended: Sequence[Ended]) -> int:
        done = [change for change in ended if isinstance(change, Done)]
        if not (self.options.as_json or self.options.offline):
            self.tell_left(done)
        more: output.Json = {}
        for change in done:
            failed, more = end_change(
                *(self.context, change.id, self.options),
                archive=self.archive,
                briefing=self.briefing,
            )
            change.failed = tuple(failed)
        code = self.code_of(ended)
        if self.options.as_json:
            self.write_document(ended, code, **({} if self.options.is_many else more))
        return code

    def tell_left(self, done: Sequence[Done]) -> None:
        super().tell_left(done)
        for change in done if self.options.command == "undo" else ():
            if change.delivered is not None:
                _tell_undecided(self.context, change.delivered)

    def code(self, done: Done) -> int:
        return super().code(done) or (UNDECIDED if done.failed else 0)


def _tell_change(plan: StatusChange, result: Outcome) -> None:
    before, after = result.before.status, result.increment.status
    undone = result.undone or plan.undone
    moved = f" is already {after}" if before is after else f": {before} -> {after}"
    if not result.increment.is_item:
        output.ok(f"Increment {result.increment.id}{moved}")
    if result.is_reason_lost:
        output.remark("this reason was not recorded")
    for link, needed in result.spared:
        output.data(f"  {link.key} stays open: {', '.join(needed)} needs it")
    _tell_withdrawn(plan.subject, result.increment)
    tell_remarks(result.increment)
    tell_warnings(plan.approval.warnings)
    if len(undone) > 1:
        why = (
            " of the open item" if plan.subject.is_item else ": git merged them from several clones"
        )
        output.remark(f"undid {len(undone)} reopens{why}")
    if undone and any(result.increment.folder.parent.glob("_*")):
        output.remark(
            "its folder is not moved; if the reopen took it out of the archive, move it back"
        )
    _tell_kept([reopen.amendment for reopen in undone if reopen.amendment])


def _tell_withdrawn(before: Increment, after: Increment) -> None:
    """Name the items whose refused reopen is no longer pending."""
    kept = {operation.key for operation in after.pending}
    for operation in before.pending:
        if operation.kind is Kind.REOPEN and operation.is_blocked and operation.key not in kept:
            output.remark(
                f"the reopen of {operation.item} was withdrawn: it was refused ({operation.cause})"
            )


def _tell_kept(amendments: Sequence[Amendment]) -> None:
    if parts := list(dict.fromkeys(part for amendment in amendments for part in amendment.parts)):
        output.remark(f"not ticked again: {first_of(parts)}; tick what is done, or use git")
    if any(amendment.change is not None for amendment in amendments):
        output.remark("the documents keep the text of the reopen; remove it by hand or with git")


def _tell_undecided(context: Context, delivered: DeliveryResult) -> None:
    """Name the commands that close items which undo left open."""
    manifests = context.workspace.registry.manifests
    undecided = [delivery for delivery in delivered.deliveries if delivery.undecided is not None]
    for name in dict.fromkeys(delivery.operation.tracker for delivery in undecided):
        close = f"{name} close-{manifests[name].slug}"
        output.talk(f"To close the item: unlatch {close} {quote(delivered.increment.id)}")


_ING = {"complete": "Completing", "abandon": "Abandoning"}


def confirm_finish(
    context: Context, name: str, plans: Sequence[StatusChange], *, silent: bool
) -> Sequence[StatusChange] | None:
    """Ask for consent to plans of the command `name`; None if the user declined.

    Args:
        silent: whether the output is for a program; closing items then needs no consent.
    """
    if name != "undo":
        return plans if silent else _ask_closing(context, plans, name)
    is_asked = any(plan.undone for plan in plans)
    return None if is_asked and not _ask_undo(plans) else plans


def _ask_closing(
    context: Context, plans: Sequence[StatusChange], name: str
) -> Sequence[StatusChange] | None:
    """Name the items that plans close, and ask once at a terminal; None if the user declined.

    Nothing is asked without a terminal, so that CI jobs and agents go on, and where the user's
    configuration says so. The plans come back without the warnings that were shown.
    """
    closing = {plan.subject.id: _closed_by(context, plan) for plan in plans}
    count = len({link.key for links in closing.values() for link in links})
    if not (count and is_interactive() and context.workspace.user.confirm_closing):
        return plans
    subject = plans[0].subject.id if len(plans) == 1 else times(len(plans), "increment")
    how = " as not planned" if name == "abandon" else ""
    head = f"{_ING[name]} {subject} will close {times(count, 'item')}{how}:"
    output.talk(f"{output.warn('!')} {head}")
    with context.trackers() as trackers:
        for plan in plans:
            names = [_name(trackers, link) for link in closing[plan.subject.id]]
            _tell_items(plan, names, is_alone=len(plans) == 1)
    if not prompts.confirm("Continue?"):
        return None
    return [replace(plan, approval=replace(plan.approval, warnings=())) for plan in plans]


def _closed_by(context: Context, plan: StatusChange) -> Sequence[Link]:
    """The links whose items a plan closes."""
    if plan.is_idle:
        return ()
    config = context.workspace.config.sync
    spared = [link for link, _ in plan.spared]
    links = (link for link in plan.subject.links if link not in spared)
    return [link for link in links if Part.STATUS in config.may_write(link.tracker)]


def _name(trackers: Trackers, link: Link) -> str:
    title = tracker_title(trackers.registry, link.tracker)
    name = link.key
    with suppress(UnlatchError):
        name = trackers.settings(link.tracker).name(trackers.place(link))
    return f"{title} {name}"


def _tell_items(plan: StatusChange, names: Sequence[str], *, is_alone: bool) -> None:
    if is_alone:
        output.talk(*(f"    {name}" for name in names))
    elif names:
        output.talk(f"    {plan.subject.id}: {', '.join(names)}")
    for link, needed in plan.spared:
        output.talk(f"    {link.key} stays open: {', '.join(needed)} needs it")
    tell_warnings(plan.approval.warnings)


def _ask_undo(plans: Sequence[StatusChange]) -> bool:
    names = " ".join(quote(plan.subject.argument) for plan in plans)
    require_terminal("undo closes items again", f"unlatch undo {names} --yes")
    entries = [(plan.subject, entry) for plan in plans for entry in plan.undone]
    for increment, entry in entries:
        head = f"{output.warn('!')} {increment.name} was reopened by {entry.reopened_by}: "
        output.talk(*lines_of("", head, entry.reason))
    if plans[0].subject.is_item:
        output.talk("  Undoing will close the item again.")
        return prompts.confirm("Continue?")
    items = times(sum(len(plan.subject.links) for plan in plans), "item")
    to = " and ".join(dict.fromkeys(entry.previous_status for _, entry in entries))
    opened, what = "the reopen" if len(entries) == 1 else "these reopens", "it"
    if len(plans) > 1:
        what = "them"
    output.talk(f"  Undoing will set {what} back to {to}, and close the items that")
    output.talk(f"  {opened} opened ({items} linked).")
    return prompts.confirm("Continue?")


def end_change(
    context: Context, id: str, options: ChangeOptions, *, archive: bool, briefing: bool | None
) -> tuple[list[UnlatchError], output.Json]:
    """Archive a changed increment, write its briefing, and name its other work that is open.

    Args:
        archive: archive the unit; by default the command for it is shown.
        briefing: write the briefing; None asks at a terminal, or names the command.

    Returns:
        The errors, which are shown: they cannot end the command as if nothing was changed; and
        keys for the document.
    """
    failed: list[UnlatchError] = []
    keys: output.Json = {}
    steps = (partial(_archive, wanted=archive), partial(_brief, wanted=briefing), _tell_open_work)
    for step in steps:
        try:
            keys |= step(context, context.workspace.manager.read(id), options) or {}
        except prompts.Unanswered as stop:
            # An unanswered prompt would say that nothing was changed.
            raise click.Abort from stop
        except click.Abort:
            raise
        except Exception as error:  # noqa: BLE001  # a bug is reported like any error
            failed.append(unexpected(error))
            context.trace(failed[-1])
            output.talk(*error_lines(failed[-1]))
    return failed, keys


def _archive(
    context: Context, increment: Increment, options: ChangeOptions, *, wanted: bool
) -> None:
    """Archive a completed unit, or name the command that does."""
    command = shlex.join(archive_command(increment))
    if options.command == "abandon" or increment.archived or not command:
        return
    if wanted:
        archive_unit(context.workspace, increment)
    if not options.as_json:
        if wanted:
            output.ok(f"{output.clean(command)}")
        else:
            output.talk(f"Next: {output.clean(command)}")


def _brief(
    context: Context, increment: Increment, options: ChangeOptions, *, wanted: bool | None
) -> None:
    """Write the briefing of a completed increment, or ask for it."""
    if wanted is False or increment.status is not Status.COMPLETED:
        return
    if wanted or may_have_related(context.workspace, increment):
        from unlatch.cli.commands.work.other_work import offer_briefing  # noqa: PLC0415

        asks, silent = not options.yes, options.as_json
        offer_briefing(context, increment, wanted=wanted, asks=asks, silent=silent)


def _tell_open_work(
    context: Context, increment: Increment, options: ChangeOptions
) -> output.Json | None:
    """Name each effort, session and run of the increment that has not ended."""
    if not (increment.status.is_finished and may_have_related(context.workspace, increment)):
        return None
    from unlatch.related.unfinished import open_work  # noqa: PLC0415

    works = [*open_work(find_related(context.workspace, increment))]
    if not options.as_json:
        for work in works:
            output.talk(f"{output.warn('!')} {output.clean(work.ref)} is still {work.status}")
            output.talk(f"    To end it: {output.clean(work.next)}")
    return (
        {"related": [output.fields(work, "ref", "status", "next") for work in works]}
        if works
        else None
    )
