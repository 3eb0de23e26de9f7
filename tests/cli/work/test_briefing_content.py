"""What a briefing has, and what it leaves out, by labels of a person."""

import json
from collections.abc import Iterable
from pathlib import Path

from tests.cli.agents.events import context, event, fire
from tests.cli.project import WORKER, Project

from unlatch.chat_model import estimate

REASON = "Searches with umlauts find nothing"
LOG = ".unlatch/efforts/auth-bug/log.jsonl"


def do(project: Project, *arguments: str) -> str:
    done = project.run(*arguments).ends(0)
    return done.out.strip()


def effort(project: Project, said: Iterable[str], summary: str = "It works.") -> Path:
    do(project, "effort", "open", "Auth bug")
    log = project.root / LOG
    with log.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"role": "user", "content": one}) + "\n" for one in said)
    do(project, "effort", "close", "--summary", summary)
    do(project, "effort", "link", "auth-bug", "7")
    return log


def session(project: Project, *entries: tuple[str, ...], title: str = "Build") -> str:
    made = do(project, "session", "start", title, "--increment", "7", "--phase", "Plan")
    for one in entries:
        do(project, "session", "log", made, *one)
    return made


def known(project: Project) -> dict[str, list[str]]:
    found = project.run("show", "7", "--offline", "--briefing", "--json").document["briefing"]
    return {name: [one["text"] for one in entries] for name, entries in found.items()}


def written(project: Project) -> str:
    do(project, "complete", "7", "--force", "--briefing")
    return (project.folder() / "briefing.md").read_text()


def test_the_newest_decisions_are_kept_and_every_section_has_a_share(project: Project) -> None:
    project.increment()
    do(project, "resume", "7", "--reason", REASON, "--yes")
    words = " and so on" * 10
    said = [f"We decided on plan {n}{words}. Plan {n} did not work{words}." for n in range(90)]
    effort(project, said)
    text = written(project)
    assert len(text.encode()) <= 8192
    for newest in ("We decided on plan 89 ", "Plan 89 did not work", REASON, "It works."):
        assert newest in text
    assert "We decided on plan 0 " not in text
    assert "more: `unlatch show 0007-smart-discipline --briefing`" in text
    do(project, "resume", "7", "--reason", "Again", "--yes")
    do(project, "agents", "trust")
    told = context(fire(project, event(project, "codex", "SessionStart")))
    assert estimate(told) < 1000
    for newest in ("We decided on plan 89 ", "Plan 89 did not work", "Again", REASON, "It works."):
        assert newest in told


def test_the_end_of_a_long_conversation_is_read(project: Project) -> None:
    project.increment()
    log = effort(project, ["We decided on the first."])
    with log.open("a") as file:
        for _ in range(17):
            file.write(json.dumps({"role": "user", "content": f"{'x' * 99} " * 640}) + "\n")
        file.write(json.dumps({"role": "user", "content": "We decided on the last."}) + "\n")
    shown = project.run("show", "7", "--offline", "--briefing").out
    assert "## Decided\n\n- We decided on the last. (effort:auth-bug)\n\n" in shown
    left_out = "the older part of a long conversation: `unlatch effort show auth-bug`"
    assert f"## Not read\n\n- {left_out} (effort:auth-bug)" in shown
    assert do(project, "effort", "show", "auth-bug")


def test_entries_of_one_source_are_limited(project: Project) -> None:
    project.increment()
    made = session(project)
    path = project.root / f".unlatch/sessions/{made}.md"
    with path.open("a") as file:
        file.writelines(f"\n> [!decision]\n> Take {n}\n" for n in range(500))
    found = known(project)
    assert found["decisions"][0] == "Take 499"
    assert len(found["decisions"]) == 200
    assert found["unread"] == ["300 more entries: decisions"]


def test_what_a_summary_and_a_log_say_is_sorted(project: Project) -> None:
    """A sentence with a decision and a failure is both."""
    project.increment()
    said = [
        "Instead of cookies use `Authorization`.",
        "Use axios instead.",
        "Gave up on Whoosh because it needs Python 2.",
        "Decisions:\n- tokens last 15 minutes\n1. no refresh in tests",
        "Just talk.",
        "Gave up on `a`, but we decided on `b`.",
        "We agreed on `c` because `d` broke.",
        "I tried `e` instead of `f`, but it was slow.",
        "Rejected:\n- cookies; we decided on headers\n- cookies; they are slow",
        "Fast enough; so we chose `g`; it did not work.",
    ]
    summary = "We decided on SQLite FTS5; Whoosh did not work. Next steps: add a metric. It works."
    effort(project, said, summary)
    found = known(project)
    assert found["decisions"] == [
        "We decided on SQLite FTS5",
        "Fast enough; so we chose `g`; it did not work.",
        "we decided on headers",
        "We agreed on `c` because `d` broke.",
        "Gave up on `a`, but we decided on `b`.",
        "no refresh in tests",
        "tokens last 15 minutes",
        "Use axios instead.",
        "Instead of cookies use `Authorization`.",
    ]
    assert found["failed"] == [
        "Whoosh did not work.",
        "Fast enough; so we chose `g`; it did not work.",
        "cookies; they are slow",
        "cookies",
        "I tried `e` instead of `f`, but it was slow.",
        "We agreed on `c` because `d` broke.",
        "Gave up on `a`, but we decided on `b`.",
        "Gave up on Whoosh because it needs Python 2.",
    ]
    assert found["left"] == ["Next steps: add a metric."]


