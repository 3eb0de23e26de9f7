"""The comments that answer a command which was not carried out."""

from unlatch.spi.history import Asked
from unlatch.spi.text import Text, fill
from unlatch_ci.comments.deciding import UNCHANGED, asked_by
from unlatch_ci.comments.rights import Refusal

_STAFF = "people with triage or write rights"
_REFUSED = {
    Refusal.NO_ROLE: f"its author, its assignee and {_STAFF} can ask for it.",
    Refusal.CLOSE_STANDS: f"somebody else closed this, so only {_STAFF} can reopen it.",
    Refusal.DROPPED: f"this was closed without its work, so only {_STAFF} can reopen it, "
    "with the words: /reopen --even-if-not-planned REASON",
    Refusal.LOCKED: f"this is locked, so only {_STAFF} can reopen it, "
    "with the words: /reopen --even-if-not-planned REASON",
    Refusal.MERGED: "GitHub reopens no merged pull request. Reopen the issue that it closed, or "
    "open a new pull request.",
    Refusal.BRANCH_DELETED: "the branch of this pull request was deleted. Restore the branch, then "
    "ask again.",
    Refusal.TOO_LATE: f"this was closed too long ago, so only {_STAFF} can reopen it.",
    Refusal.NOT_ASKED_BY: f"only who asked for the reopen and {_STAFF} can take it back.",
}
_FAILED = "the job that took up the comment could not do that; its log says why."


def refusal_text(asked: Asked, refusal: Refusal) -> Text:
    """Why a person may not, and who may."""
    return _text(asked, _REFUSED[refusal])


def failure_text(asked: Asked) -> Text:
    """That a command failed and nothing was changed."""
    return _text(asked, _FAILED)


def _text(asked: Asked, why: str) -> Text:
    return fill(f"**{UNCHANGED}**: {{why}} {{asked}}", {"why": why, "asked": asked_by(asked)})
