"""Jobs that reopen and close items, and have neither a project nor a checkout."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.ci.jobs import AZURE, GITHUB, GITLAB, Job
from tests.ci.test_action import act
from tests.crash.items import Items

from unlatch_sandbox import Fault, Sandbox

NO_TOKEN = "no token found for GitHub; set GITHUB_TOKEN or GH_TOKEN in the environment of the job"


@pytest.fixture
def number(box: Sandbox) -> str:
    """A closed issue."""
    return Items(box, "github").make("Import fails", is_open=False, labels=())


def a_job(box: Sandbox, folder: Path, system: Mapping[str, str] = GITHUB, **extra: str) -> Job:
    """The job of the sandbox's repository, in an empty folder; its state ends with it."""
    root = folder / "work"
    root.mkdir(parents=True)
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.touch()
    web = box.github.web_url
    own = {"GITHUB_SERVER_URL": web, "GITHUB_REPOSITORY": "octo/widgets"}
    azure = {"BUILD_REPOSITORY_URI": f"{web}/octo/widgets"} if system is AZURE else {}
    where = own if system is GITHUB else azure
    return Job(root, extra={**box.environ(), **system, **where, **extra}, files=files)


def actions(here: Job, **inputs: str) -> tuple[int, str, Mapping[str, str]]:
    """What a person sees of the action."""
    runner = here.root.parent / "runner"
    runner.mkdir()
    ran = act(here, runner=runner, environ=None, version="installed", command="reopen", **inputs)
    return ran.code, ran.said, ran.outputs


@pytest.mark.parametrize("system", [GITHUB, AZURE], ids=["github", "azure"])
def test_a_number_is_an_issue_of_the_repository_whose_job_it_is(
    box: Sandbox, number: str, tmp_path: Path, system: Mapping[str, str]
) -> None:
    here = a_job(box, tmp_path, system)
    done = here.try_unlatch("reopen", f"#{number}", "--reason", "It broke", "--yes")
    assert (0, True) == (done.code, Items(box, "github").view(number).open), done.err


def test_a_checkout_of_another_repository_names_both(
    box: Sandbox, number: str, tmp_path: Path
) -> None:
    here = a_job(box, tmp_path)
    here.git("init", "--quiet")
    here.git("remote", "add", "origin", f"{box.github.web_url}/octo/gadgets")
    words = ("reopen", f"#{number}", "--reason", "It broke", "--offline")
    said = here.try_unlatch(*words).ends(0).err
    assert f"#{number} is octo/gadgets#{number}, of origin; that of the job is octo/widgets" in said


def test_where_the_job_has_no_repository_of_a_tracker_the_error_names_a_way(
    box: Sandbox, tmp_path: Path
) -> None:
    words = ("reopen", "#4", "--reason", "It broke", "--offline")
    done = a_job(box, tmp_path, GITLAB).try_unlatch(*words).ends(2)
    assert "no tracker knows that of origin: https://gitlab.com/fabrikam/widgets" in done.err


def test_the_action_reports_what_it_did(box: Sandbox, number: str, tmp_path: Path) -> None:
    here = a_job(box, tmp_path)
    code, said, outputs = actions(here, items=f"\r\n#{number}\r\n-\r\n", reason="It broke")
    assert (0, "true", "0") == (code, outputs["changed"], outputs["exit-code"]), said
    assert "unlatch reopen: 1 operation delivered" == outputs["summary"]
    assert f"| octo/widgets#&#8203;{number} | reopen | delivered |" in here.summary


