"""Commands whose deliveries go through the rare rows of the table end as they should.

That the table has all rows is a law of `test_states`; the other rows are the matter of many tests.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from tests.changes import reopen, transition, undo
from tests.cli.project import NAME, REASON, Project
from tests.delivery.stage import (
    RESUME,
    SYNC,
    assert_each_comment_once,
    completed_on,
    edit_metadata,
    fault,
    transfer,
)

from unlatch.delivery import states
from unlatch.delivery.states import TABLE, Event, State
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.status import Status
from unlatch.project.workspace import Workspace
from unlatch.spi.operation import Kind
from unlatch_sandbox import Fault

Row = tuple[State, Event]
READING: Mapping[str, Any] = {"method": "GET", "path": "/issues/4$"}


class Recorded(Mapping[Row, State]):
    """The table, with a note of the rows that were used."""

    def __init__(self) -> None:
        self.used: set[Row] = set()

    def __getitem__(self, row: Row) -> State:
        state = TABLE[row]
        self.used.add(row)
        return state

    def __iter__(self) -> Iterator[Row]:
        return iter(TABLE)

    def __len__(self) -> int:
        return len(TABLE)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    table = Recorded()
    monkeypatch.setattr(states, "TABLE", table)
    return table


# What leads through each row; what is left is delivered by `unlatch sync 7`.


def lost(project: Project) -> None:
    project.box.faults.add(fault("github", "label removed", "drop-after"))
    assert project.run(*RESUME).code == 3


def manager_of(project: Project) -> MetadataManager:
    workspace = Workspace(
        paths_at(project.root), environ={}, user_config=project.home / "none.toml"
    )
    return workspace.manager


def overtaken(project: Project) -> None:
    """The state part is struck between the read and the note; the comment is still posted."""
    manager = manager_of(project)

    def complete_and_resume() -> None:
        transition(manager, NAME, Status.COMPLETED, by="Dana", enqueue=Kind.CLOSE)
        reopen(manager, NAME, "Once more", "Dana")

    project.box.faults.add(Fault("github", "human", action=complete_and_resume, **READING))
    project.run(*RESUME)
    assert 2 == len(manager.read(NAME).reopens)


def undone_meanwhile(project: Project) -> None:
    manager = manager_of(project)

    def undo_and_resume() -> None:
        undo(manager, NAME, by="Dana")
        reopen(manager, NAME, REASON, "Dana")

    project.box.faults.add(Fault("github", "human", action=undo_and_resume, **READING))
    project.run(*RESUME)


def lost_and_not_found_out(project: Project) -> None:
    lost(project)
    project.box.faults.add(Fault("github", "status", code=401))
    assert project.run(*SYNC).code == 3


def lost_and_linked_twice(project: Project) -> None:
    """Its answer was lost, and it turns out to be another linked issue with its own operation."""
    lost(project)
    url = transfer(project)
    assert project.run("link", "7", url).code == 0

    def enqueue(data: dict[str, Any]) -> None:
        (operation,) = data["pending"]
        twin = {key: value for key, value in operation.items() if key != "attempt"}
        data["pending"].append({**twin, "item": url})

    edit_metadata(project, enqueue)


def lost_and_hidden(project: Project) -> None:
    lost(project)
    project.box.faults.add(Fault("github", "status", code=403))
    assert project.run(*SYNC).code == 3
    assert "parkedAt" in project.metadata()["pending"][0]


SCENARIOS: Mapping[Row, Callable[[Project], None]] = {
    (State.SENT, Event.NOT_TAKEN): overtaken,
    (State.SENT, Event.GONE): undone_meanwhile,
    (State.UNKNOWN, Event.PROBED_DONE): lost,
    (State.UNKNOWN, Event.PROBE_FAILED): lost_and_not_found_out,
    (State.UNKNOWN, Event.GONE): lost_and_linked_twice,
    (State.UNKNOWN, Event.NEEDS_PERSON): lost_and_hidden,
}


@pytest.mark.parametrize("row", SCENARIOS, ids=lambda row: f"{row[0]}, {row[1]}")
def test_what_goes_through_a_row_is_delivered_once(
    project: Project, table: Recorded, row: Row
) -> None:
    completed_on(project, "github")

    SCENARIOS[row](project)
    done = project.run(*SYNC)

    assert done.code == 0, done.said
    assert row in table.used
    assert "pending" not in project.metadata()
    assert [True] == [item.open for item in project.box.github.items()]
    assert_each_comment_once(project)
