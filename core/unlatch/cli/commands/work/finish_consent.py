"""The questions of complete, abandon and undo before they close items."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import lines_of, times, tracker_title
from unlatch.cli.render.notes import tell_warnings
from unlatch.cli.runtime.context import is_interactive, require_terminal
from unlatch.cli.terminal import output, prompts
from unlatch.config.choices import Part
from unlatch.errors import UnlatchError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.link import Link
    from unlatch.lifecycle.status_change import StatusChange
    from unlatch.project.trackers import Trackers

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
    items = times(sum(len(plan.subject.links) for plan in plans), "item")
    to = " and ".join(dict.fromkeys(entry.previous_status for _, entry in entries))
    opened, what = "the reopen" if len(entries) == 1 else "these reopens", "it"
    if len(plans) > 1:
        what = "them"
    output.talk(f"  Undoing will set {what} back to {to}, and close the items that")
    output.talk(f"  {opened} opened ({items} linked).")
    return prompts.confirm("Continue?")
