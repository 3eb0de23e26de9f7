"""A pull request from a fork gets no tokens, so its gate passes without; no other job's does.

The facts are those that each system documents: GitHub's event `pull_request`, Azure's
System.PullRequest.IsFork, and GitLab's variables of merge request pipelines.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.ci.jobs import AZURE, GITHUB, GITLAB, job, reopen_by_hand
from tests.ci.test_telling import commands
from tests.crash.members import Team

from unlatch_ci.systems import detect

TOKENS = ("GITHUB_TOKEN", "AZURE_DEVOPS_EXT_PAT", "JIRA_API_TOKEN", "JIRA_EMAIL")
NO_TOKENS = dict.fromkeys(TOKENS, "")
OURS = {"id": 1, "full_name": "octo/widgets", "fork": False}
THEIRS = {"id": 2, "full_name": "mona/widgets", "fork": True}


def github(folder: Path, head: object, *, event: str = "pull_request") -> dict[str, str]:
    """The variables of a GitHub job for a pull request from this repository."""
    path = folder / "event.json"
    payload = {"pull_request": {"head": {"repo": head}, "base": {"repo": OURS}}}
    path.write_text(json.dumps(payload))
    return {**GITHUB, "GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(path)}


def gitlab(source: str, *, project: str) -> dict[str, str]:
    """The variables of a merge request pipeline; project 1 has the merge request."""
    names = {"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": source, "CI_MERGE_REQUEST_PROJECT_ID": "1"}
    return {**GITLAB, **names, "CI_PROJECT_ID": project}


def is_fork(environ: Mapping[str, str]) -> bool:
    found = detect(environ)
    return found is not None and found.is_fork


def test_which_pull_requests_on_github_are_from_a_fork(tmp_path: Path) -> None:
    # The repository may itself be a fork of another one: `fork` says nothing.
    assert is_fork(github(tmp_path, THEIRS))
    assert not is_fork(github(tmp_path, {**OURS, "fork": True}))
    # A fork that was deleted.
    assert is_fork(github(tmp_path, None))


@pytest.mark.parametrize("event", ["push", "schedule", "pull_request_target", "issues", ""])
def test_other_events_of_github_are_not_from_a_fork(tmp_path: Path, event: str) -> None:
    assert not is_fork(github(tmp_path, THEIRS, event=event))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        b"4",
        b"\xff",
        b"{}",
        b'{"pull_request": null}',
        b'{"pull_request": {"head": {}, "base": {}}}',
        b'{"pull_request": {"number": 3, "state": "open"}}',
        b'{"pull_request": {"head": {"repo": 4}, "base": {"repo": 4}}}',
        b'{"pull_request": {"head": {"repo": {}}, "base": {"repo": {"id": 1}}}}',
        b'{"pull_request": {"head": {"repo": {"id": "1"}}, "base": {"repo": {"id": 1}}}}',
        b'{"pull_request": {"head": {"repo": {"id": null}}, "base": {"repo": {"id": 1}}}}',
        b'{"pull_request": {"head": {"repo": {"id": true}}, "base": {"repo": {"id": 2}}}}',
        b'{"pull_request": {"head": {"repo": {"id": 2}}, "base": {"repo": {"id": "1"}}}}',
        b'{"pull_request": {"head": {"repo": null}, "base": {"repo": null}}}',
        b'{"pull_request": {"head": {"repo": null}, "base": {"repo": {}}}}',
        b'{"pull_request": ' + b"[" * 100_000,
    ],
)
def test_an_event_that_does_not_say_so_is_not_from_a_fork(tmp_path: Path, content: bytes) -> None:
    environ = github(tmp_path, THEIRS)
    (tmp_path / "event.json").write_bytes(content)
    assert not is_fork(environ)


def test_without_the_event_file_or_with_a_named_pipe_there_is_no_fork(tmp_path: Path) -> None:
    environ = github(tmp_path, THEIRS)
    (tmp_path / "event.json").unlink()
    assert not is_fork(environ)
    assert not is_fork({**environ, "GITHUB_EVENT_PATH": ""})
    os.mkfifo(tmp_path / "event.json")  # it is not waited for
    assert not is_fork(environ)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({**AZURE, "SYSTEM_PULLREQUEST_ISFORK": "True"}, True),
        ({**AZURE, "SYSTEM_PULLREQUEST_ISFORK": "False"}, False),
        (AZURE, False),
        (gitlab("2", project="2"), True),
        (gitlab("2", project="1"), True),
        (gitlab("1", project="1"), False),
        ({**GITLAB, "CI_MERGE_REQUEST_PROJECT_ID": "1"}, False),
        (GITLAB, False),
        # Another system's variables say nothing.
        ({**GITLAB, "SYSTEM_PULLREQUEST_ISFORK": "True"}, False),
        ({"SYSTEM_PULLREQUEST_ISFORK": "True"}, False),
    ],
)
def test_which_pull_requests_on_the_others_are(environ: dict[str, str], expected: bool) -> None:
    assert expected is is_fork(environ)


# Whole runs


@pytest.fixture(params=["github", "azure", "gitlab"])
def fork(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The variables of a pull request from a fork, without tokens."""
    systems = {
        "github": github(tmp_path, THEIRS),
        "azure": {**AZURE, "SYSTEM_PULLREQUEST_ISFORK": "True"},
        "gitlab": gitlab("2", project="2"),
    }
    name: str = request.param
    return systems[name] | NO_TOKENS


