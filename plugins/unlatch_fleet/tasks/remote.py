"""The dispatcher of one run of a project, and the question whether a node will take its tasks."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic import ValidationError

from unlatch.errors import UnlatchError, UsageError
from unlatch.project.git.working import WorkingGit
from unlatch_fleet.offer import Offer
from unlatch_fleet.repository_address import read_address
from unlatch_fleet.tasks.dispatcher import Origin, PostgresDispatcher

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from unlatch_fleet.database.connect import Line
    from unlatch_runs.dispatch.places import RemoteRun

_REMOTE = "origin"


class FleetDispatcher(PostgresDispatcher):
    """A `RemoteDispatcher` for a project whose repository nodes can reach."""

    def __init__(self, line: Line, run: RemoteRun) -> None:
        self._run = run
        self._git = WorkingGit(run.root)
        url = self._git("remote", "get-url", _REMOTE)
        origin = Origin(
            name=run.name,
            key=run.origin,
            repository=_key(url.line) if url.is_done else "",
            folder=self._git("rev-parse", "--show-prefix").line,
            worker=run.worker,
        )
        super().__init__(line, origin, run.limits)

    def check(self, programs: Collection[Sequence[str]], variables: Collection[str]) -> None:
        """Make sure that a node will take the tasks, and can fetch the commit that they begin at.

        Raises:
            UsageError: `fleet-no-remote`, `fleet-not-pushed`, `fleet-no-node`.
            Transient: `fleet-database-away`.
        """
        self._check_pushed()
        with self._line.open() as connection:
            offers = self._rows.offers(connection)
        refusals: list[str] = []
        for row in offers:
            with suppress(ValidationError):  # of a newer version
                offer = Offer.model_validate_json(row.offer)
                refused = [*offer.refusals(self._origin.repository, programs, variables)]
                if not refused:
                    return
                refusals.append(f"{row.name} does not offer {', '.join(refused)}")
        message = "no node takes the tasks of this run"
        hint = "list what they need under [runs] in node.toml, and start `unlatch fleet node`"
        problems = tuple(refusals) or ("no node with [runs] in its node.toml is there",)
        raise UsageError("fleet-no-node", message, hint=hint, problems=problems)

    def _check_pushed(self) -> None:
        if not self._origin.repository:
            message = f"the remote '{_REMOTE}' is missing, or no node can reach it"
            hint = "git remote add origin URL"
            raise UsageError("fleet-no-remote", message, where=str(self._run.root), hint=hint)
        listed = self._git("branch", "--remotes", "--contains", "HEAD", "--list", f"{_REMOTE}/*")
        if not listed.line:
            message = "nodes fetch the commit that is checked out, and it is not pushed"
            raise UsageError(
                "fleet-not-pushed", message, where=str(self._run.root), hint="git push"
            )


def _key(url: str) -> str:
    try:
        return read_address(url).key
    except ValueError as error:
        message = f"the address of the remote '{_REMOTE}' cannot be used: {error}"
        hint = "git remote set-url origin URL"
        raise UnlatchError("fleet-no-remote", message, hint=hint) from None
