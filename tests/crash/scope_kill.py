"""Kill a scope change at every n-th boundary, and run the same command again.

    python -m tests.crash.scope_kill FOLDER EVERY

Prints one JSON document: how many boundaries there are, the number of deaths, and the mistakes
afterwards. The increment has no items, so that all boundaries are those of its files.
"""

import json
import sys
from pathlib import Path
from typing import Any

from tests.crash.sweep import die_in_folders, different

from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.reopens import NewTask
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.lifecycle.scoping.change_scope import scope_change
from unlatch.project.registry import Registry
from unlatch.project.workspace import Workspace

NAME = "0007-smart-discipline"
SPEC = "---\nstatus: completed\n---\n# Smart discipline\n\n- [x] **AC-US1-01**: One\n"
TASKS = "# Tasks\n\n### T-001: One\n\n**Status**: [x] completed\n"
CHANGE = scope_change("More to do", [NewTask("Two"), NewTask("Three", "US-001")])
_REGISTRY = Registry()


def folder_in(root: Path) -> Path:
    return root / ".unlatch" / "increments" / NAME


def write_project(root: Path) -> None:
    """A project with one completed increment."""
    folder = folder_in(root)
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text(SPEC)
    (folder / "tasks.md").write_text(TASKS)
    data = {
        "id": NAME,
        "status": "completed",
        "type": "feature",
        "created": "2025-10-01T08:00:00Z",
        "lastActivity": "2025-11-01T09:00:00Z",
        "completedAt": "2025-11-01T09:00:00Z",
    }
    (folder / "metadata.json").write_text(json.dumps(data, indent=2) + "\n")


def change_scope(root: Path) -> None:
    """Change the files as `unlatch resume 7 --scope ... --task ... --yes`."""
    workspace = Workspace(
        paths_at(root), environ={}, user_config=root / "none.toml", registry=_REGISTRY
    )
    resume(workspace, NAME, ResumeRequest(by="Dana", reason="A bug", amendment=CHANGE))


def problems(root: Path) -> list[str]:
    """Everything that is not as it should be once the command has come to its end."""
    folder = folder_in(root)
    data: dict[str, Any] = json.loads((folder / "metadata.json").read_bytes())
    spec, tasks = (folder / "spec.md").read_text(), (folder / "tasks.md").read_text()
    entry = data["reopenHistory"][0]
    facts: dict[str, tuple[object, object]] = {
        "status": ("active", data["status"]),
        "entries": (1, len(data["reopenHistory"]) + len(data.get("amendments", []))),
        "unwritten": (None, entry.get("unwritten")),
        "spec's status": (1, spec.count("status: active\n")),
        "headings in spec.md": (1, spec.count("## Scope change")),
        "spec.md before it": (True, spec.startswith(SPEC.replace("completed", "active", 1))),
        "tasks": (["T-001", "T-002", "T-003"], [task.id for task in read_tasks(tasks).tasks]),
        "tasks.md before them": (True, tasks.startswith(TASKS)),
        "ids": (["T-002", "T-003"], [task["id"] for task in entry["newTasks"]]),
        "left over": ([], [path.name for path in folder.glob(".*")]),
    }
    return different(facts)


if __name__ == "__main__":
    die_in_folders(
        Path(sys.argv[1]),
        int(sys.argv[2]),
        begin=write_project,
        act=change_scope,
        problems=problems,
    )
