"""Changes to the items of one tracker: plans, refusals, and the ids of parts to be done again."""

import pytest
from tests.cli.project import NAME, Project

from unlatch.errors import UsageError
from unlatch.increments.files.paths import paths_at
from unlatch.increments.layouts.native import UNLATCH
from unlatch.lifecycle.items.item_change import ItemChange
from unlatch.lifecycle.items.tracker_items import (
    fetch_tracker_items,
    plan_item_change,
    plan_item_creation,
    tracker_links,
)
from unlatch.lifecycle.scoping.change_scope import spelled_parts
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi.operation import Kind

STORIES = "# Spec\n\n### US-001: One\n\n### US-002: Two\n"


def opened(project: Project) -> tuple[Workspace, Trackers]:
    paths = paths_at(project.root)
    workspace = Workspace(paths, environ=project.environ, user_config=project.home / "none.toml")
    return workspace, Trackers(workspace)


def reopening(project: Project, item: str | None = None) -> ItemChange:
    workspace, _ = opened(project)
    manifest = workspace.registry.manifest("github")
    return plan_item_change(workspace, manifest, "7", Kind.REOPEN, item=item, by="Dana")


def test_an_increment_without_an_item_there_says_how_to_link_one(project: Project) -> None:
    project.increment()
    workspace, _ = opened(project)

    with pytest.raises(UsageError) as raised:
        tracker_links(workspace, workspace.manager.read("7"), workspace.registry.manifest("jira"))

    assert ("no-link", f"unlatch link {NAME} URL") == (raised.value.id, raised.value.hint)


def test_a_story_with_an_item_gets_no_second_one(project: Project) -> None:
    project.increment(status="active")
    (project.folder() / "spec.md").write_text(STORIES)
    assert project.run("github", "create-issue", "7", "--story", "US-001").code == 0
    workspace, trackers = opened(project)

    change = plan_item_creation(workspace, trackers, "github", "7", per_story=True, by="Dana")

    assert ["US-002"] == [one.story for one in change.operations]


def test_items_are_fetched_of_all_increments_that_have_any(completed: Project) -> None:
    completed.increment("0008-without")
    (completed.increments / "0009-broken").mkdir()
    workspace, trackers = opened(completed)

    manifest = workspace.registry.manifest("ado")
    found, broken = fetch_tracker_items(workspace, trackers, manifest, ())

    assert [(NAME, 1)] == [(one.id, len(items)) for one, items in found]
    assert ["0009-broken"] == [one.id for one in broken]


WORK = UNLATCH.read(
    {
        "spec.md": "### US-001: One\n\n- [x] **AC-US1-01**: a\n",
        "tasks.md": "### T-001: A\n\n### T-0010: B\n",
    }
)


def test_ids_are_matched_exactly_and_spelled_as_the_files_do() -> None:
    assert spelled_parts(WORK, ["t-0010"], ["us-001", "US-001"]) == ("T-0010", "US-001")


@pytest.mark.parametrize(
    ("tasks", "others"), [(["T-00"], []), (["US-001"], []), ([], ["T-001"]), ([], ["US-00"])]
)
def test_an_id_of_another_kind_or_none_is_refused(tasks: list[str], others: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        spelled_parts(WORK, tasks, others)

    assert caught.value.id == "item-unknown"
