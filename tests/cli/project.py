"""A project on disk with items on the sandbox's trackers, and unlatch run in it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import keyring.core
import pytest
from tests.warm.client import COLD, module, unlatch

from unlatch.cli.main import run
from unlatch.errors import known_secrets
from unlatch_sandbox import Sandbox
from unlatch_sandbox.jira import adf

TITLE = "Smart discipline"
NAME = "0007-smart-discipline"
REASON = "Bug discovered in error handling"
ALL = ("github", "ado", "jira")
# Long enough ago that the count of days does not change while a test runs.
FINISHED = datetime.now(UTC).replace(microsecond=0) - timedelta(days=3, hours=1)

# One text, or several.
Texts = str | tuple[str, ...]

# The repositories of `Project.commit`, by their files.
_COMMITTED: dict[str, Path] = {}
# The stages of `Project.enter`: the folders of the project and of the user, and the items.
_STAGES: dict[tuple[object, ...], tuple[Path, sqlite3.Connection]] = {}


@dataclass(frozen=True)
class Done:
    """The result of a run of unlatch."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Everything that a person would have seen."""
        return self.out + self.err

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    def ends(self, code: int, *said: str, **texts: Any) -> Done:
        """Check the exit code, and the output as `shows` does; returns itself."""
        assert self.code == code, self.said
        return self.shows(*said, **texts)

    def shows(
        self,
        *said: str,
        out: Texts = (),
        err: Texts = (),
        lacks: Texts = (),
        not_out: Texts = (),
        not_err: Texts = (),
        whole_out: str | None = None,
        whole_err: str | None = None,
    ) -> Done:
        """Check that the output has some texts and lacks others; returns itself.

        Args:
            said: these are in what a person sees, whichever stream they are on.
            out: these are on stdout; `err` as well for stderr.
            lacks: these are on neither; `not_out` and `not_err` as well for one stream.
            whole_out: this is all of stdout; `whole_err` as well for stderr.
        """
        for stream, wanted, unwanted, whole in (
            (self.said, said, lacks, None),
            (self.out, out, not_out, whole_out),
            (self.err, err, not_err, whole_err),
        ):
            missing = [text for text in _texts(wanted) if text not in stream]
            there = [text for text in _texts(unwanted) if text in stream]
            assert ([], []) == (missing, there), self.said
            assert whole is None or whole == stream
        return self


def _texts(texts: Texts) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else texts


