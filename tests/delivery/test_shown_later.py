"""What a tracker accepts and shows only later is looked for again, and not sent again."""

import time

import pytest
from tests.cli.project import OPEN, Project
from tests.delivery.stage import (
    AT_ONCE,
    RESUME,
    SYNC,
    active_on,
    assert_each_comment_once,
    completed_on,
    count_markers,
    fault,
    settle,
    sync_until_done,
)
from tests.delivery.test_same_command_elsewhere import COMMANDS, words_of

COMPLETE = ("complete", "7", "--reason", "All done", "--yes")
PLACES = ("github", "ado", "jira", "jira server")


def stage(project: Project, place: str) -> str:
    """Configure the place's deployment; the name of its tracker."""
    if place == "jira server":
        project.box.jira.add_project("SCRUM", deployment="Server")
        project.configure(f"patience = 30\n{project.box.config()}")
    return place.partition(" ")[0]


@pytest.mark.sample
@pytest.mark.parametrize("part", ["state", "comment", "label added"])
@pytest.mark.parametrize("place", PLACES)
def test_a_part_that_is_shown_later_is_delivered_once(
    project: Project, place: str, part: str
) -> None:
    tracker = stage(project, place)
    completed_on(project, tracker)
    project.box.faults.add(fault(tracker, part, "shown-later", reads=2))

    done = project.run(*RESUME)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert 1 == count_markers(project).total()
    assert {"reopened"} == project.labels()[tracker] & {"reopened", "completed"}
    assert "pending" not in project.metadata()


@pytest.mark.sample(3)
@pytest.mark.parametrize("act", ["resume", "complete"])
@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
def test_a_sync_takes_no_item_that_is_not_shown_yet_for_one_that_a_person_changed(
    project: Project, tracker: str, act: str
) -> None:
    start, words = {"resume": (completed_on, RESUME), "complete": (active_on, COMPLETE)}[act]
    start(project, tracker)
    time.sleep(1.1)  # GitHub's times have whole seconds
    project.box.faults.add(fault(tracker, "state", "shown-later", reads=99))
    assert 0 == project.run(*words).code
    before = project.states(), project.comments(), project.labels(), project.metadata()

    done = project.run("sync", "--yes", "--json")

    assert 5 == done.code, done.said
    (unread,) = done.document["notChecked"]
    assert "not-shown-yet" == unread["error"]["id"]
    assert "at" == done.document["retry"]
    assert before == (
        project.states(),
        project.comments(),
        project.labels(),
        project.metadata(),
    )
    project.box.faults.clear()
    assert 0 == project.run("sync", "--check").code


@pytest.mark.sample(4)
@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_on_an_item_that_is_not_shown_yet_changes_nothing(
    project: Project, command: str, tracker: str
) -> None:
    COMMANDS[command][0](project, tracker)
    time.sleep(1.1)  # GitHub's times have whole seconds
    words = words_of(project, command, tracker)
    project.box.faults.add(fault(tracker, "state", "shown-later", reads=99))
    assert 0 == project.run(*words).code
    before = project.states(), project.comments(), project.labels(), project.metadata()

    done = project.run(*words)

    assert "not-shown-yet" in done.said
    assert before == (
        project.states(),
        project.comments(),
        project.labels(),
        project.metadata(),
    ), done.said


@pytest.mark.sample(2)
@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
@pytest.mark.parametrize("first", ["resume", "reopen"])
def test_an_increment_and_its_item_alone_know_of_each_other(
    project: Project, tracker: str, first: str
) -> None:
    """Both commands give the same reason, and the item is not shown as it is in between."""
    completed_on(project, tracker)
    time.sleep(1.1)  # GitHub's times have whole seconds
    alone = ("reopen", project.urls[tracker], "--item-only", *RESUME[2:])
    one, other = (RESUME, alone) if first == "resume" else (alone, RESUME)
    project.box.faults.add(fault(tracker, "state", "shown-later", reads=99))
    assert 0 == project.run(*one).code

    done = project.run(*other)
    project.box.faults.clear()
    last = project.run("sync", "--yes")

    assert 1 == len(project.comments()[tracker]), done.said + last.said
    assert OPEN[tracker] == project.states()[tracker]
    assert 0 == last.code, last.said


