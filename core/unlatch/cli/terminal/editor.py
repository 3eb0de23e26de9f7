"""The user's editor."""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

import click

from unlatch.cli.terminal import output, prompts
from unlatch.cli.terminal.line_editor import data_apart
from unlatch.errors import UsageError
from unlatch.worklog.search_path import find_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def user_editor() -> str | None:
    """The command of VISUAL, else EDITOR, with the program's absolute path."""
    with suppress(UsageError):
        return require_editor("")
    return None


def require_editor(otherwise: str) -> str:
    """The same; UsageError `editor-missing` if it is not set, or names no program."""
    name = "VISUAL" if os.environ.get("VISUAL") else "EDITOR"
    hint = f"set {name}, or {otherwise}"
    try:
        command = shlex.split(os.environ.get(name, ""))
    except ValueError as error:
        message = f"{name} is no command: {str(error).lower()}"
        raise UsageError("editor-missing", message, hint=hint) from error
    if not command:
        raise UsageError("editor-missing", "VISUAL and EDITOR are not set", hint=hint)
    if program := find_program(command[0]):
        return shlex.join([program, *command[1:]])
    message = f"{name} names no installed program: {command[0]}"
    raise UsageError("editor-missing", message, hint=hint)


def edit(
    text: str,
    editor: str,
    *,
    hint: str,
    extension: str = ".md",
    kept: Callable[[str], str] = str,
) -> str | None:
    """The text after editing; None if it was not saved.

    Text that was saved is kept in a file if the editor then fails or is interrupted.

    Args:
        kept: the text to keep.

    Raises:
        UsageError: `editor-failed`.
        prompts.Unanswered: the user interrupted the editor.
    """
    path = keep_text(text, extension)
    before = path.stat().st_mtime_ns
    interrupts: list[int] = []
    try:
        with data_apart(), _interrupting(interrupts):
            click.edit(filename=str(path), editor=editor)
        edited = _read(path) if path.stat().st_mtime_ns != before else None
    except (click.ClickException, UnicodeDecodeError, OSError) as error:
        where = _kept_in(path, text, kept)
        if interrupts:
            output.talk("", *([f"Your text is in {where}"] if where else []))
            raise prompts.Unanswered from error
        hint = f"your text is in {where}; {hint}" if where else hint
        raise UsageError("editor-failed", _failure(error), hint=hint) from error
    path.unlink()
    return edited


def keep_text(text: str, extension: str) -> Path:
    """Write a text to a new file that only the user can read."""
    import tempfile  # noqa: PLC0415  (most commands open no editor)

    descriptor, name = tempfile.mkstemp(prefix="unlatch-", suffix=extension)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(text if text.endswith("\n") or not text else f"{text}\n")
    # Some file systems count whole seconds, and an editor may be quick.
    os.utime(name, (0, 0))
    return Path(name)


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")


@contextmanager
def _interrupting(seen: list[int]) -> Iterator[None]:
    """Leave Ctrl-C to the editor, as git does; note that it came."""
    import signal  # noqa: PLC0415  (as above)

    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _kept_in(path: Path, text: str, kept: Callable[[str], str]) -> Path | None:
    """The file with a text that was saved; None, without the file, if nothing was changed."""
    try:
        text_kept = kept(_read(path)).strip()
        if not text_kept or text_kept == kept(text).strip():
            path.unlink()
            return None
        path.write_text(f"{text_kept}\n", encoding="utf-8")
    except UnicodeDecodeError:
        return path
    except OSError:
        return path if path.exists() else None
    return path


def _failure(error: click.ClickException | UnicodeDecodeError | OSError) -> str:
    if isinstance(error, UnicodeDecodeError):
        at = f"byte {error.start} is {error.object[error.start]:#x}"
        return f"the edited text is not UTF-8: {at}"
    if isinstance(error, click.ClickException):
        return f"the editor failed: {error.format_message()}"
    return f"the edited text cannot be read: {error.strerror}"