@pytest.mark.sample(count=1)
def test_a_fork_without_tokens_passes_the_gate_and_nothing_was_checked(
    team: Team, fork: dict[str, str]
) -> None:
    done = (
        job(team, "job", fork).try_unlatch("sync", "--check").ends(0, err="0 of 3 items checked.")
    )
    assert 3 == done.out.count("1 item not checked (")
    assert 3 == done.out.count("allowed: a pull request from a fork gets no tokens")


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("tokens", [[], ["GITHUB_TOKEN"]], ids=["none", "reading"])
def test_a_fork_passes_with_operations_that_it_cannot_deliver(
    team: Team, fork: dict[str, str], tokens: list[str]
) -> None:
    given = {name: team.laptop.environ[name] for name in tokens}
    here = job(team, "job", fork | given)
    here.unlatch("resume", "7", "--reason", "More to do", "--offline", "--yes")
    alone = team.box.github.add_issue(title="Alone", state="closed")
    here.try_unlatch("reopen", f"octo/widgets#{alone}", "--reason", "More to do", "--offline")
    check = here.try_unlatch("sync", "--check")
    plan = here.try_unlatch("sync", "--dry-run")
    document = here.try_unlatch("sync", "--check", "--json")
    assert [0, 0, 0] == [one.code for one in (check, plan, document)], check.out + check.err
    assert 4 == check.out.count("1 operation pending")
    assert not [line for line in commands(check.err) if "error" in line]
    assert '"adrift": false' in document.out


def test_operations_that_a_branch_of_ours_left_fail_its_check(team: Team) -> None:
    here = job(team, "job", GITHUB)
    here.unlatch("resume", "7", "--reason", "More to do", "--offline", "--yes")
    assert 5 == here.try_unlatch("sync", "--check").code


def test_a_fork_with_one_token_is_held_against_that_tracker(
    team: Team, fork: dict[str, str]
) -> None:
    reopen_by_hand(team)
    here = job(team, "job", {**fork, "GITHUB_TOKEN": team.laptop.environ["GITHUB_TOKEN"]})
    done = here.try_unlatch("sync", "--check").ends(5)
    assert 2 == done.out.count("1 item not checked (")


@pytest.mark.sample(count=1)
def test_a_fork_may_not_sync_without_tokens(team: Team, fork: dict[str, str]) -> None:
    assert 5 == job(team, "job", fork).try_unlatch("sync", "--yes").code


@pytest.mark.parametrize("system", [GITHUB, AZURE, GITLAB], ids=["github", "azure", "gitlab"])
def test_any_other_job_without_tokens_fails(team: Team, system: dict[str, str]) -> None:
    done = job(team, "job", {**system, **NO_TOKENS}).try_unlatch("sync", "--check").ends(5)
    errors = [line for line in commands(done.err) if "error" in line]
    assert (0 if system is GITLAB else 3) == len(errors)
