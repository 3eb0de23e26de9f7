"""The results of Codex's tool calls, as items of the model and as events have them."""

from __future__ import annotations

import re

from unlatch_agents.transcripts.conversation import Json, Result
from unlatch_agents.transcripts.values import joined, mapping, parsed_object, text

# The lines that Codex puts before the output of a command.
_EXIT_CODE = re.compile(
    r"(?:[A-Z][\w ]*: .*\n){0,5}(?:Process exited with code|Exit code:) (-?\d{1,9})(?:\n|$)"
)
_FAILED = (
    "apply_patch verification failed",
    "execution error",
    "failed to parse function arguments",
    "unsupported call",
)
# Without an exit code (findings/codex-denied-call.sh).
_DENIED = re.compile(r"approval policy is \w+; reject command\b")
_REJECTED = re.compile(r"(?:exec command|patch) rejected by user\b")
# An output, with how long it lasted before it.
_STOPPED = re.compile(r"(?:Wall time: .*\n)?aborted by user\b")
_FAILED_STATES = frozenset(("failed", "declined"))


def output_result(payload: Json) -> Result:
    """The result in an output that the model got: a text, perhaps of JSON, or parts."""
    output = payload.get("output")
    inner = mapping(output) or _json(joined(output))
    words = joined(inner.get("output") or inner.get("content")) if inner else joined(output)
    code = mapping(inner.get("metadata")).get("exit_code", inner.get("exit_code"))
    if not inner and (match := _EXIT_CODE.match(words)):
        code = int(match[1])
    if not inner and _STOPPED.match(words):
        return Result(words)
    return _result(words or joined(output), code, failed=inner.get("success") is False)


def item_result(item: Json) -> Result:
    """The result that an event has: output, exit code, status."""
    words = text(item.get("aggregated_output")) or text(item.get("stdout"))
    failed = (
        text(item.get("status")) in _FAILED_STATES
        or item.get("success") is False
        or "Err" in mapping(item.get("result"))
        or bool(item.get("error"))
    )
    declined = item.get("status") == "declined"
    return _result(words, item.get("exit_code"), failed=failed, rejected=declined)


def is_stopped(result: Result | None) -> bool:
    """Whether an output says that a person stopped the call, and when."""
    return result is not None and bool(_STOPPED.match(result.text))


def _result(words: str, code: object, *, failed: bool, rejected: bool = False) -> Result:
    exit_code = code if type(code) is int else None
    rejected = rejected or bool(_REJECTED.match(words))
    denied = bool(_DENIED.match(words))
    failed = failed or rejected or denied or bool(exit_code) or words.startswith(_FAILED)
    return Result(words, failed, rejected, exit_code, denied=denied)


def _json(words: str) -> Json:
    if not words.startswith("{"):
        return {}
    fields = parsed_object(words)
    return fields if "output" in fields or "exit_code" in fields else {}
