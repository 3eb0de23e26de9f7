"""Each row of the table is needed: commands whose deliveries go through it end as they should.

A row that is missing ends the command with an error, so each of these fails without its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.delivery.stage import (
    AT_ONCE,
    RESUME,
    SYNC,
    assert_each_comment_once,
    clone,
    completed_on,
    edit_metadata,
    fault,
)

from unlatch.delivery import states
from unlatch.delivery.states import TABLE, Event, State
from unlatch.increments.files.paths import paths_at
from unlatch.project.workspace import Workspace
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from tests.cli.project import Done

Row = tuple[State, Event]
HOME = "octo/widgets"
READING: Mapping[str, Any] = {"method": "GET", "path": "/issues/4$"}
LONG_AGO = "2026-01-01T00:00:00Z"


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


def struck(project: Project, part: str, kind: str, **options: object) -> None:
    """A reopen of an issue, one of whose writes is struck."""
    project.box.faults.add(fault("github", part, kind, **options))
    assert project.run(*AT_ONCE, *RESUME).code == 3


# What leads through each row; what is left is delivered by `unlatch sync 7`.


def reopened(project: Project) -> None:
    assert project.run(*RESUME).code == 0


def lost(project: Project) -> None:
    struck(project, "label removed", "drop-after")


def never_arrived(project: Project) -> None:
    struck(project, "comment", "drop")


def refused_once(project: Project) -> None:
    struck(project, "state", "status", code=401)


def refused_five_times(project: Project) -> None:
    struck(project, "state", "status", code=401, times=5)
    for _ in range(4):
        assert project.run("sync").code == 3
    assert "parkedAt" in project.metadata()["pending"][0]


def forbidden(project: Project) -> None:
    struck(project, "state", "status", code=403)


def limited(project: Project) -> None:
    struck(project, "state", "rate-limit", seconds=600)
    edit_metadata(project, lambda data: data["pending"][0]["attempt"].update(retryAt=LONG_AGO))


def unreachable(project: Project) -> None:
    config = (project.root / ".unlatch" / "config.toml").read_text()
    project.configure(config.replace(project.box.github.api_url, "http://127.0.0.1:9/api/v3"))
    project.extra["UNLATCH_TRUSTED_HOSTS"] = "127.0.0.1:9"
    assert project.run(*AT_ONCE, *RESUME).code == 3
    project.configure(config)
    del project.extra["UNLATCH_TRUSTED_HOSTS"]


def overtaken(project: Project) -> None:
    """The state part is struck between the read and the note; the comment is still posted."""
    workspace = Workspace(
        paths_at(project.root), environ={}, user_config=project.home / "none.toml"
    )

    def complete_and_resume() -> None:
        project.process("complete", "7", "--offline")
        project.process("resume", "7", "--reason", "Once more", "--yes", "--offline")

    project.box.faults.add(Fault("github", "human", action=complete_and_resume, **READING))
    project.run(*RESUME)
    assert 2 == len(workspace.manager.read(NAME).reopens)


def undone_meanwhile(project: Project) -> None:
    def undo_and_resume() -> None:
        project.process("undo", "7", "--yes", "--offline")
        project.process("resume", "7", "--reason", REASON, "--yes", "--offline")

    project.box.faults.add(Fault("github", "human", action=undo_and_resume, **READING))
    project.run(*RESUME)


def delivered_elsewhere(project: Project) -> None:
    assert project.run(*RESUME, "--offline").code == 0
    assert clone(project, project.root.with_name("clone")).run(*SYNC).code == 0


def recorded_offline(project: Project) -> None:
    assert project.run(*RESUME, "--offline").code == 0


def lost_and_not_found_out(project: Project) -> None:
    lost(project)
    project.box.faults.add(Fault("github", "status", code=401))
    assert project.run(*SYNC).code == 3


def lost_and_linked_twice(project: Project) -> None:
    """Its answer was lost, and it turns out to be another linked issue with its own operation."""
    lost(project)
    project.box.github.add_repository("octo/gadgets")
    config = (project.root / ".unlatch" / "config.toml").read_text()
    more = f'repository = "{HOME}"\nrepositories = ["octo/gadgets"]'
    project.configure(config.replace(f'repository = "{HOME}"', more))
    number = project.box.github.transfer_issue(HOME, 4, "octo/gadgets")
    url = f"{project.box.github.web_url}/octo/gadgets/issues/{number}"
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
    (State.PENDING, Event.SENDING): reopened,
    (State.SENT, Event.REACHED): reopened,
    (State.SENT, Event.NOT_TAKEN): overtaken,
    (State.SENT, Event.LIMITED): limited,
    (State.SENT, Event.NOT_SENT): unreachable,
    (State.SENT, Event.NEEDS_PERSON): forbidden,
    (State.SENT, Event.REFUSED): refused_once,
    (State.SENT, Event.REFUSED_TOO_OFTEN): refused_five_times,
    (State.SENT, Event.UNCLEAR): lost,
    (State.SENT, Event.GONE): undone_meanwhile,
    (State.SENT, Event.PROBED_DONE): delivered_elsewhere,
    (State.SENT, Event.PROBED_LEFT): recorded_offline,
    (State.UNKNOWN, Event.PROBED_DONE): lost,
    (State.UNKNOWN, Event.PROBED_LEFT): never_arrived,
    (State.UNKNOWN, Event.PROBE_FAILED): lost_and_not_found_out,
    (State.UNKNOWN, Event.GONE): lost_and_linked_twice,
    (State.UNKNOWN, Event.NEEDS_PERSON): lost_and_hidden,
    (State.RETRY_AT, Event.TIME_CAME): limited,
    (State.BLOCKED, Event.NAMED): forbidden,
}


def test_every_row_has_a_scenario() -> None:
    assert set(TABLE) == set(SCENARIOS)


@pytest.mark.parametrize("row", SCENARIOS, ids=lambda row: f"{row[0]}, {row[1]}")
def test_what_goes_through_a_row_is_delivered_once(
    project: Project, table: Recorded, row: Row
) -> None:
    completed_on(project, "github")

    SCENARIOS[row](project)
    done: Done = project.run(*SYNC)

    assert done.code == 0, done.said
    assert row in table.used
    assert "pending" not in project.metadata()
    assert [True] == [item.open for item in project.box.github.items()]
    assert_each_comment_once(project)
