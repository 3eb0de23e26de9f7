"""The layout against the `openspec` program, which also archives changes.

Installing and starting it takes ten seconds of CPU, so `make torture` does.
"""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from tests.increments.layouts.openspec.cli.program import Program
from tests.increments.layouts.openspec.making import (
    CHANGE,
    CONFIG,
    DELTA,
    LOGIN,
    NAME,
    OP,
    REPOSITORIES,
    amendment,
    needs_samples,
    sample,
    save,
    units,
    work_of,
    write,
)

from unlatch.increments.model.reopens import NewTask
from unlatch.increments.model.unit import Unit
from unlatch.testing.layouts import texts_of
from unlatch_layouts.openspec import OPENSPEC
from unlatch_layouts.openspec.changes import archive_command

pytestmark = [pytest.mark.servers, pytest.mark.sweep]
# Of `list`; its `status` is their summary.
COUNTS = ("completedTasks", "totalTasks", "status")
# Boxes, and what only looks like one, in any place that the program reads.
BOXES = (
    "\ufeff- [x] first\n* [X] star\n+ [ ] plus\n1. [ ] one\n2) [x] two\n1234567890. [ ] no\n"
    "  - [x] nested\n\t- [ ] tab\n      - [x] deep\n-[x]none\n- [x]none\n- [] empty\n- [ x ] wide\n"
    "- [  ] two\n- [\u3000] full\n- [~] late\n- [-] begun\n- [\u2705] sign\n- [\U0001f6a7] no\n"
    "- [ab] no\n- [a](b) no\n- [x][b] no\n- [ ](b) yes\n"
    "> - [ ] no\n- \\[ ] no\n```\n- [ ] code\n```\n"
    "<!--\n- [x] comment\n-->\n## - [ ] no\n"
    "\u2028- [ ] separator\n- [\n] no\n- [ ] a\r- [ ] same\r\n"
    "- [x]\r\n-\xa0[x] hard\n\x1c- [ ] no\n\x85- [ ] no\n- [ ]"
)
SCHEMA = """name: nested
version: 1
artifacts:
  - id: proposal
    generates: proposal.md
    description: Why
    template: proposal.md
    requires: []
  - id: work
    generates: PATTERN
    description: Tasks
    template: tasks.md
    requires: [proposal]
apply:
  requires: [work]
  tracks: PATTERN
"""


def counts(root: Path) -> dict[str, tuple[int, int]]:
    found = {one.key: work_of(one).tasks for one in OPENSPEC.units(root) if not one.archived}
    return {
        key: (sum(task.done is True for task in all_), len(all_)) for key, all_ in found.items()
    }


def shown(program: Program, *but: str, every: bool) -> Any:
    """The program's outputs without times, and without these keys of its list."""
    listed = program.json("list", "--sort", "name")
    outputs = [program.json("validate", "--all", "--strict")]
    names = [one["name"] for one in listed["changes"]]
    outputs += [program.json("status", "--change", name) for name in names[: None if every else 1]]
    return _without(listed, {"lastModified", *but}), _without(outputs, {"durationMs"})


def _without(value: Any, keys: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(one, keys) for key, one in value.items() if key not in keys}
    return [_without(one, keys) for one in value] if isinstance(value, list) else value


def with_samples(program: Program) -> None:
    """Put the changes of all samples into one project, the archived ones moved back."""
    write(program.root, CONFIG)
    for repository in REPOSITORIES:
        for unit in OPENSPEC.units(sample(repository)):
            copied = copytree(unit.place, program.root / "openspec/changes" / unit.key)
            for path in (copied, *copied.rglob("*")):
                path.chmod(path.stat().st_mode | 0o200)


@needs_samples
def test_the_program_counts_the_tasks_of_samples_that_are_ticked_and_unticked(
    program: Program,
) -> None:
    with_samples(program)
    listed = counts(program.root)
    before = {one.key: texts_of(OPENSPEC, one) for one in OPENSPEC.units(program.root)}
    toggle(program.root)
    opposite = {name: (total - done, total) for name, (done, total) in listed.items()}
    assert opposite == program.counts()
    toggle(program.root)
    after = {one.key: texts_of(OPENSPEC, one) for one in OPENSPEC.units(program.root)}
    assert before == after


