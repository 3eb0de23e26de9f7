"""A project of three increments, two of which share an issue, at work on a stage's trackers."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.crash.boundaries import Boundaries, in_fork
from tests.crash.cell import _Trackers as QuickTrackers
from tests.crash.people import Item
from tests.crash.stage import Case, Stage

from unlatch.cli.main import run
from unlatch.increments.files.paths import paths_at
from unlatch.project import trackers
from unlatch.project.registry import Registry, shapes_of
from unlatch.project.workspace import Workspace
from unlatch.worklog.disk.user_files import state_folder
from unlatch_merge.metadata import merge_events, merge_metadata
from unlatch_merge.outcome import Side

TRACKERS = ("github", "ado", "jira")
ALONE, LEFT, RIGHT = INCREMENTS = ("0001-alone", "0002-left", "0003-right")
OPEN_TASKS = "# Tasks\n\n## T-001: Draw\n\n**Status**: [ ] pending\n"
PATIENCE = 30.0
REGISTRY = Registry()


class Hasty(QuickTrackers):
    """Trackers that wait for nothing but an answer, in commands that know of no such thing."""

    def __init__(self, workspace: Workspace, *_options: Any) -> None:
        super().__init__(workspace, PATIENCE)


def be_hasty() -> None:
    """Let every command of this process have such trackers."""
    trackers.Trackers = Hasty  # type: ignore[misc, assignment]


@dataclass(frozen=True)
class Ran:
    """The result of a command.

    Args:
        code: its exit code; None if it died.
        document: its output.
    """

    code: int | None
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def error(self) -> str | None:
        found = self.document.get("error")
        return found["id"] if found else None


class SharedProject:
    """The project, in a folder of its own.

    Args:
        cases: by increment: the items that it began with.
        urls: their addresses, by increment and tracker.
    """

    def __init__(
        self,
        stage: Stage,
        root: Path,
        cases: dict[str, Case],
        urls: dict[tuple[str, str], str],
        *,
        config: str,
    ) -> None:
        self.stage, self.root, self.cases = stage, root, cases
        self.urls, self._config = urls, config

    @classmethod
    def begin(cls, stage: Stage, name: str) -> SharedProject:
        """Completed increments with closed items; the third shares the second's issue."""
        cases = {number: stage.case(name, increment=number) for number in INCREMENTS}
        root = cases[ALONE].root
        config = (root / ".unlatch" / "config.toml").read_text()
        urls = {
            (number, tracker): str(case.metadata[tracker]["url"])
            for number, case in cases.items()
            for tracker in TRACKERS
        }
        project = cls(stage, root, cases, urls, config=config)
        data = project.metadata(RIGHT)
        data["github"] = project.metadata(LEFT)["github"]
        project.path(RIGHT).write_text(json.dumps(data, indent=2))
        return project

    def configure(self, tables: str) -> None:
        """Give it these settings beside its trackers'."""
        (self.root / ".unlatch" / "config.toml").write_text(f"{self._config}\n{tables}")

    # Its files

    def path(self, increment: str, file: str = "metadata.json") -> Path:
        """One of an increment's files."""
        return self.root / ".unlatch" / "increments" / increment / file

    def metadata(self, increment: str) -> dict[str, Any]:
        """The content of metadata.json; fails if it is not JSON."""
        found: dict[str, Any] = json.loads(self.path(increment).read_bytes())
        return found

    def events(self, increment: str) -> list[dict[str, Any]]:
        """The lines of events.jsonl; one that a death cut short does not count."""
        found = []
        for line in _bytes(self.path(increment, "events.jsonl")).split(b"\n"):
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found

    def links(self, increment: str) -> dict[str, dict[str, Any]]:
        """The blocks of an increment's links, by the items' addresses."""
        data = self.metadata(increment)
        blocks = [data[tracker] for tracker in TRACKERS if tracker in data]
        return {one["url"]: one for block in blocks for one in block.get("items", [block])}

    def is_shared(self, increment: str, url: str) -> bool:
        """Whether another increment has the item, too."""
        return any(url in self.links(other) for other in INCREMENTS if other != increment)

    def tree(self) -> dict[str, bytes]:
        """All that git would see."""
        files = sorted((self.root / ".unlatch" / "increments").rglob("*"))
        return {str(file): file.read_bytes() for file in files if file.is_file()}

    def edit_status(self, increment: str, status: str) -> None:
        """Act as a person with an editor."""
        path, now = self.path(increment), self.metadata(increment)["status"]
        text = path.read_text()
        path.write_text(text.replace(f'"status": "{now}"', f'"status": "{status}"', 1))

    def forget_local(self) -> None:
        """Delete local state."""
        shutil.rmtree(state_folder(self.root))

    # Commands

    def run(self, *arguments: str) -> Ran:
        """Run a command in this process."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = run(["--root", str(self.root), *arguments, "--json"])
        ran = Ran(code, json.loads(out.getvalue()))
        assert ran.error != "unexpected", ran.document
        return ran

    def run_struck(self, at: int, strike: Callable[[str], None], *arguments: str) -> bool:
        """Run a command in a fork that is struck at a boundary; whether it died of that."""

        def whole() -> None:
            Boundaries(at, strike=strike).install()
            self.run(*arguments)

        status = in_fork(whole)
        died = os.WIFSIGNALED(status)
        assert died or status == 0, (arguments, status)
        return died

    # Clones

    def clone(self) -> SharedProject:
        """Another clone, as it is now."""
        root = self.root.with_name(f"{self.root.name}-clone")
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.root, root)
        return SharedProject(self.stage, root, self.cases, self.urls, config=self._config)

    def merge(self, base: dict[str, bytes], theirs: SharedProject, take: Side) -> None:
        """Merge the state of another clone, as our merge driver does.

        Args:
            base: the metadata.json of each increment when the clone was made.
            take: whose status stands where a person has to decide.
        """
        shapes = shapes_of(REGISTRY.manifests)
        for name in INCREMENTS:
            ours, other = self.path(name).read_bytes(), theirs.path(name).read_bytes()
            merged = merge_metadata(base[name], ours, other, shapes=shapes, take=take)
            lines = [_bytes(one.path(name, "events.jsonl")) for one in (self, theirs)]
            self.path(name).write_bytes(merged.content)
            self.path(name, "events.jsonl").write_bytes(merge_events(*lines))
            self.workspace.manager.change(name, lambda _before, _data: [])

    # What is there

    def items(self) -> dict[str, Item]:
        """Every item by its address, unchanged so far."""
        found = [
            Item(tracker, getattr(self.cases[increment], tracker), url)
            for (increment, tracker), url in self.urls.items()
        ]
        return {item.url: item for item in found}

    def marked(self) -> dict[str, Counter[str]]:
        """By item: how many comments carry the marker of each operation."""
        return {
            self.urls[case.increment, tracker]: found
            for case in self.cases.values()
            for tracker, found in self.stage.marked(case).items()
        }

    @property
    def workspace(self) -> Workspace:
        """The project, as a new process sees it."""
        return Workspace(
            paths_at(self.root),
            environ=self.stage.environ,
            user_config=self.stage.folder / "none.toml",
            registry=REGISTRY,
        )


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
