"""The words of a person in Codex's messages, apart from those of its programs."""

from __future__ import annotations

import re

_HARNESS = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|skills?|turn_aborted"
    r"|collaboration_mode|user_shell_command|subagent_notification|hook_context|apps_instructions"
    r"|plugins_instructions|model_switch)\b|# AGENTS\.md instructions)"
)
# What an IDE and the app put around a person's words.
_AROUND = re.compile(
    r"\s*# (?:Context from my IDE setup|Files mentioned by the user):\s.*?"
    r"^## My request for Codex:\s*(?P<words>.*)",
    re.DOTALL | re.MULTILINE,
)


def is_harness(words: str) -> bool:
    """Whether a message is the program's own."""
    return _HARNESS.match(words) is not None


def request(words: str) -> str:
    """A person's words, without what an IDE tells of its windows."""
    match = _AROUND.match(words)
    return match["words"].strip() or words if match else words
