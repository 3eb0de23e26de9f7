"""A success without content, as from a proxy, is an answer that cannot be understood."""

import pytest
from tests.cli.project import Project

from unlatch_sandbox import Fault

# Of the requests for items; before them Azure DevOps lists its interface.
PATHS = {"github": "/", "ado": "(?i)/wit/", "jira": "/"}
READS = {
    "sync": ("sync", "--check"),
    "history": ("history", "verify", "7"),
    "doctor": ("doctor", "--online"),
}


@pytest.mark.sample(at=(4, 8))
@pytest.mark.parametrize("command", READS)
@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
def test_an_empty_answer_to_a_read_is_an_error_of_the_tracker(
    project: Project, tracker: str, command: str
) -> None:
    project.increment(links=project.items(tracker))
    assert project.run("resume", "7", "--reason", "More", "--yes").code == 0
    project.forget_local()
    project.box.faults.add(Fault(tracker, "status", path=PATHS[tracker], code=204, times=99))
    done = project.run(*READS[command])
    assert done.code in (1, 5), done.said
    assert "[unexpected]" not in done.said


def test_an_empty_answer_to_a_later_read_keeps_the_operation(project: Project) -> None:
    project.increment(links=project.items("jira"))
    project.box.faults.add(Fault("jira", "drop-after", path="/transitions$"))
    assert project.run("resume", "7", "--reason", "More", "--yes").code == 3
    project.box.faults.add(Fault("jira", "status", path="/comment", code=204, times=9))
    empty = project.run("sync")
    project.box.faults.clear()
    done = project.run("sync", "7")
    assert (3, 0) == (empty.code, done.code), empty.said + done.said
    assert "[answer-not-understood]" in empty.said
    assert 1 == len(project.comments()["jira"])
