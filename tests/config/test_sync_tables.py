"""The policies of `[sync]`, as a whole and for one tracker."""

from __future__ import annotations

import pytest

from unlatch.config.choices import Part
from unlatch.config.tables import SyncConfig
from unlatch.increments.model.policies import Direction, OnClose, OnConflict


def config(**values: object) -> SyncConfig:
    return SyncConfig.model_validate(values)


def test_a_tracker_replaces_only_its_own_values() -> None:
    sync = config(
        direction="push", conflict="remote", trackers={"jira": {"direction": "off", "write": []}}
    )

    jira, github = sync.policy("jira"), sync.policy("github")

    assert (jira.direction, jira.conflict) == (Direction.OFF, OnConflict.REMOTE)
    assert github.direction is Direction.PUSH
    assert jira.on_close is github.on_close is OnClose.ASK


@pytest.mark.parametrize(
    ("values", "own", "foreign"),
    [
        ({}, tuple(Part), tuple(Part)),
        ({"write": ["status"]}, ["status"], ["status"]),
        ({"write_foreign": ["comment"]}, tuple(Part), ["comment"]),
        ({"write": ["status"], "write_foreign": []}, ["status"], []),
        # A tracker's own value counts for all of its items.
        (
            {"write_foreign": [], "trackers": {"jira": {"write": ["labels"]}}},
            ["labels"],
            ["labels"],
        ),
        ({"write": [], "trackers": {"github": {"write": ["labels"]}}}, [], []),
    ],
)
def test_parts_that_may_be_written(
    values: dict[str, object], own: list[str], foreign: list[str]
) -> None:
    sync = config(**values)

    assert {Part(part) for part in own} == sync.may_write("jira")
    assert {Part(part) for part in foreign} == sync.may_write("jira", foreign=True)
