"""The texts of log lines, which may come from other programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROLES = frozenset({"user", "assistant"})


def said_text(entries: Sequence[dict[str, Any]]) -> str:
    """The text of users and assistants, without their roles."""
    return "".join(
        str(entry.get("content") or "") for entry in entries if entry.get("role") in _ROLES
    )


def spoken_text(entries: Sequence[dict[str, Any]]) -> str:
    """The text of a log: messages of users and assistants, and the separators of reopens."""
    spoken = (entry for entry in entries if entry.get("role") != "tool" and entry.get("content"))
    return "\n".join(f"{entry.get('role')}: {entry['content']}{_why(entry)}" for entry in spoken)


def _why(entry: dict[str, Any]) -> str:
    """The reason of a reopen, behind its separator."""
    return f" {entry['reason']}" if entry.get("reason") and entry.get("role") == "system" else ""


def speaker(entry: dict[str, Any]) -> str:
    """The role of one line, and whether its text was interrupted."""
    return f"{entry.get('role')}" + (" (interrupted)" if entry.get("interrupted") else "")


def entry_text(entry: dict[str, Any]) -> str:
    """The text of one line, and the calls of tools below it."""
    content, calls = entry.get("content"), entry.get("tool_calls")
    texts = [content if isinstance(content, str) else _as_json(content)] if content else []
    texts += map(_call_text, calls if isinstance(calls, list) else [])
    return "\n".join(texts)


def _call_text(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return _as_json(call)
    return f"{function.get('name')}({function.get('arguments')})"


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
