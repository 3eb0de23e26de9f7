"""The record of entries that unlatch wrote into agents' files, in the user's own state."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_state_path

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.private_folder import make_private
from unlatch.worklog.disk.user_files import is_closed, make_state, read_user_file
from unlatch.worklog.json_text import load_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch_agents.install.catalog import Keys

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as it was written.

    Args:
        tables: the tables that were made for it; the empty one is the file.
    """

    agent: str
    path: Path
    keys: Keys
    digest: str
    is_element: bool
    tables: tuple[Keys, ...] = ()


def record_file() -> Path:
    return user_state_path("unlatch") / "agents.json"


@contextmanager
def changing_record() -> Iterator[None]:
    """Keep other commands from changing the record; StoreError `locked`."""
    make_private(folder := record_file().parent)
    make_state(folder)
    with folder_lock(folder):
        yield


def read_written(target: str) -> list[Written]:
    """The entries of a target; StoreError `agent-record-unreadable`."""
    return [_written(fields) for fields in _read().get(target, ())]


def save_written(target: str, entries: Iterable[Written]) -> None:
    """Replace the entries of a target, in `changing_record`; StoreError also as `replace_file`."""
    targets = _read()
    if kept := [_entry(entry) for entry in entries]:
        targets[target] = kept
    else:
        targets.pop(target, None)
    content = json.dumps({"version": _VERSION, "targets": targets}, indent=2)
    replace_file(record_file(), f"{content}\n".encode(), mode=PRIVATE)


def _read() -> dict[str, list[dict[str, Any]]]:
    if is_closed(record_file()):
        return {}
    with suppress(FileNotFoundError):
        try:
            record = load_json(read_user_file(record_file()))
            if record["version"] == _VERSION:
                targets: dict[str, list[dict[str, Any]]] = record["targets"]
                return targets
        except FileNotFoundError:
            raise
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise _unreadable(str(error)) from error
        raise _unreadable("a newer version of unlatch wrote it")
    return {}


def _written(fields: dict[str, Any]) -> Written:
    try:
        return Written(
            fields["agent"],
            Path(fields["path"]),
            tuple(fields["keys"]),
            fields["digest"],
            fields["element"],
            tuple(map(tuple, fields["made"])),
        )
    except (LookupError, TypeError) as error:
        raise _unreadable(f"an entry lacks {error}") from error


def _entry(entry: Written) -> dict[str, Any]:
    return {
        "agent": entry.agent,
        "path": str(entry.path),
        "keys": entry.keys,
        "digest": entry.digest,
        "element": entry.is_element,
        "made": entry.tables,
    }


def _unreadable(why: str) -> StoreError:
    message = f"the record of what was installed cannot be read: {why}"
    hint = "move the file away; entries that are in agents' files stay there"
    where = str(record_file())
    return StoreError("agent-record-unreadable", message, where=where, hint=hint)
