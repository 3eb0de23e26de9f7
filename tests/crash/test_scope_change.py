"""A scope change that is cut off anywhere is finished by the same command, once."""

from tests.cli import scoped
from tests.cli.project import REASON, Project
from tests.crash.test_bad_disk import limited

SCOPE = ("resume", "7", "--reason", REASON, "--yes", "--scope", "More", "--task", "Add a switch")
SIZE = 200_000


def test_a_disk_that_has_no_room_for_the_tasks(completed: Project) -> None:
    scoped.write(completed)
    path = completed.folder() / "tasks.md"
    path.write_text(scoped.TASKS + f"\n<!-- {'x' * SIZE} -->\n")
    before = path.read_bytes()

    done = limited(completed, SIZE)(*SCOPE)

    assert done.code == 3, done.said
    assert "cannot write tasks.md: File too large; the next command writes it" in done.err
    assert "Not written yet: tasks.md. Next: unlatch resume 0007-smart-discipline\n" in done.err
    assert before == path.read_bytes()
    assert completed.metadata()["reopenHistory"][0]["unwritten"] == ["tasks.md"]
    (said,) = completed.comments()["github"]
    assert "- [ ] T-004: Add a switch" in said, done.said

    shown = completed.run("show", "7", "--offline")
    assert "  Not written  tasks.md: changes of the work; unlatch resume " in shown.out

    again = completed.run("resume", "7")

    assert again.code == 0, again.said
    assert "unwritten" not in completed.metadata()["reopenHistory"][0]
    added = path.read_bytes()[len(before) :].decode()
    assert "### T-004: Add a switch\n" in added
    assert scoped.text(completed, "spec.md").count("## Scope change") == 1


def test_what_was_undone_before_it_was_written_is_not_written(single: Project) -> None:
    scoped.write(single)
    path = single.folder() / "tasks.md"
    path.write_text(scoped.TASKS + f"\n<!-- {'x' * SIZE} -->\n")
    before = path.read_bytes()
    limited(single, SIZE)(*SCOPE)

    single.run("undo", "7", "--yes")
    single.run("resume", "7", "--reason", REASON, "--yes")

    assert before == path.read_bytes()
