"""The trackers' tables are checked by their plugins, and all mistakes are listed."""

from __future__ import annotations

import pytest

from unlatch.config.config import CoreConfig, RawConfig
from unlatch.project.check_trackers import check_trackers
from unlatch.project.registry import Registry


def test_valid_tables_become_settings() -> None:
    raw = RawConfig(CoreConfig(), {"github": {"repository": "octo/widgets"}})

    settings, problems, _ = check_trackers(raw, Registry())

    assert problems == ()
    assert settings["github"].target == "octo/widgets"


def test_every_mistake_is_listed() -> None:
    core = CoreConfig.model_validate({"labels": {"reopened": "two words"}})
    tables: dict[str, dict[str, object]] = {
        "gitbub": {},
        "github": {"repository": "octo"},
        "jira": {"site": 7},
    }
    raw = RawConfig(core, tables, problems=("patience: expected a number",))

    settings, problems, _ = check_trackers(raw, Registry())

    assert settings == {}
    assert problems[0] == "patience: expected a number"
    assert problems[1] == "trackers.gitbub: unknown tracker; did you mean [trackers.github]?"
    places = [problem.partition(":")[0] for problem in problems[2:]]
    assert places == ["trackers.github.repository", "trackers.jira.site", "labels.reopened"]
    assert "(for Jira)" in problems[-1]


@pytest.mark.parametrize("repository", ["", "octo/", "octo/../widgets"])
def test_a_table_with_a_mistake_has_no_settings(repository: str) -> None:
    raw = RawConfig(CoreConfig(), {"github": {"repository": repository}})

    settings, problems, _ = check_trackers(raw, Registry())

    assert settings == {}
    assert len(problems) == 1
