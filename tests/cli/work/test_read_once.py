"""A command parses what it reads of an increment once, and again only where the file changed."""

from tests.cli.project import Project

from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.status import Status
from unlatch.project.workspace import Workspace

REASON = "Not done yet"


def test_what_another_process_writes_meanwhile_is_read(completed: Project) -> None:
    manager = Workspace(paths_at(completed.root), environ=completed.environ).manager
    before = manager.read("7")

    assert completed.process("resume", "7", "--reason", REASON, "--yes", "--offline").code == 0

    now = manager.read("7")
    assert (Status.COMPLETED, Status.ACTIVE) == (before.status, now.status)
    assert [REASON] == [entry.reason for entry in now.reopens]
    assert now is manager.read("7")
