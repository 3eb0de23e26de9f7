"""unlatch github, ado, jira ...: the commands of one tracker, built from its manifest."""

from __future__ import annotations

from functools import partial
from shlex import join, quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.trackers.tracker_status import status_command
from unlatch.cli.options.common import BY, flag, with_json
from unlatch.cli.options.delivery import DRY_RUN, serving
from unlatch.cli.options.increments import IDS, increment_argument
from unlatch.cli.options.items import KEY, MAX_ITEMS
from unlatch.cli.options.reason import ask_reason, reason_option
from unlatch.cli.render.deliveries import tell_done
from unlatch.cli.render.delivery_documents import delivered_code, done_entries
from unlatch.cli.render.dialog import Dialog
from unlatch.cli.render.notes import tell_remarks
from unlatch.cli.render.refused import tell_known_refusals
from unlatch.cli.runtime.context import Context, is_interactive, require_terminal
from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.runtime.groups import Group
from unlatch.cli.runtime.increments import Named, meant_increment, named_increments
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.lifecycle.carry_out import carry_out, plan_each
from unlatch.lifecycle.change import ChangeOptions, Done, Place, Refusal, Work
from unlatch.lifecycle.items.item_change import ItemChange, leave_done
from unlatch.lifecycle.items.tracker_items import plan_item_change, plan_item_creation
from unlatch.lifecycle.resume_plan import NO_REASON
from unlatch.project.find_increment import find_range
from unlatch.project.registry import Registry
from unlatch.spi import Capability, Manifest
from unlatch.spi.operation import DeliveryOptions, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.fetch_items import ItemSnapshot

_CHANGES = {
    Capability.UPDATE: (Kind.UPDATE, "Update the {noun}s of an increment."),
    Capability.CLOSE: (Kind.CLOSE, "Close the {noun}s of an increment; its status stays."),
    Capability.REOPEN: (Kind.REOPEN, "Reopen the {noun}s of an increment; its status stays."),
}


def tracker_group(name: str) -> click.Group:
    manifest = Registry().manifest(name)
    title, noun = manifest.title, manifest.noun
    group = Group(name, help=f"Work on {title} {noun}s alone. (writes trackers)")
    if Capability.CREATE in manifest.capabilities:
        group.add_command(_create_command(manifest))
    for capability, (kind, line) in _CHANGES.items():
        if capability in manifest.capabilities:
            text = f"{line.format(noun=noun)} (writes trackers)"
            group.add_command(_change_command(manifest, f"{capability.value}-", kind, text))
    if Capability.STATUS in manifest.capabilities:
        group.add_command(status_command(manifest))
    return group


