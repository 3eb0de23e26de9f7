"""The settings and limits of a SpecWeave project that apply, and the policies of `[sync]`."""

import json
from pathlib import Path
from typing import Any

import pytest

from unlatch.config import other_tools
from unlatch.config.choices import Part
from unlatch.config.config import RawConfig, read_config
from unlatch.config.tables import SyncConfig
from unlatch.errors import ConfigError
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.policies import Direction, OnClose, OnConflict
from unlatch_specweave.settings import limits_of

PROFILES = {
    "ours": {"provider": "github", "config": {"owner": "octo", "repo": "widgets"}},
    "other": {"provider": "github", "config": {"owner": "octo", "repo": "gadgets"}},
    "boards": {"provider": "ado", "config": {"organization": "fabrikam", "project": "Widgets"}},
    "tickets": {
        "provider": "jira",
        "config": {"domain": "acme.atlassian.net", "projectKey": "SCRUM"},
    },
}
MAPPINGS = {
    "github": {"active": {"state": "open", "labels": ["status:active"]}},
    "ado": {"active": {"state": "Doing"}, "completed": "Done", "abandoned": {"state": "Cut"}},
    "jira": {"active": "In Progress", "completed": "Shipped", "abandoned": {"state": "Won't Do"}},
}


def config(root: Path, sync: object, *, ours: str = "", **more: object) -> RawConfig:
    (root / ".specweave").mkdir()
    (root / ".unlatch").mkdir()
    (root / ".specweave/config.json").write_text(json.dumps({"sync": sync, **more}))
    (root / ".unlatch/config.toml").write_text(ours)
    return read_config(paths_at(root))


def test_profiles_say_where_the_items_are(tmp_path: Path) -> None:
    found = config(tmp_path, {"activeProfile": "other", "profiles": PROFILES})

    assert found.problems == ()
    assert found.trackers == {
        "github": {"repository": "octo/gadgets", "repositories": ["octo/widgets"]},
        "ado": {"organization_url": "https://dev.azure.com/fabrikam", "project": "Widgets"},
        "jira": {"site": "https://acme.atlassian.net", "project": "SCRUM"},
    }
    assert found.origins["trackers.jira.site"] == ".specweave/config.json"


GITHUB = {"owner": "octo", "repo": "widgets"}
GADGETS = {"provider": "github", "config": {"owner": "octo", "repo": "gadgets"}}
ADO = {"organization": "fabrikam", "project": "Widgets"}
JIRA = {"domain": "acme.atlassian.net", "projectKey": "SCRUM"}
SYNC: dict[str, Any] = {"github": {"enabled": True, **GITHUB}, "jira": JIRA, "ado": ADO}
ADO_PLACE = {"organization_url": "https://dev.azure.com/fabrikam", "project": "Widgets"}
JIRA_PLACE = {"site": "https://acme.atlassian.net", "project": "SCRUM"}
GITHUB_PLACE = {"repository": "octo/widgets"}
# The repository of the code, outside of `sync`.
CODE = {"provider": "github", "organization": "octo", "repo": "code"}
WTTC = {"platform": "jira", "config": {**JIRA, "projectKey": "WTTC"}}
TESTS = {"platform": "jira", "config": {**JIRA, "projectKey": "SWE"}}
PLACES: dict[str, tuple[dict[str, Any], object, dict[str, Any]]] = {
    "settings of today": (
        SYNC,
        None,
        {"github": GITHUB_PLACE, "ado": ADO_PLACE, "jira": JIRA_PLACE},
    ),
    "a profile that calls its provider platform": (
        {"jira": JIRA, "defaultProfile": "tests", "profiles": {"wttc": WTTC, "tests": TESTS}},
        None,
        {"jira": {**JIRA_PLACE, "project": "SWE", "projects": ["SCRUM", "WTTC"]}},
    ),
    **{
        f"the active profile goes first: {provider}": (
            {"activeProfile": "a", "profiles": {"b": GADGETS, "a": {"provider": provider, **own}}},
            None,
            {"github": {**GITHUB_PLACE, "repositories": ["octo/gadgets"]}},
        )
        for provider, own in (("github", GITHUB), ("GitHub", {"config": GITHUB}))
    },
    **{
        f"{word}{' in a profile' * is_profile}": (
            {"profiles": {"a": {"platform": word, **ADO}}} if is_profile else {word: ADO},
            None,
            {"ado": ADO_PLACE},
        )
        for word in ("azure-devops", "Azure_DevOps", "ADO")
        for is_profile in (False, True)
    },
    "a key in lower case": ({"jira": {**JIRA, "projectKey": "scrum"}}, None, {"jira": JIRA_PLACE}),
    "the repository of the code": ({}, CODE, {"github": {"repository": "octo/code"}}),
    "another repository": ({"github": GITHUB}, CODE, {"github": GITHUB_PLACE}),
    "half a repository": (
        {"github": {"owner": "octo"}},
        CODE,
        {"github": {"repository": "octo/code"}},
    ),
    "code elsewhere": ({}, {"provider": "local"}, {}),
    "code without a name": ({}, {"provider": "github"}, {}),
    "code in a word": ({}, "github", {}),
    "several providers": ({}, {"provider": ["github"]}, {}),
}


