"""unlatch TRACKER close-, reopen- and update- with several ids."""

from __future__ import annotations

from shlex import join
from typing import TYPE_CHECKING

from unlatch.cli.render.deliveries import show_deliveries, tell_all_left, tell_done
from unlatch.cli.render.delivery_documents import delivered_code, delivery_entry
from unlatch.cli.render.documents import increment_entry
from unlatch.cli.render.preview_many import tell_previews
from unlatch.cli.render.refusals import refused_entry, tell_refusals
from unlatch.cli.runtime.failure import code_of_many
from unlatch.cli.terminal import output
from unlatch.lifecycle.deliver import find_excess
from unlatch.lifecycle.done_before import leave_done
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.lifecycle.many import Refusal, change_each
from unlatch.lifecycle.tracker_items import apply_item_change, preview_item_change
from unlatch.spi.operation import Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.cli.runtime.session import Session
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.tracker_items import ItemChange
    from unlatch.project.trackers import Trackers


@dataclass(frozen=True, slots=True, kw_only=True)
class Changing:
    """A change of the items of several increments, as it was typed.

    Args:
        command: the words after `unlatch`, without the ids.
        plan: the change of one increment's items, without a reason that is missing.
        reason: asks for a missing reason; None if none is missing.
    """

    tracker: str
    kind: Kind
    command: str
    plan: Callable[[str], ItemChange]
    reason: Callable[[], str] | None
    max_items: int | None
    dry_run: bool
    as_json: bool


def change_items_of_many(
    session: Session, trackers: Trackers, names: Sequence[str], typed: Changing
) -> int:
    """Change the items of increments, one that is refused aside from the others; the exit code.

    Raises:
        UsageError: `too-many-items`; nothing was changed.
    """
    planned = change_each(session.workspace, names, typed.plan)
    changes = [one for one in planned if not isinstance(one, Refusal)]
    refused = [one for one in planned if isinstance(one, Refusal)]
    items = sum(len(one.operations) for one in changes)
    command = f"unlatch {typed.command}"
    listing = f"{command} {join(names)} --dry-run"
    excess = find_excess(session.workspace, items, typed.max_items, command=listing)
    if typed.dry_run:
        changes = [leave_done(trackers, one)[0] for one in changes]
        found = [preview_item_change(session.workspace, trackers, one) for one in changes]
        return tell_previews(
            session,
            found,
            refused,
            command=command,
            items=items,
            excess=excess,
            as_json=typed.as_json,
        )
    if excess is not None:
        raise excess
    if typed.reason is not None and changes:
        reason = typed.reason()
        changes = [one.with_reason(reason) for one in changes]
    made = _apply(session, trackers, changes, silent=typed.as_json)
    return _end(typed, [*made, *refused], names)


def _apply(
    session: Session, trackers: Trackers, changes: Sequence[ItemChange], *, silent: bool
) -> list[DeliveryResult | Refusal]:
    by_name = {one.increment.id: one for one in changes}
    count = sum(len(one.operations) for one in changes)
    workspace, left = session.workspace, list[ItemSnapshot]()
    with show_deliveries(session, count, silent=silent) as report:

        def apply(name: str) -> DeliveryResult:
            change, done = leave_done(trackers, by_name[name])
            left.extend(done)
            return apply_item_change(workspace, trackers, change, report)

        made = change_each(workspace, by_name, apply)
    for one in () if silent else left:
        tell_done(workspace.registry, one.link.tracker, one.name, changes[0].kind)
    return made


def _end(typed: Changing, made: Sequence[DeliveryResult | Refusal], names: Sequence[str]) -> int:
    done = [one for one in made if not isinstance(one, Refusal)]
    refused = [one for one in made if isinstance(one, Refusal)]
    codes = [delivered_code(one.deliveries) for one in done]
    codes += [one.error.exit_code for one in refused]
    code = code_of_many(codes, changed=bool(done))
    if typed.as_json:
        entries = sorted(map(_entry, made), key=lambda one: names.index(one["id"]))
        output.document(
            "tracker-change-many", code, tracker=typed.tracker, kind=typed.kind, increments=entries
        )
        return code
    tell_refusals(refused)
    tell_all_left(done)
    finished = [one.increment for one in done if one.increment.status.is_finished]
    if typed.kind is Kind.REOPEN and finished:
        ids = join(one.id for one in finished)
        output.talk(f"The status of increments stays. To reopen them: unlatch resume {ids}")
    return code


def _entry(one: DeliveryResult | Refusal) -> output.Json:
    if isinstance(one, Refusal):
        return {**refused_entry(one), "trackers": []}
    increment = one.increment
    trackers = [delivery_entry(each) for each in one.deliveries]
    return {**increment_entry(increment, increment.status), "error": None, "trackers": trackers}
