"""An operation on disk: reader, writer, schema and `--json` come from one table."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.increments.files.making import GITHUB, ulid

from unlatch.increments.records.pending import COMMENTS, OPERATION, operation_entry
from unlatch.spi.operation import Attempt, Category, DeliveryOptions, Kind, Operation, SeenItem
from unlatch.worklog.record import BadRecord

read_operation, write_operation = OPERATION.read, OPERATION.write

SCHEMAS = Path(__file__).parents[3] / "schemas"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
ids = st.integers(1, 99).map(ulid)
times = st.datetimes(
    datetime(2000, 1, 1),  # noqa: DTZ001  # Hypothesis wants bounds without a zone
    datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(lambda moment: moment.replace(microsecond=0))
seen_items = st.builds(
    SeenItem,
    texts,
    st.none() | st.sampled_from(Category),
    st.lists(texts, max_size=3).map(tuple),
    st.none() | texts,
)
attempts = st.builds(
    Attempt,
    st.integers(0, 9),
    times,
    st.none() | seen_items,
    st.none() | times,
    st.none() | texts,
    st.none() | times,
    st.none() | texts,
    st.none() | times,
)
options = st.builds(
    DeliveryOptions,
    st.none() | st.sampled_from(COMMENTS),
    st.booleans(),
    plugin=st.frozensets(words, max_size=2),
)
operations = st.builds(
    Operation,
    ids,
    st.sampled_from(Kind),
    words,
    words,
    times,
    by=st.none() | texts,
    reason=st.none() | texts,
    state=st.booleans(),
    labels=st.lists(texts, max_size=2).map(tuple),
    retries=st.none() | ids,
    options=options,
    story=st.none() | texts,
    cause=st.none() | texts,
    blocked_at=st.none() | times,
    attempt=st.none() | attempts,
)
WHOLE = Operation(
    ulid(1),
    Kind.REOPEN,
    "github",
    GITHUB.format(4),
    datetime(2025, 11, 4, 10, tzinfo=UTC),
    "ada",
    "r",
    "w",
    state=False,
    options=DeliveryOptions(
        "short",
        even_if_not_planned=True,
        plugin=frozenset({"allow-path"}),
        comment_anyway=True,
        add_labels=("regression",),
        remove_labels=("fixed",),
        no_labels=True,
    ),
    story="US-1",
    cause="item-locked",
    blocked_at=datetime(2025, 11, 4, 10, tzinfo=UTC),
    retries=ulid(2),
    labels=("reopened",),
    attempt=Attempt(
        2,
        datetime(2025, 11, 4, 10, tzinfo=UTC),
        SeenItem(
            "closed",
            Category.DONE,
            ("bug",),
            "7",
            since=datetime(2025, 11, 4, 9, 0, 0, 123000, UTC),
        ),
        datetime(2025, 11, 4, 10, tzinfo=UTC),
        "item-locked",
        datetime(2025, 11, 4, 10, tzinfo=UTC),
        "--comment none",
        datetime(2025, 11, 4, 9, tzinfo=UTC),
    ),
)


def definitions(schema: str) -> dict[str, Any]:
    """The records of a published schema."""
    found = json.loads((SCHEMAS / f"{schema}.schema.json").read_text())
    records: dict[str, Any] = found["$defs"]
    return records


def validator(schema: str, name: str) -> Draft202012Validator:
    """Of a record that may hold no further keys."""
    found = definitions(schema)
    for record in (name, "AttemptRecord", "SeenItem"):
        found[record]["additionalProperties"] = False
    return Draft202012Validator({"$defs": found, "$ref": f"#/$defs/{name}"})


ON_DISK = validator("metadata", "PendingRecord")
IN_DOCUMENTS = validator("show", "PendingEntry")


@given(operations)
def test_an_operation_is_read_as_it_was_written_and_as_the_published_schemas_allow(
    operation: Operation,
) -> None:
    on_disk = json.loads(json.dumps(write_operation(operation)))

    assert operation == read_operation(on_disk, "")
    assert [] == [error.message for error in ON_DISK.iter_errors(on_disk)]
    assert [] == [error.message for error in IN_DOCUMENTS.iter_errors(operation_entry(operation))]


@pytest.mark.parametrize("key", [field.key for field in OPERATION.fields if field.required])
def test_a_record_without_a_required_key_is_not_used(key: str) -> None:
    entry = write_operation(WHOLE)
    del entry[key]

    with pytest.raises(BadRecord, match=f"/pending/0/{key}"):
        read_operation(entry, "/pending/0")
    assert list(ON_DISK.iter_errors(entry))


@pytest.mark.parametrize("ended", [None, "", "soon"])
def test_an_attempt_whose_end_cannot_be_read_counts_as_open(ended: str | None) -> None:
    entry = write_operation(WHOLE)
    entry["attempt"]["ended"] = ended

    attempt = read_operation(entry, "").attempt

    assert (True, 2) == (attempt is not None and attempt.is_open, attempt and attempt.number)
