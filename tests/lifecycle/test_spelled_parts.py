"""The ids of parts that are to be done again."""

from __future__ import annotations

import pytest

from unlatch.errors import UsageError
from unlatch.increments.layouts.native import UNLATCH
from unlatch.lifecycle.scoping.scope import spelled_parts

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
