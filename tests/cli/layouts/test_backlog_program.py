"""Tasks of Backlog.md as the `backlog` program reads them, also after a change by unlatch.

Installing and starting it takes eight seconds of CPU, so `make torture` does.
"""

from pathlib import Path

import pytest
from tests.cli.layouts.folders import backlog_md, tick, write
from tests.cli.layouts.test_units import issue, listed, record
from tests.cli.project import REASON, Project
from tests.increments.layouts.backlog_md.cli.program import command
from tests.servers.availability import skipped_unless_available
from tests.servers.npm_program import NpmProgram

from unlatch.testing.layouts import texts_of
from unlatch_layouts.backlog_md import BACKLOG_MD

pytestmark = [pytest.mark.servers, pytest.mark.sweep]
MARKS = (
    "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 A\n- [ ] B\n  - [ ] nested\n* [ ] star\n"
    "1. [ ] number\n- [ ]\n```\n- [ ] #3 code\n```\n"
    "<!-- DOD:BEGIN -->\n- [ ] no\n<!-- DOD:END -->\n<!-- AC:END -->\n\n## Notes\n- [ ] no\n"
)
BODIES = (
    "",
    "## Acceptance Criteria\n- [x] A\n- [ ] #2 B\n## Other\n- [ ] no\n",
    MARKS,
    MARKS.replace("\n", "\r\n"),
    "## Acceptance Criteria\n<!-- AC:BEGIN -->\n<!-- AC:END -->\n",
    (
        "<!-- SECTION:PLAN:BEGIN -->\n<!-- AC:BEGIN -->\n- [ ] no\n<!-- AC:END -->\n"
        "<!-- SECTION:PLAN:END -->\n## ACCEPTANCE criteria\n- [ ] A\n"
    ),
)
HEADS = (
    "id: TASK-{}\ntitle: Plain\nstatus: To Do",
    "id: task-{}\ntitle: 'It''s quoted'\nstatus: \"done\"",
    'id: TASK-{}\ntitle: "Two: \\"words\\""\nstatus: in progress',
    "id: TASK-{}\ntitle: >-\n  Folded\n  words\nstatus: Blocked",
    "id: TASK-{}\ntitle: No status",
    "id: TASK-0{}\ntitle: Padded\nstatus: Done # comment",
)
STATUSES = {"done": "completed", "inprogress": "active"}


@pytest.fixture
def program(project: Project) -> NpmProgram:
    """The program in a project with a task in each of its folders, which unlatch reads."""
    with skipped_unless_available():
        argv = command()
    backlog_md(project.root)
    config = project.root / "backlog/config.yml"
    write(
        config,
        config.read_text("utf-8") + "remote_operations: false\ncheck_active_branches: false\n",
    )
    project.git("init", "--quiet", "--template=")
    assert project.run("init").code == 0
    return NpmProgram(argv, project.root, project.home)


def place(project: Project, folder: str, id_: int) -> Path:
    return project.root / "backlog" / folder / f"task-{id_} - Log-in-safely.md"


def test_the_program_lists_the_same_tasks(project: Project, program: NpmProgram) -> None:
    for number, (head, body) in enumerate(zip(HEADS, BODIES, strict=True), start=10):
        path = project.root / f"backlog/tasks/task-{number} - A.md"
        path.write_bytes(f"---\n{head.format(number)}\n---\n\n{body}".encode())
    for name in ("README.md", "TASK-30 - Upper.md", "old/task-31 - A.md"):
        write(project.root / "backlog/tasks" / name, "---\nid: TASK-30\n---\n")

    shown = {one["id"]: one for one in program.json("task", "list")["tasks"]}

    units = {one.key: one for one in BACKLOG_MD.units(project.root) if not one.archived}
    units.pop("DRAFT-1")
    assert [*shown] == [*sorted(units, key=lambda key: int(key.rpartition("-")[2]))]
    ours = listed(project)
    for key, theirs in shown.items():
        work = BACKLOG_MD.read(texts_of(BACKLOG_MD, units[key]))
        criteria = [one for one in work.spec.criteria if one.id.startswith("#")]
        counts = (sum(one.done is True for one in criteria), len(criteria))
        expected = (theirs["acceptanceCriteriaCompleted"], theirs["acceptanceCriteriaCount"])
        assert (theirs["title"], expected) == (work.spec.title, counts), key
        word = "".join(theirs["status"].lower().split())
        assert STATUSES.get(word, "planning") == ours[key]["status"], key


def test_a_reopened_task_is_listed_edited_and_completed_again(
    project: Project, program: NpmProgram
) -> None:
    assert project.run("link", "TASK-5", "--create", "github").code == 0
    assert "TASK-5" not in program.run("task", "list", "--plain").stdout
    scope = ("--scope", "Lock it", "--task", "Count <!-- AC:END --> attempts", "--task", "Test it")
    project.run("resume", "TASK-5", *scope, "--reason", REASON, "--yes").ends(0)
    plain = program.run("task", "list", "--plain").stdout
    assert '\n  TASK-5 - Log in: "safely" (ac: 1/4)\n' in plain.partition("In Progress:")[2]
    assert "Test it" in program.run("task", "view", "5", "--plain").stdout
    edits = ("--check-ac", "2", "--check-ac", "3", "--check-ac", "4", "--append-notes", "Counted")
    assert program.run("task", "edit", "5", *edits, "--ac", "More").returncode == 0
    text = place(project, "tasks", 5).read_text("utf-8")
    for kept in ("TASK-1", "https://github.com/octo/widgets/issues/4", "Scope change", "> Lock it"):
        assert kept in text
    project.run("complete", "TASK-5").ends(1, "#5: More")
    assert program.run("task", "edit", "5", "--check-ac", "5").returncode == 0
    done = project.run("complete", "TASK-5").ends(0)
    (line,) = [line for line in done.err.splitlines() if line.startswith("Next: ")]
    completed = program.run(*line.split()[2:])
    assert completed.returncode == 0, completed.stderr
    assert place(project, "completed", 5).is_file()
    assert project.run("sync").code == 0
    assert ("completed", "closed") == (record(project, "TASK-5")["status"], issue(project)["state"])


def test_a_task_that_unlatch_names_the_command_for_stays_a_dependency(
    project: Project, program: NpmProgram
) -> None:
    """`task archive`, the other command that moves the file, takes it out of the other tasks."""
    assert program.run("task", "create", "Next", "--depends-on", "task-2").returncode == 0
    (other,) = (project.root / "backlog/tasks").glob("* - Next.md")
    before = other.read_bytes()
    assert b"TASK-2" in before
    tick(place(project, "tasks", 2))

    done = project.run("complete", "TASK-2")

    (line,) = [line for line in done.err.splitlines() if line.startswith("Next: ")]
    assert program.run(*line.split()[2:]).returncode == 0, done.said
    assert place(project, "completed", 2).is_file()
    assert project.run("resume", "TASK-2", "--reason", REASON, "--yes").code == 0
    assert before == other.read_bytes()
