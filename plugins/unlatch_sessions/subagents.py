"""The work of subagents that a session's callouts refer to."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.config.choices import SubagentMode
from unlatch.errors import UnlatchError
from unlatch.values import dataclass
from unlatch_sessions.session_model import Callout, CalloutKind, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_sessions.store import SessionStore

_MODE = re.compile(r"mode:[ \t]*(?P<mode>\w+)[ \t]*")
_LINK = re.compile(r"[ \t]*(?P<embed>!?)\[\[(?P<id>[^\]|#]+)(?:[|#][^\]]*)?\]\][ \t]*")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Reference:
    """The session that a subagent's callout names."""

    session: str
    mode: SubagentMode


@dataclass(frozen=True, slots=True)
class Trail:
    """The way from the session where reading began.

    Args:
        chain: the ids to the present session, which must not be embedded again.
        seen: all that were embedded so far; twelve in each of eight levels would be 430 million.
    """

    chain: tuple[str, ...]
    seen: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Embedded:
    """An embedded session, or the reason why it cannot be shown; `trail` leads to it."""

    trail: Trail
    session: Session | None
    problem: str | None = None


def reference(callout: Callout) -> Reference | None:
    """The session that a subagent's callout links or embeds; None for inline work."""
    lines = callout.text.split("\n")
    mode = _MODE.fullmatch(lines[0]) if lines else None
    if callout.kind != CalloutKind.SUBAGENT or (mode and mode["mode"] == SubagentMode.INLINE):
        return None
    for line in lines:
        if match := _LINK.fullmatch(line):
            kind = SubagentMode.EMBED if match["embed"] else SubagentMode.LINK
            return Reference(match["id"].strip(), kind)
    return None


def embed(store: SessionStore, callout: Callout, trail: Trail) -> Embedded | None:
    """The session that a callout embeds, the first time only; None if it embeds none."""
    link = reference(callout)
    if link is None or link.mode is not SubagentMode.EMBED:
        return None
    here = Trail((*trail.chain, link.session), trail.seen)
    if problem := _problem(link.session, here):
        return Embedded(here, None, problem)
    trail.seen.add(link.session)
    try:
        return Embedded(here, store.read(store.find(link.session)).session)
    except UnlatchError as error:
        return Embedded(here, None, error.message)


def _problem(session: str, here: Trail) -> str | None:
    if session in here.chain[:-1]:
        return f"it embeds itself: {' -> '.join(here.chain)}"
    if len(here.chain) > _DEEPEST:
        return f"embedded deeper than {_DEEPEST} levels"
    return "embedded above" if session in here.seen else None


def all_embedded(
    store: SessionStore, session: Session, trail: Trail | None = None
) -> Iterator[Embedded]:
    """The sessions that a session embeds, at any depth, in the order of their callouts."""
    trail = trail or Trail((session.id,))
    entries = [
        callout for phase in session.phases for callout in phase.callouts(CalloutKind.SUBAGENT)
    ]
    for callout in (*entries, *session.outside):
        if embedded := embed(store, callout, trail):
            yield embedded
            if embedded.session:
                yield from all_embedded(store, embedded.session, embedded.trail)
