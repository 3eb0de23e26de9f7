"""An effort and a session of an increment, with what a person would call decisions."""

import json

from tests.cli.project import Done, Project

REASON = "Safari users are logged out"
TASKS = "# Tasks\n\n### T-001: Build it\n**Status**: [x] completed\n\n### T-002: Test it\n"
TOKEN = "ghp_" + "a1B2" * 9
# What a person reading the conversation and the log would call a decision.
DECISIONS = (
    "We decided to refresh tokens in an axios interceptor.",
    "Let's use `src/api/client.ts` for it.",
    "Refresh at 401 only",
    "use pnpm (switched)",
)
LOG = (
    ("user", "We decided to refresh tokens in an axios interceptor."),
    ("assistant", "Let's use `src/api/client.ts` for it. Cookies did not work because of ITP."),
    ("user", f"My token is {TOKEN}, we agreed to rotate it."),
)


def build(project: Project) -> None:
    """Complete an increment, and end an effort and a session that belong to it."""
    name = project.increment()
    (project.folder(name) / "tasks.md").write_text(TASKS)
    with_effort(project, name)
    made = session(project, "start", "Build auth", "--increment", "7", "--phase", "Plan")
    session(project, "log", made, "--decision", "Refresh at 401 only")
    session(project, "log", made, "--error", "npm missing", "--resolution", "installed")
    session(project, "log", made, "--user", "use pnpm", "--note", "switched")
    session(project, "complete", made)


def session(project: Project, *arguments: str) -> str:
    done = project.run("session", *arguments)
    assert done.code == 0, done.err
    return done.out.strip()


def with_effort(project: Project, name: str) -> None:
    assert project.run("effort", "open", "Auth bug").code == 0
    log = project.root / ".unlatch/efforts/auth-bug/log.jsonl"
    with log.open("a") as file:
        lines = (json.dumps({"role": role, "content": text}) for role, text in LOG)
        file.writelines(f"{line}\n" for line in lines)
    assert project.run("effort", "close", "--summary", "Tokens refresh themselves.").code == 0
    assert project.run("effort", "link", "auth-bug", name).code == 0


def resume(project: Project, *more: str) -> Done:
    return project.run("resume", "7", "--reason", REASON, "--yes", *more)
