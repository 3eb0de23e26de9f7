"""For `unlatch sync --comments`: carry out the commands in the newest comments.

A comment's address is the key of what it asks for, so what an event led to already is not done
again.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.cli.commands.trackers.not_checked import allowance, is_allowed
from unlatch.cli.runtime.failure import UNDECIDED, problem_entry
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.lifecycle.items.places import group_in_project
from unlatch.spi import Capability
from unlatch.sync.publishing import Way
from unlatch.values import dataclass
from unlatch_ci.ingest import CommentJob, check_branch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.cli.commands.trackers.sync import RunOptions
    from unlatch.cli.runtime.context import Context
    from unlatch.spi.history import NewComment


@dataclass(frozen=True, slots=True)
class Looked:
    """The result for one comment, or for a tracker whose comments could not be read.

    Args:
        where: the item's address, or the tracker's name.
        comment: its id; None for a tracker.
        why: for the user, if no command was carried out.
    """

    where: str
    comment: str | None
    code: int
    why: str | None = None
    error: UnlatchError | None = None

    @property
    def entry(self) -> output.Json:
        """For the document of the sync."""
        error = problem_entry(self.error) if self.error else None
        own = {"where": self.where, "comment": self.comment, "code": self.code}
        return {**own, "why": self.why, "error": error}


def look_back(context: Context, options: RunOptions, max_items: int | None) -> list[Looked]:
    """Handle the new comments on all configured places that may ask for something.

    Raises:
        UsageError: `comment-settings`.
    """
    # Commands are about items; the increments of the project are those beside them.
    workspace = group_in_project(context.workspace, ()).workspace
    check_branch(workspace)
    # There is one document, and one commit: those of the sync.
    alone = replace(options, as_json=False, way=Way.NONE.value)
    is_silent = redirect_stdout(sys.stderr) if options.as_json else nullcontext()
    with context.over(workspace).trackers() as trackers, is_silent:
        job = CommentJob(context, workspace, trackers, alone, max_items, in_project=True)
        looked = [*_look(job)]
    for item in looked:
        if item.error is not None:
            output.talk(f"{output.clean(item.where)}: {output.clean(item.error.message)}")
    return looked


def _look(job: CommentJob) -> Iterator[Looked]:
    workspace, trackers = job.workspace, job.trackers
    since = workspace.clock() - timedelta(hours=workspace.config.comments.look_back)
    allowed = allowance(option=job.options.allow_missing_tokens, writes=True)
    new: list[NewComment] = []
    for name in workspace.settings:
        if Capability.COMMANDS not in trackers.registry.manifest(name).capabilities:
            continue
        try:
            new += trackers.open(name).new_comments(since)
        except UnlatchError as error:
            code = 0 if is_allowed(error, allowed) else UNDECIDED
            yield Looked(name, None, code, error=error)
    takes_all = workspace.config.comments.follow_up != "ignore"
    for comment in new:
        if comment.may_ask or takes_all:
            yield _handle(job, comment)


def _handle(job: CommentJob, comment: NewComment) -> Looked:
    try:
        handled = job.handle(comment.ref, comment.id)
    except UnlatchError as error:
        return Looked(comment.ref.url, comment.id, UNDECIDED, error=error)
    return Looked(comment.ref.url, comment.id, handled.code, handled.why)
