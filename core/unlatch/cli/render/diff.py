"""Show the change of a file as a diff, and ask for consent."""

import difflib

from unlatch.cli.runtime.context import require_terminal
from unlatch.cli.terminal import output, prompts

_NO_NEWLINE = "\\ No newline at end of file"


def diff_of(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff of a text; None for a missing file."""
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
    """Show a diff to people, in colour where there is any; nothing in it is left out."""
    for line in diff.split("\n"):
        text = line.removesuffix("\r")
        if line.startswith(("+++", "---")):
            text = output.strong(text)
        elif line.startswith(("+", "-")):
            text = output.good(text) if line.startswith("+") else output.bad(text)
        output.data(text)


def ask_consent(question: str, *, yes: bool, command: str) -> bool:
    """Ask for consent to a change that was shown; `command` is the one that does not ask."""
    if not yes:
        require_terminal("files would be changed", command)
    return yes or prompts.confirm(question)
