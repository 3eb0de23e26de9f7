"""unlatch session import and publish: list, import, refuse and copy."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import NAME, Project
from tests.cli.sessions.commands import error_of, session
from tests.cli.terminal import CTRL_C, Terminal
from tests.unlatch_agents.transcripts.lines import Session, calls, said, write

SECRET = "ghp_" + "a1B2" * 9


def imports(project: Project) -> list[Path]:
    return sorted((project.home / "state").rglob("imports/*.md"))


def lines(project: Project, id: str = "s1") -> Session:
    made = Session(id, cwd=str(project.root), gitBranch="main")
    made.ask(f"Fix add in {project.home}/calc.py with {SECRET}")
    made.reply("m1", calls("t1", command="pytest"))
    made.result("t1", "Exit code 1\n1 failed", is_error=True)
    made.reply("m2", said("I decided to use a plus."))
    return made


def put(project: Project, made: Session, *, age: int = 3600) -> Path:
    name = f"{made.common['sessionId']}.jsonl"
    path = write(project.home / ".claude/projects/-demo" / name, made.lines)
    at = path.stat().st_mtime - age
    os.utime(path, (at, at))
    return path


def import_one(project: Project, *options: str) -> Path:
    """Import the transcript s1, the only one; the session's file."""
    assert session(project, "import", "s1", *options).code == 0
    (file,) = imports(project)
    return file


@pytest.fixture
def path(project: Project) -> Path:
    """The transcript of work in this project, and beside it one of work elsewhere."""
    other = Session("other", cwd="/elsewhere")
    other.ask("Fix all")
    put(project, other, age=7200)
    return put(project, lines(project))


def test_where_imported_sessions_alone_exist_the_hint_lists_them(
    project: Project, path: Path
) -> None:
    assert path.is_file()
    empty, none = "No sessions. Next: unlatch session ", "No sessions match."
    session(project, "list").ends(0, whole_err=f"{empty}start TITLE\n")
    session(project, "list", "--search", "zebra").ends(0, whole_err=f"{none}\n")
    import_one(project)
    for words in (("list",), ("stats",)):
        session(project, *words).ends(0, whole_err=f"{empty}list --imported\n")
    for option in (("list", "--search", "zebra"), ("query", "--agent", "zebra")):
        session(project, *option).ends(0, err=f"{none} Next: unlatch session list --imported\n")
    session(project, "list", "--imported").ends(0, out="claude-code")


def test_without_arguments_the_transcripts_of_this_project_are_listed(
    project: Project, path: Path
) -> None:
    session(project, "import").ends(0, out=("Fix add in", "claude-code"), not_out="Fix all")
    document = session(project, "import", "--json").document
    assert mistakes(document, "session-transcripts") == []
    (entry,) = document["transcripts"]
    assert (entry["id"], entry["branch"], entry["path"]) == ("s1", "main", str(path))
    assert imports(project) == []
    for option, value, count in (
        ("--agent", "codex", 0),
        ("--agent", "claude", 1),
        ("--since", "30h", 1),
        ("--since", "0h", 0),
    ):
        found = session(project, "import", option, value, "--json").document["transcripts"]
        assert len(found) == count


def test_a_transcript_is_imported_by_id_path_or_all(project: Project, path: Path) -> None:
    for name in ("s1", "s", str(path), "--all"):
        document = session(project, "import", name, "--json").document
        assert mistakes(document, "session-import") == []
        (entry,) = document["sessions"]
        assert (entry["created"], entry["phases"], entry["source"]) == (True, 1, "claude-code:s1")
        (file,) = imports(project)
        assert file.stem == entry["session"], name
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parents[1].stat().st_mode & 0o077 == 0
        file.unlink()


