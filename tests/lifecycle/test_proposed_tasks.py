"""The published schema decides about proposed tasks."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from unlatch.errors import ProposalError, UsageError
from unlatch.lifecycle.scoping.proposed_tasks import read_tasks_file

SCHEMA = Path(__file__).parents[2] / "schemas" / "proposed-tasks.schema.json"
GOOD: list[Any] = [
    {"tasks": []},
    {"tasks": [{"title": "One"}]},
    {"tasks": [{"title": "x" * 300, "story": None, "criteria": [], "description": None}]},
    {"tasks": [{"title": "One", "story": "US-001", "criteria": ["AC-1"], "description": "more"}]},
]
BAD: list[Any] = [
    {},
    [],
    None,
    {"tasks": None},
    {"tasks": [{}]},
    {"tasks": [{"title": ""}]},
    {"tasks": [{"title": 1}]},
    {"tasks": [{"title": "x" * 301}]},
    {"tasks": [{"title": "One", "story": ""}]},
    {"tasks": [{"title": "One", "criteria": "AC-1"}]},
    {"tasks": [{"title": "One", "criteria": [1]}]},
    {"tasks": [{"title": "One", "id": "T-001"}]},
    {"tasks": [{"title": "One"}] * 201},
    {"tasks": [], "more": 1},
]


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize("document", GOOD)
def test_what_the_schema_allows_is_taken(
    document: Any, validator: Draft202012Validator, tmp_path: Path
) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(document))

    tasks = read_tasks_file(path)

    assert validator.is_valid(document)
    assert [task["title"] for task in document["tasks"]] == [task.title for task in tasks]


@pytest.mark.parametrize("document", BAD)
def test_what_it_does_not_is_refused(
    document: Any, validator: Draft202012Validator, tmp_path: Path
) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(document))

    with pytest.raises(ProposalError) as caught:
        read_tasks_file(path)

    assert not validator.is_valid(document)
    assert caught.value.problems


def test_a_byte_order_mark_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_bytes(b'\xef\xbb\xbf{"tasks": [{"title": "One"}]}')

    assert [task.title for task in read_tasks_file(path)] == ["One"]


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.txt"
    path.write_bytes(b"\xff\xfe")

    with pytest.raises(UsageError) as caught:
        read_tasks_file(path)

    assert caught.value.id == "tasks-file-unreadable"
