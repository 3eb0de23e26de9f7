"""What a briefing lists of real transcripts, against labels that were written by hand.

A point helps if a person who goes on with the work wants to know it. The samples are not part of
the project: the test runs where UNLATCH_SAMPLES names their folder.
"""

import os
from pathlib import Path

import pytest
from tests.cli.project import Project

_SAMPLES = os.environ.get("UNLATCH_SAMPLES")
pytestmark = pytest.mark.skipif(not _SAMPLES, reason="UNLATCH_SAMPLES names no folder of samples")
ROOT = Path(_SAMPLES or os.devnull) / "transcripts"
OLD = "claude-code/claude-code-log-1.7.0/test_data"
DECIDED = "Decision: add() now adds. The pytest call failed because there is no such file"
TO_DO = ("Add comprehensive tests", "Write user documentation", "Perform code review")
# By transcript, all that helps: decisions, failures and open work by their beginnings.
LABELS = {
    "claude-code/recorded-2.1.197/*-*-*.jsonl": (DECIDED, "add()", "calc.py"),
    "codex/recorded-0.169.0/rollout-*.jsonl": (
        DECIDED,
        "exec_command python3 -m pytest nosuch.py: /usr/bin/python3: No module named pytest",
        "add()",
        "calc.py",
    ),
    "gemini-cli/recorded-0.61.0/session-*.jsonl": ("Decision: add() should", "add()", "calc.py"),
    "opencode/recorded-1.18.33/opencode.db": ("Decision: add() should", "add()", "calc.py"),
    "aider/*.md": (
        "Use the Spinner instead of the inlined custom spinner",
        *("`run_install`", "`aider/utils.py`", "`Spinner`", "`end()`", "`step()`"),
    ),
    f"{OLD}-representative_messages.jsonl": (
        *("decorator_example.py", "`greet`", "`@repeat(3)`", "`repeat(times)`"),
        *("`decorator(func)`", "`wrapper(*args, **kwargs)`"),
    ),
    f"{OLD}-todowrite_examples.jsonl": (*TO_DO, "Conduct security review and penetration testing"),
    f"{OLD}-edge_cases.jsonl": ("complex_example.py", "Implement core functionality", *TO_DO),
    f"{OLD}-session_b.jsonl": (),
}
PRECISION, RECALL = 0.8, 0.7


def listed(project: Project, path: Path, number: int) -> list[str]:
    """The points of the briefing of an increment with this transcript."""
    project.increment(f"{number:04}-sample", status="active")
    done = project.run("session", "import", str(path), "--json").document
    for one in done["sessions"]:
        project.run("session", "link", one["session"], str(number), "--imported")
    found = project.run("show", str(number), "--offline", "--briefing", "--json").document
    sections = ("decisions", "failed", "left", "identifiers")
    return [one["text"] for name in sections for one in found["briefing"][name]]


def test_briefings_of_real_transcripts_list_what_helps(project: Project) -> None:
    helpful = shown = wanted = 0
    wrong, missing = [], []
    for number, (pattern, labels) in enumerate(LABELS.items(), 1):
        (path,) = ROOT.glob(pattern)
        points = listed(project, path, number)
        wrong += [it for it in points if not it.startswith(labels)]
        missing += [it for it in labels if not any(one.startswith(it) for one in points)]
        helpful += sum(it.startswith(labels) for it in points)
        shown, wanted = shown + len(points), wanted + len(labels)
    precision, recall = helpful / shown, 1 - len(missing) / wanted
    assert precision >= PRECISION, wrong
    assert recall >= RECALL, missing
