"""Which transition leads where it shall, and what its screen wants. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected
from unlatch.spi import Category, Goal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from unlatch_jira.answers import Issue, Move, Named, ScreenField
    from unlatch_jira.settings import JiraSettings, Transitions

# A transition's name is whatever an administrator called it; this one word is what Jira's own
# workflows have called it since the beginning, in English. Statuses are never matched by name.
_REOPEN = re.compile(r"\bre-?open", re.IGNORECASE)

_NO_MOVE = (
    "ask for the permission Transition Issues in its project, or name a way through its workflow "
    "in trackers.jira.transitions"
)


def choose(moves: Iterable[Move], goal: Goal, transitions: Transitions) -> Move:
    """The transition to take towards `goal`.

    Raises:
        Rejected: `no-transition`, or `transition-not-offered` where the configured one is missing.
    """
    offered = [move for move in moves if move.available]
    if not offered:
        raise Rejected("no-transition", "Jira offers no transition of this issue", hint=_NO_MOVE)
    wanted = wanted_for(goal, transitions)
    if wanted is not None:
        return _configured(offered, wanted)
    for likely in _preferences(goal, transitions):
        found = [move for move in offered if likely(move)]
        if found:
            return _easiest(found)
    raise Rejected(
        "no-transition",
        f"no transition of this issue leads to {_aim(goal)}; on offer: {_names(offered)}",
        hint=_NO_MOVE,
    )


def wanted_for(goal: Goal, transitions: Transitions) -> str | None:
    """The configured transition or status towards `goal`."""
    return {
        Goal.OPEN: transitions.reopen,
        Goal.COMPLETED: transitions.complete,
        Goal.NOT_PLANNED: transitions.drop,
    }[goal]


def _configured(offered: Sequence[Move], wanted: str) -> Move:
    word = wanted.casefold()
    by_rank = (
        [move for move in offered if move.id == wanted],
        [move for move in offered if move.name.casefold() == word],
        [move for move in offered if move.to.name.casefold() == word],
    )
    for found in by_rank:
        if found:
            return found[0]
    raise Rejected(
        "transition-not-offered",
        f"the configured transition {wanted!r} is not on offer; there are: {_names(offered)}",
        hint="set trackers.jira.transitions to a transition's name or id, or a status's name",
    )


def _preferences(goal: Goal, transitions: Transitions) -> Iterator[Callable[[Move], bool]]:
    """What to look for, the best first."""
    if goal is Goal.OPEN:
        yield lambda move: bool(_REOPEN.search(move.name)) and _opens(move)
        yield lambda move: move.to.means is Category.DOING
        yield _opens
        return
    if goal is Goal.COMPLETED and (drop := transitions.drop):
        yield lambda move: _closes(move) and not _is_called(move, drop)
    yield _closes


def _opens(move: Move) -> bool:
    return move.to.means.is_open


def _closes(move: Move) -> bool:
    return not move.to.means.is_open


def _is_called(move: Move, word: str) -> bool:
    names = (move.id, move.name.casefold(), move.to.name.casefold())
    return word.casefold() in names


def _easiest(moves: Sequence[Move]) -> Move:
    return min(moves, key=lambda move: len(_asked(move)))


def _asked(move: Move) -> dict[str, ScreenField]:
    return {
        name: field
        for name, field in move.screen.items()
        if field.required and not field.has_default and name != "resolution"
    }


def fill(move: Move, goal: Goal, issue: Issue, settings: JiraSettings) -> dict[str, Any]:
    """What to put into the fields of the transition's screen: its resolution, or nothing."""
    screen = move.screen.get("resolution")
    if screen is None:
        return {}
    if goal is Goal.OPEN:
        # Jira counts an issue with a resolution as resolved, whatever its status.
        return {} if screen.required or issue.resolution is None else {"resolution": None}
    wanted = (settings.resolution,) if goal is Goal.COMPLETED else settings.dropped_resolutions
    found = _first_called(screen.values, wanted)
    return {} if found is None else {"resolution": _reference(found)}


def resolutions(move: Move) -> tuple[str, ...]:
    """The resolutions that a transition's screen offers."""
    screen = move.screen.get("resolution")
    return tuple(one.name or one.id or "" for one in screen.values) if screen else ()


def _first_called(values: Iterable[Named], wanted: Iterable[str]) -> Named | None:
    offered = list(values)
    return next((one for word in wanted for one in offered if one.is_called(word)), None)


def _reference(value: Named) -> dict[str, str]:
    # The id is what counts, as names may be translated; servers have been met that read only names.
    named = {"id": value.id, "name": value.name}
    return {key: text for key, text in named.items() if text}


def unfilled(move: Move, filled: Mapping[str, Any]) -> dict[str, ScreenField]:
    """The fields that the screen requires, and that neither we nor a default fill."""
    return {
        name: field
        for name, field in move.screen.items()
        if field.required and not field.has_default and name not in filled
    }


def needs_fields(move: Move, missing: Mapping[str, ScreenField]) -> Rejected:
    """The error for a screen that only a person can fill."""
    wanted = "; ".join(_described(name, field) for name, field in missing.items())
    return Rejected(
        "transition-needs-fields",
        f"the transition {move.name!r} asks for fields that unlatch cannot fill: {wanted}",
        hint="take the transition in Jira, or name another in trackers.jira.transitions; a "
        "resolution is set by trackers.jira.resolution and dropped_resolutions",
    )


def _described(name: str, field: ScreenField) -> str:
    values = [value.name or value.value or value.id or "" for value in field.values]
    return (field.name or name) + (f" (one of {', '.join(values)})" if values else "")


def had_no_effect(issue: Issue, move: Move) -> Rejected:
    """The error for a transition that Jira accepted and did not make."""
    required = [_described(name, f) for name, f in move.screen.items() if f.required]
    listed = f"; its screen requires {'; '.join(required)}" if required else ""
    return Rejected(
        "transition-had-no-effect",
        f"Jira accepted the transition {move.name!r}, and the issue is in "
        f"{issue.item.state!r} all the same",
        hint=f"take the transition in Jira to see which rule of its workflow refuses it{listed}",
    )


def _aim(goal: Goal) -> str:
    return "a status of work to do" if goal is Goal.OPEN else "a status of finished work"


def _names(moves: Iterable[Move]) -> str:
    return ", ".join(f"{move.name} (to {move.to.name})" for move in moves)
