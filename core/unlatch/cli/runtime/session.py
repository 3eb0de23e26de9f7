"""The session of a command: the project, its trackers, and the user."""

from __future__ import annotations

import os
import re
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unlatch.cli.runtime import output
from unlatch.cli.runtime.suggest import Mistyped
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.files.layout import Layout, find_layout, project_at
from unlatch.project.workspace import Workspace
from unlatch.worklog.disk.user_files import user_config_file
from unlatch.worklog.programs import find_program, search_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.cli.table import Globals
    from unlatch.project.trackers import Trackers
    from unlatch.transport import TransportOptions, Wait
    from unlatch.transport.trace import Trace

T = TypeVar("T")
flag = partial(click.option, is_flag=True)
BY = click.option(
    "--by",
    metavar="NAME",
    help="Record this name in the history; by default your name in CI or git.",
)
JSON = flag("--json", "as_json", help="Print one JSON document.")


@dataclass
class Session:
    options: Globals

    @cached_property
    def layout(self) -> Layout:
        """The project's folders; UsageError `no-project`."""
        root = self.options.root
        if root:
            # Paths below the root are split at its folders' names: none may be passed on the way.
            layout = project_at(root.resolve() if ".." in root.parts else root.absolute())
        else:
            layout = find_layout(Path.cwd())
        # As in `main`, where the root is not known yet: no program comes from the project.
        os.environ["PATH"] = search_path(os.environ.get("PATH"), apart=layout.root)
        return layout

    @cached_property
    def workspace(self) -> Workspace:
        return Workspace(self.layout, environ=os.environ, user_config=user_config_file())

    @cached_property
    def has_project(self) -> bool:
        """Whether there is a project here; a `--root` without one raises `no-project`."""
        try:
            return bool(self.layout)
        except UsageError:
            if self.options.root:
                raise
            return False

    def over(self, workspace: Workspace) -> Session:
        """The same session over another workspace, such as the records of items."""
        other = Session(self.options)
        other.layout, other.workspace = workspace.layout, workspace
        return other

    @contextmanager
    def trackers(self) -> Iterator[Trackers]:
        """The project's trackers; an interruption stops their requests."""
        from unlatch.project.trackers import Trackers  # noqa: PLC0415

        with self.transport() as options:
            trackers = Trackers(self.workspace, options)
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
            yield TransportOptions(self._tell_wait, self.options.max_wait, trace)

    def _tell_wait(self, wait: Wait) -> None:
        manifest = self.workspace.registry.manifests.get(wait.tracker)
        title = manifest.title if manifest else "the chat model"
        output.talk(
            f"{output.sign('wait', sys.stderr)} {title}: waiting {wait.seconds:.0f} s, because "
            f"{output.clean(wait.why)}; Ctrl-C stops and keeps recorded operations"
        )

    def trace(self, error: UnlatchError | None) -> None:
        """With --debug, show the traceback of an item's error."""
        if error is not None and self.options.debug:
            output.traceback(error)

    def who(self, given: str | None, *, notes_guess: bool = True) -> str:
        """The name for the audit entry; a note shows it if it is only the system's user name."""
        from unlatch.project.identity import user_name  # noqa: PLC0415

        root = self.layout.root if self.has_project else Path.cwd()
        name, is_guess = user_name(given, environ=os.environ, root=root)
        if is_guess and notes_guess:
            has_git = find_program("git", apart=root) is not None
            why = "git has no user.name" if has_git else "git is not installed"
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
    return sys.stdin.isatty() and sys.stderr.isatty()


def require_terminal(why: str, hint: str) -> None:
    """Check that a prompt is possible; `why` needs it, and `hint` names the command without it.

    Raises:
        UsageError: `not-interactive`.
    """
    if not is_interactive():
        message = f"{why}; cannot prompt: stdin is not a terminal"
        raise UsageError("not-interactive", message, hint=hint)


def with_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """Pass the session to a command's function as its first argument."""

    @click.pass_context
    def run(ctx: click.Context, /, *args: Any, **kwargs: Any) -> Any:
        return function(Session(ctx.obj), *args, **kwargs)

    return run


# As Jira and GitHub name items: SCRUM-28, octo/widgets#4, #4. An increment begins with a number.
# fabrikam/widgets 101 is Azure DevOps' work item 101.
_ITEM = re.compile(
    r"[A-Za-z][A-Za-z0-9_]*-[0-9]+|[^0-9.][^ #]*#[0-9]+|#[0-9]+|[^0-9.][^ /#]*/[^/#]+ [0-9]+"
)


def is_item(word: str) -> bool:
    """Whether a word is an item's address or name, not an increment's id or a number."""
    return "://" in word or bool(_ITEM.fullmatch(word) and not word.startswith("#"))


def increment_ids(ctx: click.Context, _: click.Parameter, value: T) -> T:
    """Refuse an item's address or name in place of an ID, and name the ID of its increment.

    Raises:
        UsageError: `id-is-url`, `id-is-item`, or the address is not that of a configured item.
    """
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, str) and ("://" in one or _ITEM.fullmatch(one)):
            has_item = any("--item" in other.opts for other in ctx.command.params)
            raise _refused_item(Session(ctx.obj).workspace, one, has_item=has_item)
    return value


def _refused_item(workspace: Workspace, word: str, *, has_item: bool) -> UsageError:
    from unlatch.lifecycle.linking.link import increments_at, increments_with  # noqa: PLC0415

    what = "ID is the number or name of an increment, not"
    if "://" in word:
        found, new = increments_at(workspace, word), f"unlatch new --from {quote(word)}"
        error = UsageError("id-is-url", f"{what} an address: {word}", hint=new)
    else:
        found, new = increments_with(workspace, word), "unlatch new --from URL"
        new = f"{new}, or unlatch link ID URL, with the address of {word}"
        error = UsageError("id-is-item", f"{what} an item: {word}", hint=new)
    if len(found) == 1:
        item = ("--item", word) if has_item else ()
        return Mistyped(error.id, error.message, typed=word, meant=(found[0].id, *item))
    if found:
        error.hint = f"name one of its increments: {', '.join(one.id for one in found)}"
    return error


ID = click.argument("wanted", metavar="ID", callback=increment_ids)
