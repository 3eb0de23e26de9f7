"""Showing what a file would become, before it is written, and asking for it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import is_interactive
from unlatch.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_NEWLINE = "\\ No newline at end of file"


def diff_of(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff of a text; None for a file that is not there."""
    old = "/dev/null" if before is None else f"a/{path}"
    new = "/dev/null" if after is None else f"b/{path}"
    return "\n".join(
        difflib.unified_diff(_split(before), _split(after), old, new, n=2, lineterm="")
    )


def _split(content: bytes | None) -> list[str]:
    # split, not splitlines: only a line feed ends a line of a diff.
    *lines, last = (content or b"").decode(errors="replace").split("\n")
    return [*lines, f"{last}\n{_NO_NEWLINE}"] if last else lines


def show_diff(diff: str) -> None:
    """Show a diff to people, in colour where there is any."""
    for line in _lines(diff):
        output.data(line)


def _lines(diff: str) -> Iterator[str]:
    for line in diff.split("\n"):
        shown = output.harmless(line.removesuffix("\r"))
        if line.startswith(("+++", "---")):
            yield output.strong(shown)
        elif line.startswith("+"):
            yield output.good(shown)
        elif line.startswith("-"):
            yield output.bad(shown)
        else:
            yield shown


def agreed(question: str, *, yes: bool, command: str) -> bool:
    """Whether somebody wants what was shown.

    Args:
        command: what is to be typed where nobody can be asked.

    Raises:
        UsageError: `not-interactive`.
    """
    if yes:
        return True
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            "files would be changed; cannot prompt: stdin is not a terminal",
            hint=command,
        )
    return output.confirm(question)
