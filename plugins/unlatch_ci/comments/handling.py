"""Handle a new comment on an item: decide, carry out, answer."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from unlatch.cli.runtime.failure import DECLINED, UNDECIDED
from unlatch.delivery.duplicates import delete_duplicates
from unlatch.errors import Forbidden, Rejected, UsageError
from unlatch.lifecycle.items.change import find_increments, note_alone
from unlatch.spi import Capability, Category
from unlatch.spi.change import Change
from unlatch.spi.manifest import VISIBILITY
from unlatch.spi.operation import DeliveryOptions
from unlatch.values import dataclass
from unlatch_ci.comments.answers import failure_text, refusal_text
from unlatch_ci.comments.carrying_out import CommandLine, command_line, lags_behind
from unlatch_ci.comments.command import Verb
from unlatch_ci.comments.deciding import Decision, answer_id, decide, refusal_id
from unlatch_ci.comments.rights import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.config.config import CoreConfig
    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef, SyncPlugin
    from unlatch.spi.history import Asked
    from unlatch.spi.text import Text

# Exit codes of a command that was not carried out, or not in full.
_FAILED = (1, DECLINED, UNDECIDED)


@dataclass(frozen=True, slots=True)
class Handled:
    """The result of a comment.

    Args:
        code: the exit code.
        why: for the user, if no command was carried out.
        did: what was done instead; None if nothing was to do.
    """

    code: int
    why: str | None = None
    did: str | None = None


def handle_comment(
    workspace: Workspace,
    trackers: Trackers,
    ref: ItemRef,
    comment: str,
    *,
    holds: bool,
    in_project: bool,
    run: Callable[[CommandLine, Callable[[], None]], int],
) -> Handled:
    """Carry out the command of a comment, if it has one and its author may.

    Args:
        comment: its id.
        holds: whether the item's repository is the one that holds the increments here.
        in_project: whether there may be increments.
        run: carries out a command, and then calls the function; its exit code.

    Raises:
        UsageError: `not-supported`: the tracker does not tell who wrote a comment.
        UnlatchError: the tracker cannot be asked.
    """
    if Capability.COMMANDS not in trackers.registry.manifest(ref.tracker).capabilities:
        title = trackers.registry.manifest(ref.tracker).title
        raise UsageError("not-supported", f"commands in comments of {title} are not supported")
    plugin, config = trackers.open(ref.tracker), workspace.config
    groups = [name for name in config.comments.allow if ":" in name]
    asked = plugin.read_asked(ref, comment, groups)
    if asked is None:
        return Handled(0, "the comment was deleted or edited, or no person wrote it")
    policy = _policy(config)
    decision = decide(asked, policy)
    command, why = decision.command, decision.why
    increments = find_increments(workspace, trackers, [ref])[0] if in_project and command else []
    if command is not None:
        line = command_line(asked, command, policy, increments, holds=holds)
        lags = decision.is_begun and lags_behind(line, increments, asked, command.verb)
        if why is None or lags:
            note = partial(_note, workspace, increments if line.beside else (), asked, command.verb)
            return _carry_out(trackers, asked, partial(run, line, note))
    label = config.comments.follow_up_label
    _show(trackers, asked, decision, policy, label)
    return Handled(0, why, did=f"Labeled {label}" if decision.labels else None)


def _note(workspace: Workspace, increments: Sequence[Increment], asked: Asked, verb: Verb) -> None:
    state, by = Category.TODO if verb is Verb.REOPEN else Category.DONE, asked.asker.shown
    for increment in increments:
        note_alone(workspace, increment, asked.ref, state, by=by, url=asked.url)


def _carry_out(trackers: Trackers, asked: Asked, run: Callable[[], int]) -> Handled:
    code = run()
    if code in _FAILED:
        text = failure_text(asked, is_undecided=code == UNDECIDED)
        _answer(trackers, asked, answer_id(asked), text)
    elif code == 0:
        _acknowledge(trackers, asked)
    return Handled(code)


def _policy(config: CoreConfig) -> Policy:
    usual, names = type(config.labels)(), (name for _, name in config.labels.names)
    return Policy(
        frozenset(config.comments.allow),
        config.comments.spread,
        config.comments.share_text,
        config.mentions,
        labels=frozenset(map(str.casefold, names if config.labels == usual else ())),
        days=config.comments.days,
        follow_up=config.comments.follow_up,
    )


def _show(trackers: Trackers, asked: Asked, decision: Decision, policy: Policy, label: str) -> None:
    """Show on the item why no command is carried out, where that is to be shown."""
    if decision.labels:
        _label(trackers.open(asked.ref.tracker), asked.ref, label, answer_id(asked))
    if decision.refusal is not None:
        text = refusal_text(asked, decision.refusal, policy)
        _answer(trackers, asked, refusal_id(asked, decision.refusal), text)
    if decision.is_met:
        _acknowledge(trackers, asked)


def _acknowledge(trackers: Trackers, asked: Asked) -> None:
    # A locked item may refuse this; the command was carried out.
    with suppress(Forbidden, Rejected) if asked.close.locked else nullcontext():
        trackers.open(asked.ref.tracker).acknowledge(asked.ref, asked.id)


def _label(plugin: SyncPlugin, ref: ItemRef, label: str, op: str) -> None:
    snapshot = plugin.read(ref)
    if label.casefold() not in map(str.casefold, snapshot.item.labels):
        plugin.write(snapshot, Change(op, add_labels=(label,)))


def _answer(trackers: Trackers, asked: Asked, op: str, text: Text) -> None:
    """Post a comment once, whoever else handles the same comment at this moment."""
    if asked.close.locked:
        # It takes no comment of those who may not write, as most jobs.
        return
    plugin, ref = trackers.open(asked.ref.tracker), asked.ref
    if plugin.find_comments(ref, op):
        return
    restricted = {f"{VISIBILITY.name}={asked.visibility}"} if asked.visibility else ()
    options = DeliveryOptions(plugin=frozenset(restricted))
    outcome = plugin.write(plugin.read(ref), Change(op, comment=text, options=options))
    delete_duplicates(trackers, ref, op, posted=outcome.comment)
