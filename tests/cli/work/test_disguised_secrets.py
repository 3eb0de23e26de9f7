"""No place that shows or stores what others wrote has a secret in disguise."""

import json

import pytest
from tests.cli.agents.events import context, event, fire
from tests.cli.project import Project
from tests.transport.test_redact import BEFORE, HIDDEN, NAMED, TOKENS
from tests.unlatch_agents.transcripts.lines import Session, said, write

from unlatch_mcp.calls import Calls

TOKEN = TOKENS["GitHub"]
TEXTS = [*NAMED, *(f"{before}{TOKEN}\x1b[0m" for before in BEFORE)]
HALVES = [one[8:] for one in (*HIDDEN, *TOKENS.values())]


def left(text: str) -> list[str]:
    return [one for one in HALVES if one in text]


@pytest.mark.sweep
def test_a_briefing_has_no_disguised_secret(project: Project) -> None:
    name = project.increment(status="active")
    assert project.run("effort", "open", "Auth bug").code == 0
    log = project.root / ".unlatch/efforts/auth-bug/log.jsonl"
    with log.open("a", encoding="utf-8") as file:
        for text in TEXTS:
            words = f"We decided to rotate {text}"
            file.write(json.dumps({"role": "user", "content": words}) + "\n")
    project.run("effort", "close", "--summary", f"Used \x1b[31m{TOKEN}\x1b[0m twice.").ends(0)
    assert project.run("effort", "link", "auth-bug", "7").code == 0
    assert project.run("agents", "trust").code == 0
    seen = [
        project.run("show", "7", "--offline", "--briefing").out,
        context(fire(project, event(project, "codex", "SessionStart"))),
        json.dumps(Calls(project.root, project.environ).run("show", "--briefing", words=("7",))),
    ]
    assert project.run("complete", "7", "--force", "--briefing").code == 0
    seen.append((project.folder(name) / "briefing.md").read_text())
    for one in seen:
        assert "Used *** twice." in one
        assert one.count("We decided to rotate") > 9
        assert left(one) == []


def test_an_import_has_no_disguised_secret(project: Project) -> None:
    made = Session("s1", cwd=str(project.root), gitBranch="main")
    made.ask("Rotate the tokens")
    for number, text in enumerate(TEXTS):
        made.reply(f"m{number}", said(f"I decided to rotate {text}"))
    path = write(project.root / "s1.jsonl", made.lines)
    assert project.run("session", "import", str(path)).code == 0
    (file,) = (project.home / "state").rglob("imports/*.md")
    text = file.read_text(encoding="utf-8")
    assert text.count("I decided to rotate") >= len(TEXTS)
    assert left(text) == []
