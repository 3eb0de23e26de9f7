"""Kill a command on another tool's unit at every n-th boundary, and run the same command again.

    python -m tests.crash.unit_kill FOLDER resume|adopt|begin EVERY

Prints one JSON document: the number of deaths, and the mistakes afterwards. The unit has no items,
so that all boundaries are those of files.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.cli.layouts.folders import openspec, write
from tests.crash.sweep import die_in_folders, different

from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.increment import NewTask
from unlatch.increments.model.status import Status
from unlatch.lifecycle.move import move
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.lifecycle.scoping.scope import scope_change
from unlatch.lifecycle.units.adoption import adopt
from unlatch.project.registry import Registry
from unlatch.project.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "add-login"
CHANGE = scope_change("More to do", [NewTask("Two"), NewTask("Three")])
_REGISTRY = Registry()


def write_project(root: Path, act: str) -> None:
    """A project with one change: archived for a resume, else new; for an adoption recorded."""
    change = openspec(root)
    write(root / ".unlatch/config.toml", '[layouts]\nuse = ["openspec"]\n')
    if act == "resume":
        return
    tasks = home(root) / "tasks.md"
    change.rename(home(root))
    write(tasks, "## 1. Work\n\n- [ ] 1.1 Write it\n- [ ] 1.2 Test it\n")
    if act == "adopt":
        begin(workspace_at(root))
        write(tasks, tasks.read_text().replace("[ ]", "[x]"))


def home(root: Path) -> Path:
    return root / "openspec/changes" / NAME


def workspace_at(root: Path) -> Workspace:
    return Workspace(paths_at(root), environ={}, user_config=root / "none.toml", registry=_REGISTRY)


def reopen(workspace: Workspace) -> None:
    """Change the files as `unlatch resume add-login --scope ... --task ... --yes`."""
    resume(workspace, NAME, ResumeRequest(by="Dana", reason="A bug", amendment=CHANGE))


def begin(workspace: Workspace) -> None:
    """Record the unit for the first time, as `unlatch start`."""
    move(workspace, NAME, Status.ACTIVE, by="Dana")


def follow(workspace: Workspace) -> None:
    """Adopt what the files show, as `unlatch sync`."""
    adopt(workspace, workspace.manager.read(NAME), by="Dana")


ACTS: dict[str, Callable[[Workspace], None]] = {"resume": reopen, "adopt": follow, "begin": begin}
ENDS = {"resume": ("active", 1), "adopt": ("completed", 0), "begin": ("active", 0)}


def problems(root: Path, act: str) -> list[str]:
    """Everything that is not as it should be once the command has come to its end."""
    folder = root / ".unlatch/increments" / NAME
    data: dict[str, Any] = json.loads((folder / "metadata.json").read_bytes())
    tasks = (home(root) / "tasks.md").read_text()
    status, entries = ENDS[act]
    facts: dict[str, tuple[object, object]] = {
        "status": (status, data["status"]),
        "place": (f"openspec/changes/{NAME}", data["unit"]["path"]),
        "entries": (entries, len(data.get("reopenHistory", ()))),
        "unwritten": ([], [one for one in data.get("reopenHistory", ()) if "unwritten" in one]),
        "headings": (entries, tasks.count("Scope change")),
        "tasks": (2 + 2 * entries, tasks.count("- [")),
        "archive": ([], [*(root / "openspec/changes/archive").iterdir()]),
        "left over": ([], [one.name for one in (*folder.glob(".*"), *home(root).glob(".*"))]),
    }
    return different(facts)


if __name__ == "__main__":
    name = sys.argv[2]
    die_in_folders(
        Path(sys.argv[1]),
        int(sys.argv[3]),
        begin=partial(write_project, act=name),
        act=lambda root: ACTS[name](workspace_at(root)),
        problems=partial(problems, act=name),
    )
