"""Check the configuration, the rights and the webhooks of all repositories; writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch.increments.files.paths import project_at
from unlatch.project.workspace import Workspace
from unlatch.values import dataclass
from unlatch.worklog.json_text import load_json
from unlatch.worklog.parallel import run_parallel
from unlatch_fleet.checking.webhooks import Webhooks, read_webhooks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch_fleet.fleet_file import Repository
    from unlatch_fleet.local import Machine
    from unlatch_fleet.unit import UnitClone


@dataclass(frozen=True, slots=True)
class Finding:
    """What `unlatch doctor --online` finds in a repository, or why it could not look.

    Args:
        severity: error, warning or note.
    """

    severity: str
    id: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for a repository."""

    repository: Repository
    findings: tuple[Finding, ...]
    webhooks: tuple[Webhooks, ...] = ()

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)


def check_all(
    machine: Machine, repositories: Iterable[Repository], *, jobs: int
) -> Iterator[Checked]:
    """The results, as they come."""
    tasks = {
        repository.address.key: lambda repository=repository: _check(machine, repository)
        for repository in repositories
    }
    lane = {"": jobs}
    for _, checked in run_parallel(tasks, lane_of=lambda _: "", limits=lane):
        yield checked


def _check(machine: Machine, repository: Repository) -> Checked:
    try:
        with machine.open(repository) as opened:
            findings = tuple(_findings(opened))
            workspace = Workspace(project_at(opened.root), environ=opened.environ)
            cache = opened.clone.state / "cache"
            webhooks = read_webhooks(workspace, opened.unit.targets, cache=cache)
            return Checked(repository, findings, tuple(webhooks))
    except UnlatchError as error:
        failed = Finding("error", error.id, error.message, error.hint)
    except OSError as error:
        failed = Finding("error", "unit-failed", str(error))
    return Checked(repository, (failed,))


def _findings(opened: UnitClone) -> Iterator[Finding]:
    """Those of doctor, which is data of the repository."""
    done = opened.run("doctor", "--online", "--json")
    try:
        document: Any = load_json(done.out)
        if document["schema"] == "unlatch.error/1":
            error = document["error"]
            yield Finding("error", str(error["id"]), str(error["message"]), error["hint"])
            return
        for entry in document["findings"]:
            severity = str(entry["severity"])
            # Notes on rights are what the reader came for.
            if severity != "note" or entry["id"] in ("access", "posts-as"):
                yield Finding(severity, str(entry["id"]), str(entry["message"]), entry["hint"])
    except (ValueError, LookupError, TypeError):
        message = f"it ended with code {done.code} and without a document"
        yield Finding("error", "unit-failed", message)
