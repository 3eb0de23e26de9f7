"""Plans that a model made and a later call applies: each once, within ten minutes."""

from __future__ import annotations

import secrets
from types import MappingProxyType
from typing import TYPE_CHECKING

from unlatch.lifecycle.planned.comparison import differences, foresees_change, is_unread, items_of
from unlatch.values import dataclass
from unlatch_mcp.calls import CallFailed, Calls, Document
from unlatch_mcp.sizes import fitted

if TYPE_CHECKING:
    from collections.abc import Callable


# Seconds.
LIFETIME = 600.0
_MOST = 100
NOTHING = "There is nothing to apply: see the errors and warnings of the plan."
_NEXT = "make a new plan, and show it to the user"
_SHORTER = "shorten the reason, name fewer items, or let the user run unlatch at a terminal"
# Another's words, which the user has not read, would go out in the user's name.
_OWN = "--own-pending"
_AGAIN = "apply_plan with the same token; the plan still counts"
# What shows the changes of a plan's command.
_SEEN_WITH = MappingProxyType({"resume": "unlatch show", "reopen": "unlatch status"})


@dataclass(frozen=True, slots=True)
class Planned:
    options: tuple[str, ...]
    words: tuple[str, ...]
    document: Document
    until: float


@dataclass(frozen=True, slots=True)
class Checked:
    """A plan that still holds; `digest` is that of the increment, if it has one."""

    planned: Planned
    digest: str | None


class Plans:
    """The plans of one server.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, calls: Calls, clock: Callable[[], float]) -> None:
        self._calls, self._clock = calls, clock
        self._known: dict[str, Planned] = {}

    def make(self, *options: str, words: tuple[str, ...]) -> Document:
        """The dry run of a command, with the token that applies it; or candidates.

        A plan without any change has no token.

        Raises:
            CallFailed: `plan-too-long`: the user would agree to more than is shown; as the command.
        """
        document = self._dry_run(options, words)
        if "candidates" in document:
            return document
        if fitted(document, options[0]) is not document:
            message = "the plan is too long to be shown as a whole"
            raise CallFailed("plan-too-long", message, hint=_SHORTER)
        if not foresees_change(document):
            return {"plan": document, "message": NOTHING}
        token = secrets.token_urlsafe(16)
        until = self._clock() + LIFETIME
        self._known[token] = Planned(options, words, document, until)
        for old in [*self._known][:-_MOST]:
            del self._known[old]
        return {"plan": document, "token": token, "expiresInSeconds": int(LIFETIME)}

    def check(self, token: str) -> Checked:
        """Use up a token, and compare its plan with one that is made now.

        A token still counts if the plan could not be made now.

        Raises:
            CallFailed: `plan-unknown`, `plan-expired`, `plan-not-checked` or `plan-changed`; as the
                command.
        """
        planned = self._known.pop(token, None)
        if planned is None:
            raise CallFailed("plan-unknown", "no plan has this token; each counts once", hint=_NEXT)
        if self._clock() > planned.until:
            raise CallFailed("plan-expired", "the plan is older than ten minutes", hint=_NEXT)
        try:
            now = self._dry_run(planned.options, planned.words)
            _check_read(now, planned.document)
        except CallFailed:
            self._known[token] = planned
            raise
        fixed = " ".join(planned.options)
        if changed := differences(planned.document, now, fixed=fixed):
            message = f"something changed since the plan was made: {'; '.join(changed)}"
            raise CallFailed("plan-changed", message, hint=_NEXT)
        return Checked(planned, now.get("digest"))

    def apply(self, checked: Checked) -> Document:
        """Carry out a plan that was checked just now.

        Raises:
            CallFailed: `plan-changed`; as the command.
        """
        planned = checked.planned
        # The command compares it under its lock: files can change after the dry run.
        bound = (f"--planned={checked.digest}",) if checked.digest is not None else ()
        seen_with = _SEEN_WITH[planned.options[0]]
        options = (*planned.options, _OWN, "--yes", *bound)
        return self._calls.run(*options, words=planned.words, seen_with=seen_with)

    def _dry_run(self, options: tuple[str, ...], words: tuple[str, ...]) -> Document:
        return self._calls.run(*options, _OWN, "--dry-run", words=words, exact=True)


def _check_read(document: Document, planned: Document) -> None:
    """Refuse a dry run without an item that the plan had."""
    read = {item["url"] for item in items_of(planned) if not is_unread(item)}
    unread = [item for item in items_of(document) if is_unread(item)]
    if lost := [item for item in unread if item["url"] in read]:
        message = f"{lost[0]['url']} could not be read: {lost[0]['error']['message']}"
        raise CallFailed("plan-not-checked", f"{message}; nothing was done", hint=_AGAIN)
