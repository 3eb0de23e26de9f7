"""One project's life, told by the JSON documents of every command: the golden corpus.

`python -m tests.cli.golden.recording` records it anew. It shows that a move of modules changes
nothing that a caller sees, so it runs the program from its entry point, and names but two modules
besides, to have threads run in turn.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.cli.project import Project
from tests.cli.runs.conftest import PLAN, WORKER
from tests.cli.trackers.test_ingest import payload
from tests.servers.postgres import running
from tests.unlatch_agents.transcripts.lines import Session, calls, said, write

from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CORPUS = Path(__file__).with_name("corpus.txt")
SCRIPT = Path(__file__).with_name("script.txt")
_LONG_AGO: dict[str, Any] = {
    "completedAt": "2025-10-09T08:00:00Z",
    "lastActivity": "2025-10-09T08:00:00Z",
}
_WORKFLOW = "---\ntype: workflow\n---\n\n## A\n\nx -> y\n\n## B\n\ny -> z\n"
_BETWEEN = "\n$ "
_PROGRAMS = ("git", "sh", "cat")
_VARYING = (
    (r"DAYT[\d:.]+(Z|\+00:00)", "TIME"),
    (r"DAY \d\d:\d\d UTC", "DAY 00:00 UTC"),
    (r'("(seconds\w+|meanSeconds|days\w*|least|median|p90|most)": )[\d.]+', r"\1N"),
    (r"for \d+ days", "for N days"),
    (r'("record": ")\d+-', r"\1N-"),
    (r'("digest": ")[0-9a-f]{32}"', r'\1DIGEST"'),
)


class _InTurn(threading.Thread):
    def start(self) -> None:
        super().start()
        self.join()


def commands() -> list[str]:
    """The lines of the script that are commands."""
    lines = SCRIPT.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _split(line: str) -> tuple[str, str]:
    """What a line of the script begins with, and its command."""
    prefix, _, words = line.partition(" ")
    return (prefix, words) if prefix in ("!", "~") else ("", line)


def recorded() -> list[str]:
    """The committed corpus, as `record` yields it."""
    return CORPUS.read_text(encoding="utf-8").split(_BETWEEN)


def record(
    box: Sandbox, place: Path, monkeypatch: pytest.MonkeyPatch, *, database: str
) -> Iterator[str]:
    """Run the commands in a new project; each with its exit code and document, normalised.

    Args:
        place: an empty folder.
        database: the address of an empty one.
    """
    began = datetime.now(UTC)
    # In turn, for what is written in the order of the answers.
    in_turn = SimpleNamespace(Thread=_InTurn, Semaphore=threading.Semaphore)
    monkeypatch.setattr("unlatch.worklog.parallel.threading", in_turn)
    monkeypatch.setattr("unlatch.project.trackers.LoadOrder.wait", lambda *_: None)
    project = _prepared(box, place, monkeypatch)
    project.extra["UNLATCH_FLEET_DATABASE"] = database
    other = _of_specweave(project, place / "specweave")
    for line in commands():
        prefix, words = _split(line)
        if prefix == "~":
            time.sleep(1.1 - datetime.now(UTC).microsecond / 1e6)
        folder = other if prefix == "!" else project
        done = folder.run(*shlex.split(_filled(words, project)), "--json")
        days = {moment.date().isoformat() for moment in (began, datetime.now(UTC))}
        shown = _normalised(done.out, box, place, days)
        yield f"unlatch {line.removeprefix('~ ')} --json\nexit {done.code}\n{shown}"


def _filled(words: str, project: Project) -> str:
    for name, url in project.urls.items():
        words = words.replace(f"{{{name}}}", url)
    return words


def _normalised(text: str, box: Sandbox, place: Path, days: Iterable[str]) -> str:
    """The document without what differs from run to run: places, ports, times and ids."""
    text = text.replace(str(place), "/PLACE")
    for name, url in (
        ("GITHUB", box.github.web_url),
        ("ADO", box.ado.web_url),
        ("JIRA", box.jira.site),
    ):
        text = text.replace(url, f"https://{name}").replace(urlsplit(url).netloc, name)
    for day in days:
        text = text.replace(day, "DAY").replace(f'"{day[:7]}":', '"MONTH":')
    for pattern, instead in _VARYING:
        text = re.sub(pattern, instead, text)
    ids: dict[str, str] = {}
    return re.sub(
        r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b",
        lambda match: ids.setdefault(match[0], f"ULID{len(ids) + 1}"),
        text,
    )


def _prepared(box: Sandbox, place: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    root, home, programs = place / "project", place / "home", place / "bin"
    for folder in (root, home, programs):
        folder.mkdir()
    for name in _PROGRAMS:
        (programs / name).symlink_to(shutil.which(name) or "")
    (home / ".gitconfig").write_text("[user]\n\tname = Gil Git\n\temail = gil@example.com\n")
    project = Project(box, root, home, programs, monkeypatch)
    project.configure(f"patience = 30\n{box.config()}")
    project.increment(links=project.items(), **_LONG_AGO)
    for number, status in enumerate(("active", "planning", "paused"), 1):
        project.increment(f"000{number}-work-{status}", status=status, **_LONG_AGO)
    project.increment("0004-put-away", archived=True, **_LONG_AGO)
    (root / "plan.md").write_text(PLAN)
    (root / "fleet.toml").write_text("repositories = []\n")
    (root / "listed.toml").write_text('[[repositories]]\nurl = "octo/widgets"\n')
    (root / "worker.sh").write_text(WORKER)
    (root / "check.sh").write_text("exit 0\n")
    (root / "items.txt").write_text(f"2 {project.urls['github']}\n")
    (root / "workflow.md").write_text(_WORKFLOW)
    (root / "event.json").write_text(json.dumps(payload(project)))
    session = Session("golden", cwd=str(root))
    session.ask("Fix the logout")
    session.reply("m1", calls("t1", command="make test"))
    session.result("t1", "Exit code 1", is_error=True)
    session.reply("m2", said("The cookie is cleared now."))
    session.ask("No, use the session's own method")
    write(root / "chat.jsonl", session.lines)
    return project


def _of_specweave(project: Project, root: Path) -> Project:
    """A project of SpecWeave, and in it an increment that git could not merge."""
    folder = root / ".specweave" / "increments" / "0001-first"
    folder.mkdir(parents=True)
    (root / ".specweave" / "config.json").write_text("{}\n")
    (folder / "spec.md").write_text("---\nincrement: 0001-first\ntitle: First\n---\n\n# First\n")
    (folder / "tasks.md").write_text("# Tasks\n")
    metadata = {"id": "0001-first", "status": "completed", "created": "2025-10-01T08:00:00Z"}
    (folder / "metadata.json").write_text(json.dumps({**metadata, **_LONG_AGO}, indent=2))
    other = Project(project.box, root, project.home, project.bin, project.monkeypatch)
    for words in ("init --quiet", "add --all", "commit --quiet --message SpecWeave"):
        other.git(*words.split())
    return other


def main() -> None:
    """Write the corpus anew."""
    with (
        Sandbox() as box,
        TemporaryDirectory() as place,
        TemporaryDirectory() as shared,
        running(Path(shared)) as server,
        server.database() as database,
        pytest.MonkeyPatch.context() as monkeypatch,
    ):
        documents = record(box, Path(place), monkeypatch, database=database)
        CORPUS.write_text(_BETWEEN.join(documents), encoding="utf-8")


if __name__ == "__main__":
    main()
