"""unlatch session codify, and unlatch workflow."""

import os
import re
import sys

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import Project
from tests.cli.terminal import Terminal

from unlatch_sessions.cli.codify import with_comments
from unlatch_sessions.workflow.graph import check
from unlatch_sessions.workflow.read_workflow import read_workflow

CYCLE = "---\ntype: workflow\n---\n\n## A\n\nb -> a\n\n## B\n\na -> b\n"


@pytest.fixture
def logged(project: Project) -> Project:
    for arguments in (
        ("start", "Fix login", "--agent", "coder", "--phase", "Look"),
        ("log", "--call", "Write plan.md", "--result", "ok"),
        ("log", "--phase", "Build", "--agent", "coder"),
        ("log", "--call", "Read plan.md", "--result", "ok"),
    ):
        assert project.run("session", *arguments).code == 0
    return project


def test_codify_validate_and_show(logged: Project) -> None:
    file = logged.root / "workflow.md"
    assert logged.run("session", "codify", "--output", str(file)).code == 0
    assert logged.run("session", "codify").out == file.read_text(encoding="utf-8")
    logged.run("workflow", "validate", str(file)).ends(0, whole_out="✓ 2 steps, crucible-1\n")
    shown = logged.run("workflow", "show", str(file)).out
    assert "2. Build @coder\n   takes plan_md::File\n" in shown
    assert '  n0 -->|"plan_md"| n1\n' in logged.run("workflow", "show", "--mermaid", str(file)).out
    document = logged.run("workflow", "show", str(file), "--json").document
    assert mistakes(document, "workflow") == []
    assert document["edges"] == [{"from": "Look", "to": "Build", "data": "plan_md"}]


def test_a_file_is_not_overwritten(logged: Project) -> None:
    file = logged.root / "workflow.md"
    file.write_text("mine", encoding="utf-8")
    done = logged.run("session", "codify", "--output", str(file))
    assert (done.code, file.read_text(encoding="utf-8")) == (1, "mine")
    assert "error[not-writable]" in done.err


def test_mistakes_are_named_with_path_and_line(project: Project) -> None:
    file = project.root / "workflow.md"
    file.write_text(CYCLE, encoding="utf-8")
    done = project.run("workflow", "validate", str(file)).ends(5)
    assert done.out == f"{file}:5: error: cycle: A (line 5) -> B (line 9) -> A (line 5)\n"
    assert project.run("workflow", "validate", str(file), "--json").document["exitCode"] == 5


def test_a_workflow_can_be_checked_outside_of_a_project(project: Project) -> None:
    file = project.root / "workflow.md"
    file.write_text(CYCLE, encoding="utf-8")
    (project.root / ".unlatch").rename(project.root / "moved")
    assert project.run("workflow", "validate", str(file)).code == 5


def test_interactive_codification(logged: Project) -> None:
    """The first edit adds a cycle; the mistake comes back as a comment; the second one mends it."""
    editor = logged.root / "edit.py"
    editor.write_text(
        "import sys, pathlib\n"
        "file = pathlib.Path(sys.argv[1])\n"
        "text = file.read_text(encoding='utf-8')\n"
        "seen = pathlib.Path(__file__).with_name('seen.md')\n"
        "if seen.exists():\n"
        "    seen.write_text(text, encoding='utf-8')\n"
        "    text = text.replace('plan_md -> x', 'x').replace('x -> plan_md', 'x')\n"
        "else:\n"
        "    seen.write_text('', encoding='utf-8')\n"
        "    text = text.replace('## Build', 'x -> plan_md\\n\\n## Build') + '\\nplan_md -> x\\n'\n"
        "file.write_text(text, encoding='utf-8')\n",
        encoding="utf-8",
    )
    file = logged.root / "workflow.md"
    logged.extra["EDITOR"] = f"{sys.executable} {editor}"
    with Terminal(logged, "session", "codify", "--interactive", "--output", str(file)) as terminal:
        terminal.answer("Edit again?", "y\n")
        assert terminal.end() == 0
    seen = (logged.root / "seen.md").read_text(encoding="utf-8")
    assert "<!-- unlatch: error: cycle: " in seen
    text = file.read_text(encoding="utf-8")
    assert "<!-- unlatch" not in text
    assert text.endswith("\nx\n")
    assert os.access(file, os.R_OK)


def test_a_name_in_a_mistake_does_not_end_its_comment() -> None:
    """The arrow of a comment's end is longer here, which one replacement would leave whole."""
    name = "A ---> <!-- B --!> c"
    text = f"---\ntype: workflow\ndialect: crucible-1\n---\n# T\n\n## {name}\n\na\n\n## {name}\n"
    problems = check(read_workflow(text))
    commented = with_comments(text, problems)
    (line,) = (line for line in commented.split("\n") if line.startswith("<!-- unlatch: "))
    assert "is also the node" in line
    assert len(re.findall("--!?>", line)) == 1