@pytest.mark.parametrize("kind", ["shown-later", "no-effect"])
def test_a_comment_that_an_edit_does_not_show_is_looked_for_before_it_is_posted(
    project: Project, kind: str
) -> None:
    stage(project, "jira server")
    completed_on(project, "jira")
    reads = {"reads": 99} if kind == "shown-later" else {"times": 9}
    project.box.faults.add(fault("jira", "comment", kind, **reads))
    done = project.run(*RESUME)
    posted = int(kind == "shown-later")
    assert (3, posted) == (done.code, count_markers(project).total()), done.said
    if posted:
        assert "not known whether the comment was posted" in done.out
    else:
        done = project.run(*SYNC)
        assert (3, 1) == (done.code, count_markers(project).total()), done.said
        assert "commented" in done.out
    project.box.faults.clear()
    done = project.run(*SYNC)
    assert (0, 1) == (done.code, count_markers(project).total()), done.said
    assert "pending" not in project.metadata()


@pytest.mark.sample
@pytest.mark.parametrize("place", ["jira", "jira server"])
@pytest.mark.parametrize("kind", ["shown-later", "drop-after", "error-after", "dropped"])
def test_a_comment_within_a_transition_is_there_once(
    project: Project, place: str, kind: str
) -> None:
    stage(project, place)
    # The screen of the latter shows no comment, and Jira drops it.
    workflow = "required-fields" if kind == "dropped" else "validators"
    project.box.jira.add_project("SCRUM", workflow)
    more = '[trackers.jira.fields.reopen]\n"Root cause" = "Bug"'
    config = project.box.config().replace('"SCRUM"', '"SCRUM"\ncomment_in_transition = true', 1)
    project.configure(f"patience = 30\n{config}\n{more}")
    completed_on(project, "jira")
    if kind != "dropped":
        reads = {"reads": 99} if kind == "shown-later" else {}
        project.box.faults.add(fault("jira", "state", kind, **reads))

    done = project.run(*RESUME)

    assert (3, kind != "dropped") == (done.code, count_markers(project).total()), done.said
    project.box.faults.clear()
    done = sync_until_done(project)
    assert (0, 1) == (done.code, count_markers(project).total()), done.said
    assert {"reopened"} == project.labels()["jira"] & {"reopened", "completed"}
    assert "pending" not in project.metadata()


@pytest.mark.sample
@pytest.mark.real_waits
@pytest.mark.parametrize("place", PLACES)
def test_a_comment_without_an_answer_that_is_shown_later_is_not_posted_again(
    project: Project, place: str
) -> None:
    tracker = stage(project, place)
    completed_on(project, tracker)
    settle(project, 1)
    for kind in ("shown-later", "drop-after"):
        options = {"reads": 0, "seconds": 0.3} if kind == "shown-later" else {}
        project.box.faults.add(fault(tracker, "comment", kind, **options))
    first = project.run(*RESUME)
    assert 3 == first.code, first.said

    done = project.run(*SYNC)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert_each_comment_once(project)
    assert 1 == count_markers(project).total()


def test_jira_is_written_to_again_only_after_its_settle_time(project: Project) -> None:
    completed_on(project, "jira")
    settle(project, None)
    project.box.faults.add(fault("jira", "comment", "drop-after"))
    assert 3 == project.run(*RESUME).code
    project.box.requests.clear()

    early = project.run(*AT_ONCE, *SYNC)
    assert (3, []) == (early.code, project.wrote()), early.said
    done = project.run(*SYNC)

    assert (0, 1) == (done.code, count_markers(project).total()), done.said
