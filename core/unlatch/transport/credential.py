"""A secret, and how it is sent."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field

from unlatch.errors import Unauthorised
from unlatch.spi import Scheme

_SECRET = re.compile(r"[\x21-\x7e\xa1-\xff]+")
_USER = re.compile(r"[^\x00-\x1f\x7f-\x9f:]+")


@dataclass(frozen=True, slots=True)
class Credential:
    """A token for one host; its secret shows up in no representation of it.

    Args:
        secret: the token or password itself.
        scheme: how it is sent.
        source: where it was found, as people know it ("GITHUB_TOKEN", "keyring", "gh auth token").
        user: the user name that goes with it, if one does.

    Raises:
        Unauthorised: `credential-malformed`, it cannot be sent in a header.
    """

    secret: str = field(repr=False)
    scheme: Scheme
    source: str
    user: str | None = None

    def __post_init__(self) -> None:
        if not _SECRET.fullmatch(self.secret):
            raise _malformed(
                "token", self.source, "spaces, line breaks or characters outside Latin-1"
            )
        if self.user and not _USER.fullmatch(self.user):
            raise _malformed("user name", self.source, "a colon or control characters")

    @property
    def header(self) -> str:
        """The value of the Authorization header."""
        if self.scheme is Scheme.BASIC:
            return f"Basic {self._basic()}"
        return f"Bearer {self.secret}"

    @property
    def forms(self) -> tuple[str, ...]:
        """Every form in which the secret may appear in a request; for redaction."""
        return (self.secret, self._basic())

    def _basic(self) -> str:
        # RFC 7617. An empty user name is what Azure DevOps expects with a token.
        return base64.b64encode(f"{self.user or ''}:{self.secret}".encode()).decode("ascii")


def _malformed(what: str, source: str, why: str) -> Unauthorised:
    return Unauthorised(
        "credential-malformed",
        f"the {what} from {source} is empty or contains {why}",
        hint="copy it again, without anything before or after it",
    )
