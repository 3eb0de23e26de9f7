"""One plan decides the prompt, the dry run, and the writes."""

from pathlib import Path

import pytest
from tests.increments.files.making import Project, metadata

from unlatch.errors import StoreError
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status
from unlatch.lifecycle.carry_out import apply_each
from unlatch.lifecycle.change import Done, Place, Refusal
from unlatch.lifecycle.finish import plan_finish, plan_undo_reopen
from unlatch.lifecycle.resume import apply_resume, plan_resume, resume
from unlatch.lifecycle.resume_plan import ResumeRequest, ResumeStep
from unlatch.project.workspace import Workspace

REASON = "More work turned up"
REQUEST = ResumeRequest("Dana", REASON)
GITHUB = {"github": {"issue": 7, "url": "https://github.com/octo/widgets/issues/7"}}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(paths_at(tmp_path), environ={}, user_config=tmp_path / "none.toml")


def _increment(workspace: Workspace, status: Status) -> Increment:
    Project(workspace.paths.root).add(metadata(status=status.value, **GITHUB))
    return workspace.manager.read("7")


def _operations(increment: Increment) -> list[tuple[str, str, bool]]:
    return [(one.kind.value, one.item, one.state) for one in increment.pending]


@pytest.mark.parametrize(
    ("status", "step"),
    [
        (Status.COMPLETED, ResumeStep.REOPEN),
        (Status.ABANDONED, ResumeStep.REVIVE),
        (Status.ACTIVE, ResumeStep.NOTHING),
        (Status.PAUSED, ResumeStep.ACTIVATE),
        (Status.BACKLOG, ResumeStep.ACTIVATE),
        (Status.PLANNING, ResumeStep.ACTIVATE),
        (Status.READY_FOR_REVIEW, ResumeStep.ACTIVATE),
    ],
)
def test_each_status_has_its_step_and_becomes_active(
    workspace: Workspace, status: Status, step: ResumeStep
) -> None:
    plan = plan_resume(_increment(workspace, status), REQUEST)

    result = apply_resume(workspace, plan)

    assert (step, step) == (plan.step, result.step)
    assert Status.ACTIVE is workspace.manager.read("7").status


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.ABANDONED, Status.PAUSED])
@pytest.mark.parametrize("reopen_items", [False, True])
def test_the_preview_is_the_change_that_is_written(
    workspace: Workspace, status: Status, *, reopen_items: bool
) -> None:
    request = ResumeRequest("Dana", REASON, reopen_items=reopen_items)
    plan = plan_resume(_increment(workspace, status), request)
    preview = plan.preview(Place(workspace))
    foreseen, scope = preview.plan, preview.scope

    apply_resume(workspace, plan)

    after = workspace.manager.read("7")
    written = _operations(after)
    assert (written, after.status, None) == (
        _operations(foreseen.after),
        foreseen.after.status,
        scope,
    )
    assert bool(written) is plan.reopens_items
    assert len(plan.items) == len(written)


def test_a_plan_for_an_increment_that_was_resumed_meanwhile_reopens_it_once(
    workspace: Workspace,
) -> None:
    plan = plan_resume(_increment(workspace, Status.COMPLETED), REQUEST)
    resume(workspace, "7", REQUEST)

    result = apply_resume(workspace, plan)

    assert (ResumeStep.DELIVER, None) == (result.step, result.entry)
    assert 1 == len(workspace.manager.read("7").reopens)


def test_one_refused_increment_keeps_none_of_the_others(workspace: Workspace) -> None:
    before = _increment(workspace, Status.COMPLETED)
    plans = [plan_resume(before, ResumeRequest("Dana")), plan_resume(before, REQUEST)]

    refused, done = apply_each(Place(workspace), plans, activates=True)

    assert isinstance(refused, Refusal)
    assert ("reason-missing", True) == (refused.error.id, isinstance(done, Done))
    assert Status.ACTIVE is workspace.manager.read("7").status


def test_finishing_twice_changes_the_increment_once(workspace: Workspace) -> None:
    _increment(workspace, Status.ACTIVE)
    plan = plan_finish(workspace, "7", Status.COMPLETED, by="Dana")
    foreseen = plan.preview(Place(workspace)).plan

    first = plan.apply(Place(workspace))
    again = plan_finish(workspace, "7", Status.COMPLETED, by="Dana", reason=REASON)
    second = again.apply(Place(workspace))

    assert _operations(foreseen.after) == [
        (o.kind.value, o.item, o.state) for o in first.increment.pending
    ]
    assert (frozenset(), first.increment.pending) == (second.fresh, second.increment.pending)


def test_undo_sets_back_what_its_plan_names(workspace: Workspace) -> None:
    _increment(workspace, Status.COMPLETED)
    entry = resume(workspace, "7", REQUEST).entry
    plan = plan_undo_reopen(workspace, "7", by="Dana")

    result = plan.apply(Place(workspace))

    assert entry is not None
    assert ((entry,), [entry.id]) == (plan.undone, [one.id for one in result.undone])
    assert Status.COMPLETED is workspace.manager.read("7").status
    with pytest.raises(StoreError, match="no reopen to undo"):
        plan_undo_reopen(workspace, "7", by="Dana")
