"""The entry point: runs a command, and turns an error into a message and an exit code."""

from __future__ import annotations

import gc
import io
import os
import sys
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, NoReturn

import click

from unlatch.cli import runtime
from unlatch.errors import UnlatchError, UsageError
from unlatch.worklog.search_path import search_path

if TYPE_CHECKING:
    from collections.abc import Iterator


def plain_show(arguments: list[str]) -> bool:
    """Show the increment of a command line that is just `show ID`, as the parsed command would.

    It runs without click, which takes longer to load than the rest: docs/adr/0026. False leaves any
    other line to the parser, also one whose ID means no increment: it explains it.
    """
    match arguments:
        case ["show", word] if word and word[0] != "-" and ":" not in word:
            return _show(word)
    return False


def _show(word: str) -> bool:
    from unlatch.cli.render.increment import show_increment  # noqa: PLC0415  (not for the others)
    from unlatch.cli.runtime.context import Context, Globals  # noqa: PLC0415
    from unlatch.project.find_increment import find_increment  # noqa: PLC0415

    context = Context(Globals())
    try:
        meant = find_increment(context.workspace, word)
    except UsageError:
        return False
    if meant.is_part or meant.item:
        from unlatch.cli.runtime.increments import note_meaning  # noqa: PLC0415  (rarely needed)

        note_meaning(meant, word)
    show_increment(context, context.workspace.manager.read(meant.name))
    return True


# click looks for it, and completes a command line instead.
_COMPLETING = "_UNLATCH_COMPLETE"
# An agent takes exit code 2 of a hook as an order to stop.
_HOOK = ["agents", "hook"]


def main() -> NoReturn:
    _open_closed_streams()
    _make_streams_safe()
    # For libraries that search the PATH themselves.
    os.environ["PATH"] = search_path(os.environ.get("PATH"))
    runtime.command_line[:] = sys.argv
    if runtime.TOKEN_PIPE in os.environ:
        from unlatch.cli.runtime.held_tokens import take_tokens  # noqa: PLC0415  (for workers)

        take_tokens()
    code = run(sys.argv[1:])
    gc.freeze()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command; its exit code."""
    code = _run(arguments)
    if _is_hook(arguments):
        return 0
    output = sys.modules.get("unlatch.cli.terminal.output")
    failure = output.take_failure() if output else None
    if failure is None or code:
        return code
    from unlatch.cli.runtime.failure import UNDECIDED, tell  # noqa: PLC0415

    message = f"the output cannot be written: {failure.strerror}"
    hint = "free space or choose another file; changes that were made stay"
    tell(UnlatchError("output-unwritable", message, hint=hint), [])
    return UNDECIDED


def _is_hook(arguments: list[str]) -> bool:
    """Whether the command is a hook, also after options that are wrong."""
    if _HOOK[0] not in arguments:
        return False
    from unlatch.cli.table import COMMANDS  # noqa: PLC0415

    first = next((at for at, word in enumerate(arguments) if word in (*COMMANDS, _HOOK[0])), 0)
    return arguments[first : first + 2] == _HOOK


def _run(arguments: list[str]) -> int:
    try:
        return _execute(arguments)
    except click.exceptions.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001  # a bug is reported like any error
        from unlatch.cli.runtime.failure import tell_end  # noqa: PLC0415  (slow to load)

        return tell_end(error, arguments)


def _execute(arguments: list[str]) -> int:
    if _COMPLETING in os.environ:
        from unlatch.cli.runtime.shells import register  # noqa: PLC0415

        register()
    elif plain_show(arguments):
        return 0
    from unlatch.cli.app import app  # noqa: PLC0415  (loads click)
    from unlatch.cli.table import COMMANDS  # noqa: PLC0415

    # Most command lines begin with a command; the help of all shows no alias.
    if arguments and arguments[0] not in (*COMMANDS, "--help"):
        from unlatch.cli.runtime.aliases import without_alias  # noqa: PLC0415

        arguments[:] = without_alias(arguments, app)
    with _paging_help(arguments):
        code = app.main(arguments, prog_name="unlatch", standalone_mode=False)
    return code if isinstance(code, int) else 0


@contextmanager
def _paging_help(arguments: list[str]) -> Iterator[None]:
    """Show the help of a command in the pager as other long output; click writes it itself.

    `unlatch --help` needs none, as that of git and gh.
    """
    asks = arguments[-1:] in (["--help"], ["-h"]) and "--no-pager" not in arguments
    if not (asks and sys.stdout.isatty() and _has_command(arguments)):
        yield
        return
    from unlatch.cli.terminal import output  # noqa: PLC0415
    from unlatch.cli.terminal.pager import paged  # noqa: PLC0415

    buffer = io.StringIO()
    try:
        with redirect_stdout(buffer):
            yield
    finally:
        if text := buffer.getvalue().removesuffix("\n"):
            with paged():
                output.echo(text, sys.stdout)


def _has_command(arguments: list[str]) -> bool:
    from unlatch.cli.app import app  # noqa: PLC0415  (only at a terminal)
    from unlatch.cli.runtime.aliases import place_of_command  # noqa: PLC0415

    return place_of_command(arguments, app) < len(arguments)


def _open_closed_streams() -> None:
    """Open the null device for each standard stream that was closed (`unlatch list >&-`).

    Python has None for it then, and the next file would get its descriptor: the messages of a
    library could end up in metadata.json.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # Those below are open, so this gets the lowest that is free: the number of the stream.
            descriptor = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(descriptor, descriptor == number)
            mode = "w" if number else "r"
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))


def _make_streams_safe() -> None:
    # A stream that cannot encode a character shows a question mark instead of failing.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
