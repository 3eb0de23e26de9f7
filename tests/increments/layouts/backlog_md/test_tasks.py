"""Backlog.md: its folders and settings, the criteria in a file, and what unlatch writes there."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.layouts.folders import backlog_md, write

from unlatch.increments.model.reopens import Amendment, AppliedAmendment, NewTask
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Unit
from unlatch.testing.layouts import check_layout, check_texts
from unlatch.worklog.disk.safe_open import add_root
from unlatch_layouts.backlog_md import BACKLOG_MD

NAME = "task-2 - Log-in-safely.md"
THREE = ("To Do", "In Progress", "Done")
OP = "01M8ZZZZZZZZZZZZZZZZZZZZZ0"
CONFIG = "project_name: demo\n"


def unit(*, place: str = "tasks", statuses: tuple[str, ...] = THREE, name: str = NAME) -> Unit:
    archived = place in ("completed", "archive/tasks")
    path = Path("/project/backlog", place, name)
    return Unit("backlog-md", "TASK-2", path, archived, is_file=True, statuses=statuses)


def task(body: str = "", *, status: str = "To Do") -> str:
    return f"---\nid: TASK-2\ntitle: Log in\nstatus: {status}\n---\n\n{body}"


def criteria(text: str) -> list[tuple[str, bool | None, str]]:
    return [(one.id, one.done, one.text) for one in BACKLOG_MD.read({NAME: text}).spec.criteria]


def test_it_conforms(tmp_path: Path) -> None:
    backlog_md(tmp_path / "root")
    text = task("## Acceptance Criteria\n- [x] A").replace("TASK-2", "TASK-3")
    write(tmp_path / "root/backlog/tasks/task-3 - Old.md", text)
    check_layout(BACKLOG_MD, tmp_path / "root", tmp_path)


@pytest.mark.parametrize(
    ("place", "status", "statuses", "expected", "by"),
    [
        ("tasks", "To Do", THREE, Status.PLANNING, "To Do"),
        ("tasks", "in progress", THREE, Status.ACTIVE, "in progress"),
        ("tasks", "'Done'", THREE, Status.COMPLETED, "Done"),
        ("tasks", "Done", (*THREE, "Shipped"), Status.ACTIVE, "Done"),
        ("tasks", "Blocked", THREE, Status.PLANNING, "Blocked"),
        ("tasks", "", THREE, Status.PLANNING, "no status"),
        ("completed", "To Do", THREE, Status.COMPLETED, "completed folder"),
        ("archive/tasks", "Done", THREE, Status.ABANDONED, "archive"),
        ("drafts", "Done", THREE, Status.PLANNING, "draft"),
        # Nobody knows which status is the last one.
        ("tasks", "Done", (), None, None),
    ],
)
def test_the_folder_and_then_the_last_status_show_that_a_task_is_done(
    place: str, status: str, statuses: tuple[str, ...], expected: Status | None, by: str | None
) -> None:
    shown = BACKLOG_MD.evidence(unit(place=place, statuses=statuses), {NAME: task(status=status)})
    assert (expected, by) == ((shown.status, shown.by) if shown else (None, None))


@pytest.mark.parametrize(
    ("place", "before", "statuses", "to", "expected"),
    [
        ("completed", "To Do", THREE, Status.ACTIVE, "In Progress"),
        ("tasks", "Done", THREE, Status.ACTIVE, "In Progress"),
        ("tasks", "Done", ("To Do", "Doing", "Review", "Done"), Status.ACTIVE, "Doing"),
        ("tasks", "'Closed'", ("Open", "Closed"), Status.ACTIVE, "'Open'"),
        ("tasks", "In Progress", THREE, Status.COMPLETED, "Done"),
        # Work that goes on keeps the tool's word for it.
        ("tasks", "To Do", THREE, Status.ACTIVE, "To Do"),
        ("tasks", "In Progress", THREE, Status.ABANDONED, "In Progress"),
        ("drafts", "Draft", THREE, Status.COMPLETED, "Draft"),
        ("completed", "Done", (), Status.ACTIVE, "Done"),
    ],
)
def test_a_new_status_is_written_in_the_words_of_the_project(
    place: str, before: str, statuses: tuple[str, ...], to: Status, expected: str
) -> None:
    texts = {NAME: task("status: Done\n", status=before)}
    after = BACKLOG_MD.with_status(unit(place=place, statuses=statuses), texts, to)
    assert {NAME: task("status: Done\n", status=expected)} == after


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            (
                "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 A\n- [X] #2 B\n- [~] #3 C\n"
                "- [ ] D\n  - [ ] nested\n* [ ] star\n- [] #7 E\n<!-- AC:END -->\n- [ ] below\n"
            ),
            [
                ("#1", True, "A"),
                ("#2", True, "B"),
                ("#3", False, "C"),
                ("#4", False, "D"),
                ("#7", False, "E"),
            ],
        ),
        # Both sections number from one.
        (
            (
                "<!-- AC:BEGIN -->\n- [ ] #1 A\n<!-- AC:END -->\n"
                "<!-- DOD:BEGIN -->\n- [x] #1 B\n<!-- DOD:END -->\n"
            ),
            [("#1", False, "A"), ("DoD-1", True, "B")],
        ),
        # Before the tool had markers.
        ("## acceptance criteria\n\n- [x] A\n- [ ] B\n\n## Notes\n- [ ] C\n", None),
        # Markers without boxes hide no section without markers.
        (
            (
                "<!-- AC:BEGIN -->\n<!-- AC:END -->\n## Acceptance Criteria\n- [x] A\n- [ ] B\n"
                "## Plan\n- [ ] C\n"
            ),
            None,
        ),
        # A section that is never closed hides nothing, and ends at the next heading.
        (
            "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] A\n- [ ] B\n\n## Plan\n- [ ] C\n",
            None,
        ),
        (
            "<!-- AC:BEGIN -->\n- [x] A\n<!-- AC:BEGIN -->\n- [ ] B\n<!-- AC:END -->\n",
            None,
        ),
        # What is added to it is not done for the section around it, too.
        ("## Definition of Done\n- [x] T\n<!-- AC:BEGIN -->\n", [("DoD-1", True, "T")]),
        # What people quote in other sections is theirs.
        (
            (
                "<!-- SECTION:NOTES:BEGIN -->\n<!-- AC:BEGIN -->\n- [ ] C\n<!-- AC:END -->\n"
                "<!-- SECTION:NOTES:END -->\n"
                "<!-- AC:BEGIN -->\n- [x] A\n- [ ] B\n<!-- AC:END -->\n"
            ),
            None,
        ),
    ],
)
def test_boxes_of_the_tools_own_sections_are_criteria(
    body: str, expected: list[tuple[str, bool, str]] | None
) -> None:
    assert (expected or [("#1", True, "A"), ("#2", False, "B")]) == criteria(task(body))
    check_texts(BACKLOG_MD, unit(), {NAME: task(body)})


def test_a_mark_that_the_tool_does_not_know_is_named_by_doctor() -> None:
    body = "<!-- AC:BEGIN -->\n- [~] #1 A\n- [x] #2 B\n<!-- AC:END -->\n"
    found = BACKLOG_MD.read({NAME: task(body)}).spec.criteria
    assert [(False, "~"), (True, None)] == [(one.is_mark_known, one.mark) for one in found]


def scope(*titles: str) -> AppliedAmendment:
    change = Amendment("Lock it", tuple(NewTask(title) for title in titles), ("#1",))
    return AppliedAmendment(OP, datetime(2026, 7, 1, 12, tzinfo=UTC), "Dana", change, "A bug")


SECTION = (
    f"### Scope change 2026-07-01 ({OP})\n\n**Change**:\n\n> Lock it\n\n**Reason**:\n\n> A bug\n"
)


@pytest.mark.parametrize(
    ("before", "after", "ids"),
    [
        (
            "<!-- AC:BEGIN -->\n- [x] #1 A\n- [x] #4 B\n<!-- AC:END -->\nEnd\n",
            (
                f"<!-- AC:BEGIN -->\n- [ ] #1 A\n- [x] #4 B\n\n{SECTION}\n- [ ] #5 #2 C\n"
                "- [ ] #6 D &lt;!-- AC:END --\\>\n<!-- AC:END -->\nEnd\n"
            ),
            ("#5", "#6"),
        ),
        (
            "## Acceptance Criteria\n- [x] A\n\n## Notes\n",
            (
                f"## Acceptance Criteria\n- [ ] A\n\n{SECTION}\n- [ ] \\#2 C\n"
                "- [ ] D &lt;!-- AC:END --\\>\n\n## Notes\n"
            ),
            ("#2", "#3"),
        ),
        (
            "Text\n",
            (
                f"Text\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n{SECTION}\n- [ ] #1 #2 C\n"
                "- [ ] #2 D &lt;!-- AC:END --\\>\n<!-- AC:END -->\n"
            ),
            ("#1", "#2"),
        ),
    ],
)
def test_new_work_is_where_the_tool_looks_for_criteria(
    before: str, after: str, ids: tuple[str, ...]
) -> None:
    change = scope("#2 C", "D <!-- AC:END -->")
    written, found = BACKLOG_MD.amend({NAME: task(before)}, change)
    assert (task(after), ids) == (written[NAME], found)
    work = BACKLOG_MD.read(written)
    assert [*ids] == [one.id for one in work.tasks]
    assert (written, ids) == BACKLOG_MD.amend(written, replace(change, amendment=Amendment("x")))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"backlog/config.yml": CONFIG}, "backlog"),
        ({".backlog/config.yml": CONFIG, "backlog/notes.md": ""}, ".backlog"),
        ({".backlog/config.yml": CONFIG, "backlog/config.yml": CONFIG}, "backlog"),
        ({"backlog.config.yml": f'{CONFIG}backlog_directory: "docs/work"\n'}, "docs/work"),
        ({"backlog.config.yml": CONFIG, ".backlog/tasks/x.md": ""}, ".backlog"),
        ({"backlog.config.yml": "labels: []\n", ".backlog/config.yml": CONFIG}, ".backlog"),
        ({"backlog.config.yml": f"{CONFIG}backlog_directory: ../out\n"}, None),
        ({"backlog.config.yml": f"{CONFIG}backlog_directory: /etc\n"}, None),
        ({"backlog/tasks/task-1 - Other.md": ""}, None),
    ],
)
def test_the_configuration_says_where_the_folder_is(
    files: dict[str, str], expected: str | None, tmp_path: Path
) -> None:
    for name, text in files.items():
        write(tmp_path / name, text)
    if expected:
        write(tmp_path / expected / "tasks/task-7 - One.md", task())
    add_root(tmp_path)

    assert BACKLOG_MD.detect(tmp_path) is (expected is not None)
    places = [one.place.relative_to(tmp_path).as_posix() for one in BACKLOG_MD.units(tmp_path)]
    assert ([f"{expected}/tasks/task-7 - One.md"] if expected else []) == places


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("", THREE),
        ("statuses:\n", THREE),
        ('statuses: ["A: b", C]  # ours\n', ("A: b", "C")),
        ("statuses:\n  - A\n  - 'B'\nlabels: [x]\n", ("A", "B")),
        ("statuses: Done\n", ()),
        ("statuses: [A, *b]\n", ()),
    ],
)
def test_statuses_are_those_of_the_configuration(
    setting: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path / "backlog/config.yml", f"{CONFIG}{setting}date_format: 'x: ['\n")
    write(tmp_path / "backlog/tasks/task-2 - A.md", task())
    add_root(tmp_path)
    assert [expected] == [one.statuses for one in BACKLOG_MD.units(tmp_path)]


def test_files_with_the_projects_prefix_are_tasks_under_their_ids(tmp_path: Path) -> None:
    texts = {
        "tasks/back-007 - A.md": "---\nid: BACK-007\n---\n",
        "tasks/back-8 - B.md": "---\nid: back-8\n---\n",
        "tasks/back-9.1 - C.md": "no front matter\n",
        "tasks/back-10 - D.md": "---\nid: ../../x\n---\n",
        "tasks/back-x.md": "",
        "tasks/BACK-11 - E.md": "---\nid: BACK-11\n---\n",
        "tasks/README.md": "",
        "tasks/old/back-12 - F.md": "",
        "drafts/draft-1 - G.md": "---\nid: DRAFT-1\n---\n",
        # An id that was given out again.
        "archive/tasks/back-7 - H.md": "---\nid: BACK-7\n---\n",
    }
    write(tmp_path / "backlog/config.yml", f'{CONFIG}task_prefix: "back"\n')
    for name, text in texts.items():
        write(tmp_path / "backlog" / name, text)
    add_root(tmp_path)

    found = sorted((one.key, one.place.name) for one in BACKLOG_MD.units(tmp_path))

    assert [
        ("BACK-007", "back-007 - A.md"),
        ("BACK-007", "back-7 - H.md"),
        ("BACK-10", "back-10 - D.md"),
        ("BACK-8", "back-8 - B.md"),
        ("BACK-9.1", "back-9.1 - C.md"),
        ("BACK-X", "back-x.md"),
        ("DRAFT-1", "draft-1 - G.md"),
    ] == found
