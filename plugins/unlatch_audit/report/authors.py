"""Who reopened: the name in git, a declared one, and the accounts on the trackers."""

from collections.abc import Mapping

from unlatch.errors import StoreError
from unlatch.increments.model.increment import Increment
from unlatch.increments.records.events import Delivered
from unlatch.increments.records.status_events import LOG, Signed
from unlatch.values import dataclass


@dataclass(frozen=True, slots=True)
class Authors:
    """Who made a change, as far as its events record it.

    Args:
        git_name: the name in git's configuration.
        declared_by: the name given with the command.
        accounts: the account that posted each tracker's comments, by tracker.
    """

    git_name: str | None
    declared_by: str | None
    accounts: Mapping[str, str]


def authors_of(increment: Increment) -> Mapping[str, Authors]:
    """The authors of the changes of an increment, or of an item alone, by the ids of these."""
    if not increment.reopens:
        return {}
    try:
        events = LOG.read(increment.folder)
    except StoreError:  # `history` of this increment reports it
        return {}
    accounts: dict[str, dict[str, str]] = {}
    for event in events:
        if isinstance(event, Delivered) and event.account:
            accounts.setdefault(event.op, {}).setdefault(event.tracker, event.account)
    return {
        event.id: Authors(event.git_name, event.declared_by, accounts.get(event.id, {}))
        for event in events
        if isinstance(event, Signed)
    }
