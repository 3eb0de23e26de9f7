"""Events as Claude Code 2.1, Codex 0.169 and Gemini CLI 0.61 passed them to a recorded hook."""

import json
from pathlib import Path
from typing import Any

from tests.cli.project import Done, Project
from tests.unlatch_agents.transcripts.examples import EXAMPLES

ID = "9f066655-3149-4b75-819b-bf19b0b14a20"
_MORE: dict[str, dict[str, Any]] = {
    "claude-code": {"source": "startup"},
    "codex": {
        "model": "mock-model",
        "permission_mode": "bypassPermissions",
        "source": "startup",
    },
    "gemini-cli": {"timestamp": "2026-11-22T05:56:55.585Z", "source": "startup"},
}
_TRANSCRIPTS = {
    "claude-code": f".claude/projects/-home-dev-demo/{ID}.jsonl",
    "codex": f".codex/sessions/2026/11/22/rollout-2026-11-22T05-57-24-{ID}.jsonl",
    "gemini-cli": f".gemini/tmp/demo/chats/session-2026-11-22T05-56-{ID[:8]}.jsonl",
}
AGENTS = tuple(_MORE)
# The events that are answered with the briefing.
BRIEFED = {"claude-code": "SessionStart", "codex": "SessionStart", "gemini-cli": "BeforeAgent"}


def event(project: Project, agent: str, name: str, **more: Any) -> dict[str, Any]:
    """An event of a session in the project; `more` replaces its keys."""
    return {
        "session_id": ID,
        "transcript_path": str(project.home / _TRANSCRIPTS[agent]),
        "cwd": str(project.root),
        "hook_event_name": name,
        **_MORE[agent],
        **more,
    }


def put_transcript(project: Project, agent: str) -> Path:
    """Write the transcript that the event names."""
    path = project.home / _TRANSCRIPTS[agent]
    path.parent.mkdir(parents=True)
    path.write_bytes(EXAMPLES[agent]())
    return path


def fire(project: Project, found: object, *options: str) -> Done:
    """Run the hook."""
    text = found if isinstance(found, str) else json.dumps(found)
    return project.run("agents", "hook", *options, stdin=text.encode())


def context(done: Done) -> str:
    """The text that a hook adds to an agent's context."""
    assert done.code == 0
    answer = done.document["hookSpecificOutput"]
    assert answer["hookEventName"] in BRIEFED.values()
    assert done.document.keys() == {"hookSpecificOutput"}
    found: str = answer["additionalContext"]
    return found
