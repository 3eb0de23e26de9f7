"""A job for a comment on Jira or Azure DevOps that is killed at any request: once."""

import json
import shutil
from typing import Any

import pytest
from tests.cli.trackers.test_comments_elsewhere import Desk, desk
from tests.delivery.stage import Held, kill_when_held, start

from unlatch_sandbox import Fault

__all__ = ["desk"]
REQUESTS: dict[str, dict[str, dict[str, Any]]] = {
    "jira": {
        "comment": {"method": "GET", "path": "/comment/[0-9]+$"},
        "last close": {"method": "GET", "path": r"/issue/SCRUM-28(\?|$)"},
        "right": {"method": "GET", "path": "/role$"},
        "state": {"method": "POST", "path": "/transitions"},
        "answer": {"method": "PUT", "path": r"/issue/SCRUM-28(\?|$)"},
    },
    "ado": {
        "comment": {"method": "GET", "path": "/comments/[0-9]+$"},
        "last close": {"method": "GET", "path": "/updates"},
        "right": {"method": "GET", "path": "/members"},
        "state": {"method": "PATCH", "path": "(?i)/workitems/101"},
        "emoji": {"method": "PUT", "path": "/reactions/like"},
    },
}
CELLS = [(tracker, name) for tracker, named in REQUESTS.items() for name in named]


@pytest.mark.sample(at=(8,))
@pytest.mark.parametrize("effect", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("desk", "request_"), CELLS, indirect=["desk"])
def test_a_command_is_carried_out_once(desk: Desk, request_: str, *, effect: bool) -> None:
    project, tracker = desk.project, desk.tracker
    comment, held = desk.post("Ann", "/reopen It crashes"), Held()
    file = project.home / "event.json"
    file.write_text(json.dumps(desk.event(comment)))
    request = REQUESTS[tracker][request_]
    project.box.faults.add(Fault(tracker, "human", action=held, effect=effect, **request))

    kill_when_held(start(project, "ingest", "--from", f"{tracker}-event", str(file)), held)
    project.box.faults.clear()
    for _ in range(2):
        # On a fresh runner, with a fresh checkout.
        project.forget_local()
        shutil.rmtree(project.root / ".unlatch" / "items", ignore_errors=True)
        done = desk.take_up(comment)
        assert 0 == done.code, done.said

    assert (True, 1) == (desk.is_open, len(desk.answers)), desk.answers
    assert "It crashes" in desk.answers[0]
