"""Ctrl-C, or a CI job that is cancelled, while items are being served."""

import signal
import subprocess
import threading
from typing import Any

import pytest
from tests.cli.project import ALL, OPEN, REASON, Project
from tests.warm.client import unlatch

from unlatch_sandbox import Fault

COMMENTING: dict[str, dict[str, Any]] = {
    "github": {"method": "POST", "path": "/comments"},
    "ado": {"method": "PATCH", "path": "(?i)/workitems/"},
    "jira": {"method": "PUT", "path": "/issue/SCRUM-28"},
}


class Waiting:
    """A request that is held up until it is let go."""

    def __init__(self) -> None:
        self.arrived = threading.Event()
        self.released = threading.Event()

    def __call__(self) -> None:
        self.arrived.set()
        self.released.wait(30)


@pytest.mark.sample(at=(4,))
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interruption_keeps_what_is_recorded_and_sync_finishes_once(
    completed: Project, tracker: str, sent: signal.Signals
) -> None:
    waiting = Waiting()
    completed.box.faults.add(Fault(tracker, "human", action=waiting, **COMMENTING[tracker]))
    process = subprocess.Popen(
        [*unlatch(), "resume", "7", "--reason", REASON, "--yes"],
        cwd=completed.root,
        env=completed.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.arrived.wait(30)
    process.send_signal(sent)
    _, err = process.communicate(timeout=30)
    waiting.released.set()
    expected = {signal.SIGINT: 130, signal.SIGTERM: -signal.SIGTERM, signal.SIGKILL: -9}
    assert expected[sent] == process.returncode
    assert "Traceback" not in err
    if sent is signal.SIGINT:
        assert "\nInterrupted. Recorded changes are kept; see `unlatch status`." in err
        assert "\n\nInterrupted" not in err
    assert completed.metadata()["status"] == "active"
    assert tracker in [operation["tracker"] for operation in completed.metadata()["pending"]]
    completed.run("sync", "7").ends(0)
    assert completed.states() == OPEN
    assert dict.fromkeys(ALL, 1) == {name: len(c) for name, c in completed.comments().items()}
    assert len(completed.metadata()["reopenHistory"]) == 1
