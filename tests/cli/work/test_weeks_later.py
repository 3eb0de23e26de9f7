"""An agent builds an increment with all kinds of work; weeks later it is reopened, here and there.

Every decision that a person finds in the agent's records has to reach whoever resumes.
"""

import asyncio
import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.cli.agents.events import BRIEFED, context, event, fire
from tests.cli.mcp.test_mcp import start_warm
from tests.cli.project import WORKER, Project

from unlatch.chat_model import estimate
from unlatch.cli.runtime import context as session_module
from unlatch.project.workspace import Workspace
from unlatch_mcp.calls import Calls
from unlatch_mcp.server import build_server

BUILT = datetime(2026, 3, 2, 9, tzinfo=UTC)
REOPENED = BUILT + timedelta(weeks=3)
REASON = "Searches with umlauts find nothing"
TASKS = "# Tasks\n\n### T-001: Build the index\n\n### T-002: Rank the results\n"
# What a worker and an auditor print.
CONVERSATION = (
    ("user", "Which engine do we take for search?"),
    ("assistant", "SQLite FTS5 or Whoosh. Whoosh did not work with Python 3.12."),
    ("user", "Then we go with FTS5. It needs `unicode61`, as in src/search/index.py."),
    ("assistant", "I tried trigrams, but they made the index 8 times larger."),
    ("user", "We agreed to rank with bm25() and to keep titles three times as heavy."),
    ("assistant", "Noted. The index is rebuilt on each start, see SEARCH-14."),
    ("user", "No: let's use the file's size and time to tell whether it changed."),
    ("user", "Instead of port 8080 use 127.0.0.1:7700, set by SEARCH_PORT and search.port."),
    (
        "assistant",
        "Gave up on a daemon because it died with the shell.\nNext steps:\n- tune bm25()",
    ),
)
SUMMARY = "Search with FTS5, ranked by bm25(). We decided to index titles only at first."
# Marked by hand in the conversation above and the session below.
DECISIONS = (
    "Then we go with FTS5.",
    "We agreed to rank with bm25() and to keep titles three times as heavy.",
    "let's use the file's size and time to tell whether it changed",
    "Instead of port 8080 use 127.0.0.1:7700, set by SEARCH_PORT and search.port.",
    "We decided to index titles only at first.",
    "Store the index in the user's state folder",
    "Cut queries at 400 characters",
    "no fuzzy search in this version (left it out)",
)
FAILED = (
    "Whoosh did not work with Python 3.12.",
    "I tried trigrams, but they made the index 8 times larger.",
    "Gave up on a daemon because it died with the shell.",
    "pip install whoosh - resolved: removed it",
)
LEFT = ("tune bm25()",)
IDENTIFIERS = (
    *("`unicode61`", "src/search/index.py", "SEARCH-14"),
    *("127.0.0.1:7700", "SEARCH_PORT", "search.port"),
)
LABELS = {
    "decisions": DECISIONS,
    "failed": FAILED,
    "left": LEFT,
    "identifiers": IDENTIFIERS,
}


@pytest.fixture
def built(project: Project) -> Project:
    """The project after the agent has completed the increment, committed."""
    at(project, BUILT)
    name = project.increment(
        "0007-search", status="active", links=project.items("github", finished=False)
    )
    (project.folder(name) / "tasks.md").write_text(TASKS)
    converse(project)
    log_session(project)
    do(project, "run", "start", "increment:7", "--worker", WORKER, "--auditor", WORKER, "--yes")
    tasks = project.folder(name) / "tasks.md"
    tasks.write_text(tasks.read_text().replace("\n\n###", "\n**Status**: [x] completed\n\n###"))
    do(project, "complete", "7", "--force", "--briefing")
    project.commit("Build the search")
    at(project, REOPENED)
    return project


def at(project: Project, moment: datetime) -> None:
    """Let the commands of this process see this time."""
    made = partial(Workspace, clock=lambda: moment)
    project.monkeypatch.setattr(session_module, "Workspace", made)


def do(project: Project, *arguments: str) -> str:
    done = project.run(*arguments).ends(0)
    return done.out.strip()


def converse(project: Project) -> None:
    do(project, "effort", "open", "Search engine")
    log = project.root / ".unlatch/efforts/search-engine/log.jsonl"
    with log.open("a", encoding="utf-8") as file:
        for role, content in CONVERSATION:
            file.write(json.dumps({"role": role, "content": content}) + "\n")
    do(project, "effort", "close", "--summary", SUMMARY)
    do(project, "effort", "link", "search-engine", "7")


