"""The options for a reason: on the command line, from a file or stdin, or in the user's editor."""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import suppress
from functools import wraps
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import IO, TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import flag, text_option, together
from unlatch.cli.runtime.context import Context, is_interactive, require_terminal
from unlatch.cli.runtime.failure import in_job, part
from unlatch.cli.runtime.increments import Named
from unlatch.cli.runtime.passing import context_of, settle_reason
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.model.reason import (
    LONGEST_REASON,
    checked_reason,
    quoted_reason,
    reason_too_long,
)
from unlatch.patterns import pattern
from unlatch.project.find_increment import find_increment, find_range
from unlatch.worklog.text.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from unlatch.increments.model.increment import Increment

    About = Callable[[Context, dict[str, Any]], Iterable[str]]
    Check = Callable[[Context, dict[str, Any]], None]

_QUESTION = "Reason for reopening"
_STDIN = "-"
_EXTENSION = ".txt"
_OTHERWISE = "use --reason TEXT or --reason-file FILE"
# Not #4, which may begin a reason.
_COMMENT = pattern(r"#(\s.*)?$")
# Lines in which vim and Emacs look for settings.
_SETTINGS = pattern(r"\b(vim?[<=>]?\d*|ex|Local Variables)(?=:)", re.IGNORECASE)
_MOST_LINES = 100
_MOST_READ = 2 * LONGEST_REASON


def about_increments(context: Context, given: dict[str, Any]) -> Iterator[str]:
    """The increments and items of a command, for the comment in the editor."""
    yield from given.get("expressions", ())
    items = given.get("items") or given.get("ids") or ()
    if not isinstance(items, Named) and any(map(context.is_item, items)):
        yield from items
        return
    single = [given["wanted"]] if "wanted" in given else ()
    for name in named(context, items or given.get("named") or single):
        yield from _about_increment(context, context.workspace.manager.read(name))


def named(context: Context, given: Named | Iterable[str]) -> Iterable[str]:
    if isinstance(given, Named):
        return given.names
    workspace = context.workspace
    names_of = [
        find_range(workspace, word) or [find_increment(workspace, word).name] for word in given
    ]
    return dict.fromkeys(name for names in names_of for name in names)


def _about_increment(context: Context, increment: Increment) -> Iterator[str]:
    yield f"{increment.id}: {output.clean(increment.title)} ({increment.status})"
    for link in increment.links:
        yield f"  {context.workspace.registry.manifest(link.tracker).title} {link.key}"
    for last in increment.reopens[-1:]:
        yield f"  Last reopened {last.reopened_at:%Y-%m-%d} by {output.clean(last.reopened_by)}:"
        yield from (f"    {line}" for line in without_controls(last.reason).split("\n"))


def about_name(_context: Context, given: dict[str, Any]) -> Iterator[str]:
    """The effort, session or run of a command, as it was typed."""
    yield from filter(None, [given.get("effort") or given.get("wanted")])


def no_check(_context: Context, _given: dict[str, Any]) -> None:
    """The check of a command that asks nothing."""


def reason_option(
    help: str, *, about: About = about_increments, check: Check = no_check
) -> Callable[[Any], Any]:
    """Options for a reason, passed to the command as `reason`; None without one of them.

    Args:
        about: lines for the comment in the editor, from the context and the command's arguments.
        check: refuses the command, with the same arguments, before it waits for a pipe.
    """
    options = together(
        text_option(
            "--reason",
            "-m",
            "texts",
            metavar="TEXT",
            multiple=True,
            help=f"{help} '-' reads it from stdin.",
        ),
        click.option(
            "--reason-file",
            "-F",
            "file",
            type=click.Path(exists=True, dir_okay=False, allow_dash=True),
            metavar="FILE",
            help="Read the reason from this file; '-' is stdin.",
        ),
        flag("--edit", "-e", help="Write the reason in your editor (VISUAL or EDITOR)."),
    )

    def decorate(function: Callable[..., Any]) -> Any:
        @wraps(function)
        def run(
            *args: Any, texts: tuple[str, ...], file: str | None, edit: bool, **given: Any
        ) -> Any:
            if len(texts) + (file is not None) + edit > 1:
                raise click.UsageError("give the reason once: --reason, --reason-file or --edit")
            context = context_of(click.get_current_context())
            if _STDIN in (*texts, file) and not sys.stdin.isatty():
                check(context, given)
            reason = _read(texts, file)
            if reason and in_job():
                part("reason")(reason)
            if not edit:
                settle_reason(click.get_current_context(), reason)
                return function(*args, reason=reason, **given)
            reason = _edited(context, about(context, given))
            settle_reason(click.get_current_context(), reason)
            try:
                return function(*args, reason=reason, **given)
            except (UnlatchError, click.UsageError):
                _keep(reason)
                raise

        return options(run)

    return decorate


