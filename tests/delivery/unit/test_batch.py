"""A batch takes only operations that no other process can have sent."""

from __future__ import annotations

import pytest
from tests.cli.project import REASON, Project
from tests.crash.delivering import deliver_one

from unlatch.delivery.dispatch import deliver
from unlatch.delivery.run import DeliveryRun
from unlatch.increments.files.paths import paths_at
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch_sandbox import Fault

NAMES = ("0001-one", "0002-two", "0003-three", "0004-four")
NUMBERS = range(201, 205)


@pytest.fixture
def many(project: Project) -> Project:
    """Four completed increments with a closed work item each."""
    for number, name in zip(NUMBERS, NAMES, strict=True):
        project.box.ado.add_work_item(id=number, title=name, state="Closed")
        url = f"{project.box.ado.web_url}/widgets/_workitems/edit/{number}"
        project.increment(name, links={"ado": {"workItemId": number, "url": url}})
    return project


def test_what_another_process_has_tried_meanwhile_is_looked_for_first(many: Project) -> None:
    workspace = Workspace(
        paths_at(many.root), environ=many.environ, user_config=many.home / "none.toml"
    )
    request = ResumeRequest(by="Dana", reason=REASON)
    made = [resume(workspace, name, request).fresh for name in NAMES]
    many.box.faults.add(Fault("ado", "drop-after", method="PATCH"))
    deliver_one(workspace, Trackers(workspace), NAMES[1])
    batches = DeliveryRun(workspace, Trackers(workspace), fresh=frozenset().union(*made))

    increments = map(workspace.manager.read, NAMES)
    deliver(batches, increments, lambda _name, _delivery: None)

    assert [1] * 4 == [len(many.box.ado.comments(number)) for number in NUMBERS]
    assert [False] * 4 == ["pending" in many.metadata(name) for name in NAMES]
