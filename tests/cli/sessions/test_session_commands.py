"""unlatch session: the commands, their exit codes, and their documents."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import Project
from tests.cli.sessions.commands import error_of, session


def files(project: Project) -> list[Path]:
    return sorted((project.root / ".unlatch" / "sessions").glob("*.md"))


@pytest.fixture
def started(project: Project) -> str:
    """The id of a session with one phase."""
    done = session(
        project, "start", "Fix login", "--agent", "coder@1.0", "--channel", "dev", "--phase", "Look"
    ).ends(0)
    return done.out.strip()


def test_a_session_from_start_to_completion(project: Project, started: str) -> None:
    log = [
        ("--call", "Bash npm test", "--result", "3 failed", "--failed"),
        ("--decision", "Use a lock"),
        ("--error", "npm missing", "--resolution", "installed"),
        ("--user", "use pnpm", "--note", "switched"),
        ("--text", "Now it works."),
        ("--tasks", '[{"id": "1", "content": "Test", "status": "pending"}]'),
        ("--tokens", "1200"),
    ]
    for one in log:
        assert session(project, "log", *one).code == 0
    assert session(project, "pause").code == 0
    session(project, "resume").shows(out=("- Use a lock (", "- [pending] Test"))
    assert session(project, "complete", "--summary", "Done.").code == 0
    (path,) = files(project)
    assert path.stem == started
    shown = session(project, "show", started, "--json").document
    assert (shown["session"]["status"], shown["session"]["tokensUsed"]) == ("completed", 1200)
    assert [one["kind"] for one in shown["phases"][0]["callouts"]] == ["decision", "error", "user"]
    assert shown["summary"] == "Done."


def test_list_sessions(project: Project, started: str) -> None:
    other = session(
        project, "start", "Other", "--agent", "reviewer", "--channel", "ops"
    ).out.strip()
    done = session(project, "list")
    assert done.out.split()[:4] == ["Session", "Status", "Started", "Participants"]
    for arguments, expected in (
        ((), {started, other}),
        (("--status", "active"), {started, other}),
        (("--status", "failed"), set()),
        (("--agent", "coder"), {started}),
        (("--agent", "@coder@1.0"), {started}),
        (("--channel", "#ops"), {other}),
    ):
        found = session(project, "list", *arguments, "--json").document["sessions"]
        assert {one["id"] for one in found} == expected


def test_sessions_without_a_time_are_listed_last_and_broken_ones_named(
    project: Project, started: str
) -> None:
    (path,) = files(project)
    path.with_name("notes.md").write_text("# Notes\n", encoding="utf-8")
    for name in ("a", "b"):
        head = f"---\ntype: session\nsession_id: {name}\nstatus: completed\n---\n"
        path.with_name(f"{name}.md").write_text(head, encoding="utf-8")
    done = session(project, "list", "--json")
    found = done.document["sessions"]
    assert [one["id"] for one in found] == [started, "a", "b"]
    assert found[1]["title"] == "a"
    assert "notes.md cannot be read: line 1" in done.err


def test_show_session_details(project: Project, started: str) -> None:
    session(project, "log", "--decision", "Use a lock")
    work = "Three callers.\nIn two files."
    session(project, "log", "--subagent", "scout@2", "--mode", "embed", "--work", "-", stdin=work)
    session(project, "show", started).shows(
        out=(
            "  Channel       dev\n",
            "\n1. Look @coder@1.0 #dev\n",
            "\ndecision\n  Use a lock\n",
            "\n  Three callers.\n  In two files.\n",
        )
    )


def test_resume_session_command(project: Project, started: str) -> None:
    session(project, "log", "--decision", "x" * 400)
    session(project, "pause", started)
    small = session(project, "resume", "--budget", "50")
    assert (small.code, error_of(small)) == (2, "context-budget")
    (entry,) = session(project, "list", "--json").document["sessions"]
    assert entry["status"] == "paused"
    done = session(project, "resume", started)
    assert done.out.startswith(f"Session: Fix login ({started})\n")
    assert "is active" in done.err
    assert "paused" not in done.out
    again = session(project, "resume", started)
    assert (again.code, error_of(again)) == (1, "session-active")


def test_an_idle_session_is_paused_by_the_next_command(project: Project, started: str) -> None:
    (path,) = files(project)
    os.utime(path, (0, 0))
    done = session(project, "list", "--json")
    assert done.document["sessions"][0]["status"] == "paused"
    assert f"paused '{started}'" in done.err


def test_an_id_can_be_shortened_or_be_a_path(project: Project, started: str) -> None:
    (path,) = files(project)
    for name in (started[:-2], "fix", path.name, str(path)):
        assert session(project, "show", name, "--json").document["session"]["id"] == started
    session(project, "start", "Fix login")
    done = session(project, "show", started[:-2])
    assert (done.code, error_of(done)) == (2, "session-ambiguous")
    assert session(project, "show", started, "--json").document["session"]["id"] == started


def test_many_writers_at_once_lose_nothing(project: Project, started: str) -> None:
    def log(number: int) -> int:
        return project.process("session", "log", started, "--decision", f"D{number}").code

    with ThreadPoolExecutor(3) as pool:
        assert [0] * 3 == [*pool.map(log, range(3))]
    (phase,) = session(project, "show", started, "--json").document["phases"]
    assert {f"D{number}" for number in range(3)} == {one["text"] for one in phase["callouts"]}


@pytest.mark.usefixtures("started")
def test_a_wrong_entry_changes_nothing(project: Project) -> None:
    (path,) = files(project)
    before = path.read_bytes()
    for arguments, error in (
        ((), "nothing-to-log"),
        (("--result", "x"), "nothing-to-log"),
        (("--decision", "x", "--result", "y"), "option-alone"),
        (("--error", "a", "--error", "b", "--resolution", "c"), "option-alone"),
        (("--call", "a", "--call", "b", "--failed"), "option-alone"),
        (("--phase", "a", "--phase", "b"), ""),
        (("--tasks", "[]", "--tasks", "[]"), ""),
        (("--decision", " "), "text-missing"),
        (("--tasks", "{}"), "task-list-invalid"),
        (("--tasks", "["), "task-list-invalid"),
        (("--tasks", '[{"content": "x", "status": "later"}]'), "task-list-invalid"),
        (("--subagent", "a b", "--work", "x"), "agent-name"),
        (("--subagent", "a"), "text-missing"),
        (("--phase", "x", "--channel", "1"), "channel-name"),
    ):
        done = session(project, "log", *arguments)
        assert (done.code, error_of(done)) == (2, error), arguments
    assert path.read_bytes() == before


def test_a_folder_outside_of_the_project_is_refused(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project.root / "logs").symlink_to(outside)
    config = project.root / ".unlatch" / "config.toml"
    text = config.read_text(encoding="utf-8")
    for value in ("logs", "../outside", "/tmp"):
        config.write_text(f'{text}\n[sessions]\npath = "{value}"\n', encoding="utf-8")
        done = session(project, "start", "x")
        assert (done.code, error_of(done)) == (1, "config-invalid")
    assert [*outside.iterdir()] == []


def test_linked_work_is_recorded_from_its_start(project: Project, started: str) -> None:
    done = session(project, "log", started, "--subagent", "scout@2", "--mode", "link")
    own = done.err.split()[0]
    assert session(project, "log", own, "--decision", "Use a lock").code == 0
    assert session(project, "complete", own, "--summary", "Found three.").code == 0
    inner = session(project, "show", own, "--json").document
    (callout,) = session(project, "show", started, "--json").document["phases"][0]["callouts"]
    assert callout["text"] == f"mode: link\n[[{own}]]"
    assert ("completed", "Found three.") == (inner["session"]["status"], inner["summary"])


def test_query_and_stats(project: Project, started: str) -> None:
    session(project, "log", "--call", "Bash npm test", "--result", "3 failed", "--failed")
    session(project, "log", "--tokens", "1200")
    found = session(project, "query", "--agent", "coder", "--json").document
    assert mistakes(found, "session-query") == []
    assert [one["id"] for one in found["sessions"]] == [started]
    assert session(project, "query", "--channel", "ops", "--json").document["sessions"] == []
    toon = session(project, "query", "--toon").out
    assert toon.startswith("sessions[1]{id,title,status,")
    assert "\nparticipants[1]{session,agent,version}:\n" in toon
    stats = session(project, "stats", "--by", "status", "--json").document
    assert mistakes(stats, "session-stats") == []
    assert [(one["group"], one["tokens"], one["failureRate"]) for one in stats["groups"]] == [
        ("active", 1200, 1.0)
    ]
    assert session(project, "stats").out.split("\n")[1].split() == [
        "coder",
        "1",
        "1,200",
        "1",
        "100%",
    ]


def test_learn_asks_for_consent_once(project: Project, started: str) -> None:
    session(project, "log", "--error", "npm missing", "--resolution", "installed")
    session(project, "learn").ends(0, whole_err="1 case\n")
    refused = session(project, "learn", "--export", "jsonl")
    assert (refused.code, error_of(refused), refused.out) == (2, "consent-missing", "")
    file = project.root / "cases.jsonl"
    session(
        project, "learn", started, "--export", "jsonl", "--consent", "--output", str(file)
    ).ends(0)
    assert json.loads(file.read_text(encoding="utf-8"))["metadata"]["session"] == started
    assert file.stat().st_mode & 0o777 == 0o600
    again = session(project, "learn", "--export", "puzzle", "--type", "puzzle")
    assert again.out.startswith("## Puzzle ")
    document = session(project, "learn", "--json").document
    assert mistakes(document, "session-learn") == []


def test_a_session_names_its_effort_by_its_id(project: Project) -> None:
    assert project.run("effort", "open", "Login design").code == 0
    done = session(project, "start", "Fix login", "--effort", "design", "--json")
    unknown = session(project, "start", "Fix login", "--effort", "no-such")
    assert done.document["session"]["effort"] == "login-design"
    assert error_of(unknown) == "effort-unknown"


def test_an_endless_text_on_stdin_is_read_in_part(project: Project, started: str) -> None:
    words = "x" * ((8 << 20) + 1)
    session(project, "log", started, "--subagent", "scout@2", "--work", "-", stdin=words).ends(
        2, err="message-too-long"
    )
