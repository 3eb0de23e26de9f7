"""Alerts of other programs: JSON of our own, signed with a secret that both sides know.

The signature is that of GitHub's webhooks (X-Hub-Signature-256) and of Sentry's: the HMAC-SHA256 of
the file's bytes, in hexadecimal digits, with or without `sha256=` before them. It is in a file
beside it whose name ends in `.sig`.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from unlatch.errors import StoreError
from unlatch.worklog.disk.user_files import read_user_file
from unlatch_regressions.alerts.alert import Alert

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SECRET = "UNLATCH_ALERT_SECRET"  # noqa: S105  (the name of a variable)
SCHEMA = "unlatch.alert/1"
_LONGEST_SIGNATURE = 1_000
_Text = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


class SignedAlert(BaseModel):
    """An alert of another program.

    Args:
        source: the program.
        id: the alert, within its source.
        state: whether it is there, or closed.
        was_closed: whether it had been closed, and came back.
        at: when that was seen.
        work: an increment or an item that it belongs to.
        fix_commit: the commit that fixed it.
    """

    # A key that is not known could change the meaning.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    schema_: Literal["unlatch.alert/1"] = Field(alias="schema")
    source: _Text
    id: _Text
    state: Literal["open", "closed"]
    was_closed: bool = Field(default=False, alias="wasClosed")
    at: AwareDatetime
    title: _Text
    url: _Text | None = None
    work: _Text | None = None
    fix_commit: _Text | None = Field(default=None, alias="fixCommit")


def signed_alert(alert: SignedAlert) -> Alert:
    """The alert; its signature is checked before."""
    is_closed = alert.state == "closed"
    return Alert(
        (alert.source, alert.id),
        f"{alert.source} {alert.id}: {alert.title}",
        alert.url or f"{alert.source} {alert.id}",
        alert.at,
        names=(alert.url,) if alert.url else (),
        items=(alert.work,) if alert.work else (),
        fixed_by=alert.fix_commit or "",
        is_closed=is_closed,
        came_back=alert.was_closed and not is_closed,
    )


class AlertUnsigned(StoreError):
    """Nothing shows who sent an event that has to be signed."""

    exit_code = 4


def require_signature(file: Path, content: bytes, environ: Mapping[str, str]) -> None:
    """Make sure that the sender of an event knows the secret.

    Raises:
        AlertUnsigned: `alert-unsigned`.
    """
    secret = environ.get(SECRET, "")
    if not secret:
        raise _unsigned(file, f"{SECRET} is not set", f"set {SECRET} to the secret of the sender")
    beside = _beside(file)
    try:
        given = read_user_file(beside, at_most=_LONGEST_SIGNATURE).strip()
    except OSError as error:
        why = f"its signature cannot be read: {error.strerror}"
        raise _unsigned(file, why, f"write the signature to {beside.name}, beside it") from error
    expected = hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(given.removeprefix(b"sha256="), expected.encode()):
        hint = f"sign the bytes of the file with the same {SECRET}"
        raise _unsigned(file, "its signature is that of other bytes or another secret", hint)


def is_signed(file: Path, content: bytes, environ: Mapping[str, str]) -> bool:
    """Whether an event that need not be signed is; a wrong signature is an error.

    Raises:
        AlertUnsigned: `alert-unsigned`.
    """
    if not environ.get(SECRET) or not _beside(file).exists():
        return False
    require_signature(file, content, environ)
    return True


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.sig")


def _unsigned(file: Path, why: str, hint: str) -> AlertUnsigned:
    message = f"nothing shows who sent the event: {why}"
    return AlertUnsigned("alert-unsigned", message, where=str(file), hint=hint)
