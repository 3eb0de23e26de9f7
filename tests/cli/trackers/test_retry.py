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


def refusal(code: int, body: dict[str, str]) -> Fault:
    return fault("github", "comment", "status", code=code, body=body)


@pytest.mark.sample(at=(0,))
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


DOWN = Fault("jira", "status", code=503, times=99)
DENIED = {"message": "Bad credentials"}


@pytest.mark.sample(at=(3,))
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


def test_what_was_left_on_purpose_can_be_delivered_at_once(completed: Project) -> None:
    document = completed.run(*RESUME, "--offline").document
    assert {"at"} == {retry for retry, _ in retries(document).values()}
    assert seconds_until(document["retryAt"]) <= 0
