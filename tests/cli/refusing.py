"""Check a refusal, and that it changed nothing."""

import re

from tests.cli.project import Done, Project


def assert_refused(done: Done, code: int, error: str) -> None:
    """An error as people see it: id, message, hint; no traceback, and nothing on stdout."""
    assert (done.code, done.out) == (code, ""), done.said
    assert done.err.startswith(f"error[{error}]: ")
    assert re.search(r"^  next: \S", done.err, re.MULTILINE), done.err
    assert "Traceback" not in done.err


def assert_unchanged(project: Project, before: dict[str, bytes | None]) -> None:
    assert before == project.tree()
    assert project.wrote() == []