@pytest.mark.parametrize("case", PLACES)
def test_the_settings_say_where_the_items_are(tmp_path: Path, case: str) -> None:
    sync, code, expected = PLACES[case]

    found = config(tmp_path, sync, repository=code)

    assert (found.problems, found.trackers) == ((), expected)


def test_a_place_in_config_toml_is_another_place(tmp_path: Path) -> None:
    ours = '[trackers.ado]\norganization_url = "https://dev.azure.com/contoso"\n'

    found = config(tmp_path, {"profiles": PROFILES}, ours=ours)

    assert found.trackers["ado"] == {"organization_url": "https://dev.azure.com/contoso"}


def test_status_mappings_become_the_states_of_the_trackers(tmp_path: Path) -> None:
    found = config(tmp_path, {"profiles": PROFILES, "statusSync": {"mappings": MAPPINGS}})

    assert found.trackers["ado"]["states"] == {
        "reopened": "Doing",
        "completed": "Done",
        "not_planned": "Cut",
    }
    assert found.trackers["jira"]["transitions"] == {
        "reopen": "In Progress",
        "complete": "Shipped",
        "drop": "Won't Do",
    }
    assert set(found.trackers["github"]) == {"repository", "repositories"}


def test_states_in_config_toml_go_before_mappings(tmp_path: Path) -> None:
    ours = '[trackers.jira]\nsite = "https://x.atlassian.net"\n[trackers.jira.transitions]\n'

    found = config(tmp_path, {"statusSync": {"mappings": MAPPINGS}}, ours=ours)

    # No place is known on Azure DevOps, so that there is nothing to have states.
    assert found.trackers == {"jira": {"site": "https://x.atlassian.net", "transitions": {}}}


@pytest.mark.parametrize(
    ("consents", "own", "foreign"),
    [
        ({}, "status comment labels body create", "status comment labels body create"),
        ({"canUpdateStatus": True}, "status comment labels body create", None),
        ({"canUpdateStatus": False}, "comment body create", "comment body create"),
        ({"canUpdateExternalItems": False}, None, "status labels create"),
        ({"canUpsertInternalItems": False}, "status labels", None),
        (
            {"canUpsertInternalItems": False, "canUpdateStatus": False},
            "",
            "comment body create",
        ),
    ],
)
def test_what_specweave_was_refused_is_not_written(
    tmp_path: Path, consents: dict[str, bool], own: str | None, foreign: str | None
) -> None:
    everything = "status comment labels body create"

    sync = config(tmp_path, {"settings": consents}).core.sync

    assert sync.may_write("github") == set((everything if own is None else own).split())
    wanted = everything if foreign is None else foreign
    assert sync.may_write("github", foreign=True) == set(wanted.split())


def test_specweave_is_not_read_where_config_toml_says_so(tmp_path: Path) -> None:
    limits = {"maxActiveIncrements": 2}

    found = config(tmp_path, {"profiles": PROFILES}, ours="specweave = false\n", limits=limits)

    assert (found.trackers, found.core.limits.max_active) == ({}, None)


