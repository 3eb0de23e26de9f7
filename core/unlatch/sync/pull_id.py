"""The ids of pulls: the same increment recognizes its own in the markers on its items.

The result of a pull is lost if its files are not pushed. Another checkout of the same files then
repeats it as the same operation, so that no comment is posted twice.
"""

import hashlib
import json

from unlatch.increments.model.increment import Increment
from unlatch.increments.records.events import Reopened, Undone, read_events
from unlatch.increments.records.status_events import Transitioned
from unlatch.worklog.ids import ULID_DIGITS

# In a ULID; the random part follows.
_TIME_DIGITS = 10


def pull_id(increment: Increment, new_id: str) -> str:
    """Return `new_id` with a random part that depends on the last change of the status."""
    return new_id[:_TIME_DIGITS] + _digest(increment)


def is_pull_of(increment: Increment, op: str) -> bool:
    """Whether an operation is a pull of the increment with its present status."""
    return op[_TIME_DIGITS:] == _digest(increment)


def _digest(increment: Increment) -> str:
    events = read_events(increment.folder, increment.reopens)
    changes = [one.id for one in events if isinstance(one, Reopened | Transitioned | Undone)]
    finished = increment.completed_at.isoformat() if increment.completed_at else None
    facts = [increment.id, increment.status, finished, *changes[-1:]]
    number = int.from_bytes(hashlib.sha256(json.dumps(facts).encode()).digest()[:10])
    return "".join(ULID_DIGITS[number >> 5 * place & 31] for place in reversed(range(16)))
