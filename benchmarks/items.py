"""Closed items in the sandbox, and completed increments linked to them."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.places import DAY, UNLATCH, write_increment
from unlatch_sandbox.demo import quiet_environ

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch_sandbox import Sandbox

Block = dict[str, Any]
TITLE = "Something to be done"


@dataclass(frozen=True, slots=True)
class Project:
    """A project whose trackers are a sandbox.

    Args:
        root: its folder.
        box: its trackers.
        environ: the environment for unlatch, with the sandbox's tokens.
    """

    root: Path
    box: Sandbox
    environ: Mapping[str, str]

    def resume(self, number: int) -> tuple[str, ...]:
        """The command that resumes an increment of the project."""
        reason = ("--reason", "Something was forgotten", "--yes")
        return (UNLATCH, "--root", str(self.root), "resume", str(number), *reason)

    def complete(self, number: int, **blocks: Block) -> None:
        """Write a completed increment with links to these trackers."""
        name = f"{number:04d}-something-to-be-done"
        status = {"status": "completed", "type": "feature", "created": DAY, "completedAt": DAY}
        folder = self.root / ".unlatch" / "increments" / name
        write_increment(folder, {"id": name, **status, **blocks}, f"# {TITLE}\n")


@contextmanager
def project(box: Sandbox) -> Iterator[Project]:
    """A new project without caches."""
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        home = root / ".unlatch"
        home.mkdir()
        (home / "config.toml").write_text(box.config(), encoding="utf-8")
        yield Project(root, box, quiet_environ(os.environ, box))


def github(box: Sandbox, number: int, *labels: str) -> Block:
    """Create a closed issue; return its link block."""
    box.github.add_issue(
        number=number, title=TITLE, state="closed", state_reason="completed", labels=labels
    )
    return {"issue": number, "url": f"{box.github.web_url}/octo/widgets/issues/{number}"}


def ado(box: Sandbox, number: int, *labels: str, type: str = "User Story") -> Block:
    """Create a closed work item; return its link block."""
    box.ado.add_work_item(id=number, type=type, title=TITLE, state="Closed", tags=labels)
    url = f"{box.ado.organization_url}/widgets/_workitems/edit/{number}"
    return {"workItemId": number, "url": url}


def jira(box: Sandbox, number: int, *labels: str) -> Block:
    """Create a Jira issue with status Done; return its link block."""
    key = box.jira.add_issue(f"SCRUM-{number}", summary=TITLE, status="Done", labels=labels)
    return {"issueKey": key, "url": f"{box.jira.site}/browse/{key}"}