HOSTILE: list[Any] = [
    None,
    [],
    "text",
    {"profiles": []},
    {"profiles": {"a": 1, "b": {"provider": ["github"]}, "c": {"provider": "github"}}},
    {"profiles": {"a": {"provider": "github", "config": {"owner": "../..", "repo": "x"}}}},
    {"profiles": {"a": {"provider": "ado", "config": {"organization": "a/b?c", "project": 1}}}},
    {"profiles": {"a": {"provider": "jira", "config": {"domain": "user@evil.example/x"}}}},
    {"statusSync": {"mappings": {"ado": {"active": {"state": ["New"]}}, "jira": "x"}}},
    {"settings": {"canUpdateStatus": "false", "canUpdateExternalItems": 0}},
    {"activeProfile": {"a": 1}, "profiles": {"a": {"provider": "github", "config": []}}},
]


@pytest.mark.parametrize("sync", HOSTILE)
def test_what_is_not_as_specweave_writes_it_is_passed_over(tmp_path: Path, sync: object) -> None:
    found = config(tmp_path, sync, multiProject=sync, limits=sync)

    assert (found.trackers, found.problems) == ({}, ())
    assert len(found.core.sync.may_write("github", foreign=True)) == 5


def test_its_limits_are_read_by_our_names() -> None:
    theirs = {
        "maxActiveIncrements": 3,
        "hardCap": 5,
        "allowEmergencyInterrupt": True,
        "typeBehaviors": {"canInterrupt": ["hotfix"], "autoAbandonDays": {"experiment": 14}},
        "staleness": {"paused": 7, "active": 30},
    }

    assert limits_of({"limits": theirs}) == {
        "max_active": 3,
        "hard_cap": 5,
        "count_reviews": True,
        "can_interrupt": ["hotfix"],
        "stale_after": {"active": 30, "paused": 7},
    }


def test_nothing_may_interrupt_where_that_is_switched_off() -> None:
    theirs = {"allowEmergencyInterrupt": False, "typeBehaviors": {"canInterrupt": ["hotfix"]}}

    assert limits_of({"limits": theirs}) == {"can_interrupt": []}


@pytest.mark.parametrize(
    "config",
    [
        None,
        [],
        {"limits": 3},
        {"limits": {"maxActiveIncrements": "3", "hardCap": True, "staleness": [7]}},
        {"limits": {"maxActiveIncrements": -1, "hardCap": 0, "staleness": {"active": None}}},
        {"limits": {"typeBehaviors": {"canInterrupt": "hotfix"}}},
    ],
)
def test_what_has_another_shape_is_passed_over(config: Any) -> None:
    assert limits_of(config) == {}


def sync_config(**values: object) -> SyncConfig:
    return SyncConfig.model_validate(values)


def test_a_tracker_replaces_only_its_own_values() -> None:
    sync = sync_config(
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
    sync = sync_config(**values)

    assert {Part(part) for part in own} == sync.may_write("jira")
    assert {Part(part) for part in foreign} == sync.may_write("jira", foreign=True)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ({"specweave": "unlatch_nowhere:NOTHING"}, "No module named 'unlatch_nowhere'"),
        ({"specweave": "unlatch_specweave.settings:NOTHING"}, "has no attribute 'NOTHING'"),
        ({}, "no installed package reads them"),
    ],
)
def test_settings_whose_package_cannot_be_loaded_are_refused_and_not_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: dict[str, str], why: str
) -> None:
    """They can forbid writes."""
    monkeypatch.setattr(other_tools, "entry_points", lambda _: target)

    with pytest.raises(ConfigError) as caught:
        config(tmp_path, {"settings": {"canUpdateStatus": False}})
    assert str(tmp_path / ".specweave/config.json") == caught.value.where
    assert why in caught.value.problems[0]

    (tmp_path / ".unlatch/config.toml").write_text("specweave = false")
    assert () == read_config(paths_at(tmp_path)).problems