@dataclass
class Project:
    """A project folder.

    Args:
        box: the trackers.
        root: the folder.
        home: the user's home, with nothing in it.
        bin: all that is on the PATH.
        extra: further environment variables; one that is None is taken out.
        stream: the class of the standard output and error of `run`.
    """

    box: Sandbox
    root: Path
    home: Path
    bin: Path
    monkeypatch: pytest.MonkeyPatch
    extra: dict[str, str | None] = field(default_factory=dict)
    stream: type[io.TextIOWrapper] = io.TextIOWrapper

    # Running

    @property
    def environ(self) -> dict[str, str]:
        """A clean environment: the sandbox's tokens, and nothing of the developer."""
        environ: dict[str, str | None] = {
            "PATH": str(self.bin),
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "LANG": "C.UTF-8",
            "PYTHONUTF8": "0",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
            "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
            **self.box.environ(),
            **self.extra,
        }
        return {name: value for name, value in environ.items() if value is not None}

    def run(self, *arguments: str, stdin: str | bytes = "") -> Done:
        """Run unlatch in this process, piped, as in a CI job but without the start-up time.

        Args:
            stdin: bytes for a command that reads bytes.
        """
        streams = [self.stream(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        with self.monkeypatch.context() as patch:
            for name in os.environ:
                patch.delenv(name)
            for name, value in self.environ.items():
                patch.setenv(name, value)
            patch.chdir(self.root)
            patch.setattr(sys, "stdin", _stream(stdin))
            # A process chooses its keyring once, and knows the secrets that it used; each run here
            # begins as a new process.
            patch.setattr(keyring.core, "_keyring_backend", None)
            patch.setattr(known_secrets, "_forms", set())
            if "run" in arguments:  # as `process`, whose programs have all modules
                patch.setattr("unlatch_runs.project._AUDITOR", module("unlatch_runs.audit"))
            with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
                code = run(list(arguments))
        out, err = (_text(stream) for stream in streams)
        return Done(code, out, err)

    def process(self, *arguments: str, stdin: str = "", cold: bool = False, **options: Any) -> Done:
        """Run unlatch as a process of its own, piped.

        Args:
            cold: started by Python, which imports each module anew.
            options: those of subprocess.run; with any, the process starts cold.
        """
        done = subprocess.run(
            [*(COLD if cold or options else unlatch(self.environ)), *arguments],
            cwd=self.root,
            env=self.environ,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=60,
            check=False,
            **options,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    # Files

    @property
    def increments(self) -> Path:
        return self.root / ".unlatch" / "increments"

    def folder(self, name: str = NAME) -> Path:
        return self.increments / name

    def metadata(self, name: str = NAME) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder(name) / "metadata.json").read_text())
        return content

    def events(self, name: str = NAME) -> list[dict[str, Any]]:
        path = self.folder(name) / "events.jsonl"
        lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
        return [json.loads(line) for line in lines if line]

    def tree(self) -> dict[str, bytes | None]:
        """Every file of the project byte for byte."""
        return {
            str(path.relative_to(self.root)): None if path.is_dir() else path.read_bytes()
            for path in sorted(self.root.rglob("*"))
        }

    def forget_local(self) -> None:
        """Delete caches and local state."""
        shutil.rmtree(self.home / "state", ignore_errors=True)

    def configure_more(self, top: str = "", *, tables: str = "") -> None:
        """Add settings to those that point at the sandbox."""
        self.configure(f"{top}\n{self.box.config()}\n{tables}")

    def configure_user(self, text: str) -> None:
        """Write the user's own configuration."""
        path = self.home / ".config" / "unlatch" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def configure(self, text: str) -> None:
        path = self.root / ".unlatch" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def increment(
        self,
        name: str = NAME,
        *,
        status: str = "completed",
        archived: bool = False,
        links: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> str:
        """Write an increment, as another tool or an earlier run might have left it."""
        folder = self.increments / ("_archive" if archived else "") / name
        folder.mkdir(parents=True)
        title = name.partition("-")[2].replace("-", " ").capitalize()
        (folder / "spec.md").write_text(f"# {title}\n")
        (folder / "tasks.md").write_text("# Tasks\n")
        finished = {"completedAt": stamp(FINISHED)} if status == "completed" else {}
        content = {
            "id": name,
            "status": status,
            "type": "feature",
            "created": "2025-10-01T08:00:00Z",
            "lastActivity": stamp(FINISHED),
            **finished,
            **(links or {}),
            **more,
        }
        (folder / "metadata.json").write_text(json.dumps(content, indent=2) + "\n")
        return name

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=Gil Git", "-c", "user.email=gil@example.com", *arguments],
            cwd=cwd or self.root,
            env=self.environ,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def commit(self, message: str = "Begin") -> None:
        """Commit all files to a new repository, once for all projects with the same files."""
        content = {name: text for name, text in self.tree().items() if text is not None}
        made = _COMMITTED.get(key := repr((message, content)))
        if made is None:
            self.git("init", "--quiet", "--initial-branch", "main", "--template=")
            self.git("add", "--all")
            self.git("commit", "--quiet", "--message", message)
            made = _COMMITTED[key] = Path(tempfile.mkdtemp(dir=self.root.parents[1])) / ".git"
            shutil.copytree(self.root / ".git", made)
        else:
            shutil.copytree(made, self.root / ".git")

    def enter(self, name: str, build: Callable[[Project], object]) -> None:
        """Build a stage once for each sandbox and configuration, and copy it afterwards.

        Args:
            name: of the stage, with all that `build` depends on.
        """
        key = (name, self.box.github.web_url, (self.root / ".unlatch" / "config.toml").read_text())
        if key not in _STAGES:
            build(self)
            kept = Path(tempfile.mkdtemp(dir=self.root.parents[1]))
            for folder in (self.root, self.home):
                shutil.copytree(folder, kept / folder.name, symlinks=True)
            _STAGES[key] = kept, self.box.snapshot()
            self.box.requests.clear()
            return
        kept, items = _STAGES[key]
        self.box.restore(items)
        for folder in (self.root, self.home):
            shutil.copytree(kept / folder.name, folder, symlinks=True, dirs_exist_ok=True)

    # Items

    def items(self, *trackers: str, finished: bool = True) -> dict[str, Any]:
        """Put one item on each tracker; the link blocks that tie an increment to them."""
        makers = {"github": self._issue, "ado": self._work_item, "jira": self._ticket}
        return {name: makers[name](finished=finished) for name in trackers or ALL}

    def _issue(self, *, finished: bool) -> dict[str, Any]:
        number = self.box.github.add_issue(
            number=4,
            title=TITLE,
            state="closed" if finished else "open",
            state_reason="completed" if finished else None,
            labels=["bug", "completed"] if finished else ["bug"],
            assignee="octocat",
        )
        return {"issue": number, "url": self.urls["github"]}

    def _work_item(self, *, finished: bool) -> dict[str, Any]:
        item = self.box.ado.add_work_item(
            id=101,
            title=TITLE,
            state="Closed" if finished else "Active",
            tags=["ui", "completed"] if finished else ["ui"],
        )
        return {"workItemId": item, "url": self.urls["ado"]}

    def _ticket(self, *, finished: bool) -> dict[str, Any]:
        key = self.box.jira.add_issue(
            "SCRUM-28",
            type="Epic",
            summary=TITLE,
            status="Done" if finished else "In Progress",
            labels=["ux", "completed"] if finished else ["ux"],
        )
        return {"issueKey": key, "url": self.urls["jira"]}

    @property
    def urls(self) -> dict[str, str]:
        """The browser addresses of the items."""
        return {
            "github": f"{self.box.github.web_url}/octo/widgets/issues/4",
            "ado": f"{self.box.ado.web_url}/widgets/_workitems/edit/101",
            "jira": f"{self.box.jira.site}/browse/SCRUM-28",
        }

    def states(self) -> dict[str, str]:
        """The trackers' own words for the states of the items."""
        return {name: view.state for name, view in self._views().items()}

    def labels(self) -> dict[str, set[str]]:
        return {name: set(view.labels) for name, view in self._views().items()}

    def comments(self) -> dict[str, list[str]]:
        """The raw bodies of the items' comments: Markdown, HTML, and the text of ADF."""
        box, views = self.box, self._views()
        found: dict[str, list[str]] = {}
        if "github" in views:
            found["github"] = [c["body"] for c in box.github.comments("octo/widgets", 4)]
        if "ado" in views:
            found["ado"] = [c["text"] for c in box.ado.comments(101)]
        if "jira" in views:
            found["jira"] = [adf.to_text(c["body"]) for c in box.jira.comments("SCRUM-28")]
        return found

    def _views(self) -> dict[str, Any]:
        views = {
            "github": self.box.github.item("octo/widgets", 4),
            "ado": self.box.ado.item("widgets", 101),
            "jira": self.box.jira.item("SCRUM-28"),
        }
        return {name: view for name, view in views.items() if view is not None}

    def sent(self) -> list[str]:
        """The methods of all requests since the last look, with their trackers."""
        return [f"{entry.tracker} {entry.method}" for entry in self.box.requests.entries()]

    def wrote(self) -> list[str]:
        """The requests that change something."""
        return [
            f"{entry.tracker} {entry.method}"
            for entry in self.box.requests.entries()
            if entry.changes
        ]


OPEN = {"github": "open", "ado": "Active", "jira": "In Progress"}
CLOSED = {"github": "closed", "ado": "Closed", "jira": "Done"}


def says(*answers: dict[str, str]) -> str:
    """A worker or an auditor of runs with these answers; a shell starts much faster than Python."""
    return shlex.join(("/bin/sh", "-c", 'printf "%s\\n" "$@"', "sh", *map(json.dumps, answers)))


WORKER = says({"type": "done"})


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _stream(text: str | bytes) -> io.TextIOBase:
    if isinstance(text, str):
        return io.StringIO(text)
    return io.TextIOWrapper(io.BytesIO(text), encoding="utf-8")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]  # it wraps a BytesIO
    return raw.decode()
