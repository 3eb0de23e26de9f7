"""events.jsonl, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from unlatch.doctor.finding import FIX, Finding, Severity, below, from_error
from unlatch.doctor.shape import explain
from unlatch.errors import StoreError
from unlatch.increments.files.layout import EVENTS
from unlatch.increments.files.schemas import event_schema
from unlatch.increments.records.events import read_events
from unlatch.worklog.event_log import parse_line
from unlatch.worklog.safe_open import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.increments.files.layout import Folder
    from unlatch.increments.model.increment import Increment


def missing_events(increment: Increment, root: Path) -> Iterator[Finding]:
    """Reopens that metadata.json tells of and events.jsonl does not."""
    try:
        known = {event.id for event in read_events(increment.folder)}
    except StoreError:
        return  # told of where the lines are looked at
    for entry in increment.reopens:
        if entry.id not in known:
            yield Finding(
                Severity.NOTE,
                "event-missing",
                f"the reopen {entry.id} is told by metadata.json alone",
                below(increment.folder / EVENTS, root),
                FIX,
                increment.id,
            )


class EventLog:
    """Checks the events of one increment after another.

    A line that is no event is passed over when history is read, so nothing here is an error.

    Args:
        root: the project's root, which the findings' places are told from.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        schema = event_schema()
        # One schema for each kind: else a line that fits none is only said to fit none.
        self._kinds = {
            kind: Draft202012Validator({"$ref": place, "$defs": schema["$defs"]})
            for kind, place in schema["discriminator"]["mapping"].items()
        }

    def of(self, folder: Folder) -> Iterator[Finding]:
        """What is odd about an increment's events."""
        path = folder.path / EVENTS
        try:
            lines = read_file(path).decode("utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return
        except StoreError as error:
            yield from_error(error, self._root, increment=folder.name)
            return
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            yield self._warning("events-unreadable", message, path, folder)
            return
        for number, line in enumerate(lines, start=1):
            for what, message in self._line(line) if line else ():
                yield self._warning(what, message, f"{path}:{number}", folder)

    def _line(self, line: str) -> Iterator[tuple[str, str]]:
        event = parse_line(line)
        if event is None:
            message = (
                "is ignored: it is not valid JSON (a crash may have cut it short), or too large"
            )
            yield "event-unreadable", message
            return
        if not isinstance(event, dict):
            yield "event-unreadable", "is ignored: it is not a JSON object"
            return
        yield from self._event(event)

    def _event(self, event: dict[str, Any]) -> Iterator[tuple[str, str]]:
        kind = event.get("event")
        schema = self._kinds.get(kind) if isinstance(kind, str) else None
        if schema is None:
            yield "event-unknown", f"holds an event of a kind that is not known: {kind!r}"
            return
        for error in schema.iter_errors(event):
            _, message, place = explain(error, event)
            yield "event-invalid", f"{place.lstrip('/')} {message}".strip()

    def _warning(self, id: str, message: str, where: Path | str, folder: Folder) -> Finding:
        return Finding(
            Severity.WARNING, id, message, below(where, self._root), increment=folder.name
        )
