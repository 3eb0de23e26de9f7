"""The status of many issues: a hundred per request on Cloud, in parallel on Data Center.

Data Center can list only by its index, which may lag behind, and refuses a list with an unknown
key. So there each issue is read separately, a few at a time.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import NotFound, Rejected
from unlatch.transport import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unlatch.errors import TrackerError
    from unlatch.spi import ItemRef
    from unlatch_jira.api.models import Issue


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
    by_ref: dict[ItemRef, Issue | TrackerError] = {}
    for start in range(0, len(refs) if page > 1 else 0, page):
        by_ref |= _page(refs[start : start + page], fetch)
    # A moved issue is listed under its new key, without the requested one; a deleted or hidden one
    # is not listed. Reading it separately distinguishes them.
    missing = [ref for ref in refs if ref not in by_ref]
    issues = side_by_side([partial(read, ref) for ref in missing])
    return by_ref | dict(zip(missing, issues, strict=True))


def _page(
    refs: Sequence[ItemRef], fetch: Callable[[Sequence[str]], Mapping[str, Issue]]
) -> dict[ItemRef, Issue]:
    try:
        issues = fetch(sorted({ref.id for ref in refs}))
    except (NotFound, Rejected):
        return {}  # a proxy, or an unusual Jira: each issue can still be read separately
    return {ref: issues[ref.id] for ref in refs if ref.id in issues}
