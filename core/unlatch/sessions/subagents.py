"""The work of subagents that a session's callouts refer to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.config.tables import SubagentMode
from unlatch.errors import UnlatchError
from unlatch.sessions.model import CalloutKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.sessions.model import Callout, Session
    from unlatch.sessions.store import SessionStore

_MODE = re.compile(r"mode:[ \t]*(?P<mode>\w+)[ \t]*")
_LINK = re.compile(r"[ \t]*(?P<embed>!?)\[\[(?P<id>[^\]|#]+)(?:[|#][^\]]*)?\]\][ \t]*")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Reference:
    """The session that a subagent's callout names."""

    session: str
    mode: SubagentMode


@dataclass(frozen=True, slots=True)
class Embedded:
    """An embedded session, or the reason why it cannot be shown.

    Args:
        chain: the ids from the session where reading began to this one.
    """

    chain: tuple[str, ...]
    session: Session | None
    problem: str | None = None


def reference(callout: Callout) -> Reference | None:
    """The session that a subagent's callout links or embeds; None for inline work."""
    lines = callout.text.split("\n")
    mode = _MODE.fullmatch(lines[0]) if lines else None
    if callout.kind != CalloutKind.SUBAGENT or (mode and mode["mode"] == SubagentMode.INLINE):
        return None
    for line in lines:
        if found := _LINK.fullmatch(line):
            kind = SubagentMode.EMBED if found["embed"] else SubagentMode.LINK
            return Reference(found["id"].strip(), kind)
    return None


def embed(store: SessionStore, callout: Callout, chain: tuple[str, ...]) -> Embedded | None:
    """The session that a callout embeds; None if it embeds none.

    Args:
        chain: the ids of the outer sessions, which must not be embedded again.
    """
    found = reference(callout)
    if found is None or found.mode is not SubagentMode.EMBED:
        return None
    here = (*chain, found.session)
    if found.session in chain:
        return Embedded(here, None, f"it embeds itself: {' -> '.join(here)}")
    if len(here) > _DEEPEST:
        return Embedded(here, None, f"embedded deeper than {_DEEPEST} levels")
    try:
        return Embedded(here, store.read(store.find(found.session)).session)
    except UnlatchError as error:
        return Embedded(here, None, error.message)


def all_embedded(
    store: SessionStore, session: Session, chain: tuple[str, ...] = ()
) -> Iterator[Embedded]:
    """The embedded sessions at any depth, in the order of their callouts."""
    chain = chain or (session.id,)
    for phase in session.phases:
        for callout in phase.callouts(CalloutKind.SUBAGENT):
            if found := embed(store, callout, chain):
                yield found
                if found.session:
                    yield from all_embedded(store, found.session, found.chain)
