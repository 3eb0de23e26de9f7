"""An event that an agent passes to a hook; Claude Code, Codex and Gemini CLI use one shape."""

from __future__ import annotations

from pathlib import Path

from unlatch.errors import UsageError
from unlatch.values import dataclass
from unlatch.worklog.json_text.document import JsonText, JsonTextError

# Bytes; an event with a long prompt has some thousand.
LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event.

    Args:
        cwd: the folder in which the agent works.
        transcript: the file with the session's transcript, if it has one.
    """

    name: str
    cwd: Path
    transcript: Path | None

    @property
    def is_gemini(self) -> bool:
        """Whether it is of Gemini CLI, by the place of its transcripts."""
        return self.transcript is not None and ".gemini" in self.transcript.parts


def read_event(raw: bytes) -> HookEvent:
    """Read an event; UsageError `hook-event-invalid`."""
    if len(raw) > LARGEST:
        raise _invalid(f"it has more than {LARGEST:,} bytes")
    try:
        payload = JsonText.parse(raw).value
    except JsonTextError as error:
        raise _invalid(str(error)) from error
    if not isinstance(payload, dict):
        raise _invalid("it is not an object")
    name, cwd = payload.get("hook_event_name"), payload.get("cwd")
    if not isinstance(name, str):
        raise _invalid("hook_event_name is missing")
    if not isinstance(cwd, str) or "\0" in cwd or not Path(cwd).is_absolute():
        raise _invalid("cwd is not an absolute path")
    path = payload.get("transcript_path")
    transcript = Path(path) if isinstance(path, str) and path and "\0" not in path else None
    return HookEvent(name, Path(cwd), transcript)


def _invalid(why: str) -> UsageError:
    message = f"the event on stdin cannot be read: {why}"
    return UsageError("hook-event-invalid", message, hint="unlatch agents hook --help")
