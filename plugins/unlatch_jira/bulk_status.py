"""The status of many issues: a hundred per request on Cloud, in parallel on Data Center.

Data Center can list only by its index, which may lag behind, and refuses a list with an unknown
key. So there each issue is read separately, a few at a time.
"""

from __future__ import annotations

from collections import deque
from contextvars import copy_context
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from unlatch.errors import NotFound, Rejected, TrackerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from unlatch.spi import ItemRef
    from unlatch_jira.api.models import Issue

_Seen = TypeVar("_Seen")

_AT_ONCE = 8


def read_many(
    refs: Sequence[ItemRef],
    fetch: Callable[[Sequence[str]], Mapping[str, Issue]],
    read: Callable[[ItemRef], Issue],
    *,
    page: int,
) -> Mapping[ItemRef, Issue | TrackerError]:
    """Each issue, or the error.

    Args:
        fetch: reads the issues with these keys, as far as it finds them, in one request.
        read: reads a single issue.
        page: how many keys one request takes; 1 if all are read separately.

    Raises:
        TrackerError: none of them could be read.
    """
    found: dict[ItemRef, Issue | TrackerError] = {}
    for start in range(0, len(refs) if page > 1 else 0, page):
        found |= _page(refs[start : start + page], fetch)
    # A moved issue is listed under its new key, without the requested one; a deleted or hidden one
    # is not listed. Reading it separately distinguishes them.
    missing = [ref for ref in refs if ref not in found]
    return found | side_by_side(missing, read)


def _page(
    refs: Sequence[ItemRef], fetch: Callable[[Sequence[str]], Mapping[str, Issue]]
) -> dict[ItemRef, Issue]:
    try:
        issues = fetch(sorted({ref.id for ref in refs}))
    except (NotFound, Rejected):
        return {}  # a proxy, or an unusual Jira: each issue can still be read separately
    return {ref: issues[ref.id] for ref in refs if ref.id in issues}


def side_by_side(
    refs: Iterable[ItemRef], read: Callable[[ItemRef], _Seen]
) -> dict[ItemRef, _Seen | TrackerError]:
    """Read each item, several at a time.

    The threads are daemons: a request that hangs must not keep the process alive.
    """
    waiting = deque(refs)
    found: dict[ItemRef, _Seen | TrackerError] = {}
    failed: list[BaseException] = []

    def work() -> None:
        while True:
            try:
                ref = waiting.popleft()
            except IndexError:
                return
            try:
                found[ref] = read(ref)
            except TrackerError as error:
                found[ref] = error
            except BaseException as error:  # noqa: BLE001  (raised again by the caller)
                failed.append(error)
                return

    threads = [
        Thread(target=copy_context().run, args=(work,), daemon=True)
        for _ in range(min(_AT_ONCE, len(waiting)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return found
