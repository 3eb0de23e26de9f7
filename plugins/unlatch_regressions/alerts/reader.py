"""The reader of alerts: SARIF files and events."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from unlatch.config.choices import Reaction
from unlatch.errors import UsageError
from unlatch.spi.validation import first_problem
from unlatch.worklog.disk.user_files import MAX_EVENT_SIZE, read_user_file
from unlatch.worklog.json_text import load_json
from unlatch_regressions.alerts.belonging import KIND, Belonging
from unlatch_regressions.alerts.events import GitHubEvent, SentryEvent, github_alert, sentry_alert
from unlatch_regressions.alerts.sightings import read_alerts
from unlatch_regressions.alerts.signed import (
    SCHEMA,
    SignedAlert,
    is_signed,
    require_signature,
    signed_alert,
)
from unlatch_regressions.request import Reader, Request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from unlatch_regressions.alerts.alert import Alert
    from unlatch_regressions.cause import Cause

# The name of the option.
EVENT = "event"
_UNSIGNED = "the event is not signed"


def read_causes(request: Request) -> Iterator[Cause]:
    """The alerts of finished work, and those that belong to nothing known.

    Raises:
        UnlatchError: `sarif-invalid`, `event-unreadable`, `event-not-understood`, `alert-unsigned`.
    """
    belonging = Belonging(request)
    yield from belonging.causes(read_alerts(request))
    events = (_event(file, request) for file in request.files.get(EVENT, ()))
    yield from belonging.causes(events)


def _event(file: Path, request: Request) -> Alert:
    try:
        content = read_user_file(file, at_most=MAX_EVENT_SIZE)
    except OSError as error:
        message = f"the event cannot be read: {error.strerror}"
        hint = "name the file with the body of the webhook's request"
        raise UsageError("event-unreadable", message, where=str(file), hint=hint) from error
    try:
        alert, is_own = parse_event(content, now=request.now)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise _not_understood(file, first_problem(details)) from None
    except ValueError as error:
        raise _not_understood(file, str(error)) from None
    if is_own:
        require_signature(file, content, request.environ)
    elif not is_signed(file, content, request.environ) and alert.at_most is Reaction.REOPEN:
        alert = replace(alert, at_most=Reaction.SUGGEST, why=_UNSIGNED)
    # As reopens are recorded: the same event again is not later than its reopen.
    return replace(alert, at=alert.at.replace(microsecond=0))


def parse_event(content: bytes, *, now: datetime) -> tuple[Alert, bool]:
    """The alert of an event, and whether it is JSON of our own, which has to be signed.

    Raises:
        ValueError: it is about no alert, or too deep; a ValidationError of pydantic says why.
    """
    data: Any = load_json(content)
    if isinstance(data, dict) and data.get("schema") == SCHEMA:
        return signed_alert(SignedAlert.model_validate_json(content)), True
    if isinstance(data, dict) and "alert" in data:
        return github_alert(GitHubEvent.model_validate_json(content), now=now), False
    if isinstance(data, dict) and "data" in data:
        return sentry_alert(SentryEvent.model_validate_json(content), now=now), False
    raise ValueError("it is about no alert")


def _not_understood(file: Path, why: str) -> UsageError:
    return UsageError(
        "event-not-understood",
        f"not an event about an alert: {why}",
        where=str(file),
        hint="name the file with the body of the webhook's request",
    )


READER = Reader((KIND,), read_causes)
