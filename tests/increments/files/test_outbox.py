from dataclasses import replace
from typing import Any

import pytest
from tests.changes import reopen
from tests.increments.files.making import (
    GITHUB,
    JIRA,
    NOW,
    STAMP,
    Project,
    github,
    metadata,
    tree,
    ulid,
)

from unlatch.errors import StoreError
from unlatch.increments.files.linking import link, unlink
from unlatch.increments.files.outbox import block, enqueue, record_delivery
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Base, Link
from unlatch.increments.model.reopens import SyncedItem
from unlatch.spi.change import Result
from unlatch.spi.operation import Kind, Operation

GITHUB_LINK = {"issue": 4, "url": GITHUB.format(4), "synced": "2025-11-01"}
DONE: Any = {"result": Result.CREATED, "commented": False}
OPEN = Base("active", "doing", "open")
OPEN_ENTRY = {"local": "active", "remote": "doing", "state": "open"}


def reopened(project: Project, **links: Any) -> Increment:
    project.add(metadata(**links))
    return reopen(project.manager, "7", "why", "ada")[0]


def deliver(project: Project, operation: Operation, **more: Any) -> Increment:
    item = operation.item.rpartition("/")[2]
    url = operation.item if "://" in operation.item else JIRA.format(item)
    reached = SyncedItem(operation.tracker, item, url)
    given: dict[str, Any] = {"reached": reached, "base": OPEN, "result": Result.REOPENED}
    given["commented"] = True
    return record_delivery(project.manager, "7", operation, **{**given, **more})


def blocked(project: Project, operation: Operation, *, cause: str) -> Increment:
    block(project.manager, "7", operation, cause=cause)
    return project.manager.read("7")


# ---- record -----------------------------------------------------------------------------------


def test_a_delivery_leaves_pending_and_is_noted_in_one_write(project: Project) -> None:
    (operation,) = reopened(project, github=GITHUB_LINK).pending
    after = deliver(project, operation)
    data = project.data()
    assert (after.pending, "pending" in data) == ((), False)
    assert data["github"] == {**GITHUB_LINK, "base": OPEN_ENTRY}
    synced = {"github": {"issueNumber": 4, "issueUrl": GITHUB.format(4)}}
    assert data["reopenHistory"][0]["syncedTo"] == synced
    assert after.reopens[0].synced_to == (SyncedItem("github", "4", GITHUB.format(4)),)
    told = {"id": ulid(2), "at": STAMP, "event": "delivered", "by": "ada", "op": operation.op}
    item = {"kind": "reopen", "tracker": "github", "item": GITHUB.format(4)}
    done = {"result": "reopened", "commented": True, "reason": "why"}
    assert project.events()[1:] == [{**told, **item, **done}]


def test_a_delivery_is_recorded_once_and_not_blocked_afterwards(project: Project) -> None:
    (operation,) = reopened(project, github=GITHUB_LINK).pending
    deliver(project, operation)
    before = tree(project.root)
    assert deliver(project, operation, base=Base("active", "todo", "new")).pending == ()
    block(project.manager, "7", operation, cause="item-locked")
    assert tree(project.root) == before


def test_the_event_is_written_before_the_operation_leaves(project: Project) -> None:
    (operation,) = reopened(project, github=GITHUB_LINK).pending
    events = project.increments / "0007-search" / "events.jsonl"
    events.unlink()
    events.mkdir()
    with pytest.raises(StoreError) as caught:
        deliver(project, operation)
    assert caught.value.id == "not-a-file"
    assert project.manager.read("7").pending == (operation,)


@pytest.mark.parametrize("is_linked_meanwhile", [False, True])
def test_a_created_item_is_linked_once_in_the_same_write(
    project: Project, *, is_linked_meanwhile: bool
) -> None:
    project.add(metadata(status="active"))
    operation = Operation(ulid(9), Kind.CREATE, "github", "octo/widgets", NOW, "ada")
    assert enqueue(project.manager, "7", operation).pending == (operation,)
    if is_linked_meanwhile:
        link(project.manager, "7", [github(5)], by="bob")
    reached = SyncedItem("github", "5", GITHUB.format(5))
    new = Link("github", "5", GITHUB.format(5), OPEN)
    after = record_delivery(
        project.manager, "7", operation, reached=reached, base=OPEN, **DONE, link=new
    )
    assert after.pending == ()
    expected = {"issue": 5, "url": GITHUB.format(5), "base": OPEN_ENTRY}
    assert project.data()["github"] == expected


# ---- block and enqueue ------------------------------------------------------------------------


def test_a_blocked_operation_stays_pending_with_its_cause(project: Project) -> None:
    first, second = reopened(project, github=GITHUB_LINK, jira={"issueKey": "A-1"}).pending
    after = blocked(project, first, cause="item-locked")
    expected = replace(first, cause="item-locked", blocked_at=NOW)
    assert after.pending == (expected, second)
    told = {"id": ulid(2), "at": STAMP, "event": "parked", "by": "ada", "op": first.op}
    where = {"cause": "item-locked", "tracker": "github", "item": GITHUB.format(4)}
    assert project.events()[1:] == [{**told, **where}]


def test_blocking_again_for_the_same_cause_changes_nothing(project: Project) -> None:
    (operation,) = reopened(project, github=GITHUB_LINK).pending
    block(project.manager, "7", operation, cause="item-locked")
    before = tree(project.root)
    project.clock.advance()
    block(project.manager, "7", operation, cause="item-locked")
    assert tree(project.root) == before
    after = blocked(project, operation, cause="item-not-found")
    assert [one.cause for one in after.pending] == ["item-not-found"]


# ---- link and unlink --------------------------------------------------------------------------


def test_linking_twice_is_linking_once(project: Project) -> None:
    project.add(metadata(github={"issue": 4, "url": GITHUB.format(4)}))
    after = link(project.manager, "7", [github(4), github(5), github(5)], by="ada")
    assert [known.item for known in after.links] == ["4", "5"]
    before = tree(project.root)
    link(project.manager, "7", [github(5)], by="ada")
    assert tree(project.root) == before


def test_unlinking_removes_the_link_and_withdraws_its_operations(project: Project) -> None:
    increment = reopened(project, github=GITHUB_LINK, jira={"issueKey": "A-1"})
    after = unlink(project.manager, "7", increment.links[0], by="ada")
    assert [known.item for known in after.links] == ["A-1"]
    assert [operation.item for operation in after.pending] == ["A-1"]
    assert project.data()["github"] == {"synced": "2025-11-01"}
    assert project.events()[-1]["event"] == "unlinked"
