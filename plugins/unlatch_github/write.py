"""Change an issue by requests in a fixed order.

A `Writer` sends them, or lists them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import Forbidden, Rejected, TrackerError
from unlatch.spi import Goal, Outcome, hidden, markdown, must_move
from unlatch_github.api.models import IssueSnapshot, without
from unlatch_github.draft import changed_fields, new_fields, resolve_milestone
from unlatch_github.draft_options import DraftOptions, read_draft_options, unmet_options
from unlatch_github.projects import STATUS_OPTION, report_projects
from unlatch_github.settings import OnReopen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.spi import Change, Draft, Progress
    from unlatch_github.preview import Writer

_STATES = {
    Goal.OPEN: ("open", "reopened"),
    Goal.COMPLETED: ("closed", "completed"),
    Goal.NOT_PLANNED: ("closed", "not_planned"),
}
_INVALID = 422


def create(client: Writer, target: str, draft: Draft, change: Change) -> Outcome:
    """Create an issue with all its fields, by one request."""
    fields = new_fields(draft, hidden(change.op), where=target)
    options = read_draft_options(draft.metadata)
    milestone = resolve_milestone(client, options, None, target)
    optional = {
        "labels": [*change.add_labels],
        "milestone": milestone,
        "assignees": [*options.assignees],
        "type": options.type,
    }
    given = {key: value for key, value in optional.items() if value}
    created = client.create(target, {**fields, **given})
    # Without push access GitHub drops them silently (its reference, "Create an issue").
    refused = without(change.add_labels, created.item.labels)
    notes = [f"label {name} not added: the token needs push access" for name in refused]
    notes += unmet_options(options, created, milestone)
    return Outcome(created.item, refused=refused, notes=tuple(notes))


def write(client: Writer, issue: IssueSnapshot, change: Change, done: Progress) -> None:
    """Change an issue: its fields, then the comment, the labels, and the assignees.

    Ends early if GitHub's answer shows that the state did not change.

    Args:
        issue: the issue as read; with its body if the change has a draft.
    """
    reopens = change.draft is None and change.goal is Goal.OPEN
    extras = client.settings.on_reopen if reopens else OnReopen()
    fields = _state_fields(issue, change, extras)
    options, milestone = DraftOptions(), None
    if change.draft:
        ref = issue.item.ref
        options = read_draft_options(change.draft.metadata)
        milestone = resolve_milestone(client, options, issue, ref.target)
        where = client.settings.name(ref)
        fields |= changed_fields(issue, change.draft, options, milestone, where=where)
    now = client.change(issue, fields) if fields else issue
    done.item = now.item
    if change.goal is not None and must_move(now.item, change.goal):
        return
    _comment(client, change, done)
    _relabel(client, change, done)
    if change.draft:
        written, now = now, _assign(client, now, options.assignees, done)
        done.unchanged = not fields and now is written
        done.notes += unmet_options(options, now, milestone)
    if reopens:
        _finish_reopen(client, now, change, done)


def _state_fields(issue: IssueSnapshot, change: Change, extras: OnReopen) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if change.goal is not None and must_move(issue.item, change.goal):
        state, reason = _STATES[change.goal]
        # Pull requests have no reason.
        fields |= {"state": state} if issue.pull else {"state": state, "state_reason": reason}
    is_over = issue.milestone is not None and not issue.milestone.is_open
    if is_over and extras.milestone == "clear":
        fields["milestone"] = None
    return fields


def _comment(client: Writer, change: Change, done: Progress) -> None:
    if change.comment is None:
        return
    words = markdown(change.comment, mentions=change.mentions)
    # Behind the words, as other programs cut the text (findings/bugwarrior-shown-marker.sh).
    posted = client.comment(done.item.ref, f"{words}\n\n{hidden(change.op)}")
    done.comment, done.account = posted
    done.commented = True


def _relabel(client: Writer, change: Change, done: Progress) -> None:
    missing = without(change.add_labels, done.item.labels)
    if names := [name for name in missing if _may_add(client, change, name, done)]:
        _add_labels(client, names, done)
    unwanted = set(map(str.casefold, change.remove_labels))
    for name in done.item.labels:
        if name.casefold() in unwanted:
            _remove_label(client, name, done)


def _may_add(client: Writer, change: Change, name: str, done: Progress) -> bool:
    """Whether a label exists, or may be created: GitHub creates what it is told to add."""
    target = done.item.ref.target
    if name not in change.existing_labels or client.has_label(target, name):
        return True
    done.refused.append(name)
    done.notes.append(
        f"label {name} not added: {target} has no such label (create it: --label {name})"
    )
    return False


def _remove_label(client: Writer, name: str, done: Progress) -> None:
    try:
        done.item = replace(done.item, labels=client.remove_label(done.item, name))
    except (Forbidden, Rejected) as error:
        _refuse(done, name, "removed", error)


def _add_labels(client: Writer, names: Sequence[str], done: Progress) -> None:
    try:
        done.item = replace(done.item, labels=client.add_labels(done.item, names))
    except (Forbidden, Rejected) as error:
        if len(names) == 1:
            _refuse(done, names[0], "added", error)
            return
        _check_is_final(error)
        # GitHub added none of them; one refused label must not stop the others.
        for name in names:
            _add_labels(client, [name], done)


def _refuse(done: Progress, name: str, part: str, error: TrackerError) -> None:
    _check_is_final(error)
    done.refused.append(name)
    why = "the token needs the Triage role" if isinstance(error, Forbidden) else error.message
    done.notes.append(f"label {name} not {part}: {why}")


def _check_is_final(error: TrackerError) -> None:
    """Raise errors that do not concern the label."""
    if not isinstance(error, Forbidden) and error.status != _INVALID:
        raise error


def _assign(
    client: Writer, issue: IssueSnapshot, logins: Sequence[str], done: Progress
) -> IssueSnapshot:
    """Add missing assignees; after a refusal the issue is unchanged."""
    new = without(logins, issue.assignees)
    if not new:
        return issue
    try:
        now = client.assign(issue, new)
    except Forbidden:
        return issue
    done.item = now.item
    return now


def _finish_reopen(client: Writer, issue: IssueSnapshot, change: Change, done: Progress) -> None:
    """Assign the issue and set its status in projects as configured, and add notes for the user."""
    extras, asked = client.settings.on_reopen, change.options.value_of(STATUS_OPTION)
    if not issue.assignees and extras.assignee == "me":
        issue = _take(client, issue, done)
    done.notes += _notes_on(issue)
    status = asked or extras.project_status
    if status or extras.project == "report":
        is_asked = asked is not None
        done.notes += report_projects(client, issue.item.ref, status, is_asked=is_asked)


def _take(client: Writer, issue: IssueSnapshot, done: Progress) -> IssueSnapshot:
    """Assign the issue to the token's account, or add a note."""
    login = client.identity().login
    if login is None:
        done.notes.append("it could not be assigned: GitHub does not name the token's account")
        return issue
    now = _assign(client, issue, [login], done)
    if not now.assignees:
        done.notes.append(f"GitHub did not assign it to {login}")
    return now


def _notes_on(issue: IssueSnapshot) -> Iterator[str]:
    """Notes from the issue's answer."""
    if issue.milestone is not None and not issue.milestone.is_open:
        yield f'its milestone "{issue.milestone.title}" is closed'
    if not issue.assignees:
        yield "it has no assignee"