def test_words_and_prose_in_a_session_are_read(project: Project) -> None:
    project.increment()
    made = session(
        project,
        ("--text", "I decided to keep one index.\n\n```\nwe decided in code\n```"),
        ("--user", "use pnpm instead of npm"),
        ("--error", "npm missing", "--resolution", "installed pnpm"),
        ("--error", "tests time out"),
        ("--tasks", json.dumps([task("Add a metric", "pending")])),
    )
    do(project, "session", "complete", made)
    newer = session(project, title="Later")
    todo = [task("Add a metric", "completed"), task("Write docs", "pending")]
    do(project, "session", "log", newer, "--tasks", json.dumps(todo))
    found = known(project)
    assert found["decisions"] == ["use pnpm instead of npm", "I decided to keep one index."]
    assert found["failed"] == ["tests time out", "npm missing - resolved: installed pnpm"]
    assert found["done"] == []
    assert found["left"] == ["Write docs"]


def task(content: str, status: str) -> dict[str, str]:
    return {"id": content, "content": content, "status": status, "priority": "medium"}


def test_a_task_whose_boxes_are_all_ticked_is_done(project: Project) -> None:
    name = project.increment(status="active")
    for below, is_left in {
        "- [x] one\n- [x] two\n": False,
        "#### Steps\n\n- [x] one\n": False,
        "- [x] one\n- [ ] two\n": True,
        "**Status**: [ ] pending\n\n- [x] one\n": True,
        "": True,
    }.items():
        tasks = f"# Tasks\n\n### T-001: Build it\n\n{below}\n### T-002: Test it\n\n- [ ] three\n"
        (project.folder(name) / "tasks.md").write_text(tasks)
        assert known(project)["left"] == ["T-001 Build it"] * is_left + ["T-002 Test it"], below


# What a worker prints for each task; an auditor accepts all.
ANSWERS = {
    "T-001": {"type": "done", "summary": "Built it in src/search/index.py"},
    "T-002": {"type": "failed", "reason": "trigrams need 8 times the space"},
    "T-003": {"type": "done"},
}


def run_tasks(project: Project) -> None:
    name = project.increment(status="active")
    tasks = "".join(f"\n### {id_}: Task {id_[-1]}\n" for id_ in (*ANSWERS, "T-004"))
    (project.folder(name) / "tasks.md").write_text(f"# Tasks\n{tasks}**Status**: [x] completed\n")
    for id_, answer in ANSWERS.items():
        (project.root / f"says-{id_}").write_text(f"{json.dumps(answer)}\n")
    worker = """/bin/sh -c 'read -r says < "says-$UNLATCH_TASK_ID"; echo "$says"'"""
    command = ("run", "start", "increment:7", "--worker", worker, "--auditor", WORKER, "--yes")
    assert project.run(*command).code == 3


def test_a_run_has_reasons_and_summaries(project: Project) -> None:
    run_tasks(project)
    found = known(project)
    assert found["left"] == ["T-002 Task 2"]
    assert "trigrams need 8 times the space" in found["failed"][0]
    unticked = "(accepted, but not ticked in the increment)"
    assert found["done"] == [
        f"T-003 Task 3 {unticked}",
        f"T-001 Task 1: Built it in src/search/index.py {unticked}",
    ]
    # A failure is no work that is left once its task is ticked.
    path = project.folder() / "tasks.md"
    path.write_text(path.read_text().replace("Task 2\n", "Task 2\n**Status**: [x] completed\n"))
    ticked = known(project)
    assert ticked["left"] == []
    assert len(ticked["failed"]) == 1
    do(project, "run", "stop", "--reason", "no time")
    assert known(project)["failed"][0] == "The run was stopped: no time"
    # A task that was reopened after its run is left.
    do(project, "complete", "7", "--force")
    do(project, "resume", "7", "--reason", REASON, "--task", "T-001", "--yes")
    assert "T-001 Task 1" in known(project)["left"]


def test_a_briefing_is_read_only_where_the_originals_are_missing(project: Project) -> None:
    name = project.increment()
    made = session(project, ("--decision", "Take SQLite"))
    effort(project, ["We decided to wait."])
    do(project, "effort", "link", "auth-bug", "--remove")
    sources = ("effort:auth-bug", f"session:{made}", "effort:gone", name, "session:gone")
    lines = "".join(f"- {n} stale ({one})\n" for n, one in enumerate(sources))
    (project.folder(name) / "briefing.md").write_text(f"# Briefing: x\n\n## Decided\n\n{lines}")
    assert known(project)["decisions"] == ["Take SQLite", "2 stale", "4 stale"]


def test_names_are_verbatim(project: Project) -> None:
    project.increment()
    names = (
        *("127.0.0.1:8080", "v1.2.3-rc.1", "JWT_TTL_SECONDS", "$SHELL", "completion.evidence"),
        *(".github/workflows/ci.yml", "/etc/hosts/x", "~/.ssh/config", "./run.sh"),
        *("octo/widgets#4", "AC-US1-01", "9f066655-3149-4b75-819b-bf19b0b14a20"),
        *("src/search/", "--dry-run", "`a b`", "PROJ-12", "3f2a9bc", "https://example.org/x?y=1"),
    )
    effort(project, [f"We decided {n} on ({one})." for n, one in enumerate(names)])
    found = known(project)["identifiers"]
    assert [one for one in names if one not in found] == []
    assert [one for one in found if one not in names] == []
