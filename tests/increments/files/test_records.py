"""The records of metadata.json beside operations: each from one table, so both ways are one way."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.increments.files.making import STAMP, ulid
from tests.increments.files.test_operation_record import (
    ids,
    texts,
    times,
    validator,
    words,
)

from unlatch.increments.model.link import Base
from unlatch.increments.model.reopens import (
    Amendment,
    AppliedAmendment,
    NewTask,
    ReopenEntry,
)
from unlatch.increments.model.status import Status
from unlatch.increments.records.bases import BASE
from unlatch.increments.records.reopens import AMENDED, REOPEN
from unlatch.spi.operation import Category
from unlatch.worklog.record import BadRecord, Record

several = st.lists(words, max_size=2).map(tuple)
tasks = st.builds(NewTask, words, st.none() | words, several, st.none() | texts, words)
amendments = st.builds(
    Amendment,
    words,  # one that says nothing is no amendment
    tasks=st.lists(tasks, max_size=2).map(tuple),
    parts=several,
    unwritten=several,
)
reopens = st.builds(
    ReopenEntry,
    ids,
    times,
    words,
    st.sampled_from(Status),
    words,
    previous_completed_at=st.none() | texts,
    amendment=st.none() | amendments,
    category=st.none() | words,
    source=st.none() | texts,
    forced=several,
    struck=several,
    reverted_at=st.none() | times,
    revert=st.none() | ids,
)
amended = st.builds(AppliedAmendment, ids, times, words, amendments, st.none() | words)
bases = st.builds(Base, st.sampled_from(Status), st.sampled_from(Category), texts)
RECORDS = st.one_of(
    st.tuples(st.just(REOPEN), reopens),
    st.tuples(st.just(AMENDED), amended),
    st.tuples(st.just(BASE), bases),
)
SCHEMAS = {one.name: validator("metadata", one.name) for one in (REOPEN, AMENDED, BASE)}


@given(RECORDS)
def test_a_record_that_is_written_and_read_is_the_same(pair: tuple[Record, Any]) -> None:
    record, value = pair
    on_disk = json.loads(json.dumps(record.write(value)))

    assert value == record.read(on_disk)
    assert [] == [error.message for error in SCHEMAS[record.name].iter_errors(on_disk)]


@given(reopens, st.dictionaries(words, texts, max_size=3))
def test_keys_that_nobody_knows_stay(entry: ReopenEntry, unknown: dict[str, str]) -> None:
    unknown = {key: value for key, value in unknown.items() if key not in REOPEN.keys}

    assert {**REOPEN.write(entry), **unknown} == REOPEN.write(entry, over={"source": "", **unknown})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"id": None}, "/a/0/id is missing or not a text"),
        ({"id": "7"}, "/a/0/id is not a ULID"),
        ({"at": "soon"}, "/a/0/at is not a time"),
        ({"reason": 7}, "/a/0/reason is not a text"),
        ({"parts": "T-001"}, "/a/0/parts is not a list"),
        ({"parts": [1]}, "/a/0/parts is not a list of texts"),
        ({"newTasks": [{"id": "T-1"}]}, "/a/0/newTasks/0/title is missing or not a text"),
        ({"newTasks": ["T-1"]}, "/a/0/newTasks/0 is not an object"),
    ],
)
def test_what_is_wrong_with_a_record_is_told_with_its_place(
    change: dict[str, Any], problem: str
) -> None:
    entry = {"id": ulid(1), "at": STAMP, "by": "ada", **change}

    with pytest.raises(BadRecord) as caught:
        AMENDED.read_all([entry], "/a")

    assert problem == str(caught.value)
