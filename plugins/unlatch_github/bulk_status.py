"""The status of many issues of any repositories, with one query per hundred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import Forbidden, NotFound, TrackerError, Transient
from unlatch.transport import quoted
from unlatch_github import is_alone
from unlatch_github.api.graphql import LARGEST_NUMBER, MOST, alias, status_query, to_rest
from unlatch_github.api.models import IssueSnapshot, issue_place, reading_answer
from unlatch_github.api.moved import moved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.spi import ItemRef
    from unlatch_github.api.client import Client

Answers = dict["ItemRef", "IssueSnapshot | TrackerError"]

# A query returns "not found" for transferred, deleted, disabled and hidden issues alike. This many
# are read one by one, to distinguish them.
_MOST_ALONE = 10
# Errors that every other request would also get.
_FOR_ALL = frozenset({"unauthorized", "credential-missing", "credential-malformed"})


def read_statuses(client: Client, refs: Iterable[ItemRef], *, background: bool = False) -> Answers:
    """Each issue's facts, or the error.

    Args:
        background: whether a query also asks for that.

    Raises:
        Unauthorised: `unauthorized`, GitHub does not accept the token.
        Transient: GitHub cannot be asked now.
        TrackerError: it refuses to tell the background.
    """
    wanted = list(dict.fromkeys(refs))
    answers: Answers = {}
    unclear: list[ItemRef] = []
    issues = [ref for ref in wanted if not is_alone(ref.url)]
    for refs_of_query in _chunks([ref for ref in issues if int(ref.id) <= LARGEST_NUMBER]):
        answered = _query(client, refs_of_query, background=background)
        if answered is None:
            # No GraphQL: an older server, a gateway, or a token without permission.
            return {ref: _alone(client, ref) for ref in wanted}
        answers |= answered
        unclear += [ref for ref in refs_of_query if ref not in answered]
    unclear += [ref for ref in issues if int(ref.id) > LARGEST_NUMBER]
    answers |= {ref: _alone(client, ref) for ref in wanted if ref not in issues}
    for place, ref in enumerate(unclear):
        answers[ref] = _alone(client, ref) if place < _MOST_ALONE else _missing(ref)
    return answers


def _chunks(refs: Sequence[ItemRef]) -> Iterator[Sequence[ItemRef]]:
    for start in range(0, len(refs), MOST):
        yield refs[start : start + MOST]


def _query(client: Client, refs: Sequence[ItemRef], *, background: bool) -> Answers | None:
    """The answers of a query about these issues; None if the server has no GraphQL."""
    try:
        answer = client.query(*status_query(refs, background=background))
    except Transient:
        raise
    except TrackerError as error:
        if background or error.id in _FOR_ALL:
            raise
        return None
    data = answer.get("data")
    if not isinstance(data, dict):
        return None
    nodes = ((ref, _node(data, place)) for place, ref in enumerate(refs))
    answers = {ref: _read(client, ref, node) for ref, node in nodes if node is not None}
    # A part that is refused is null, as if there was none.
    refused = _refused(answer.get("errors")) if background else {}
    hidden = ((ref, refused.get(alias(place))) for place, ref in enumerate(refs))
    return answers | {ref: error for ref, error in hidden if error and ref in answers}


def _refused(errors: Any) -> dict[str, TrackerError]:
    """The errors about parts of issues, by the names of their answers."""
    refused: dict[str, TrackerError] = {}
    for error in errors if isinstance(errors, list) else ():
        path = error.get("path") if isinstance(error, dict) else None
        if isinstance(path, list) and path:
            message = f"GitHub does not tell all about it: {quoted(str(error.get('message')))}"
            hint = "let the token read the repository's contents and pull requests"
            refused[str(path[0])] = Forbidden("forbidden", message, hint=hint)
    return refused


def _node(data: dict[str, Any], place: int) -> Any:
    repository = data.get(alias(place))
    return repository.get("issueOrPullRequest") if isinstance(repository, dict) else None


def _read(client: Client, ref: ItemRef, node: Any) -> IssueSnapshot | TrackerError:
    try:
        with reading_answer(f"{ref.target}#{ref.id}", written=False):
            answer = to_rest(node)
            target, number = (
                issue_place(answer) if "html_url" in answer else (ref.target, int(ref.id))
            )
        if number != int(ref.id):
            return moved(client.settings, ref, target, number)
        if target.casefold() != ref.target.casefold():
            # A query silently follows a repository to its new name.
            if not client.is_renamed(ref.target, target):
                return moved(client.settings, ref, target, number)
            ref = client.settings.ref(target, number)
        return client.found(answer, ref, written=False)
    except TrackerError as error:
        return error


def _alone(client: Client, ref: ItemRef) -> IssueSnapshot | TrackerError:
    try:
        return client.look(ref)
    except Transient as error:
        if error.id in ("rate-limited", "interrupted"):
            raise
        return error
    except TrackerError as error:
        return error


def _missing(ref: ItemRef) -> TrackerError:
    return NotFound(
        "item-not-found",
        "GitHub does not know it, or does not show it to this token",
        where=f"{ref.target}#{ref.id}",
        hint="check the link, and that the token may see the repository",
    )