def _create_command(manifest: Manifest) -> click.Command:
    noun = _a(manifest.noun)

    @click.command(
        f"create-{manifest.slug}",
        help=f"Create {noun} for an increment, and link it. (writes trackers)",
    )
    @IDS
    @click.option(
        "--story", "stories", metavar="US-ID", multiple=True, help="Only for this user story."
    )
    @flag("--per-story", help=f"Create {noun} for each user story that has none.")
    @flag("--another", help=f"Also create {noun} where one is linked already.")
    @BY
    @DRY_RUN
    @serving(Kind.CREATE, comment=False, of=manifest)
    @with_json
    def run(context: Context, *, named: Named, **options: Any) -> int:
        if named.is_many and (options["as_json"] or options["stories"]):
            raise click.UsageError("--json and --story take one increment")
        return create_items(context, manifest.name, named.names, **options)

    return run


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def create_items(
    context: Context,
    tracker: str,
    increments: Sequence[str],
    *,
    by: str | None,
    dry_run: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Create items for increments, with options of `plan_item_creation`; the exit code.

    All are planned before the first is created.
    """
    if options.get("per_story") and options["stories"]:
        raise click.UsageError("name user stories, or --per-story")
    who = context.who(by)
    with context.trackers() as trackers:
        plan = partial(plan_item_creation, context.workspace, trackers, tracker, by=who)
        changes: list[ItemChange] = []
        for name in increments:
            change = _planned(partial(plan, name), options, ask=not dry_run and is_interactive())
            if change is None:
                output.talk("Nothing was changed.")
                return DECLINED
            changes.append(change)
        code = 0
        for change in changes:
            if len(changes) > 1 and not dry_run:
                output.talk(f"{change.subject.id}:")
            place = Place(context.workspace, trackers)
            code = max(code, _create(context, place, change, dry_run=dry_run, as_json=as_json))
    return code


def _create(
    context: Context, place: Place, change: ItemChange, *, dry_run: bool, as_json: bool
) -> int:
    manifest = context.workspace.registry.manifest(change.tracker)
    if not change.operations and not as_json:
        output.talk(f"No user story without {_a(manifest.noun)}; nothing to create.")
    options = ChangeOptions(
        command=f"{manifest.name} create-{manifest.slug}",
        dry_run=dry_run,
        as_json=as_json,
        # The limit is for items that exist; these have stories that were named.
        max_items=len(change.operations),
        tracker=manifest.name,
    )
    dialog = TrackerDialog(context, options, Kind.CREATE, {})
    code = carry_out([Work(place, [change])], dialog, options)
    if change.operations and change.subject.status.is_finished and not dry_run:
        name = change.subject.id
        close = f"unlatch {manifest.name} close-{manifest.slug} {quote(name)}"
        output.note(f"{name} is {change.subject.status}; to close what is new: {close}")
    return code


def _planned(
    plan: Callable[..., ItemChange], options: dict[str, Any], *, ask: bool
) -> ItemChange | None:
    """The creation; None if the user declines to create another item."""
    try:
        return plan(**options)
    except UsageError as error:
        if error.id != "already-linked" or not ask:
            raise
        output.talk(f"{output.warn('!')} {output.clean(error.message)}")
        if not prompts.confirm("Create another?"):
            return None
        return plan(**{**options, "another": True})


def _change_command(manifest: Manifest, verb: str, kind: Kind, help: str) -> click.Command:
    name = f"{manifest.name} {verb}{manifest.slug}"

    @click.command(f"{verb}{manifest.slug}", help=help)
    @increment_argument("ids", metavar="ID...", nargs=-1, required=True)
    @click.option("--item", metavar="ITEM|URL", help=f"Only this {manifest.noun}.")
    @reason_option("Post this text as a comment.")
    @_key_for(kind)
    @BY
    @MAX_ITEMS
    @DRY_RUN
    @serving(kind, of=manifest)
    @with_json
    def run(
        context: Context,
        *,
        ids: tuple[str, ...],
        item: str | None,
        reason: str | None,
        by: str | None,
        delivery: DeliveryOptions,
        key: str | None = None,
        **given: Any,
    ) -> int:
        workspace, who = context.workspace, context.who(by)
        is_many = len(ids) > 1 or bool(find_range(workspace, ids[0]))
        if is_many:
            names, meant = _several(context, ids, item), item
        else:
            only = meant_increment(context, ids[0])
            names, meant = (only.name,), item or only.item
        listing = (
            f"unlatch {name} {join(names)} --dry-run"
            if is_many
            else f"unlatch show {quote(names[0])}"
        )
        options = ChangeOptions(
            command=name, listing=listing, is_many=is_many, tracker=manifest.name, **given
        )

        def plan(wanted: str) -> ItemChange:
            return plan_item_change(
                *(workspace, manifest, wanted, kind),
                by=who,
                item=meant,
                reason=reason,
                key=key,
                delivery=delivery,
            )

        with context.trackers() as trackers:
            place = Place(workspace, trackers)
            changes, refused = plan_each(workspace, names, plan, stops=not is_many)
            trackers.settings(manifest.name)
            if kind is Kind.REOPEN and reason is None and changes:
                given_reason = NO_REASON
                if not options.dry_run:
                    given_reason = _ask_reason(context, names[0], name)
                changes = [change.with_reason(given_reason) for change in changes]
            dialog = TrackerDialog(context, options, kind, {})
            changes, more = dialog.leave_done(place, changes)
            works = [Work(place, changes, [*refused, *more], names)]
            return carry_out(works, dialog, options)

    return run


def _key_for(kind: Kind) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --key of a change that posts a reason."""
    return (lambda function: function) if kind is Kind.UPDATE else KEY


def _several(context: Context, words: Sequence[str], item: str | None) -> Sequence[str]:
    """The names of several increments, all of whose items on the tracker are meant."""
    items = [word for word in (item, *words) if word and (word is item or context.is_item(word))]
    if items:
        raise click.UsageError(f"name one increment for a single item: {items[0]}")
    return named_increments(context, words).names


def _ask_reason(context: Context, increment: str, command: str) -> str:
    require_terminal(
        "reopening needs a reason", f"unlatch {command} {quote(increment)} --reason TEXT"
    )
    return ask_reason(context)


class TrackerDialog(Dialog):
    """The report of a change of items of increments on one tracker.

    Args:
        left: the items that the same change left as they are now, by increment.
    """

    moves = False
    keys = ("trackers",)
    keys_of_many = ("error", "trackers")

    def __init__(
        self,
        context: Context,
        options: ChangeOptions,
        kind: Kind,
        left: Mapping[str, Sequence[ItemSnapshot]],
    ) -> None:
        super().__init__(context, options)
        self.document = "tracker-change"
        self.kind, self.left = kind, dict(left)

    def leave_done(
        self, place: Place, changes: Sequence[ItemChange]
    ) -> tuple[list[ItemChange], list[Refusal]]:
        """Leave items out that the same change left as they are now, and show them."""
        by_name = {change.subject.id: change for change in changes}

        def leave(name: str) -> ItemChange:
            change, self.left[name] = leave_done(place.open_trackers, by_name[name])
            return change

        stops = not self.options.is_many
        kept, refused = plan_each(place.workspace, by_name, leave, stops=stops)
        for change in () if self.options.as_json else kept:
            self._tell_done(change.subject)
        return kept, refused

    def _tell_done(self, increment: Increment) -> None:
        done, tracker = self.left[increment.id], self.options.tracker or ""
        for snapshot in done:
            tell_done(self.context.workspace.registry, tracker, snapshot.name, self.kind)
        if done:
            tell_known_refusals(self.context, increment, [snapshot.link for snapshot in done])

    def tell(self, done: Done) -> None:
        tell_remarks(done.outcome.increment)

    def code(self, done: Done) -> int:
        # What was pending on other trackers before stays.
        return delivered_code(done.delivered.deliveries) if done.delivered else 0

    def has_changed(self, _done: Done) -> bool:
        return True

    def tell_left(self, done: Sequence[Done]) -> None:
        super().tell_left([done_change for done_change in done if self.code(done_change)])
        finished = [
            done_change.increment
            for done_change in done
            if done_change.increment.status.is_finished
        ]
        if self.kind is not Kind.REOPEN or not finished:
            return
        resume = f"unlatch resume {join(increment.id for increment in finished)}"
        if self.options.is_many:
            output.talk(f"The status of increments stays. To reopen them: {resume}")
        else:
            name = f"{quote(finished[0].id)} is still {finished[0].status}"
            output.talk(f"Increment {name}. To reopen it: {resume}")

    def print_document(self, name: str, code: int, **parts: Any) -> None:
        about = {"tracker": self.options.tracker, "kind": self.kind}
        super().print_document(name, code, **about, **parts)

    def deliveries(self, done: Done) -> list[output.Json]:
        left = done_entries(self.left.get(done.id, ()), self.kind)
        return [*super().deliveries(done), *left]
