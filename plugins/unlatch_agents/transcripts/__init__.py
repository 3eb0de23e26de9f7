"""Readers of coding agents' transcripts: Claude Code, Codex, Gemini CLI, OpenCode and aider.

Kinds of work that import transcripts call it; it knows none of them and imports `worklog` and
`errors` alone. It only reads: it does not write into the agents' folders, open files with
credentials, or follow links below an agent's folder. A line of an unknown type is counted.
"""

from __future__ import annotations

from unlatch_agents.transcripts.conversation import (
    Branch,
    Compaction,
    Event,
    Interruption,
    Prompt,
    Reply,
    Result,
    Thought,
    ToolCall,
    Transcript,
    Usage,
)
from unlatch_agents.transcripts.find import Listed, find_transcripts, transcripts_in
from unlatch_agents.transcripts.findings import Correction, Decision, Failure, Finding, findings
from unlatch_agents.transcripts.read import read_transcripts

__all__ = [
    "Branch",
    "Compaction",
    "Correction",
    "Decision",
    "Event",
    "Failure",
    "Finding",
    "Interruption",
    "Listed",
    "Prompt",
    "Reply",
    "Result",
    "Thought",
    "ToolCall",
    "Transcript",
    "Usage",
    "find_transcripts",
    "findings",
    "read_transcripts",
    "transcripts_in",
]