def test_an_annotation_names_the_item_that_does_not_exist(box: Sandbox, tmp_path: Path) -> None:
    code, said, _ = actions(a_job(box, tmp_path), items="#99999", reason="It broke")
    title = "::error title=unlatch item-not-found::"
    assert 1 == code, said
    assert f"{title}GitHub does not know it, or does not show it to this token (octo/" in said


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"reason": " - \n"}, "reason is empty: write why under `with`"),
        ({"items": "-\n\n"}, "items is empty: name items, one per line"),
        ({"items": "octo/widgets#4 octo/widgets#5"}, "'octo/widgets#4 octo/widgets#5' names no"),
        ({"max_items": "many"}, "Invalid value for '--max-items'"),
    ],
)
def test_an_input_that_cannot_be_used_is_an_annotation_in_words_of_the_workflow(
    box: Sandbox, tmp_path: Path, inputs: dict[str, str], expected: str
) -> None:
    here = a_job(box, tmp_path)
    code, said, outputs = actions(here, **{"items": "#4", "reason": "It broke"} | inputs)
    annotations = [line for line in said.splitlines() if line.startswith("::error ")]
    assert (2, "2", 1) == (code, outputs["exit-code"], len(annotations)), said
    assert expected in annotations[0]
    assert "--reason" not in said
    assert [] == [entry for entry in box.requests.entries() if entry.changes]


@pytest.mark.parametrize(
    ("token", "expected"),
    [("", NO_TOKEN), ("expired", "GitHub does not accept the token")],
)
def test_an_item_that_is_not_reopened_is_an_error_and_the_next_run_finishes_it(
    box: Sandbox, number: str, tmp_path: Path, token: str, expected: str
) -> None:
    here = a_job(box, tmp_path / "one", GITHUB_TOKEN=token)
    code, said, outputs = actions(here, items=f"#{number}", reason="It broke")
    title = "::error title=unlatch reopen%3A 0 operations delivered%2C 1 not delivered"
    assert (3, "false", "person") == (code, outputs["changed"], outputs["retry"]), said
    assert f"{title}::octo/widgets#{number}: {expected}" in said
    assert "the last change of state could not be read" in said
    assert "Next: run this job again" in said
    assert [] == [word for word in ("this machine", "auth login", "is not known") if word in said]

    code, said, _ = actions(a_job(box, tmp_path / "two"), items=f"#{number}", reason="It broke")
    assert (0, 1) == (code, len(Items(box, "github").view(number).comments)), said


@pytest.mark.parametrize("system", [GITHUB, AZURE, GITLAB], ids=["github", "azure", "gitlab"])
def test_a_reason_into_which_the_system_put_a_token_is_not_posted(
    box: Sandbox, number: str, tmp_path: Path, system: Mapping[str, str]
) -> None:
    here = a_job(box, tmp_path, system)
    reason = f"It broke with {box.github.token}"
    url = f"{box.github.web_url}/octo/widgets/issues/{number}"
    done = here.try_unlatch("reopen", url, "--reason", reason, "--yes").ends(2)
    assert "error[secret-in-text]: the reason contains the value of GITHUB_TOKEN" in done.err
    assert box.github.token not in done.out + done.err
    assert not Items(box, "github").view(number).open
    assert [] == [*tmp_path.rglob("metadata.json")]


@pytest.mark.parametrize(("given", "code"), [("", 3), ("false", 3), ("True", 0), ("no", 2)])
def test_the_action_reopens_what_was_not_planned_if_the_workflow_says_so(
    box: Sandbox, tmp_path: Path, given: str, code: int
) -> None:
    number = Items(box, "github").make("Old importer", is_open=True, labels=())
    box.github.edit("octo/widgets", int(number), state="closed", state_reason="not_planned")
    here = a_job(box, tmp_path)
    ended, said, _ = actions(here, items=f"#{number}", reason="It broke", even_if_not_planned=given)
    assert (code, code == 0) == (ended, Items(box, "github").view(number).open), said


def test_the_action_says_when_another_run_can_reopen_the_item(
    box: Sandbox, number: str, tmp_path: Path
) -> None:
    box.faults.add(
        Fault("github", "rate-limit", method="PATCH", times=9, form="seconds", seconds=600)
    )
    code, said, outputs = actions(a_job(box, tmp_path), items=f"#{number}", reason="It broke")
    assert (3, "at") == (code, outputs["retry"]), said
    assert outputs["retry-at"].endswith("Z")
