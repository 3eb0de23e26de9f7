"""Failed calls that help to know: no slips, and of a long output the lines that say why."""

from __future__ import annotations

import re

from unlatch_sessions.session_model import CalloutKind, Phase, ToolCall

# A name that was mistyped, or a tool that was used wrongly: the next call had it right.
_SLIP = re.compile(
    r"command not found|not recognized as an internal or external command"
    r"|No such file or directory|file or directory not found|File does not exist|ENOENT"
    r"|(?:unknown|invalid|unrecognized|no such) (?:option|argument|command|subcommand|flag)"
    r"|unrecognized arguments|is not a git command"
    r"|InputValidationError|tool_use_error|has not been read yet|params?(?:/\w+)? must",
    re.IGNORECASE,
)
# The lines of test runners and shells that are around the reason.
_BANNER = re.compile(
    r"[=\-_*~#]{4}|(?:platform|rootdir|configfile|plugins|cachedir|benchmark|hypothesis profile)\b"
    r"|collect(?:ed|ing) |Output: ?$|Exit code:? -?\d+$|Process Group PGID|Wall time|Chunk ID",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"error|fail|exception|traceback|denied|refused|cannot|can['\u2019]t|not found|no module"
    r"|unable|timed? ?out|fatal|panic|assert",
    re.IGNORECASE,
)
_MOST_LINES = 3


def failures(phase: Phase, *, with_calls: bool) -> list[str]:
    """The errors of a phase and how they were resolved, and the calls that failed.

    An error that an import found has its call.

    Args:
        with_calls: also the failed calls without such an error.
    """
    texts: list[str] = []
    call = ""
    for entry in phase.entries:
        if isinstance(entry, ToolCall):
            call = f"{entry.tool} {entry.arguments}".strip() if entry.failed else ""
            if call and with_calls and not _SLIP.search(entry.result):
                texts.append(f"{call}: {entry.result}" if entry.result else call)
        elif entry.kind == CalloutKind.ERROR:
            is_of_call = bool(call and entry.head and not entry.title)
            what = " ".join(filter(None, (entry.title, entry.description)))
            if is_of_call:
                texts = texts[:-1] if with_calls and texts[-1:] and call in texts[-1] else texts
                what = "" if _SLIP.search(what) else f"{call}: {telling(what)}"
            if what:
                resolved = f" - resolved: {entry.resolution}" if entry.resolution else ""
                texts.append(f"{what}{resolved}")
            call = ""
    return texts


def telling(output: str) -> str:
    """The lines of an output that say why a call failed; the last ones if none does."""
    lines = [
        line for line in output.split("\n") if line.strip() and not _BANNER.match(line.strip())
    ]
    chosen = [line for line in lines if _TELLING.search(line)] or lines
    return "\n".join(chosen[-_MOST_LINES:])
