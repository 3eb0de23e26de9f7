"""Every event and every record that unlatch writes keeps its schema, and doctor accepts it.

The types of events come from the registry, and the records from the modules that define them, so
that a new one is covered, or fails here, by itself.
"""

import json
import string
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Any, TypeGuard

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.changes import reopen, transition, undo
from tests.cli.output.test_documents import closed, schema
from tests.cli.project import Project

from unlatch.increments import records
from unlatch.increments.files import linking, outbox
from unlatch.increments.files.changes.plans import plan_amend
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.link import Base, Link
from unlatch.increments.model.reopens import (
    Amendment,
    AppliedAmendment,
    NewTask,
    ReopenCause,
    SyncedItem,
)
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Broken, GuardsChanged
from unlatch.increments.records.status_events import LOG
from unlatch.project.workspace import Workspace
from unlatch.spi.change import Result
from unlatch.spi.operation import Category, Kind, Operation, SeenItem
from unlatch.worklog.event_log import Event
from unlatch.worklog.record import Record

NOW = datetime(2025, 11, 4, 10, tzinfo=UTC)
words = st.text(string.ascii_letters, min_size=1, max_size=4)
ulids = st.integers(0, 9).map(lambda number: f"01JB{number:022d}")
# A value of each type that the tables of records name.
VALUES: Mapping[str, st.SearchStrategy[Any]] = MappingProxyType(
    {
        "Ulid": ulids,
        "Word": words,
        "Text": st.text(),
        "Time": st.just(NOW),
        "Words": st.lists(words, min_size=1, max_size=2).map(tuple),
        "Texts": st.lists(st.text(), min_size=1, max_size=2).map(tuple),
        "Flag": st.booleans(),
        "Number": st.integers(0, 9),
        "Status": st.sampled_from(Status),
        "Kind": st.sampled_from(Kind),
        "Causes": st.lists(
            st.builds(ReopenCause, words, words, st.text(), st.just(NOW)), min_size=1, max_size=2
        ).map(tuple),
        "Result": st.sampled_from(Result),
        "SeenItem": st.builds(SeenItem, words, st.sampled_from(Category), st.just(("bug",))),
    }
)


def event(record: Record) -> st.SearchStrategy[Any]:
    """An event of a type, with any of its optional values."""
    given = {field.name: VALUES[field.type.name] for field in record.fields}
    needed = {field.name: given.pop(field.name) for field in record.fields if field.required}
    return st.fixed_dictionaries(needed, optional=given).map(lambda found: record.model(**found))


@pytest.mark.sweep
@pytest.mark.parametrize("word", LOG.types)
def test_an_event_keeps_its_schema_and_is_read_as_it_was_written(word: str) -> None:
    published = schema("event")
    place = published["discriminator"]["mapping"][word]
    strict = Draft202012Validator({**closed({"$defs": published["$defs"]}), "$ref": place})

    @given(event(LOG.types[word]))
    def check(written: Any) -> None:
        line = LOG.line(written)
        assert [] == [error.message for error in strict.iter_errors(json.loads(line))]
        assert written == LOG.parse(line)

    check()


def test_every_record_of_metadata_is_in_its_schema() -> None:
    published = schema("metadata")["$defs"]
    found = [one for module in _modules() for one in vars(module).values() if _is_record(one)]
    # Records within records have their keys among those of the outer one.
    outer = {one.name: one for one in found}
    for one in found:
        for part in one.parts:
            if isinstance(part, tuple):
                outer.pop(part[1].name, None)
    # What a reopen did to an item is written beside keys that depend on the tracker.
    synced = outer.pop("SyncedDetails")
    reached = published["ReopenRecord"]["properties"]["syncedTo"]["properties"]["github"]
    assert synced.keys <= set(reached["properties"]["items"]["items"]["properties"])
    for name, record in outer.items():
        assert record.keys <= set(published[name]["properties"]), name
        required = {field.key for field in record.fields if field.required}
        assert required == set(published[name].get("required", ())), name


def _modules() -> list[ModuleType]:
    names = [one.name for one in iter_modules(records.__path__)]
    return [import_module(f"{records.__name__}.{name}") for name in names]


def _is_record(value: object) -> TypeGuard[Record]:
    return isinstance(value, Record)


def manager_of(project: Project) -> MetadataManager:
    paths = paths_at(project.root)
    return Workspace(paths, environ={}, user_config=project.home / "none.toml").manager


def test_every_writer_is_accepted_by_its_schema_and_by_doctor(project: Project) -> None:
    first, second, third = (Link("github", n, project.urls["github"][:-1] + n) for n in "123")
    manager = manager_of(project)
    seen, base = SeenItem("closed", Category.DONE, ("bug",), "7"), Base("active", "doing", "open")
    manager.create("Any", kind="feature", by="ada", links=[first])
    linking.link(manager, "1", [second], by="ada")
    transition(manager, "1", Status.ACTIVE, by="ada", reason="now", forced=("wip-limit",))
    task = NewTask("More", "US-001", ("AC-US1-01",), "details")
    more = AppliedAmendment(
        manager.new_id(), NOW, "ada", Amendment("more", (task,), parts=("T-001",)), "w"
    )
    manager.apply("1", lambda before, _: plan_amend(before, more), by="ada", unarchive=True)
    transition(manager, "1", Status.COMPLETED, by="ada")
    _, entry = reopen(manager, "1", "why", "ada", category="bug", forced=("reopen-too-late",))
    pending = manager.read("1").pending
    noted = outbox.note_attempts(manager, "1", dict.fromkeys(pending, seen))
    reached = SyncedItem("github", first.item, first.key, seen, seen, ("a",), ("b",))
    outbox.record_delivery(
        manager,
        "1",
        noted[pending[0]],
        reached=reached,
        base=base,
        result=Result.REOPENED,
        commented=True,
        refused=("c",),
    )
    outbox.record_in_sync(manager, "1", {first: base}, by="ada")
    outbox.block(manager, "1", noted[pending[1]], cause="item-locked")
    linking.repoint(manager, "1", second, third, by="ada")
    outbox.enqueue(
        manager, "1", Operation(manager.new_id(), Kind.UPDATE, "github", first.key, NOW, "ada")
    )
    outbox.withdraw(manager, "1", manager.read("1").pending[-1], why="closed by ada")
    _check(project, entry.id)
    manager.change("1", lambda _before, _data: _of_regressions(manager.event_facts("ada")))
    undo(manager, "1", by="ada", reason="by mistake")
    linking.unlink(manager, "1", third, by="ada")
    _check(project, entry.id)

    written = {one["event"]: one for one in project.events("0001-any")}
    assert set(LOG.types) == set(written)


def _of_regressions(facts: dict[str, Any]) -> list[Event]:
    causes = (ReopenCause("revert", "f", "Revert it", NOW),)
    return [Broken(causes=causes, returns=0, **facts), GuardsChanged(linked=("t",), **facts)]


def _check(project: Project, reopen: str) -> None:
    data, told = project.metadata("0001-any"), project.events("0001-any")
    assert [reopen] == [one["id"] for one in data["reopenHistory"]]
    strict = Draft202012Validator(closed(schema("metadata")))
    assert [] == [f"{e.json_path}: {e.message}" for e in strict.iter_errors(data)]
    validator = Draft202012Validator(schema("event"))
    assert [] == [e.message for one in told for e in validator.iter_errors(one)]
    said = project.run("doctor", "--json").document["findings"]
    # The undo completes it again, with the task that was added.
    said = [one for one in said if one["id"] != "completed-with-open-work"]
    assert [] == [one for one in said if one["severity"] != "note"]