def log_session(project: Project) -> None:
    id_ = do(project, "session", "start", "Build search", "--increment", "7", "--phase", "Index")
    for more in (
        ("--decision", "Store the index in the user's state folder"),
        ("--error", "pip install whoosh", "--resolution", "removed it"),
        ("--decision", "Cut queries at 400 characters"),
        ("--user", "no fuzzy search in this version", "--note", "left it out"),
    ):
        do(project, "session", "log", id_, *more)
    do(project, "session", "complete", id_)


def clone_for_another(project: Project, tmp_path: Path) -> Project:
    """A fresh clone, under another home."""
    root, home = tmp_path / "there" / project.root.name, tmp_path / "another"
    home.mkdir()
    project.git("clone", "--quiet", str(project.root), str(root))
    shutil.copy(project.home / ".gitconfig", home) if (project.home / ".gitconfig").exists() else 0
    return replace(project, root=root, home=home)


def missing(said: str) -> list[str]:
    """What a person marked, and this text lacks."""
    return [one for labels in LABELS.values() for one in labels if one not in said]


def misplaced(briefing: dict[str, Any]) -> list[str]:
    """What a person marked, and its section lacks; and what is left although it is done."""
    texts = {name: "\n".join(one["text"] for one in it) for name, it in briefing.items()}
    lacking = [one for name, labels in LABELS.items() for one in labels if one not in texts[name]]
    return [*lacking, *(one for one in ("Build the index", "removed it") if one in texts["left"])]


@pytest.mark.sweep
def test_it_is_resumed_where_it_was_built(built: Project) -> None:
    done = built.run("resume", "7", "--reason", REASON, "--yes", "--json").ends(0)
    assert misplaced(done.document["briefing"]) == []
    assert done.document["reopen"]["reopenedAt"] == "2026-03-23T09:00:00Z"
    statuses = {one["ref"].partition(":")[0]: one["status"] for one in done.document["related"]}
    assert statuses == {"effort": "open", "session": "active", "run": "paused"}
    assert built.states() == {"github": "open"}
    assert built.comments()["github"][-1].startswith(f"**Reopened**: {REASON}")
    assert_that_agents_are_told(built, is_cloned=False)


def test_it_is_resumed_in_a_fresh_clone_by_another_person(built: Project, tmp_path: Path) -> None:
    there = clone_for_another(built, tmp_path)
    assert not (there.root / ".unlatch/efforts").exists()
    done = there.run("resume", "7", "--reason", REASON, "--yes", "--by", "Bo")
    assert done.code == 0, done.err
    assert missing(done.out) == []
    assert "What is not in this checkout is from briefing.md, written on 2026-03-02." in done.out
    assert f"2026-03-23 by Bo: {REASON}" in done.out
    assert there.states() == {"github": "open"}
    assert_that_agents_are_told(there, is_cloned=True)


def assert_that_agents_are_told(project: Project, *, is_cloned: bool) -> None:
    """A new session of each agent begins with the briefing."""
    do(project, "agents", "trust")
    for agent, name in BRIEFED.items():
        told = context(fire(project, event(project, agent, name)))
        assert missing(told) == [], agent
        assert ("from briefing.md, written on 2026-03-02." in told) is is_cloned
        assert estimate(told) < 1000


def test_it_is_resumed_by_an_agent_over_mcp(built: Project, tmp_path: Path) -> None:
    there = clone_for_another(built, tmp_path)
    start_warm(built.monkeypatch)
    server = build_server(Calls(there.root, there.environ), toolsets=("work",), allow_writes=True)

    async def go() -> tuple[Any, Any]:
        async with Client(server) as client:
            known = await client.call_tool("briefing", {"id": "7"})
            plan = await client.call_tool("plan_resume", {"id": "7", "reason": REASON})
            assert plan.structured_content is not None
            token = plan.structured_content["token"]
            done = await client.call_tool("apply_plan", {"token": token})
            return known.structured_content, done.structured_content

    known, done = asyncio.run(go())
    assert misplaced(known["briefing"]) == []
    assert misplaced(done["briefing"]) == []
    assert there.states() == {"github": "open"}