def toggle(root: Path) -> None:
    for unit in OPENSPEC.units(root):
        texts = texts_of(OPENSPEC, unit)
        listed = work_of(unit).tasks
        texts = OPENSPEC.mark(texts, [one.id for one in listed if not one.done], done=True)
        save(unit, OPENSPEC.mark(texts, [one.id for one in listed if one.done], done=False))


@needs_samples
@pytest.mark.parametrize("every", [False, True])
def test_after_an_amendment_only_the_counts_differ(program: Program, *, every: bool) -> None:
    with_samples(program)
    listed = {name: count for name, count in program.counts().items() if count != (0, 0)}
    before = shown(program, *COUNTS, every=every)
    changed = amendment(NewTask("- [x] 9.9 Export"), NewTask("Print", description="- [ ] no\n# a"))
    for name in listed:
        unit = units(program.root)[name]
        save(unit, OPENSPEC.amend(texts_of(OPENSPEC, unit), changed)[0])
    assert before == shown(program, *COUNTS, every=every)
    expected = {name: (done, total + 2) for name, (done, total) in listed.items()}
    after = program.counts()
    assert expected == {name: after[name] for name in listed}
    assert after == counts(program.root)


PATTERNS = (
    *("**/tasks.md", "t?sks*.md", "*/tasks.md", "work/**/*.md", "todo.md", "**/[ab]*.md"),
    "no/*.md",
)
TASK_FILES = (
    *("tasks.md", "todo.md", "tasks-2.md", "a/tasks.md", "a/b/tasks.md", "work/b.md"),
    ".x/tasks.md",
)


def with_task_files(change: str, *, schema: str | None = None) -> dict[str, str]:
    """A change in which any choice of its files has another number of tasks."""
    files = {
        name: "- [ ] 1.1 One\n" * 2**number + "- [x] Two\n"
        for number, name in enumerate(TASK_FILES, 1)
    }
    if schema:
        files[".openspec.yaml"] = f"schema: {schema}\n"
    return {f"{change}/{name}": text for name, text in files.items()}


def schema_file(pattern: str, name: str) -> dict[str, str]:
    text = SCHEMA.replace("PATTERN", json.dumps(pattern)).replace("nested", name)
    return {f"openspec/schemas/{name}/schema.yaml": text}


def test_the_program_counts_the_same_boxes_in_the_files_that_a_schema_chooses(
    program: Program,
) -> None:
    texts = {
        "add-lf": BOXES,
        "add-crlf": BOXES.replace("\n", "\r\n"),
        "add-one": "- [ ] 1.1 \u4efb\u52a1\n" * 5000,
    }
    write(program.root, {**LOGIN, "openspec/schemas/broken/schema.yaml": "- : ["})
    write(program.root, {f"openspec/changes/{name}/tasks.md": text for name, text in texts.items()})
    # With a broken schema, it is the usual file.
    write(program.root, {f"{CHANGE}/.openspec.yaml": "schema: ../broken\n"})
    for number, pattern in enumerate(PATTERNS):
        change, schema = f"openspec/changes/add-{number}", f"schema-{number}"
        files = {**schema_file(pattern, schema), **with_task_files(change, schema=schema)}
        write(program.root, files)
    counted = program.counts()
    assert counted == counts(program.root)
    assert ((0, 5000), (1, 1)) == (counted["add-one"], counted[NAME])
    # Two of the patterns choose the same file.
    assert len({counted[f"add-{number}"] for number in range(len(PATTERNS))}) == len(PATTERNS) - 1


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_schema_of_a_project_chooses_the_files_with_tasks(
    program: Program, pattern: str
) -> None:
    write(program.root, {**LOGIN, **schema_file(pattern, "nested"), **with_task_files(CHANGE)})
    write(program.root, {"openspec/config.yaml": "schema: nested\n"})
    assert program.counts() == counts(program.root)


def archive(program: Program) -> Unit:
    """Archive the change; the unit that it becomes."""
    done = program.run(*archive_command(units(program.root)[NAME])[1:])
    assert done.returncode == 0, done.stdout + done.stderr
    archived = units(program.root)[NAME]
    assert archived.archived
    return archived


