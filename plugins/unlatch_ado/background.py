"""What work items say, and the commits and pull requests that they are linked to.

Azure DevOps links what names a work item by itself, and its pull requests close linked ones
(https://learn.microsoft.com/azure/devops/repos/git/resolve-work-items). The commits of a pull
request need another scope of the token, so those that merged it are known by their subjects. Its
number is the only one in the organization.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from unlatch.errors import TrackerError
from unlatch.patterns import pattern
from unlatch.spi import Background, ClosingCommit
from unlatch_ado.api.client import Parts
from unlatch_ado.api.plain_text import plain
from unlatch_ado.snapshot import check_project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.spi import ItemRef
    from unlatch_ado.api.client import Client
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.settings import AdoSettings

_ALL = Parts(description=True, related=True)
# vstfs:///Git/Commit/PROJECT/REPOSITORY/ID, vstfs:///Git/PullRequestId/PROJECT/REPOSITORY/NUMBER,
# and vstfs:///GitHub/Commit/REPOSITORY/ID of a connected GitHub.
_COMMIT = pattern(
    r"vstfs:///(?:Git/Commit/[^/]+|GitHub/Commit)/[^/]+/([0-9a-f]{40})", re.IGNORECASE
)
_PULL = pattern(r"vstfs:///Git/PullRequestId/[^/]+/[^/]+/([0-9]{1,9})", re.IGNORECASE)
_HREF = pattern(r"""\bhref\s{0,9}=\s{0,9}["']([^"'<>]{1,2000})["']""", re.IGNORECASE)


def read_background(
    settings: AdoSettings, client: Client, refs: Sequence[ItemRef]
) -> dict[ItemRef, Background | TrackerError]:
    """The background of each work item, or the error; two hundred per request.

    Raises:
        TrackerError: none of them could be read.
    """
    items = client.read_many((ref.id for ref in refs), _ALL)
    return {ref: _read(settings, items[str(int(ref.id))]) for ref in refs}


def _read(settings: AdoSettings, item: WorkItem | TrackerError) -> Background | TrackerError:
    if isinstance(item, TrackerError):
        return item
    try:
        check_project(settings, item)
    except TrackerError as error:
        return error
    links = [unquote(link) for link in item.links]
    description = item.description or ""
    hrefs = map(html.unescape, _HREF.findall(description))
    return Background(
        "\n".join((item.title, plain(description), *hrefs, *item.links)),
        commits=tuple(ClosingCommit(m[1].lower()) for m in map(_COMMIT.fullmatch, links) if m),
        merges=tuple(f"Merged PR {m[1]}:" for m in map(_PULL.fullmatch, links) if m),
    )
