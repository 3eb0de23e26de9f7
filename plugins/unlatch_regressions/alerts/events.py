"""Webhook events about alerts.

Sources: GitHub, "Webhook events and payloads" (`dependabot_alert`, `code_scanning_alert`,
`secret_scanning_alert`; https://docs.github.com/en/webhooks/webhook-events-and-payloads), and
"New Dependabot alerts webhook" (a user reopened what a user had dismissed, GitHub reintroduced what
was fixed); Sentry, "Integration platform webhooks: issues"
(https://docs.sentry.io/integrations/integration-platform/webhooks/issues/). The name of GitHub's
event is in a header that no file has, so the alert's address tells the kind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from unlatch.config.choices import Reaction
from unlatch.values import dataclass
from unlatch_regressions.alerts.alert import Alert

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

_Text = Annotated[str, StringConstraints(max_length=10_000)]
_Address = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
# The kind of a GitHub alert, and its number.
_PLACE = re.compile(r"/security/(dependabot|code-scanning|secret-scanning)/([0-9]{1,9})\Z")
_HEADS = "refs/heads/"
_PERSON = "a person reopened the alert"


class _Part(BaseModel):
    # The hosts add keys at any time.
    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


class _Package(_Part):
    name: _Text = ""


class _Dependency(_Part):
    package: _Package = _Package()


class _Advisory(_Part):
    ghsa_id: _Text = ""


class _Rule(_Part):
    id: _Text | None = None
    description: _Text | None = None


class _GitHubAlert(_Part):
    # Never `secret`, which secret scanning has.
    html_url: _Address
    updated_at: AwareDatetime | None = None
    fixed_at: AwareDatetime | None = None
    dismissed_at: AwareDatetime | None = None
    resolved_at: AwareDatetime | None = None
    dependency: _Dependency = _Dependency()
    security_advisory: _Advisory = _Advisory()
    rule: _Rule = _Rule()
    secret_type: _Text = ""


class _Repository(_Part):
    default_branch: _Text | None = None


class GitHubEvent(_Part):
    """An event of GitHub about an alert."""

    action: _Text
    alert: _GitHubAlert
    ref: _Text | None = None
    commit_oid: _Text | None = None
    repository: _Repository = _Repository()


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What an action means.

    Args:
        why: the reason why it is listed only; "" if it counts.
    """

    is_closed: bool = False
    why: str = ""


_BACK, _CLOSED, _BY_PERSON = _Meaning(), _Meaning(is_closed=True), _Meaning(why=_PERSON)
_ACTIONS: Mapping[str, Mapping[str, _Meaning]] = {
    "dependabot": {
        "reintroduced": _BACK,
        "reopened": _BY_PERSON,
        "auto_reopened": _Meaning(why="a rule of Dependabot reopened the alert"),
        **dict.fromkeys(("fixed", "dismissed", "auto_dismissed", "withdrawn"), _CLOSED),
    },
    "code-scanning": {
        **dict.fromkeys(("reopened", "appeared_in_branch"), _BACK),
        "reopened_by_user": _BY_PERSON,
        **dict.fromkeys(("fixed", "closed_by_user"), _CLOSED),
    },
    "secret-scanning": {"reopened": _BACK, "resolved": _CLOSED},
}


def github_alert(event: GitHubEvent, *, now: datetime) -> Alert:
    """The alert of an event.

    Raises:
        ValueError: the address is not that of an alert.
    """
    alert, place = event.alert, _PLACE.search(event.alert.html_url)
    if place is None:
        raise ValueError("alert.html_url: it is not the address of an alert")
    kind, number = place[1], place[2]
    unknown = _Meaning(why=f"the action {event.action!r} shows no return")
    meaning = _ACTIONS[kind].get(event.action, unknown)
    why = meaning.why or _other_branch(event, kind)
    called = f"{kind.replace('-', ' ').capitalize()} alert #{number}"
    about = (
        alert.rule.description
        or alert.rule.id
        or alert.secret_type
        or " ".join(filter(None, (alert.dependency.package.name, alert.security_advisory.ghsa_id)))
    )
    # An open alert keeps the time when it was closed before; GitHub's example has no other one.
    closed_at = alert.fixed_at or alert.dismissed_at or alert.resolved_at
    at = alert.updated_at or (closed_at if meaning.is_closed else None)
    return Alert(
        (alert.html_url,),
        f"{called} {event.action.replace('_', ' ')}: {about}",
        alert.html_url,
        at or now,
        names=(alert.html_url,),
        numbers=(called.lower(),),
        home=alert.html_url[: place.start()],
        commit=event.commit_oid or "",
        is_closed=meaning.is_closed and not why,
        came_back=not meaning.is_closed and not why,
        is_dated=at is not None,
        at_most=Reaction.IGNORE if why else Reaction.REOPEN,
        why=why,
    )


def _other_branch(event: GitHubEvent, kind: str) -> str:
    """Why an event about another branch, or about a pull request, counts for nothing."""
    if kind != "code-scanning" or event.ref is None:
        return "" if kind != "code-scanning" else "the event does not say which branch it is about"
    branch = event.repository.default_branch
    if branch is None:
        return "the event does not say which branch is the default"
    is_default = event.ref == f"{_HEADS}{branch}"
    return "" if is_default else f"it is about {event.ref}, not the default branch"


class _Resolution(_Part):
    commit: _Text | None = None


class _Details(_Part):
    in_commit: _Resolution | None = Field(None, alias="inCommit")


class _SentryIssue(_Part):
    title: _Text = ""
    short_id: _Text = Field("", alias="shortId")
    id: _Text
    web_url: _Address | None = None
    permalink: _Address | None = None
    status: _Text | None = None
    substatus: _Text | None = None
    last_seen: AwareDatetime | None = Field(None, alias="lastSeen")
    details: _Details = Field(_Details(), alias="statusDetails")


class _SentryData(_Part):
    issue: _SentryIssue


class SentryEvent(_Part):
    """An event of Sentry about an issue."""

    action: _Text
    data: _SentryData


def sentry_alert(event: SentryEvent, *, now: datetime) -> Alert:
    """The issue of an event; only one that regressed came back."""
    issue = event.data.issue
    regressed = event.action == "unresolved" and issue.substatus == "regressed"
    closed = event.action == "resolved"
    state = issue.substatus or issue.status or "unknown"
    why = "" if regressed or closed else f"{event.action} with substatus {state} shows no return"
    place = issue.web_url or issue.permalink or issue.short_id or issue.id
    # A short id alone can look like the key of a Jira issue.
    called = (
        (f"Sentry {issue.short_id}", f"Sentry issue {issue.short_id}") if issue.short_id else ()
    )
    names = (issue.web_url, issue.permalink, *called)
    commit = issue.details.in_commit.commit if issue.details.in_commit else None
    return Alert(
        ("sentry", issue.id),
        f"Sentry issue {issue.short_id or issue.id} {state}: {issue.title}",
        place,
        (issue.last_seen or now) if regressed else now,
        names=tuple(name for name in names if name),
        fixed_by=commit or "",
        is_closed=closed,
        came_back=regressed,
        is_dated=issue.last_seen is not None,
        at_most=Reaction.IGNORE if why else Reaction.REOPEN,
        why=why,
    )