@pytest.mark.usefixtures("path")
def test_secrets_are_masked_and_counted_unless_they_are_to_be_kept(project: Project) -> None:
    assert "places masked" in session(project, "import", "s1").out
    (file,) = imports(project)
    assert "Fix add in ~/calc.py with ***" in file.read_text(encoding="utf-8")
    file.unlink()
    assert SECRET in import_one(project, "--keep-secrets").read_text(encoding="utf-8")


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_import_says_that_it_left_a_session_in_conflict(
    project: Project, options: tuple[str, ...]
) -> None:
    torn = import_one(project)
    text = torn.read_text().replace("\n## ", "\n<<<<<<< ours\n=======\n>>>>>>> theirs\n\n## ", 1)
    torn.write_text(text)
    session(project, "import", "s1", *options).ends(
        0, err=f"note: {torn.stem} has git's conflict markers, and was left as it is\n"
    )
    (new,) = (file for file in imports(project) if file != torn)
    assert (text, True) == (torn.read_text(), "use a plus" in new.read_text())


@pytest.mark.usefixtures("path")
def test_an_imported_session_is_linked_and_unlinked_by_its_reference(project: Project) -> None:
    project.increment()
    file = import_one(project)
    note = f"{file.stem} was imported from a transcript"
    linked = project.run("link", "7", "session:fix-add")
    linked.ends(0, out=f"{file.stem} belongs to {NAME}", err=note)
    unlinked = project.run("unlink", "7", "session:fix-add")
    unlinked.ends(0, out=f"{file.stem} belongs to no increment", err=note)
    session(project, "link", "fix-add", "7").shows(out=f"{file.stem} belongs to {NAME}")
    project.run("link", "7", "session:else").ends(2, err="there is no session 'else'")


@pytest.mark.usefixtures("path")
def test_secrets_that_an_import_kept_are_in_no_workflow(project: Project) -> None:
    made = lines(project)
    made.reply("m3", calls("t3", command=f"curl -H 'Token: {SECRET}' -o {project.home}/x"))
    made.result("t3", "ok")
    made.ask(f"no, use {SECRET}")
    put(project, made)
    session(project, "import", "s1", "--keep-secrets")
    done = session(project, "codify", "fix-add", "--imported").ends(
        0, out=("`Bash curl", "- Correction: no, use ***"), not_out=SECRET[:12]
    )
    assert str(project.home) not in done.out


def test_of_several_imports_one_has_to_be_named(project: Project) -> None:
    commands = ("show", "codify", "resume")
    for command in commands:
        assert "next: unlatch session import" in session(project, command, "--imported").err
    for command in ("list", "stats"):
        assert "Next: unlatch session import" in session(project, command, "--imported").err
    for number in (1, 2):
        put(project, lines(project, f"s{number}"))
    session(project, "import", "--all")
    for command in commands:
        done = session(project, command, "--imported")
        assert (done.code, error_of(done)) == (2, "session-not-named")
        assert all(it.stem in done.err for it in imports(project))


