"""Write the command line that carries out a command from a comment.

A command line keeps every limit, guard and record of one that a person types. Its operations have
the comment's address as their key, so that an event that comes twice is one change.
"""

from collections.abc import Sequence
from datetime import datetime

from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import same_item
from unlatch.spi import Category
from unlatch.spi.history import Asked
from unlatch.spi.manifest import VISIBILITY
from unlatch.spi.render import without_references
from unlatch.values import dataclass
from unlatch_ci.comments.asked_reason import quoted_reason
from unlatch_ci.comments.command import Command, Verb
from unlatch_ci.comments.deciding import asked_by
from unlatch_ci.comments.rights import Policy, changes_increment, completes_increment

# Resuming one of another status leaves its closed items closed.
_REOPENS_ITEMS = (Status.COMPLETED, Status.ACTIVE)
_KEYED = frozenset({"reopen", "resume", "close"})
_UNDONE = "The reopen is taken back"


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command of unlatch.

    Args:
        increments: the ids of those that it changes; empty if it changes the item alone.
        beside: the ids of those that the item belongs to, and that it leaves as they are.
    """

    arguments: tuple[str, ...]
    increments: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def command_line(
    asked: Asked,
    command: Command,
    policy: Policy,
    increments: Sequence[Increment],
    *,
    holds: bool,
) -> CommandLine:
    """The command that a comment asks for.

    Args:
        increments: those that the item belongs to.
        holds: whether the item's repository holds them.
    """
    is_reached = _reaches_increment(asked, command, policy, holds=holds)
    changed = increments if is_reached else ()
    reason = _reason(asked, command, policy, changed)
    line = [*_start(command.verb, asked.ref.url, changed), f"--reason={reason}"]
    if not changed and _leaves_labels(asked, policy):
        line.append("--no-labels")
    line.append(f"--by={asked.asker.shown}")
    if asked.visibility:
        line.append(f"--{VISIBILITY.name}={asked.visibility}")
    if asked.close.locked and not changed:
        # It takes none, and the command stands there.
        line.append("--comment=none")
    if line[0] in _KEYED:
        line.append(f"--key={asked.url}")
    if line[0] == "resume":
        # What a stranger wrote is none of the user's own words, which agents may read.
        line.append(f"--source={asked.url}")
    # Whether that close stands has been decided; a bot's or one's own does not.
    is_dropped = command.verb is Verb.REOPEN and asked.close.dropped is not False
    if is_dropped:
        line.append("--even-if-not-planned")
    ids = tuple(increment.id for increment in increments)
    return CommandLine(tuple(line), *((ids,) if changed else ((), ids)))


def _leaves_labels(asked: Asked, policy: Policy) -> bool:
    """Whether an item that has none of unlatch's labels gets none.

    To find out whether the repository has them would be a request of its own.
    """
    if not policy.labels or asked.labels is None:
        return False
    return policy.labels.isdisjoint(map(str.casefold, asked.labels))


def lags_behind(
    line: CommandLine, increments: Sequence[Increment], asked: Asked, verb: Verb
) -> bool:
    """Whether an increment does not show yet what a command did to its item.

    Its job ended too early, or could not publish the increment.
    """
    opens = verb is Verb.REOPEN
    changes = bool(line.increments)
    return any(
        (not increment.status.is_finished if changes else _noted(increment, asked)) is not opens
        and not _changed_since(increment, asked.written)
        for increment in increments
    )


def _noted(increment: Increment, asked: Asked) -> bool | None:
    """Whether the item was open when it was last in sync, or noted; None if it never was."""
    item = Link(asked.ref.tracker, asked.ref.id, asked.ref.url)
    bases = [link.base for link in increment.links if same_item(link, item)]
    return next((Category(base.remote).is_open for base in bases if base), None)


def _changed_since(increment: Increment, moment: datetime) -> bool:
    changes = [increment.completed_at, *(entry.reopened_at for entry in increment.reopens)]
    return any(change is not None and change > moment for change in changes)


def _reaches_increment(asked: Asked, command: Command, policy: Policy, *, holds: bool) -> bool:
    # Rights to the item are rights to the increment only if its repository gives them.
    has_rights = holds or asked.asker.trusted
    if command.verb is Verb.CLOSE:
        return has_rights and completes_increment(asked.asker, policy)
    return policy.spread or (has_rights and changes_increment(asked.asker, policy))


def _start(verb: Verb, url: str, increments: Sequence[Increment]) -> list[str]:
    ids = [increment.id for increment in increments]
    if not ids:
        return ["reopen" if verb is Verb.REOPEN else "close", url, "--item-only", "--yes"]
    if verb is Verb.CLOSE:
        return ["complete", *ids, "--yes"]
    if verb is Verb.UNDO:
        return ["undo", *ids, "--yes"]
    reopens = all(increment.status in _REOPENS_ITEMS for increment in increments)
    return ["resume", *ids, "--yes", *([] if reopens else ["--reopen-items"])]


def _reason(asked: Asked, command: Command, policy: Policy, increments: Sequence[Increment]) -> str:
    # The words stand above the comment on the issue. People who see other items need not see it,
    # and what an increment records is read in git, and by agents.
    is_kept = asked.is_restricted or (increments and not policy.share_text)
    words = "" if is_kept else quoted_reason(command.reason)
    if policy.mentions:
        # The setting is for the words of the team.
        words = without_references(words)
    if command.verb is Verb.UNDO and not increments:
        words = f"{_UNDONE}: {words}" if words else _UNDONE
    return f"{words} {asked_by(asked)}".strip()
