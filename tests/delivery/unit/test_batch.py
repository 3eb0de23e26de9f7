"""A batch takes only operations that no other process can have sent."""

from tests.cli.project import REASON, Project
from tests.crash.delivering import deliver_one
from tests.delivery.stage import BATCH, BATCH_ITEMS, add_batch

from unlatch.delivery.dispatch import deliver
from unlatch.delivery.run import DeliveryRun
from unlatch.increments.files.paths import paths_at
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch_sandbox import Fault


def test_what_another_process_has_tried_meanwhile_is_looked_for_first(project: Project) -> None:
    add_batch(project)
    workspace = Workspace(
        paths_at(project.root), environ=project.environ, user_config=project.home / "none.toml"
    )
    request = ResumeRequest(by="Dana", reason=REASON)
    made = [resume(workspace, name, request).fresh for name in BATCH]
    project.box.faults.add(Fault("ado", "drop-after", method="PATCH"))
    deliver_one(workspace, Trackers(workspace), BATCH[1])
    batches = DeliveryRun(workspace, Trackers(workspace), fresh=frozenset().union(*made))

    increments = map(workspace.manager.read, BATCH)
    deliver(batches, increments, lambda _name, _delivery: None)

    assert [1] * 4 == [len(project.box.ado.comments(number)) for number in BATCH_ITEMS]
    assert [False] * 4 == ["pending" in project.metadata(name) for name in BATCH]
