"""Operations on one item in every order, and acts of other processes and clones in between."""

from tests.cli.project import NAME, REASON, Project
from tests.delivery.stage import (
    AT_ONCE,
    RESUME,
    SYNC,
    completed_on,
    count_markers,
    edit_metadata,
    transfer,
)

from unlatch_sandbox import Fault

HOME = "octo/widgets"
AGAIN = ("resume", "7", "--reason", "Once more", "--yes")
UNDO = ("undo", "7", "--yes")


def test_a_moved_item_that_was_linked_again_gets_its_reason(project: Project) -> None:
    completed_on(project, "github")
    assert project.run(*RESUME, "--offline").code == 0
    url = transfer(project)
    number = int(url.rpartition("/")[2])
    assert project.run("link", "7", url).code == 0

    done = project.run(*SYNC)

    assert done.code == 0, done.said
    assert "open" == project.box.github.issue("octo/gadgets", number)["state"]
    assert 1 == len(project.box.github.comments("octo/gadgets", number))
    assert "items" not in project.metadata()["github"]


def test_what_another_increment_took_up_meanwhile_is_not_closed(project: Project) -> None:
    url = f"{project.box.github.web_url}/{HOME}/issues/4"
    completed_on(project, "github")
    project.increment("0008-other", status="completed", links={"github": {"issue": 4, "url": url}})
    assert project.run(*RESUME).code == 0

    def take_up() -> None:
        done = project.process("resume", "8", "--reason", REASON, "--yes")
        assert done.code == 0, done.said

    project.box.faults.add(
        Fault("github", "human", action=take_up, method="GET", path=r"/issues/4$")
    )

    done = project.run("complete", "7")

    assert done.code == 0, done.said
    assert "open" == project.states()["github"]


def test_an_endless_conflict_ends(project: Project) -> None:
    completed_on(project, "github")
    assert project.run(*RESUME, "--offline").code == 0
    project.box.requests.clear()
    project.box.faults.add(Fault("github", "status", code=409, method="GET", times=500))

    done = project.run(*AT_ONCE, *SYNC)

    assert done.code == 3, done.said
    assert project.box.requests.count() < 30


def test_a_record_with_an_odd_category_is_read(project: Project) -> None:
    completed_on(project, "github")
    assert project.run(*RESUME, "--offline").code == 0
    odd = {"n": 1, "at": "2026-01-01T00:00:00Z", "before": {"state": "closed", "category": []}}
    edit_metadata(project, lambda data: data["pending"][0].update(attempt=odd))

    assert project.run(*SYNC).code == 0
    assert 1 == count_markers(project).total()


def test_an_undo_that_sync_cannot_decide_ends_with_its_own_code(project: Project) -> None:
    completed_on(project, "github")
    assert project.run(*RESUME).code == 0

    def forget(data: dict[str, object]) -> None:
        for entry in data["reopenHistory"]:  # type: ignore[attr-defined]  # a list
            entry["syncedTo"] = {}

    edit_metadata(project, forget)
    (project.root / ".unlatch" / "increments" / NAME / "events.jsonl").unlink()
    assert project.run(*UNDO, "--offline").code == 0

    done = project.run(*SYNC)

    assert done.code == 5, done.said
    assert "nothing to do" not in done.said
