"""Requests to the coordinator that has a run: a pause, an answer, a context report.

Another process puts each into a file of its own in the user's state folder; the coordinator
records it and removes the file. A request whose file is left twice has its effect once.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import PRIVATE, remove_file, replace_file
from unlatch.worklog.disk.private_folder import make_private
from unlatch.worklog.disk.safe_open import open_folder, read_file
from unlatch.worklog.disk.user_files import state_folder
from unlatch.worklog.ids import is_ulid
from unlatch.worklog.json_text import json_object
from unlatch_runs.events import ContextReported, QuestionAnswered, TaskRetried

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch_runs.journal import Journal

Request = dict[str, Any]


def send(root: Path, run: str, id: str, request: Request) -> None:
    """Leave a request for the coordinator; `id` is a ULID."""
    replace_file(_folder(root, run) / f"{id}.json", json.dumps(request).encode(), mode=PRIVATE)


def take(root: Path, run: str) -> Iterator[Request]:
    """The requests in their order; each is removed after the caller carried it out."""
    for path, request in _files(root, run):
        yield request
        remove_file(path)


def drop(root: Path, run: str, *kinds: str) -> None:
    """Remove requests of these kinds, or all, which a coordinator that has ended did not get."""
    for path, request in _files(root, run):
        if not kinds or request.get("kind") in kinds:
            remove_file(path)


def _files(root: Path, run: str) -> Iterator[tuple[Path, Request]]:
    folder = _folder(root, run)
    with open_folder(folder) as opened:
        names = [name for name in opened.names() if is_ulid(name.removesuffix(".json"))]
    for name in names:
        with suppress(FileNotFoundError, StoreError):
            yield folder / name, json_object(read_file(folder / name).decode(errors="replace"))


def _folder(root: Path, run: str) -> Path:
    folder = state_folder(root) / "runs" / run / "requests"
    make_private(folder)
    return folder


def record_request(journal: Journal, request: Request) -> None:
    """Record an answer, a context report or a retry; anything else is passed over."""
    by = str(request.get("by") or "")
    match request.get("kind"):
        case "answer":
            question, text = str(request.get("question")), str(request.get("text") or "")
            if question in journal.state.questions:
                journal.record(QuestionAnswered, question_id=question, text=text, by=by)
        case "context" if isinstance(request.get("left"), int | float):
            journal.record(ContextReported, left=request["left"])
        case "retry":
            journal.record(TaskRetried, task_id=str(request.get("task")), by=by)
