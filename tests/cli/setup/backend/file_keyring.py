"""A keyring in a JSON file, for processes that the tests start."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class FileKeyring(KeyringBackend):
    """Keeps its entries in the file that TEST_KEYRING names."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        return self._entries().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._keep({**self._entries(), f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        entries = self._entries()
        if entries.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError(username)
        self._keep(entries)

    def _entries(self) -> dict[str, str]:
        path = Path(os.environ["TEST_KEYRING"])
        entries: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        return entries

    def _keep(self, entries: dict[str, str]) -> None:
        Path(os.environ["TEST_KEYRING"]).write_text(json.dumps(entries))
