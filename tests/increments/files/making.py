"""Projects on disk as the tests need them: hand-written increments, a stopped clock, known ids."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.link import Link
from unlatch.increments.records.shapes import Shapes
from unlatch.spi.manifest import LinkShape

SHAPES = Shapes(
    links={
        "github": LinkShape("issue", "url", number=True),
        "ado": LinkShape("workItemId", "url", number=True),
        "jira": LinkShape("issueKey", "url"),
        "other": LinkShape("ticket", "address"),
    },
    synced={
        "github": LinkShape("issueNumber", "issueUrl", number=True),
        "ado": LinkShape("workItemId", "workItemUrl", number=True),
        "jira": LinkShape("issueKey", "issueUrl"),
        "other": LinkShape("ticket", "address"),
    },
)
NOW = datetime(2025, 11, 4, 10, tzinfo=UTC)
STAMP = "2025-11-04T10:00:00Z"

GITHUB = "https://github.com/octo/widgets/issues/{}"
JIRA = "https://acme.atlassian.net/browse/{}"
ADO = "https://dev.azure.com/fabrikam/widgets/_workitems/edit/{}"


def ulid(number: int) -> str:
    return f"01KA{number:022d}"


@dataclass
class Clock:
    """Tells the time that it is set to."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: int = 1) -> None:
        self.now += timedelta(seconds=seconds)


def counted_ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: ulid(next(numbers))


def manager_at(root: Path, *, clock: Clock | None = None) -> MetadataManager:
    return MetadataManager(
        paths_at(root), shapes=SHAPES, clock=clock or Clock(), new_id=counted_ids()
    )


def metadata(**changes: Any) -> dict[str, Any]:
    """A completed increment as SpecWeave writes it."""
    return {
        "id": "0007-search",
        "status": "completed",
        "type": "feature",
        "created": "2025-10-30T08:00:00.000Z",
        "lastActivity": "2025-11-01T09:00:00.000Z",
        "completedAt": "2025-11-01T09:00:00.000Z",
        **changes,
    }


def github(number: int, *, repository: str = "octo/widgets") -> Link:
    return Link("github", str(number), f"https://github.com/{repository}/issues/{number}")


def jira(key: str) -> Link:
    return Link("jira", key, JIRA.format(key))


@dataclass
class Project:
    """A project's files, and the manager that is tried on them."""

    root: Path
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.increments.mkdir(parents=True)
        self.manager = manager_at(self.root, clock=self.clock)

    @property
    def increments(self) -> Path:
        return self.root / ".unlatch" / "increments"

    def add(
        self,
        content: Mapping[str, Any] | bytes,
        *,
        name: str = "0007-search",
        archive: str = "",
        spec: str | None = None,
    ) -> Path:
        """An increment's folder with this metadata.json, indented by two spaces."""
        folder = self.increments / archive / name
        folder.mkdir(parents=True)
        raw = content if isinstance(content, bytes) else json.dumps(content, indent=2).encode()
        (folder / "metadata.json").write_bytes(raw)
        if spec is not None:
            (folder / "spec.md").write_text(spec, encoding="utf-8")
        return folder

    def text(self, name: str = "0007-search") -> str:
        return (self.increments / name / "metadata.json").read_text(encoding="utf-8")

    def data(self, name: str = "0007-search") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text(name))
        return found

    def events(self, name: str = "0007-search") -> list[dict[str, Any]]:
        path = self.increments / name / "events.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def tree(root: Path) -> dict[str, bytes]:
    """Every file and folder below `root` with its content."""
    return {
        str(path.relative_to(root)): b"" if path.is_dir() else path.read_bytes()
        for path in sorted(root.rglob("*"))
    }
