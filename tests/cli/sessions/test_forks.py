"""Forks of recorded conversations: what they copied is in one session, and counts once."""

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import Project
from tests.cli.sessions.commands import session
from tests.unlatch_agents.transcripts import independent
from tests.unlatch_agents.transcripts.recorded_homes import recorded
from tests.unlatch_agents.transcripts.test_recorded import ORIGINS, TO_AGENTS

from unlatch_agents.transcripts.find import find_transcripts

AGENTS = ("claude-code", "codex", "gemini-cli", "opencode")
# One that copies what it forks into a file, and one that keeps it in a database.
SOME = [
    *("gemini-cli", "codex"),
    *(pytest.param(agent, marks=pytest.mark.sweep) for agent in ("claude-code", "opencode")),
]


@pytest.mark.sweep
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("is_newest_first", [True, False])
def test_imported_forks_and_their_origins_count_once(
    project: Project, agent: str, *, is_newest_first: bool
) -> None:
    home = recorded(agent, project.home)
    found = [*find_transcripts(environ={}, home=home)]
    names = [it.id for it in (found if is_newest_first else reversed(found))]
    done = session(project, "import", *names, "--json").document
    assert {it["created"] for it in done["sessions"]} >= {True}
    listed = session(project, "list", "--imported", "--json").document
    assert mistakes(listed, "session-list") == []
    titles = {it["id"]: it["title"] for it in listed["sessions"]}
    forks = [it for it in listed["sessions"] if it["forkOf"]]
    assert sorted((it["title"], titles[it["forkOf"]]) for it in forks) == ORIGINS[agent]
    expected = independent.counts(agent, home)
    assert sum(it["tokensUsed"] for it in listed["sessions"]) == sum(expected.tokens)
    rows = session(project, "query", "--imported", "--json").document["sessions"]
    keys = ("calls", "failures", "decisions", "errors")
    failures = expected.failures
    sums = [sum(it[key] for it in rows) for key in keys]
    assert sums == [expected.calls, failures, 1, failures]
    texts = [it.read_text() for it in (project.home / "state").rglob("imports/*.md")]
    for prompt in expected.prompts:
        if not prompt.startswith(TO_AGENTS):
            assert sum(text.count(f'> "{prompt}"\n') for text in texts) == 1, prompt


@pytest.mark.parametrize("agent", SOME)
def test_fork_brings_its_origin(project: Project, agent: str) -> None:
    home = recorded(agent, project.home)
    found = {it.title: it for it in find_transcripts(environ={}, home=home)}
    fork = next(
        it for title, it in found.items() if title.startswith("Try a loop") or "fork" in title
    )
    session(project, "import", fork.id)
    shown = session(project, "list", "--imported").out
    assert "Fork of" in shown
    assert "-fix-add" in shown
    listed = session(project, "import", "--json").document
    assert mistakes(listed, "session-transcripts") == []


@pytest.mark.parametrize("agent", SOME)
def test_a_folder_has_what_the_agents_own_has(project: Project, agent: str) -> None:
    home = recorded(agent, project.home / "moved")
    expected = [f"{it.agent}:{it.id}" for it in find_transcripts(environ={}, home=home)]
    done = session(project, "import", str(home), "--json").document
    assert sorted(it["source"] for it in done["sessions"]) == sorted(expected)
    assert all(it["created"] and it["events"] for it in done["sessions"])


@pytest.mark.parametrize("agent", [*SOME, "aider"])
def test_briefing_names_no_stopped_call_and_each_decision_once(
    project: Project, agent: str
) -> None:
    """The one call that failed lists a file that is not there, which is a slip."""
    home = recorded(agent, project.home)
    project.increment()
    for it in session(project, "import", str(home), "--json").document["sessions"]:
        session(project, "link", it["session"], "7", "--imported")
    found = project.run("show", "7", "--offline", "--briefing", "--json").document["briefing"]
    listed = {name: [it["text"] for it in found[name]] for name in ("decisions", "failed")}
    assert listed == {"decisions": ["Decision: add returns a + b."], "failed": []}


def test_forks_of_a_lost_origin_count_its_part_once(project: Project) -> None:
    home = recorded("claude-code", project.home)
    found = {it.title: it for it in find_transcripts(environ={}, home=home)}
    found["Fix add"].path.unlink()
    for title in ("Try recursion", "Try a loop"):
        session(project, "import", found[title].id)
    rows = session(project, "query", "--imported", "--json").document["sessions"]
    assert sorted(it["tokens"] for it in rows) == [21, 5 * 21]
    assert sum(it["decisions"] for it in rows) == 1


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli"])
def test_fork_without_its_origin_has_all_words(project: Project, agent: str) -> None:
    home = recorded(agent, project.home)
    found = {it.title: it for it in find_transcripts(environ={}, home=home)}
    found["Fix add"].path.unlink()
    session(project, "import", found["Try a loop"].id)
    (text,) = [it.read_text() for it in (project.home / "state").rglob("imports/*.md")]
    for prompt in ("Fix add", "Look at it", "Try a loop"):
        assert f'> "{prompt}"\n' in text
    (row,) = session(project, "query", "--imported", "--json").document["sessions"]
    # Gemini CLI leaves out the tokens of what was there before a chat was resumed.
    assert row["tokens"] == (5 if agent == "claude-code" else 2) * 21
    session(project, "import", found["Try a loop"].id)
    assert session(project, "query", "--imported", "--json").document["sessions"] == [row]
