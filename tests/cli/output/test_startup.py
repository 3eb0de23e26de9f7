"""Every run of unlatch loads only the modules that it uses."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.project import Project

HEAVY = frozenset(
    {
        "azure",
        "filelock",
        "github",
        "jira",
        "jsonschema",
        "keyring",
        "msrest",
        "pydantic",
        "requests",
        "rich.console",
        "unlatch.llm",
        "unlatch_ado.plugin",
        "unlatch_github.plugin",
        "unlatch_jira.plugin",
        "urllib3",
    }
)


RUN = """
import sys
from unlatch.cli.main import run
run(sys.argv[1:])
print(*sys.modules, sep="\\n", file=sys.stderr)
"""


def loaded_by(project: Project, *arguments: str) -> set[str]:
    """The modules that are loaded when a run of unlatch ends."""
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(
        command, cwd=project.root, env=project.environ, capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines())


@pytest.mark.parametrize("arguments", [["--help"], ["list", "--all"], ["list", "--all", "--json"]])
def test_help_and_list_load_no_sdk_and_nothing_else_that_is_slow(
    completed: Project, arguments: list[str]
) -> None:
    assert set() == loaded_by(completed, *arguments) & HEAVY


def test_a_command_that_writes_to_trackers_loads_them(completed: Project) -> None:
    loaded = loaded_by(completed, "resume", "7", "--reason", "Not done yet", "--yes")

    unused = {"filelock", "jsonschema", "keyring", "rich.console", "unlatch.llm"}
    assert unused == HEAVY - loaded


def test_help_names_the_trackers_without_loading_their_plugins(completed: Project) -> None:
    assert not [name for name in loaded_by(completed, "--help") if name.startswith("unlatch_")]
