"""Kill a command on another tool's unit at every n-th boundary, and run the same command again.

    python -m tests.crash.unit_kill FOLDER resume|adopt|begin|resume-file EVERY

Prints one JSON document: the number of deaths, and the mistakes afterwards. The unit has no items,
so that all boundaries are those of files.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.cli.layouts.folders import backlog_md, openspec, write
from tests.crash.sweep import die_in_folders, different

from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.reopens import NewTask
from unlatch.increments.model.status import Status
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.lifecycle.scoping.change_scope import scope_change
from unlatch.lifecycle.status_change import move
from unlatch.lifecycle.units.adoption import adopt
from unlatch.project.registry import Registry
from unlatch.project.workspace import Workspace

# Where the tool of an act keeps the unit: its name, the folder that it leaves, its place and its
# document from there, and the boxes in that.
CHANGE_PLACE = (
    "add-login",
    "openspec/changes/archive",
    "openspec/changes/add-login",
    "tasks.md",
    2,
)
FILE = "Log-in-safely.md"
PLACES = dict.fromkeys(("resume", "adopt", "begin"), CHANGE_PLACE) | {
    "resume-file": ("TASK-5", "backlog/completed", f"backlog/tasks/task-5 - {FILE}", "", 5)
}
CHANGE = scope_change("More to do", [NewTask("Two"), NewTask("Three")])
_REGISTRY = Registry()


def write_project(root: Path, act: str) -> None:
    """A project with one unit: archived for a resume, else new; for an adoption recorded."""
    if act == "resume-file":
        backlog_md(root)
        write(root / ".unlatch/config.toml", '[layouts]\nuse = ["backlog-md"]\n')
        return
    change = openspec(root)
    write(root / ".unlatch/config.toml", '[layouts]\nuse = ["openspec"]\n')
    if act == "resume":
        return
    tasks = document(root, act)
    change.rename(tasks.parent)
    write(tasks, "## 1. Work\n\n- [ ] 1.1 Write it\n- [ ] 1.2 Test it\n")
    if act == "adopt":
        begin(workspace_at(root), "add-login")
        write(tasks, tasks.read_text().replace("[ ]", "[x]"))


def document(root: Path, act: str) -> Path:
    """The document with the tasks, where it belongs."""
    _, _, place, name, _ = PLACES[act]
    return root / place / name


def workspace_at(root: Path) -> Workspace:
    return Workspace(paths_at(root), environ={}, user_config=root / "none.toml", registry=_REGISTRY)


def reopen(workspace: Workspace, name: str) -> None:
    """Change the files as `unlatch resume NAME --scope ... --task ... --yes`."""
    resume(workspace, name, ResumeRequest(by="Dana", reason="A bug", amendment=CHANGE))


def begin(workspace: Workspace, name: str) -> None:
    """Record the unit for the first time, as `unlatch start`."""
    move(workspace, name, Status.ACTIVE, by=lambda: "Dana")


def follow(workspace: Workspace, name: str) -> None:
    """Adopt what the files show, as `unlatch sync`."""
    adopt(workspace, workspace.manager.read(name), by=lambda: "Dana")


ACTS: dict[str, Callable[[Workspace, str], None]] = {
    "resume": reopen,
    "adopt": follow,
    "begin": begin,
    "resume-file": reopen,
}
ENDS = {"adopt": ("completed", 0), "begin": ("active", 0)}


def problems(root: Path, act: str) -> list[str]:
    """Everything that is not as it should be once the command has come to its end."""
    unit, archive, place, _, boxes = PLACES[act]
    folder = root / ".unlatch/increments" / unit
    data: dict[str, Any] = json.loads((folder / "metadata.json").read_bytes())
    tasks = document(root, act).read_text()
    status, entries = ENDS.get(act, ("active", 1))
    left = (*folder.glob(".*"), *document(root, act).parent.glob(".*"))
    facts: dict[str, tuple[object, object]] = {
        "status": (status, data["status"]),
        "place": (place, data["unit"]["path"]),
        "entries": (entries, len(data.get("reopenHistory", ()))),
        "unwritten": ([], [one for one in data.get("reopenHistory", ()) if "unwritten" in one]),
        "headings": (entries, tasks.count("Scope change")),
        "tasks": (boxes + 2 * entries, tasks.count("- [")),
        "archive": ([], [*(root / archive).iterdir()]),
        "left over": ([], [one.name for one in left]),
    }
    return different(facts)


if __name__ == "__main__":
    name = sys.argv[2]
    die_in_folders(
        Path(sys.argv[1]),
        int(sys.argv[3]),
        begin=partial(write_project, act=name),
        act=lambda root: ACTS[name](workspace_at(root), PLACES[name][0]),
        problems=partial(problems, act=name),
    )
