"""A wait only where an earlier request may still take effect."""

import pytest
from tests.cli.project import OPEN, Project
from tests.delivery.stage import RESUME, SYNC, UNDO, completed_on, fault, settle

# What announces the wait for an earlier request.
WAITING = "may still"


@pytest.fixture
def patient(project: Project) -> Project:
    """A project with a closed issue that waits as long as GitHub's plugin says: 10 seconds."""
    completed_on(project, "github")
    settle(project, None)
    return project


def assert_delivered_without_a_wait(project: Project, *command: str) -> None:
    done = project.run(*command)
    assert (0, OPEN["github"]) == (done.code, project.states()["github"]), done.said
    assert WAITING not in done.said


@pytest.mark.sample
@pytest.mark.parametrize("part", ["state", "comment"])
def test_none_after_a_write_that_was_not_authorised(patient: Project, part: str) -> None:
    patient.box.faults.add(fault("github", part, "status", code=401, times=3))
    assert patient.run(*RESUME).code in (3, 4)
    patient.box.faults.clear()

    assert_delivered_without_a_wait(patient, *SYNC)


def test_none_after_a_deliberate_close_was_left_alone(patient: Project) -> None:
    patient.box.github.edit("octo/widgets", 4, state="open")
    patient.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    assert patient.run(*RESUME).code == 3

    assert_delivered_without_a_wait(patient, *SYNC, "--even-if-not-planned")


def test_none_before_an_undo_of_what_was_never_sent(patient: Project) -> None:
    assert patient.run(*RESUME, "--offline").code == 0

    done = patient.run(*UNDO)

    assert (0, "closed") == (done.code, patient.states()["github"]), done.said
    assert WAITING not in done.said


def test_none_after_a_tracker_that_refused_the_connection(patient: Project) -> None:
    config = (patient.root / ".unlatch" / "config.toml").read_text()
    patient.configure(config.replace(patient.box.github.api_url, "http://127.0.0.1:9/api/v3"))
    patient.extra["UNLATCH_TRUSTED_HOSTS"] = "github=127.0.0.1:9"
    assert patient.run("--max-wait", "0", *RESUME).code == 3
    patient.configure(config)
    del patient.extra["UNLATCH_TRUSTED_HOSTS"]

    assert_delivered_without_a_wait(patient, *SYNC)


def test_one_after_an_answer_that_was_lost(project: Project) -> None:
    completed_on(project, "github")
    settle(project, 1)
    project.box.faults.add(fault("github", "comment", "drop-after"))
    assert project.run(*RESUME).code == 3

    done = project.run(*SYNC)

    assert (0, True) == (done.code, WAITING in done.said), done.said
