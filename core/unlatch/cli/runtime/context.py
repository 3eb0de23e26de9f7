"""The context of a command: the project, its trackers, and the user."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.cli import runtime
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.files.paths import ProjectPaths, find_paths, project_at
from unlatch.project.workspace import Workspace
from unlatch.values import dataclass
from unlatch.worklog.search_path import search_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.trackers import Trackers
    from unlatch.transport import TransportOptions, Wait
    from unlatch.transport.breaker import CommandLimits
    from unlatch.transport.trace import Trace


@dataclass(frozen=True, slots=True)
class Globals:
    """Options that every command has, given before the command's name."""

    root: Path | None = None
    debug: bool = False
    max_wait: float = 60.0
    trace_http: Path | None = None
    no_pager: bool = False


class Context:
    """One run of a command."""

    # Seconds until this command begins nothing new (`--max-time`); None for no end.
    max_time: float | None = None

    def __init__(self, options: Globals) -> None:
        self.options = options

    @cached_property
    def limits(self) -> CommandLimits:
        """What all requests of this command share."""
        from unlatch.transport.breaker import CommandLimits  # noqa: PLC0415

        return CommandLimits(self.max_time)

    @cached_property
    def paths(self) -> ProjectPaths:
        """The project's folders; UsageError `no-project`."""
        root = self.options.root
        if root:
            # Paths below the root are split at its folders' names: none may be passed on the way.
            paths = project_at(root.resolve() if ".." in root.parts else root.absolute())
        else:
            paths = find_paths(Path.cwd())
        # As in `main`, where the root is not known yet: no program comes from the project.
        os.environ["PATH"] = search_path(os.environ.get("PATH"), apart=paths.root)
        return paths

    @cached_property
    def workspace(self) -> Workspace:
        paths = self.paths
        tokens = runtime.tokens
        return Workspace(paths, environ={**os.environ, **tokens} if tokens else os.environ)

    @cached_property
    def has_project(self) -> bool:
        """Whether there is a project here.

        Raises:
            UsageError: `project-not-yours`; with `--root` also `no-project`.
        """
        try:
            return bool(self.paths)
        except UsageError as error:
            if self.options.root or error.id != "no-project":
                raise
            return False

    def is_item(self, word: str) -> bool:
        """Whether a word has the form of an item, and is not the name of an increment."""
        from unlatch.project.find_increment import is_item  # noqa: PLC0415  (not for `list`)

        return is_item(word) and not (
            self.has_project and self.workspace.manager.collection.find(word)
        )

    def over(self, workspace: Workspace) -> Context:
        """The same context over another workspace, such as the records of items."""
        other = Context(self.options)
        other.paths, other.workspace, other.limits = workspace.paths, workspace, self.limits
        other.folder = self.folder
        return other

    @cached_property
    def folder(self) -> Path:
        """Where git knows the user: the project, also over records of items; else this folder."""
        return self.paths.root if self.has_project else Path.cwd()

    @contextmanager
    def trackers(self, options: TransportOptions | None = None) -> Iterator[Trackers]:
        """The project's trackers; an interruption stops their requests.

        Args:
            options: those of `transport`, where several contexts share them.
        """
        from unlatch.project.trackers import Trackers  # noqa: PLC0415

        with nullcontext(options) if options else self.transport() as given:
            trackers = Trackers(self.workspace, given)
            try:
                yield trackers
            except BaseException:
                trackers.stop()
                raise

    @contextmanager
    def transport(self) -> Iterator[TransportOptions]:
        """The options for requests, as this command was given them."""
        from unlatch.transport import TransportOptions  # noqa: PLC0415

        with ExitStack() as opened:
            trace = None
            if self.options.trace_http is not None:
                trace = opened.enter_context(_open_trace(self.options.trace_http))
            waits = self._tell_wait, self.options.max_wait
            yield TransportOptions(*waits, trace, command=self.limits)

    def _tell_wait(self, wait: Wait) -> None:
        manifest = self.workspace.registry.manifests.get(wait.tracker)
        title = manifest.title if manifest else "the chat model"
        output.talk(
            f"{output.sign('wait', sys.stderr)} {title}: waiting {wait.seconds:.0f} s, because "
            f"{output.clean(wait.why)}; Ctrl-C stops and keeps recorded operations"
        )

    @contextmanager
    def paged(self) -> Iterator[None]:
        """Show long output at a terminal in the user's pager."""
        if self.options.no_pager or not sys.stdout.isatty():
            yield
            return
        from unlatch.cli.terminal.pager import paged  # noqa: PLC0415  (only at a terminal)

        with paged(apart=self.paths.root if self.has_project else None):
            yield

    def trace(self, error: UnlatchError | None) -> None:
        """With --debug, show the traceback of an item's error."""
        if error is not None and self.options.debug:
            output.traceback(error)

    def who(self, given: str | None, *, notes_guess: bool = True) -> str:
        """The name for the audit entry; a note shows it if it is only the system's user name."""
        from unlatch.project.identity import user_name  # noqa: PLC0415

        root = self.folder
        name, is_guess = user_name(given, environ=os.environ, root=root)
        if is_guess and notes_guess:
            from unlatch.project.git.run import has_git  # noqa: PLC0415  (slow to load)

            why = "git has no user.name" if has_git(root) else "git is not installed"
            output.note(f"{why}: comments and the history name {name!r}; --by NAME changes that")
        return name


def _open_trace(path: Path) -> Trace:
    from unlatch.transport.trace import Trace  # noqa: PLC0415

    try:
        return Trace(path)
    except OSError as error:
        message = f"the file of --trace-http cannot be written: {error.strerror}"
        hint = "name a file in an existing folder: --trace-http trace.txt"
        raise UsageError("trace-unwritable", message, where=str(path), hint=hint) from error


def is_interactive() -> bool:
    """Whether prompts are possible."""
    return why_no_prompt() is None


def why_no_prompt() -> str | None:
    """Why prompts are not possible: they are shown on stderr and answered on stdin."""
    for stream, name in ((sys.stdin, "stdin"), (sys.stderr, "stderr")):
        if not stream.isatty():
            return f"cannot prompt: {name} is not a terminal"
    return None


def require_terminal(why: str, hint: str) -> None:
    """Check that a prompt is possible; `why` needs it, and `hint` names the command without it.

    Raises:
        UsageError: `not-interactive`.
    """
    if problem := why_no_prompt():
        raise UsageError("not-interactive", f"{why}; {problem}", hint=hint)


def can_pick() -> bool:
    """Whether there is a terminal that can show a menu."""
    if not is_interactive() or os.environ.get("TERM", "dumb") == "dumb":
        return False
    from unlatch.cli.terminal.room import has_room  # noqa: PLC0415  (only at a terminal)

    return has_room()
