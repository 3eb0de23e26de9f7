"""What proves that a webhook comes from its tracker.

GitHub: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries. Jira:
https://developer.atlassian.com/cloud/jira/platform/webhooks/ ("Secure admin webhooks"), and for
Data Center https://confluence.atlassian.com/adminjiraserver/managing-webhooks-938846912.html; rules
of automation sign nothing. Azure DevOps signs nothing either, and sends a user name and a password:
https://learn.microsoft.com/azure/devops/service-hooks/services/webhooks.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping


class Proof(StrEnum):
    """How a sender shows that it has the secret.

    SIGNATURE: a header has the HMAC-SHA256 of the body.
    PASSWORD: it is the password of basic authentication, beside any user name.
    PATH: it is the last part of the path.
    """

    SIGNATURE = "signature"
    PASSWORD = "password"  # noqa: S105  (the name of a way)
    PATH = "path"


# The header with the signature, for the trackers that sign.
SIGNATURES = {"github": "x-hub-signature-256", "jira": "x-hub-signature"}


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook that a tracker sends.

    Args:
        name: in its path: /webhooks/NAME.
        tracker: that sends it ("github").
        proof: how it proves itself.
        secret: that it proves itself with.
    """

    name: str
    tracker: str
    proof: Proof
    secret: bytes = field(repr=False)


# What the request to an unknown path is compared with: it takes as long as that to a hook.
_NOBODYS = Hook("", "github", Proof.SIGNATURE, secrets.token_bytes(32))


def is_authentic(
    hook: Hook | None, *, headers: Mapping[str, str], rest: str | None, body: bytes
) -> bool:
    """Whether a request proves that its sender has the hook's secret; takes constant time.

    Args:
        hook: that the path names; None if it names none.
        headers: of the request, by names in any case.
        rest: what follows the name in the path.
        body: the bytes as they came.
    """
    asked = hook or _NOBODYS
    if (rest is not None) != (asked.proof is Proof.PATH):
        asked, hook = _NOBODYS, None
    given = _given(asked, headers, rest)
    return hmac.compare_digest(_digest(given), _digest(_expected(asked, body))) and bool(hook)


def is_token(given: str | None, token: bytes) -> bool:
    """Whether `Authorization` has this token, as Bearer, or as the password of a browser."""
    scheme, _, rest = (given or "").partition(" ")
    presented = rest.strip().encode() if scheme.casefold() == "bearer" else _password(given)
    return hmac.compare_digest(_digest(presented), _digest(token))


def _given(hook: Hook, headers: Mapping[str, str], rest: str | None) -> bytes:
    if hook.proof is Proof.SIGNATURE:
        return headers.get(SIGNATURES[hook.tracker], "").encode()
    if hook.proof is Proof.PASSWORD:
        return _password(headers.get("authorization"))
    return (rest or "").encode()


def _expected(hook: Hook, body: bytes) -> bytes:
    if hook.proof is Proof.SIGNATURE:
        return f"sha256={hmac.new(hook.secret, body, hashlib.sha256).hexdigest()}".encode()
    return hook.secret


def _password(header: str | None) -> bytes:
    scheme, _, encoded = (header or "").partition(" ")
    if scheme.casefold() != "basic":
        return b""
    try:
        return b64decode(encoded.strip(), validate=True).partition(b":")[2]
    except ValueError:  # also of other characters than those of ASCII
        return b""


def _digest(value: bytes) -> bytes:
    # Of equal length, so that the comparison does not tell the secret's.
    return hashlib.sha256(value).digest()
