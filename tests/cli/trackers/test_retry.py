"""JSON says whether and when to run a command again: for each operation, and as a whole."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.cli.project import REASON, Project
from tests.delivery.stage import LOCKED, fault

from unlatch.worklog.times import read_stamp
from unlatch_sandbox import Fault

RESUME = ("--max-wait", "0", "resume", "7", "--reason", REASON, "--yes", "--json")
SYNC = ("--max-wait", "0", "sync", "--json")


def retries(document: Any) -> dict[str, tuple[str, str | None]]:
    """What each tracker's operation says."""
    found = document.get("trackers") or document["increments"][0]["trackers"]
    return {entry["tracker"]: (entry["retry"], entry["retryAt"]) for entry in found}


def seconds_until(moment: str | None) -> float:
    parsed = read_stamp(moment or "")
    assert parsed is not None
    return (parsed - datetime.now(UTC)) / timedelta(seconds=1)


def test_nothing_is_left(completed: Project) -> None:
    document = completed.run(*RESUME).document

    assert {("none", None)} == set(retries(document).values())
    assert ("none", None) == (document["retry"], document["retryAt"])
    synced = completed.run(*SYNC).document
    assert ("none", None) == (synced["retry"], synced["retryAt"])


def refusal(code: int, body: dict[str, str]) -> Fault:
    return fault("github", "comment", "status", code=code, body=body)


@pytest.mark.parametrize("synced", [False, True])
def test_the_time_is_the_trackers_own(completed: Project, synced: bool) -> None:
    completed.box.faults.add(fault("github", "state", "rate-limit", seconds=600))
    document = completed.run(*RESUME).document
    if synced:
        document = completed.run(*SYNC).document
    own = retries(document)
    assert {"github"} == {name for name, (retry, _) in own.items() if retry == "at"}
    assert own["github"] == (document["retry"], document["retryAt"])
    assert 500 < seconds_until(document["retryAt"]) <= 600


def test_a_tracker_that_is_down_is_tried_again_in_a_minute(completed: Project) -> None:
    completed.box.faults.add(Fault("jira", "status", code=503, times=99))

    document = completed.run(*RESUME).document

    assert "at" == retries(document)["jira"][0] == document["retry"]
    assert 30 < seconds_until(document["retryAt"]) <= 60


@pytest.mark.parametrize(
    ("code", "body"), [(403, LOCKED), (401, {"message": "Bad credentials"})], ids=["403", "401"]
)
def test_a_person_has_to_act(completed: Project, code: int, body: dict[str, str]) -> None:
    completed.box.faults.add(fault("github", "comment", "status", code=code, body=body))

    document = completed.run(*RESUME).document

    assert ("person", None) == retries(document)["github"]
    assert ("person", None) == (document["retry"], document["retryAt"])


def test_what_can_be_delivered_later_comes_before_a_person(completed: Project) -> None:
    completed.box.faults.add(fault("github", "comment", "status", code=403, body=LOCKED))
    completed.box.faults.add(Fault("jira", "status", code=503, times=99))

    document = completed.run(*RESUME).document

    own = {name: retry for name, (retry, _) in retries(document).items()}
    assert {"github": "person", "ado": "none", "jira": "at"} == own
    assert "at" == document["retry"]


DOWN = Fault("jira", "status", code=503, times=99)
DENIED = {"message": "Bad credentials"}


@pytest.mark.parametrize(
    ("faults", "own", "retry"),
    [
        ([DOWN], {"github": "none", "jira": "at"}, "at"),
        ([refusal(403, LOCKED)], {"github": "person", "jira": "none"}, "person"),
        ([refusal(401, DENIED)], {"github": "person"}, "person"),
        ([refusal(403, LOCKED), DOWN], {"github": "person", "ado": "none", "jira": "at"}, "at"),
    ],
    ids=["down", "refused", "unauthorised", "refused and down"],
)
def test_what_a_minute_mends_comes_before_what_a_person_has_to_do(
    completed: Project, faults: list[Fault], own: dict[str, str], retry: str
) -> None:
    for one in faults:
        completed.box.faults.add(one)
    document = completed.run(*RESUME).document
    found = retries(document)
    assert (own, retry) == ({name: found[name][0] for name in own}, document["retry"])
    if retry == "at":
        assert 30 < seconds_until(document["retryAt"]) <= 60
    else:
        assert {None} == {document["retryAt"], found["github"][1]}


def test_a_sync_that_skips_blocked_operations_needs_a_person(completed: Project) -> None:
    completed.box.faults.add(fault("github", "comment", "status", code=403, body=LOCKED))
    completed.run(*RESUME)
    document = completed.run(*SYNC).document
    assert (3, "person") == (document["exitCode"], document["retry"])


def test_what_was_left_on_purpose_can_be_delivered_at_once(completed: Project) -> None:
    document = completed.run(*RESUME, "--offline").document
    assert {"at"} == {retry for retry, _ in retries(document).values()}
    assert seconds_until(document["retryAt"]) <= 0
