"""unlatch ingest: process an event that a tracker sent to a job."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.trackers.sync import NOTHING_PENDING, RunOptions, run_sync, sync_options
from unlatch.cli.main import run as run_command
from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED
from unlatch.cli.runtime.item_words import find_groups, is_of_origin
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.lifecycle.items.change import locate_items
from unlatch.lifecycle.items.places import group_in_project
from unlatch.project.git.revisions import DETACHED, current_branch, other_branch
from unlatch.project.git.run import ask_git, has_repository, run_git
from unlatch.project.plugins.errors import blaming
from unlatch.project.plugins.loading import load
from unlatch.project.registry import Registry
from unlatch.spi import ItemEvent
from unlatch.sync.publishing import Way
from unlatch.sync.sync import SyncOptions
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import MAX_EVENT_SIZE, read_user_file
from unlatch_ci.comments.handling import Handled, handle_comment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.table import Entry
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef
    from unlatch_ci.comments.carrying_out import CommandLine


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
    @click.option(
        "--from",
        "source",
        metavar="KIND",
        required=True,
        help=f"The kind of event in FILE: {', '.join(event_sources(Registry()))}.",
    )
    @sync_options
    @with_context
    def run_event(
        context: Context, *, file: Path, source: str, run: RunOptions, **typed: Any
    ) -> int:
        registry = context.workspace.registry if context.has_project else Registry()
        tracker, event = read_event(registry, source, file)
        options = SyncOptions(event=(tracker, event), **typed)
        if event.comment is not None:
            return _handle(context, event, run, options.max_items)
        if event.note is not None and not context.has_project:
            return _tell(event.note, run)
        context.workspace.check_config()
        if event.note is not None and not run.as_json:
            output.talk(f"Nothing to do: {output.clean(event.note)}.")
            return 0
        return run_sync(context, options, run, NOTHING_PENDING)

    return run_event


def _handle(context: Context, event: ItemEvent, options: RunOptions, max_items: int | None) -> int:
    """Handle a new comment; in a project, or outside of one for the item alone."""
    # What a project does not configure is not read: an event is no person who names an item.
    words = [str(event.url)]
    is_project = context.has_project
    (group,) = (
        [group_in_project(context.workspace, words)] if is_project else find_groups(context, words)
    )
    group.workspace.check_config()
    if event.note is not None and group.workspace.config.comments.follow_up == "ignore":
        return _tell(event.note, options)
    if group.is_project:
        check_branch(group.workspace, event.default_branch)
    with context.over(group.workspace).trackers() as trackers:
        (ref,) = locate_items(trackers, group.words)
        job = CommentJob(
            context, group.workspace, trackers, options, max_items, in_project=group.is_project
        )
        handled = job.handle(ref, str(event.comment))
    if handled.why is not None:
        _tell(handled.why, options, did=handled.did)
    return handled.code


@dataclass(frozen=True, slots=True)
class CommentJob:
    """Handles comments on items of some trackers."""

    context: Context
    workspace: Workspace
    trackers: Trackers
    options: RunOptions
    max_items: int | None
    in_project: bool

    def handle(self, ref: ItemRef, comment: str) -> Handled:
        """Handle a comment by its id; raises as `handle_comment`."""
        return handle_comment(
            self.workspace,
            self.trackers,
            ref,
            comment,
            holds=self.in_project and is_of_origin(self.context, ref),
            in_project=self.in_project,
            run=self._run,
        )

    def _run(self, line: CommandLine, note: Callable[[], None]) -> int:
        return _run(self.context, line, note, self.options, self.max_items)


def _tell(why: str, options: RunOptions, *, did: str | None = None) -> int:
    """Say why no command was carried out; the exit code."""
    if options.as_json:
        output.document("ingest", why=why)
    else:
        output.talk(f"{output.clean(did or 'Nothing to do')}: {output.clean(why)}.")
    return 0


def check_branch(workspace: Workspace, expected: str | None = None) -> None:
    """Refuse a checkout of a pull request, whose author would choose who may ask.

    Args:
        expected: the default branch; None for the one where statuses are compared.

    Raises:
        UsageError: `comment-settings`.
    """
    root, environ = workspace.paths.root, workspace.environ
    if expected is None:
        is_other = other_branch(root, environ, workspace.config.sync.branch) is not None
    else:
        is_other = current_branch(root, environ) not in (expected, None)
    if is_other or not _is_built(root, environ):
        named = f"the branch {expected}" if expected else "the default branch"
        raise UsageError(
            "comment-settings",
            f"the settings for comments are those of {named}, not of this checkout",
            hint="check out that branch, or nothing: items without increments need no checkout",
        )


def _run(
    context: Context,
    line: CommandLine,
    note: Callable[[], None],
    options: RunOptions,
    max_items: int | None,
) -> int:
    """Carry out a command, and publish the increments that it changes or notes something on."""
    before, json = _globals(context), ["--json"] if options.as_json else []
    limits = [] if max_items is None else [f"--max-items={max_items}"]
    if context.max_time is not None:
        limits.append(f"--max-time={context.max_time}")
    published = line.increments or line.beside
    if not published or Way(options.way) is Way.NONE:
        code = run_command([*before, *line.arguments, *limits, *json])
        if code in (0, UNDELIVERED):
            note()
        return code
    # There is one document.
    with redirect_stdout(sys.stderr) if json else nullcontext():
        code = run_command([*before, *line.arguments, *limits])
    if code in (0, UNDELIVERED):
        note()
    elif code != UNDECIDED or not line.increments:
        return code
    # A person must decide about some of the increments; others may be changed.
    publish = ["sync", *published, "--yes", f"--commit={options.way}"]
    return max(code, run_command([*before, *publish, *limits, *json]))


def _globals(context: Context) -> list[str]:
    options = context.options
    root = [] if options.root is None else [f"--root={options.root}"]
    return [*root, f"--max-wait={options.max_wait}", *(["--debug"] if options.debug else [])]


def event_sources(registry: Registry) -> tuple[str, ...]:
    """Return the types of events that the installed plugins read."""
    return tuple(name for manifest in registry.manifests.values() for name in manifest.events)


def read_event(registry: Registry, source: str, path: Path) -> tuple[str, ItemEvent]:
    """Read an event; return its tracker's name with it."""
    readers = {
        name: (manifest.name, reader)
        for manifest in registry.manifests.values()
        for name, reader in manifest.events.items()
    }
    if source not in readers:
        raise UsageError(
            "unknown-event-source",
            f"no plugin reads events of type {source!r}",
            hint=f"known types are {', '.join(readers) or 'none'}",
        )
    tracker, target = readers[source]
    read, content = load(registry.manifest(tracker).name, target), _read_file(path)
    with blaming(tracker, f"reading an event with {target}"):
        try:
            event = read(content)
        except ValueError as error:
            raise UsageError(
                "event-not-understood",
                f"not an event of type {source}: {error}",
                where=str(path),
                hint="in GitHub Actions the file is at $GITHUB_EVENT_PATH",
            ) from error
        if not isinstance(event, ItemEvent):
            raise TypeError("it returned no ItemEvent")
    return tracker, event


def _read_file(path: Path) -> bytes:
    try:
        return read_user_file(path, at_most=MAX_EVENT_SIZE)
    except OSError as error:
        raise UsageError(
            "event-unreadable",
            f"the event cannot be read: {error.strerror}",
            where=str(path),
            hint="name the file that the CI system wrote",
        ) from error


def _is_built(root: Path, environ: Mapping[str, str]) -> bool:
    """Whether a branch is checked out, or the very commit that the CI job builds.

    For a comment on a pull request, the variables of CI name the default branch nevertheless.
    """
    if ask_git(root, "symbolic-ref", "--quiet", "HEAD") is not None:
        return True
    names = ("GITHUB_SHA", "BUILD_SOURCEVERSION", "CI_COMMIT_SHA")
    built = next((environ[name] for name in names if environ.get(name)), None)
    head = ask_git(root, "rev-parse", "--verify", "--quiet", DETACHED)
    if head is None:  # of a repository that cannot be read, nobody knows what is checked out
        return not has_repository(root)
    branch = f"refs/remotes/origin/{current_branch(root, environ)}"
    is_published = run_git(root, "merge-base", "--is-ancestor", DETACHED, branch) is not None
    return head == built or is_published
