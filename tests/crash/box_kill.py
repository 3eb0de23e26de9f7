"""Kill a sync of check boxes at every boundary in turn, and sync again.

    python -m tests.crash.box_kill [--every N]

A task is ticked on one tracker, another one in tasks.md; in the end both are ticked everywhere.
Prints one JSON document: how many boundaries there are, the number of deaths, and the mistakes
afterwards.
"""

import contextlib
import io
import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import azure.devops.v7_1.work_item_tracking
import github
import jira  # noqa: F401  (warms the process that all cases are forked from)
from tests.crash.boundaries import in_fork
from tests.crash.stage import INCREMENT, Stage
from tests.crash.sweep import die_at_each, different, every_option

from unlatch.cli.main import run

_ = (azure.devops.v7_1.work_item_tracking, github)
_TRACKERS = ("github", "ado", "jira")
_TASKS = "# Tasks\n\n- [ ] T-001: One\n- [ ] T-002: Two\n- [ ] T-003: Three\n"
_TICKED = _TASKS.replace("[ ] T-002", "[x] T-002")
_ALL_TICKED = _TICKED.replace("[ ] T-001", "[x] T-001")


@dataclass(frozen=True)
class Place:
    """A project with an item on each tracker that unlatch created."""

    stage: Stage
    root: Path

    @property
    def folder(self) -> Path:
        return self.root / ".unlatch" / "increments" / INCREMENT

    @property
    def metadata(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "metadata.json").read_bytes())
        return found

    def unlatch(self, *told: str) -> None:
        """Run a command; raises if it did not end with 0."""
        os.environ.update(self.stage.environ)
        os.environ.pop("UNLATCH_ROOT", None)
        os.chdir(self.root)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = run([*told, "--by", "Dana"])
        if code:
            raise SystemExit(code)

    def act(self) -> None:
        """Sync."""
        self.unlatch("sync", "--yes")

    def items(self) -> dict[str, dict[str, Any]]:
        """The arguments that name the items on the console."""
        data = self.metadata
        return {
            "github": {"repository": "octo/widgets", "number": data["github"]["issue"]},
            "ado": {"id": data["ado"]["workItemId"]},
            "jira": {"key": data["jira"]["issueKey"]},
        }

    def bodies(self) -> dict[str, str]:
        call, items = self.stage.call, self.items()
        return {
            "github": call("github", "issue", **items["github"])["body"],
            "ado": call("ado", "work_item", **items["ado"])["fields"]["System.Description"],
            "jira": json.dumps(
                call("jira", "issue", **items["jira"])["fields"]["description"], ensure_ascii=False
            ),
        }

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def problems(self) -> list[str]:
        """Everything that is not as it should be in the end."""
        # A sync delivers first; if that changes the files, the next one compares them.
        is_calm = self.is_calm()
        marks = {
            name: [body.count(mark) for mark in ("[x]", "\u2611")]
            for name, body in self.bodies().items()
        }
        facts: dict[str, tuple[object, object]] = {
            "calm": (True, is_calm),
            "boxes": ({"github": [2, 0], "ado": [0, 2], "jira": [0, 2]}, marks),
            "tasks": (_ALL_TICKED, (self.folder / "tasks.md").read_text()),
            "pending": ([], self.metadata.get("pending", [])),
            "base": (
                [["T-001", "T-002"]] * 3,
                [self.metadata[name]["base"]["boxes"]["ticked"] for name in _TRACKERS],
            ),
            "strays": ([], sorted(self.folder.glob(".*"))),
        }
        return different(facts)

    def is_calm(self) -> bool:
        """Whether one more sync does nothing."""
        before = self.files()
        self.stage.writes()
        return in_fork(self.act) == 0 and (self.stage.writes(), self.files()) == ([], before)


def place_at(stage: Stage, name: str) -> Place:
    """A project whose boxes differ on both sides."""
    case = stage.case(name)
    place = Place(stage, case.root)
    data = {**case.metadata, "status": "active", "completedAt": None}
    kept = {key: one for key, one in data.items() if key not in _TRACKERS and one is not None}
    (case.folder / "metadata.json").write_text(json.dumps(kept))
    (case.folder / "spec.md").write_text("# Smart discipline\n")
    (case.folder / "tasks.md").write_text(_TASKS)

    def create() -> None:
        for tracker in _TRACKERS:
            place.unlatch("link", INCREMENT, "--create", tracker)

    assert in_fork(create) == 0
    stage.call("jira", "tick", **place.items()["jira"], words="T-001: ")
    (case.folder / "tasks.md").write_text(_TICKED)
    return place


if __name__ == "__main__":
    options = every_option(__doc__).parse_args()
    with Stage() as stage:
        die_at_each(partial(place_at, stage), options.every)