def typed_reason() -> str:
    """The option that gave the reason of the command, for a hint; --reason TEXT without one."""
    given = click.get_current_context().params
    if file := given.get("file"):
        return f"--reason-file {quote(file)}"
    texts = given.get("texts") or ("TEXT",)
    return f"--reason {quoted_reason(texts[0])}"


def ask_reason(context: Context) -> str:
    """Ask for the reason until it is usable; the arrow keys bring earlier ones of the project."""
    from unlatch.project.earlier_reasons import earlier_reasons, remember_reason  # noqa: PLC0415

    if not context.has_project:
        return prompts.ask(_QUESTION, checked_reason)
    root = context.paths.root
    reason = prompts.ask(_QUESTION, checked_reason, earlier=earlier_reasons(root))
    remember_reason(root, reason)
    return reason


def reason_to_reopen(context: Context, reason: str | None, *, ref: str, command: str) -> str:
    """The reason for reopening ended work; asks for a missing one at a terminal.

    Args:
        command: what a person types, without the reason.

    Raises:
        UsageError: `reason-missing`: there is no terminal to ask at, or the answer is empty.
    """
    if reason is not None:
        return checked_reason(reason)
    if not is_interactive():
        hint = f"{command} --reason TEXT"
        raise UsageError("reason-missing", f"reopening {ref} needs a reason", hint=hint)
    return ask_reason(context)


def _read(texts: tuple[str, ...], file: str | None) -> str | None:
    if _STDIN in (*texts, file):
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="strict")
        with prompts.asking():
            if sys.stdin.isatty():
                output.talk("Reading the reason from stdin; end with Ctrl-D.")
            return _text(sys.stdin)
    if file is None:
        return _typed(texts[0]) if texts else None
    try:
        with Path(file).open(encoding="utf-8-sig") as opened:
            return _text(opened)
    except OSError as error:
        message = f"the reason cannot be read: {error.strerror}"
        raise UsageError("reason-unreadable", message, where=file, hint=_OTHERWISE) from error


def _typed(text: str) -> str:
    # Python keeps bytes that the locale cannot decode as halves of characters (PEP 383).
    with suppress(UnicodeEncodeError):
        text.encode()
        return text
    try:
        return os.fsencode(text).decode()
    except UnicodeDecodeError as error:
        raise _unreadable(f"it has the byte {error.object[error.start]:#x}") from error


def _text(stream: IO[str]) -> str:
    try:
        text = stream.read(_MOST_READ)
    except UnicodeDecodeError as error:
        # With signs in their place, everyone would read a damaged text on the items.
        raise _unreadable(f"it has the byte {error.object[error.start]:#x}") from error
    if "\0" in text:
        raise _unreadable("it has a zero byte")
    if len(text) == _MOST_READ:  # the rest is not read, and may be huge
        raise reason_too_long(f"{_MOST_READ:,} characters or more")
    return checked_reason(text)


def _unreadable(why: str) -> UsageError:
    message = f"the reason is binary, or text in another encoding than UTF-8: {why}"
    return UsageError("reason-unreadable", message, hint=f"save it as UTF-8, or {_OTHERWISE}")


def _edited(context: Context, about: Iterable[str]) -> str:
    """The reason as it is written in the editor; UsageError `reason-missing` if it is empty."""
    from unlatch.cli.terminal.editor import edit, keep_text, require_editor  # noqa: PLC0415
    from unlatch.project.earlier_reasons import remember_reason  # noqa: PLC0415

    require_terminal("--edit opens an editor", _OTHERWISE)
    editor = require_editor(_OTHERWISE)
    text = edit(
        _template(about), editor, hint=_OTHERWISE, extension=_EXTENSION, kept=_without_comments
    )
    written = _without_comments(text or "")
    try:
        reason = checked_reason(written)
    except UsageError as error:
        if written:
            kept = keep_text(written, _EXTENSION)
            error.hint = f"your text is in {kept}; {error.hint or _OTHERWISE}"
        raise
    if context.has_project:
        remember_reason(context.paths.root, reason)
    return reason


def _keep(reason: str) -> None:
    """Keep a written text whose command is refused."""
    from unlatch.cli.terminal.editor import keep_text  # noqa: PLC0415

    output.note(f"your text is in {keep_text(reason, _EXTENSION)}; pass it with --reason-file")


def _without_comments(text: str) -> str:
    kept = [line for line in text.split("\n") if not _COMMENT.match(line)]
    return without_controls("\n".join(kept)).strip()


def _template(about: Iterable[str]) -> str:
    """An empty line for the reason, and comments."""
    lines = [
        f"The reason for: {click.get_current_context().command_path}",
        "Lines that begin with '# ' are left out. An empty reason cancels the command.",
        "",
        *islice(about, _MOST_LINES),
    ]
    safe = (_SETTINGS.sub(r"\1 ", output.harmless(line)) for line in lines)
    return "\n".join(["", *(f"# {line}".rstrip() for line in safe), ""])
