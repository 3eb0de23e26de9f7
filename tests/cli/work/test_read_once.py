"""A command parses what it reads of an increment once, and again only where the file changed."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.cli.project import Project

from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.status import Status
from unlatch.project.workspace import Workspace
from unlatch.worklog.json_text.document import JsonText

REASON = "Not done yet"


@pytest.mark.parametrize(
    "words",
    [
        ("resume", "7", "--reason", REASON, "--yes"),
        ("resume", "7", "--reason", REASON, "--dry-run"),
        ("github", "reopen-issue", "7", "--reason", REASON),
    ],
)
def test_no_content_of_a_file_is_parsed_twice_in_a_row(
    completed: Project, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    parsed: list[bytes] = []
    parse: Callable[[Any, bytes], JsonText] = vars(JsonText)["parse"].__func__

    def counted(cls: Any, raw: bytes) -> JsonText:
        if b'"status"' in raw:
            parsed.append(raw)
        return parse(cls, raw)

    monkeypatch.setattr(JsonText, "parse", classmethod(counted))
    completed.run(*words).ends(0)

    # After the delivery it can be the same as before the change.
    assert parsed
    assert all(now != then for then, now in pairwise(parsed))


def test_what_another_process_writes_meanwhile_is_read(completed: Project) -> None:
    manager = Workspace(paths_at(completed.root), environ=completed.environ).manager
    before = manager.read("7")

    assert completed.process("resume", "7", "--reason", REASON, "--yes", "--offline").code == 0

    now = manager.read("7")
    assert (Status.COMPLETED, Status.ACTIVE) == (before.status, now.status)
    assert [REASON] == [entry.reason for entry in now.reopens]
    assert now is manager.read("7")
