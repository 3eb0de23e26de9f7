"""The account that a token belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Forbidden, TrackerError, Transient
from unlatch_github.api import paths
from unlatch_github.api.graphql import VIEWER
from unlatch_github.api.models import Identity, read_scopes, reading_answer

if TYPE_CHECKING:
    from unlatch_github.api.connection import Connection


class Account:
    """The token's account.

    Args:
        known: the account, after the first request for it.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.known: Identity | None = None

    def identity(self) -> Identity:
        """The account; asked once.

        Raises:
            Unauthorised: `unauthorized`, GitHub does not accept the token.
            Transient: GitHub cannot be asked now.
        """
        if self.known is None:
            self.known = self._ask()
        return self.known

    def _ask(self) -> Identity:
        try:
            headers, answer = self._connection.ask_in_full(paths.USER)
        except Forbidden:
            # An installation is no user, but GraphQL names its bot.
            return Identity(self._viewer(), is_app=True)
        with reading_answer(paths.USER, written=False):
            return Identity(str(answer["login"]), scopes=read_scopes(headers))

    def _viewer(self) -> str | None:
        try:
            return str(self._connection.query(VIEWER, {})["data"]["viewer"]["login"])
        except Transient:
            raise
        except (TrackerError, KeyError, TypeError):
            return None