def test_a_folder_stands_for_the_transcripts_in_it(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "moved"
    for number in (1, 2):
        made = lines(project, f"s{number}")
        write(folder / f"demo-{number}" / f"s{number}.jsonl", made.lines)
    agent = Session(isSidechain=True, agentId="a1")
    agent.reply("m1", said("I see."))
    write(folder / "demo-1/s1/subagents/agent-a1.jsonl", agent.lines)
    write(folder / "notes.json", [{"none": 1}])
    (folder / "notes.txt").write_text("none")
    done = session(project, "import", str(folder), "--json").document
    assert {it["source"] for it in done["sessions"]} == {"claude-code:s1", "claude-code:s2"}
    assert done["failed"] == []
    (folder / "empty").mkdir()
    refused = session(project, "import", str(folder / "empty"))
    assert (refused.code, error_of(refused)) == (2, "transcript-unknown")
    assert "no transcript in the folder" in refused.err


def test_nothing_is_written_into_the_folder_of_the_agent(project: Project, path: Path) -> None:
    def state() -> dict[Path, tuple[bytes, int]]:
        found = [it for it in (project.home / ".claude").rglob("*") if it.is_file()]
        return {it: (it.read_bytes(), it.stat().st_mtime_ns) for it in found}

    before = state()
    (project.root / "s1").mkdir()  # not taken for the transcript of this id
    for names in (("s1",), ("--all",), (str(path), "--keep-secrets")):
        assert session(project, "import", *names).code == 0
    assert state() == before


def test_one_that_cannot_be_read_does_not_stop_the_others(project: Project, path: Path) -> None:
    (project.root / "notes.txt").write_text("Hello\n", encoding="utf-8")
    done = session(project, "import", "notes.txt", str(path), "--json")
    assert (done.code, len(done.document["sessions"])) == (1, 1)
    (failed,) = done.document["failed"]
    assert failed["error"]["id"] == "transcript-not-recognised"
    alone = session(project, "import", "notes.txt")
    assert (alone.code, error_of(alone)) == (1, "transcript-not-recognised")


def test_a_name_must_be_that_of_one_transcript(project: Project) -> None:
    for one in ("s1", "s2"):
        put(project, lines(project, one))
    for name, code, error in (
        ("s", 2, "transcript-ambiguous"),
        ("x9", 2, "transcript-unknown"),
        ("no/such.jsonl", 1, "transcript-unreadable"),
    ):
        done = session(project, "import", name)
        assert (done.code, error_of(done)) == (code, error)
    assert session(project, "import", "s1", "--all").code == 2
    assert imports(project) == []


@pytest.mark.usefixtures("path")
def test_publish_copies_the_masked_text_once(project: Project) -> None:
    file = import_one(project, "--keep-secrets")
    taken = project.root / ".unlatch" / "sessions" / file.name
    taken.parent.mkdir(exist_ok=True)
    taken.write_text("Mine\n", encoding="utf-8")
    refused = session(project, "publish", file.stem)
    assert (refused.code, error_of(refused)) == (2, "not-interactive")

    done = session(project, "publish", file.stem, "--yes", "--json")

    assert mistakes(json.loads(done.out), "session-publish") == []
    assert done.document["masked"] > 1
    name = done.document["session"]["id"]
    assert (name, taken.read_text(encoding="utf-8")) == (f"{file.stem}-2", "Mine\n")
    copy = taken.with_name(f"{name}.md")
    text = copy.read_text(encoding="utf-8")
    assert SECRET not in text
    assert str(project.home) not in text
    shown = session(project, "show", name, "--json").document
    assert [len(one["calls"]) for one in shown["phases"]] == [1]
    again = session(project, "publish", file.stem, "--yes")
    assert (again.code, error_of(again)) == (1, "session-published")
    assert copy.read_text(encoding="utf-8") == text
    torn = text.replace("\n## ", "\n<<<<<<< ours\n=======\n>>>>>>> theirs\n\n## ", 1)
    copy.write_text(torn, encoding="utf-8")
    session(project, "publish", file.stem, "--yes").ends(1, err="error[session-published]")
    assert copy.read_text(encoding="utf-8") == torn


def test_the_copy_of_a_running_session_is_completed_and_that_of_an_old_one_never_runs(
    project: Project,
) -> None:
    made = lines(project)
    made.reply("m3", calls("t2", command="ls"))
    put(project, made, age=0)
    file = import_one(project)
    (entry,) = session(project, "list", "--imported", "--json").document["sessions"]
    assert entry["status"] == "completed"
    assert "- `Bash ls` →" in file.read_text(encoding="utf-8")
    file.unlink()

    made.lines[-1]["timestamp"] = datetime.now(UTC).isoformat()
    put(project, made, age=0)
    import_one(project)
    (entry,) = session(project, "list", "--imported", "--json").document["sessions"]
    assert (entry["status"], entry["ended"]) == ("active", None)
    done = session(project, "publish", entry["id"], "--yes", "--json").document["session"]
    assert (done["status"], done["ended"] is None) == ("completed", False)


@pytest.mark.usefixtures("path")
def test_at_a_terminal_it_asks_which_to_import(project: Project) -> None:
    put(project, lines(project, "s2"), age=60)
    with Terminal(project, "session", "import") as terminal:
        terminal.answer("Import which?", "3\n")
        terminal.answer("use numbers from 1 to 2", "2\n")
        assert terminal.end() == 0
    (file,) = imports(project)
    assert 'import_source: "claude-code:s1"' in file.read_text(encoding="utf-8")


@pytest.mark.usefixtures("path")
def test_publish_shows_the_masked_text_and_asks(project: Project) -> None:
    file = import_one(project, "--keep-secrets")
    for answer, code in (("n", 2), ("y", 0)):
        with Terminal(project, "session", "publish", file.stem) as terminal:
            terminal.answer("Copy this text into the project?", f"{answer}\n")
            assert terminal.end() == code
        assert "Fix add in ~/calc.py with ***" in terminal.text
        assert SECRET not in terminal.text
        copy = project.root / ".unlatch" / "sessions" / file.name
        assert copy.exists() is (answer == "y")


@pytest.mark.usefixtures("path")
def test_watch_follows_the_newest_transcript_until_ctrl_c(project: Project) -> None:
    made = lines(project, "s2")
    put(project, made, age=0)
    with Terminal(project, "session", "import", "--watch") as terminal:
        terminal.expect("1 phase and 3 events")
        made.ask("no, use sed")
        put(project, made, age=0)
        terminal.expect("1 phase and 1 event added")
        assert terminal.leave(CTRL_C) == 0
        assert "everything up to here is imported" in terminal.text
    (file,) = imports(project)
    text = file.read_text(encoding="utf-8")
    assert "## no, use sed @claude-code" in text
    assert "status: active" in text
    assert session(project, "import", "s1", "s2", "--watch").code == 2


@pytest.mark.parametrize("tool", ["TodoWrite", "update_plan", "write_todos", "TaskCreate"])
def test_the_to_do_list_of_an_agent_is_its_tasks(project: Project, tool: str) -> None:
    made, secret = lines(project), f"Test with {SECRET}"
    rows = [("Plan", "completed"), (secret, "in_progress"), ("Ship", "later"), ("No", "cancelled")]
    if tool == "TaskCreate":
        for number, (text, status) in enumerate(rows, 1):
            made.reply(f"n{number}", calls(f"c{number}", tool, subject=text, description="More"))
            made.result(f"c{number}", f"Task #{number} created successfully: {text}")
            made.reply(
                f"u{number}", calls(f"d{number}", "TaskUpdate", taskId=str(number), status=status)
            )
            made.result(f"d{number}", f"Updated task #{number} status")
    else:
        key, name = ("plan", "step") if tool == "update_plan" else ("todos", "content")
        name = "description" if tool == "write_todos" else name
        for count in (1, 4):
            listed = [{name: text, "status": status} for text, status in rows[:count]]
            made.reply(f"n{count}", calls(f"c{count}", tool, **{key: listed}))
            made.result(f"c{count}", "ok")
    put(project, made)
    file = import_one(project)
    tasks = session(project, "show", file.stem, "--imported", "--json").document["tasks"]
    session(project, "resume", file.stem, "--imported").shows(
        out=("Open tasks:\n- [in_progress] Test with ", "- [pending] Ship\n")
    )
    assert [("1", "Plan", "completed"), ("3", "Ship", "pending")] == [
        (it["id"], it["content"], it["status"]) for it in (tasks[0], tasks[2])
    ]
    assert len(tasks) == 3
    assert SECRET not in file.read_text()
    made.ask("Go on")
    put(project, made)
    assert import_one(project) == file
    assert tasks == session(project, "show", file.stem, "--imported", "--json").document["tasks"]
