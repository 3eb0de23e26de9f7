"""What issues say, and the commits that closed them, by the queries for many issues.

What closed an issue is a commit, or a pull request that was merged or only closed
(https://docs.github.com/en/graphql/reference/objects#closedevent).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import TrackerError
from unlatch.spi import Background, ClosingCommit, read_stamp
from unlatch.transport import unreadable
from unlatch_github.api.models import IssueSnapshot, reading_answer
from unlatch_github.bulk_status import read_statuses
from unlatch_github.marker_trust import INSIDERS, PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.spi import ItemRef
    from unlatch_github.api.client import Client


def read_background(
    client: Client, refs: Sequence[ItemRef]
) -> dict[ItemRef, Background | TrackerError]:
    """The background of each issue, or the error."""
    issues = read_statuses(client, refs, background=True)
    return {ref: _read(client.settings.name(ref), issue) for ref, issue in issues.items()}


def _read(name: str, issue: IssueSnapshot | TrackerError) -> Background | TrackerError:
    if isinstance(issue, TrackerError):
        return issue
    if issue.background is None:
        message = "the server has no GraphQL, which tells what closed an issue"
        return unreadable(message, write=False, where=name)
    try:
        with reading_answer(name, written=False):
            return Background(
                f"{issue.item.title}\n{issue.body or ''}",
                _is_strangers(issue.background),
                tuple(_commits(issue.background)),
                left_out=" and ".join(_left_out(issue.background)),
            )
    except TrackerError as error:
        return error


def _is_strangers(node: Mapping[str, Any]) -> bool:
    """Whether a person wrote it who has no role in the repository; deleted accounts have none."""
    kind = (node["author"] or {}).get("__typename", PERSON)
    return kind == PERSON and node["authorAssociation"] not in INSIDERS


def _commits(node: Mapping[str, Any]) -> Iterator[ClosingCommit]:
    for event in node["closes"]["nodes"]:
        closer = event["closer"] or {}
        if "oid" in closer:
            yield _commit(closer)
        elif closer.get("merged"):
            pull = f"{closer['repository']['nameWithOwner']}#{closer['number']}"
            if closer["mergeCommit"]:
                yield _commit(closer["mergeCommit"], pull)
            yield from (_commit(entry["commit"], pull) for entry in closer["commits"]["nodes"])


def _left_out(node: Mapping[str, Any]) -> Iterator[str]:
    """What is behind the limits of the query."""
    if node["closes"]["pageInfo"]["hasPreviousPage"]:
        yield f"all but the last {len(node['closes']['nodes'])} closes"
    for event in node["closes"]["nodes"]:
        closer = event["closer"] or {}
        if closer.get("merged") and closer["commits"]["pageInfo"]["hasNextPage"]:
            count = len(closer["commits"]["nodes"])
            yield f"all but the first {count} commits of #{closer['number']}"


def _commit(node: Mapping[str, Any], pull: str = "") -> ClosingCommit:
    author = node["author"] or {}
    return ClosingCommit(
        str(node["oid"]),
        str(author.get("email") or ""),
        read_stamp(node["authoredDate"]),
        pull,
    )
