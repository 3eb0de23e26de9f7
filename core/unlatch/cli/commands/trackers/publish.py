"""`--commit`: publish what a run has changed in increments."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime import output
from unlatch.cli.runtime.ci import job
from unlatch.cli.runtime.failure import error_entry, error_lines
from unlatch.errors import UnlatchError
from unlatch.publish.target import PublishTarget, Way

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from unlatch.cli.contracts.syncing import CommitEntry
    from unlatch.cli.runtime.session import Session
    from unlatch.publish.publish import Published

# A run that takes longer than this is looked into rather than waited for.
RUN_PATIENCE = 600.0
COMMIT = click.option(
    "--commit",
    type=click.Choice([way.value for way in Way]),
    default=Way.NONE.value,
    show_default=True,
    help="Commit what changed in increments, and push it, or push a branch for a pull request.",
)


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The result of publishing.

    Args:
        given: what was given back; None if nothing had changed, or it failed.
        error: why it failed.
    """

    given: Published | None = None
    error: UnlatchError | None = None

    @property
    def code(self) -> int:
        """The exit code that it asks for."""
        return self.error.exit_code if self.error else 0

    @property
    def entry(self) -> CommitEntry | None:
        """It for scripts."""
        if self.error is None and self.given is None:
            return None
        given = self.given
        return {
            "commit": given.commit if given else None,
            "branch": given.branch if given else None,
            "increments": list(given.increments) if given else [],
            "proposal": given.proposal if given else None,
            "error": error_entry(self.error) if self.error else None,
        }


def begin(session: Session, commit: str, *, by: str) -> PublishTarget | None:
    """Make sure that publishing can succeed, before anything is changed.

    Raises:
        UnlatchError: it cannot.
    """
    if commit == Way.NONE.value:
        return None
    from unlatch.publish.target import begin as prepare  # noqa: PLC0415

    return prepare(session.workspace, Way(commit), by=by)


def alone(session: Session, commit: str) -> AbstractContextManager[None]:
    """One run at a time in this checkout, under CI and where git is to be changed.

    Elsewhere only deliveries wait for each other: a person need not wait for a long sync.
    """
    from unlatch.increments.files.locks import SYNC, delivery_lock  # noqa: PLC0415

    if commit == Way.NONE.value and job() is None:
        return nullcontext()
    return delivery_lock(session.layout, SYNC, patience=RUN_PATIENCE)


def finish(session: Session, publishing: PublishTarget | None, *, silent: bool) -> PublishResult:
    """Give back what has changed; a failure is told, and ends nothing."""
    from unlatch.publish.publish import give_back  # noqa: PLC0415

    if publishing is None:
        return PublishResult()
    try:
        given = give_back(publishing)
    except UnlatchError as error:
        session.trace(error)
        for line in error_lines(error):
            output.talk(line)
        return PublishResult(error=error)
    if given is not None and not silent:
        output.data(f"{output.good(output.sign('ok'))} {output.clean(_told(publishing, given))}")
        if given.proposal:
            output.talk(f"Next: {output.clean(given.proposal)}")
    return PublishResult(given)


def _told(publishing: PublishTarget, given: Published) -> str:
    what = ", ".join(given.increments) or "increments"
    return f"committed and pushed to {publishing.remote} {given.branch}: {what}"
