"""The results of one `fleet sync`, so that a command that was ended can be continued."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from unlatch.worklog.disk.user_files import read_user_file
from unlatch.worklog.json_text import load_json
from unlatch.worklog.times import stamp
from unlatch_fleet.unit import Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path


# Bytes; a result has a hundred.
_LARGEST = 1 << 26


class Journal:
    """One line for each result; a torn last line is none."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def begin(self) -> None:
        """Forget the results of the command before."""
        self._path.write_bytes(b"")

    def note(self, key: str, outcome: Outcome, at: datetime) -> None:
        """Note the result of a repository."""
        line = json.dumps({"repository": key, "result": outcome.result, "at": stamp(at)})
        with self._path.open("ab") as file:
            file.write(f"\n{line}\n".encode())

    def results(self) -> Mapping[str, Result]:
        """The last result of each repository, by its key."""
        try:
            lines = read_user_file(self._path, at_most=_LARGEST).splitlines()
        except FileNotFoundError:
            return {}
        results = {}
        for line in filter(None, lines):
            try:
                entry = load_json(line)
                results[str(entry["repository"])] = Result(entry["result"])
            except (ValueError, LookupError, TypeError):
                continue  # the command was ended while it wrote this
        return results
