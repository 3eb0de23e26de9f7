"""Local state and caches may be deleted at any time, also during a delivery."""

import shutil
import subprocess
import threading

import pytest
from tests.cli.project import OPEN, Project
from tests.delivery.stage import (
    RESUME,
    SYNC,
    await_request,
    completed_on,
    count_markers,
    fault,
    start,
)

# So long a request waits for the same one of another process, which must not come.
PATIENCE = 3.0


class Meeting:
    """The action of a `human` fault: the first request waits for a second one for a while."""

    def __init__(self) -> None:
        self.first = threading.Event()
        self.second = threading.Event()

    def __call__(self) -> None:
        if self.first.is_set():
            self.second.set()
            return
        self.first.set()
        self.second.wait(PATIENCE)


def forget_everything_local(project: Project) -> None:
    """Delete the local state of this user."""
    shutil.rmtree(project.root / ".unlatch" / "local", ignore_errors=True)
    for folder in (".local", ".cache"):
        shutil.rmtree(project.home / folder, ignore_errors=True)


def end(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=60)
    return process.returncode


@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_two_processes_send_one_comment_when_local_state_is_deleted_between(
    project: Project, tracker: str
) -> None:
    completed_on(project, tracker)
    project.run(*RESUME, "--offline")
    meeting = Meeting()
    project.box.faults.add(fault(tracker, "comment", "human", times=2, action=meeting))

    first = start(project, *SYNC)
    await_request(first, meeting.first)
    forget_everything_local(project)
    second = start(project, *SYNC)
    codes = {end(first), end(second)}

    assert not meeting.second.is_set()
    assert codes <= {0, 3}
    done = project.run(*SYNC)
    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert 1 == count_markers(project).total()
