"""The comments that answer a refused or failed command."""

from collections.abc import Sequence

from unlatch.spi.history import Asked, Role
from unlatch.spi.text import Text, fill
from unlatch_ci.comments.deciding import INCOMPLETE, UNCHANGED, asked_by
from unlatch_ci.comments.rights import Policy, Refusal

_OBSTACLES = {
    Refusal.MERGED: "GitHub cannot reopen a merged pull request. Reopen the issue that it closed, "
    "or open a new pull request.",
    Refusal.BRANCH_DELETED: "the branch of this pull request was deleted. Restore the branch, then "
    "ask again.",
}
_CLOSED = {
    Refusal.CLOSED_BY_ANOTHER: "another person closed this",
    Refusal.DROPPED: "this was closed as not planned or as a duplicate",
    Refusal.LOCKED: "this is locked",
    Refusal.TOO_LATE: "this was closed too long ago",
}
_FAILED = "the job for this comment failed. Its log says why."
_UNDECIDED = "a person has to decide about a part of it. The log of the job says why."


def refusal_text(asked: Asked, refusal: Refusal, policy: Policy) -> Text:
    """The reason for a refusal, and who may by the settings."""
    return _text(asked, _OBSTACLES.get(refusal) or _why(refusal, policy))


def failure_text(asked: Asked, *, is_undecided: bool) -> Text:
    """The answer to a command that failed, or of which a part was perhaps carried out."""
    return _text(asked, _UNDECIDED, INCOMPLETE) if is_undecided else _text(asked, _FAILED)


def _why(refusal: Refusal, policy: Policy) -> str:
    # Who has the right to write has that of triage, too.
    rights = "triage or write" if Role.TRIAGE in policy.allow else "write"
    staff = [f"people with {rights} rights"] if policy.allow & {Role.TRIAGE, Role.WRITE} else []
    teams = ["members of some teams"] if any(":" in name for name in policy.allow) else []
    if refusal is Refusal.NO_ROLE:
        own = [f"its {role}" for role in (Role.AUTHOR, Role.ASSIGNEE) if role in policy.allow]
        return f"{_listed([*own, *staff, *teams]) or 'nobody'} can ask for it."
    if refusal is Refusal.NOT_REQUESTER:
        return f"only {_listed(['the person who asked for the reopen', *staff])} can undo it."
    insisting = refusal in (Refusal.DROPPED, Refusal.LOCKED)
    people = _listed(staff if insisting else [*staff, *teams])
    if not people:
        return f"{_CLOSED[refusal]}, so no comment can reopen it."
    words = ", with the words: /reopen --even-if-not-planned REASON" if insisting else "."
    return f"{_CLOSED[refusal]}, so only {people} can reopen it{words}"


def _listed(people: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(people[:-1]), *people[-1:])))


def _text(asked: Asked, why: str, beginning: str = UNCHANGED) -> Text:
    return fill(f"**{beginning}**: {{why}} {{asked}}", {"why": why, "asked": asked_by(asked)})
