"""Commands of unlatch as calls that return documents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch.transport.trace import Redactor
from unlatch.values import dataclass
from unlatch.worklog.json_text import load_json
from unlatch.worklog.programs import run
from unlatch.worklog.text.neutral import visible, without_controls
from unlatch.worklog.text.secrets import mask_values

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Document = dict[str, Any]
# Without the current folder on the module path: it is the project's.
_UNLATCH = (sys.executable, "-P", "-m", "unlatch.cli")
# Seconds; a delivery waits at most a minute for rate limits.
_TIMEOUT = 300.0
_MOST_BYTES = 8 << 20
_LONGEST = 4000
# Characters; a process takes no argument of more than 128 KiB.
_LONGEST_ARGUMENT = 32_000
_REDACTOR = Redactor()
# The errors that mean several things, or nothing but something similar.
_CANDIDATES = ("ambiguous-increment", "unknown-increment", "effort-ambiguous", "effort-unknown")
_UNKNOWN = (
    "it is unknown what was changed, so look before you call anything else. If operations are "
    "pending, the user can deliver them with `unlatch sync`"
)
ASK = "Ask the user which one is meant, then call again with it."


class CallFailed(UnlatchError):
    """A command failed. Nothing was changed, except perhaps with the id `call-unknown`."""


@dataclass(frozen=True, slots=True)
class Calls:
    """Runs commands in one project.

    Args:
        root: the project, or the folder to search from.
    """

    root: Path
    environ: Mapping[str, str]

    def run(
        self,
        *options: str,
        words: tuple[str, ...] = (),
        seen_with: str | None = None,
        exact: bool = False,
    ) -> Document:
        """The document of a command; candidates are a document, too.

        Args:
            options: the command and its options.
            words: arguments of the model, which are never options.
            seen_with: the command that shows what was changed, if this one writes.
            exact: for a consent: with escapes of what is not seen, and texts of any length.

        Raises:
            CallFailed: with the id, message and next step of the command's error, or `usage`;
                without a document `call-failed`, or `call-unknown` if the command writes.
        """
        argv = [*_UNLATCH, *options, "--json", "--", *words]
        if any("\0" in argument or len(argument) > _LONGEST_ARGUMENT for argument in argv):
            message = f"an argument has a zero byte, or more than {_LONGEST_ARGUMENT:,} characters"
            raise CallFailed(
                "usage", message, hint="call again with a shorter text without zero bytes"
            )
        try:
            done = run(
                argv, cwd=self.root, environ=self.environ, seconds=_TIMEOUT, most=_MOST_BYTES
            )
            answer = load_json(done.out)
        except (OSError, ValueError) as error:
            message = f"unlatch {options[0]} gave no document: {error}"
            if seen_with is None:
                raise CallFailed("call-failed", message, hint="call again") from error
            message += f"; {_UNKNOWN}"
            raise CallFailed("call-unknown", message, hint=seen_with) from error
        document = answer if isinstance(answer, dict) else {"entries": answer}
        if error_entry := document.get("error"):
            return _candidates(error_entry)
        return _shown(document, exact=exact)  # type: ignore[no-any-return]  # an object stays one


def _candidates(error: Mapping[str, Any]) -> Document:
    candidates = [_shown(problem) for problem in error.get("problems", ())]
    if error.get("id") in _CANDIDATES and candidates:
        return {"candidates": candidates, "message": _shown(error["message"]), "ask": ASK}
    problems = "; ".join(candidates)
    message = _shown(f"{error['message']}: {problems}" if problems else str(error["message"]))
    raise CallFailed(str(error["id"]), message, hint=_shown(error.get("hint")) or None)


def _shown(value: Any, *, exact: bool = False) -> Any:
    """A value for a model: without secrets and control characters, and no endless texts."""

    def shown(given: str) -> str:
        # In this order: the first letter of a secret can be the end of an escape sequence.
        text = _REDACTOR.text(given)
        if exact:
            return "\n".join(map(visible, text.split("\n")))
        text = without_controls(text)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."

    return mask_values(value, shown)
