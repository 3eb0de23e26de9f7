"""The sessions imported from recordings, read with regular expressions, against their counts.

The samples are not part of the project: the tests run where UNLATCH_SAMPLES names their folder.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.project import Project
from tests.unlatch_agents.transcripts import independent
from tests.unlatch_agents.transcripts.independent import Counts

_SAMPLES = os.environ.get("UNLATCH_SAMPLES")
pytestmark = pytest.mark.skipif(not _SAMPLES, reason="UNLATCH_SAMPLES names no folder of samples")
ROOT = Path(_SAMPLES or os.devnull) / "transcripts"
OLD = "claude-code/claude-code-log-1.7.0"
CALL = re.compile(r"^- `+.*`+ \u2192", re.MULTILINE)
FAILED = re.compile(r"^- `+.*`+ \u2192 \u2717", re.MULTILINE)
ASKED = re.compile(r"^> \[!user\](?! correction \((?:call|plan)-refused\))", re.MULTILINE)
WORDS = 8  # of a message, by which it is recognised


def imported(project: Project, path: Path) -> list[tuple[str, str]]:
    """The sources and texts of the sessions that the command made, in its order."""
    document = project.run("session", "import", str(path), "--json").document
    written = {it.stem: it for it in (project.home / "state").rglob("imports/*.md")}
    made = [it["session"] for it in document["sessions"]]
    texts = [written[it].read_text(encoding="utf-8") for it in [*made, *(written.keys() - made)]]
    return [(source_of(it), it) for it in texts]


def source_of(text: str) -> str:
    found = re.search(r'^import_source: "[\w-]+:(.*)"$', text, re.MULTILINE)
    return found[1] if found else ""


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def check(text: str, counts: Counts) -> None:
    tokens = re.search(r"^tokens_used: (\d+)$", text, re.MULTILINE)
    assert tokens is not None
    assert int(tokens[1]) == sum(counts.tokens)
    assert len(CALL.findall(text)) == counts.calls
    assert len(FAILED.findall(text)) == counts.failures
    assert len(ASKED.findall(text)) == len(counts.prompts)
    said = words(text)
    for message in (*counts.prompts, *counts.replies):
        assert " ".join(words(message).split()[:WORDS]) in said


def recordings() -> Iterator[tuple[str, Counts]]:
    for name, count in (
        ("codex/recorded-0.169.0/rollout-*.jsonl", independent.codex),
        ("gemini-cli/recorded-0.61.0/session-*.jsonl", independent.gemini),
        ("opencode/recorded-1.18.33/opencode.db", independent.opencode),
        (f"{OLD}/test_data-representative_messages.jsonl", independent.claude),
        (f"{OLD}/test_data-edge_cases.jsonl", independent.claude),
        (f"{OLD}/test_data-todowrite_examples.jsonl", independent.claude),
        (f"{OLD}/test_data-session_b.jsonl", independent.claude),
    ):
        for path in ROOT.glob(name):
            yield str(path), count(path)


@pytest.mark.parametrize(("path", "counts"), [*recordings()])
def test_a_recording_is_imported_with_all_it_has(
    project: Project, path: str, counts: Counts
) -> None:
    ((_, text),) = imported(project, Path(path))
    check(text, counts)


def test_all_chats_of_a_history_are_imported(project: Project) -> None:
    path = ROOT / "aider/chat-history-excerpt.md"
    found = [text for _, text in imported(project, path)]
    counts = independent.aider(path)
    assert len(found) == len(counts)
    for text, expected in zip(found, counts, strict=True):
        check(text, expected)
