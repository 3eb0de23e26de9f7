"""Workflows of recorded transcripts: valid, short, and without outputs, paths and repetitions.

The samples are not part of the project: the tests run where UNLATCH_SAMPLES names their folder.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unlatch.errors import StoreError
from unlatch_agents.imports.importing import Importer
from unlatch_agents.transcripts import read_transcripts
from unlatch_sessions.session_model import Session
from unlatch_sessions.store import SessionStore
from unlatch_sessions.workflow.codify import codify
from unlatch_sessions.workflow.graph import check
from unlatch_sessions.workflow.read_workflow import read_workflow
from unlatch_sessions.workflow.workflow_model import Dialect, Workflow
from unlatch_sessions.workflow.writing import write_workflow

_SAMPLES = os.environ.get("UNLATCH_SAMPLES")
pytestmark = pytest.mark.skipif(not _SAMPLES, reason="UNLATCH_SAMPLES names no folder of samples")
ROOT = Path(_SAMPLES or os.devnull) / "transcripts"
ABSOLUTE = re.compile(r"(?:^|[\s\"'`(=:,])(?:~|[A-Za-z]:)?[/\\][\w.@-]+[/\\]", re.MULTILINE)
OUTPUT = 25  # characters of an output that no words have by chance


def imported(folder: Path) -> Iterator[Session]:
    """The sessions with phases of all samples, those of subagents too."""
    for number, path in enumerate(sorted(it for it in ROOT.rglob("*") if it.is_file())):
        store = SessionStore(folder / str(number), mode=0o600)
        try:
            for one in read_transcripts(path):
                Importer(store).take(one, modified=datetime.now(UTC), name=path.stem)
        except StoreError:
            continue
        for file in store.paths():
            session = store.read(file).session
            if session.phases:
                yield session


@pytest.mark.sample
@pytest.mark.parametrize("dialect", [*Dialect])
def test_workflows_of_the_samples(tmp_path: Path, dialect: Dialect) -> None:
    agents = Counter[str]()
    for session in imported(tmp_path):
        agents[session.meta.participants[0].partition("@")[0]] += 1
        text = write_workflow(codify(session, dialect))
        workflow = read_workflow(text)
        assert check(workflow) == [], session.id
        assert 0 < len(workflow.nodes) < 40
        assert not ABSOLUTE.search(text), session.id
        check_steps(workflow)
        for call in (it for phase in session.phases for it in phase.calls if it.failed):
            assert call.result[:OUTPUT] not in text, session.id
    assert {*agents} >= {"claude-code", "codex", "gemini-cli", "opencode", "aider"}


def check_steps(workflow: Workflow) -> None:
    """Each step is there once, under a name from the start of its text."""
    for node in workflow.nodes:
        assert len({*node.steps}) == len(node.steps)
        assert re.fullmatch(r"[^\u2026]{2,70}", node.name)
        assert not re.match(r"Step\b", node.name)
    work = [frozenset(it for it in node.steps if it[:3] == "- `") for node in workflow.nodes]
    repeated = [it for it, count in Counter(work).items() if it and count > 1]
    assert repeated == []