def move_back(program: Program) -> Unit:
    archived = units(program.root)[NAME]
    archived.place.rename(OPENSPEC.home(archived))
    return units(program.root)[NAME]


def advice(program: Program) -> tuple[str, ...]:
    unit = units(program.root)[NAME]
    return OPENSPEC.advice(program.root, unit, texts_of(OPENSPEC, unit))


@pytest.fixture(scope="session")
def _archived(argv: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Once for all tests: the program takes a second to start.
    program = Program(argv, tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home"))
    write(program.root, LOGIN)
    assert () == advice(program)
    archive(program)
    return program.root


@pytest.fixture
def archived(_archived: Path, program: Program) -> Program:
    """A project in which the program archived the change."""
    copytree(_archived, program.root, dirs_exist_ok=True)
    return program


def is_valid(program: Program) -> bool:
    done = program.run("validate", NAME, "--type", "change", "--strict", "--no-interactive")
    return done.returncode == 0


def test_a_changed_requirement_is_archived_once_it_follows_the_advice(archived: Program) -> None:
    program = archived
    unit = move_back(program)
    save(unit, OPENSPEC.amend(texts_of(OPENSPEC, unit), amendment(NewTask("Export")))[0])
    delta = DELTA.replace("a password.", "a password or a passkey.")
    write(program.root, {f"{CHANGE}/specs/auth/spec.md": delta})
    (told,) = advice(program)
    assert told == (
        f"{CHANGE}/specs/auth/spec.md: move '### Requirement: Sign in' to '## MODIFIED "
        "Requirements' before `openspec archive`; openspec/specs/auth/spec.md already has it"
    )
    assert is_valid(program)
    failed = program.run(*archive_command(unit)[1:])
    assert 'ADDED failed for header "### Requirement: Sign in"' in failed.stdout + failed.stderr
    assert not units(program.root)[NAME].archived
    modified = delta.replace("## ADDED", "## MODIFIED")
    write(program.root, {f"{CHANGE}/specs/auth/spec.md": modified})
    again = archive(program)
    merged = (program.root / "openspec/specs/auth/spec.md").read_text(encoding="utf-8")
    assert "a passkey" in merged
    assert OP in texts_of(OPENSPEC, again)["tasks.md"]


OTHER = "\n### Requirement: Sign out\n\nIt SHALL end.\n\n#### Scenario: Leave\n- **THEN** out\n"
AGAIN = {
    "has another text of": DELTA.replace("ADDED", "MODIFIED").replace("a password.", "a passkey."),
    "again, and `openspec archive` removes it": (
        "## REMOVED Requirements\n\n### Requirement: Sign in\n**Reason**: x\n**Migration**: x\n"
    ),
}


@pytest.mark.parametrize("expected", AGAIN)
def test_advice_names_what_archiving_again_takes_from_later_changes(
    archived: Program, expected: str
) -> None:
    program, spec = archived, archived.root / "openspec/specs/auth/spec.md"
    later = spec.read_text(encoding="utf-8").replace("a password.", "two passkeys.") + OTHER
    spec.write_text(later, encoding="utf-8")
    unit = move_back(program)
    write(program.root, {f"{CHANGE}/specs/auth/spec.md": AGAIN[expected]})
    archive(program)
    move_back(program)
    assert () == advice(program)

    spec.write_text(later, encoding="utf-8")
    (told,) = advice(program)
    assert told.startswith(f"{CHANGE}/specs/auth/spec.md: openspec/specs/auth/spec.md has ")
    assert expected in told
    done = program.run(*archive_command(unit)[1:])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "two passkeys." not in spec.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["sign in", "SIGN  IN"])
def test_another_spelling_of_a_requirement_is_named(archived: Program, name: str) -> None:
    program = archived
    unit = move_back(program)
    write(program.root, {f"{CHANGE}/specs/auth/spec.md": DELTA.replace("Sign in\n", f"{name}\n")})
    (told,) = advice(program)
    assert told.endswith("already has it, spelled 'Sign in'")
    assert program.run(*archive_command(unit)[1:]).returncode != 0
