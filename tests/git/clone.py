"""Clones of one project: real git, and unlatch as git itself would start it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import Done
from tests.warm.client import program_path

from unlatch.cli.main import run

NAME = "0007-smart-discipline"
URL = "https://github.com/octo/widgets/issues/4"
CONFIG = '[trackers.github]\nrepository = "octo/widgets"\n'
# git waits for no disk, tidies up nothing, and copies no samples of hooks.
_SETTINGS = {"core.fsync": "none", "gc.auto": "0", "maintenance.auto": "false"}
QUICK = {
    "GIT_TEMPLATE_DIR": "",
    "GIT_CONFIG_COUNT": f"{len(_SETTINGS)}",
    **{f"GIT_CONFIG_KEY_{number}": name for number, name in enumerate(_SETTINGS)},
    **{f"GIT_CONFIG_VALUE_{number}": value for number, value in enumerate(_SETTINGS.values())},
}


@dataclass(frozen=True)
class Clone:
    """A working copy.

    Args:
        root: its folder, which is also the project's unless `project` says otherwise.
        project: the project's folder below it.
    """

    root: Path
    project: str = "."

    @property
    def environ(self) -> dict[str, str]:
        """An empty git configuration, and the tested unlatch first on the PATH."""
        return {
            "PATH": program_path(os.environ["PATH"]),
            "HOME": str(self.root.parent),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **QUICK,
            "GIT_EDITOR": "true",
            "GIT_AUTHOR_NAME": "Gil Git",
            "GIT_AUTHOR_EMAIL": "gil@example.com",
            "GIT_COMMITTER_NAME": "Gil Git",
            "GIT_COMMITTER_EMAIL": "gil@example.com",
        }

    @property
    def home(self) -> Path:
        return self.root / self.project

    def try_git(self, *arguments: str) -> Done:
        return self._run("git", *arguments, cwd=self.root)

    def git(self, *arguments: str) -> str:
        done = self.try_git(*arguments)
        assert (0, arguments) == (done.code, arguments), done.out + done.err
        return done.out

    def try_unlatch(self, *arguments: str) -> Done:
        """Run unlatch in this process, which saves its start; git starts the driver itself."""
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        with pytest.MonkeyPatch.context() as patch:
            environ = self.environ
            for name in os.environ:
                patch.delenv(name)
            for name, value in environ.items():
                patch.setenv(name, value)
            patch.chdir(self.home)
            patch.setattr(sys, "stdin", io.StringIO())
            with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
                code = run(list(arguments))
        out, err = (_text(stream) for stream in streams)
        return Done(code, out, err)

    def unlatch(self, *arguments: str) -> Done:
        done = self.try_unlatch(*arguments)
        assert (0, arguments) == (done.code, arguments), done.out + done.err
        return done

    def _run(self, *command: str, cwd: Path) -> Done:
        done = subprocess.run(
            command, cwd=cwd, env=self.environ, capture_output=True, timeout=60, check=False
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    # The project

    def path(self, file: str = "metadata.json", *, archived: bool = False) -> Path:
        archive = "_archive" if archived else ""
        return self.home / ".unlatch" / "increments" / archive / NAME / file

    def metadata(self, *, archived: bool = False) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.path(archived=archived).read_bytes())
        return content

    def edit(self, *, archived: bool = False, **fields: Any) -> None:
        data = {**self.metadata(archived=archived), **fields}
        self.path(archived=archived).write_text(json.dumps(data, indent=2) + "\n")

    def begin(self, *, archived: bool = False) -> None:
        """A project with a completed increment, committed; git knows how to merge it."""
        self.home.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.unlatch("init", "--git")
        (self.home / ".unlatch" / "config.toml").write_text(CONFIG)
        folder = self.path(archived=archived).parent
        folder.mkdir(parents=True)
        (folder / "spec.md").write_text("---\nstatus: completed\n---\n# Smart discipline\n")
        data = {
            "id": NAME,
            "status": "completed",
            "type": "feature",
            "created": "2025-10-01T08:00:00Z",
            "lastActivity": "2025-10-02T08:00:00Z",
            "completedAt": "2025-10-02T08:00:00Z",
            "github": {"issue": 4, "url": URL},
        }
        (folder / "metadata.json").write_text(json.dumps(data, indent=2) + "\n")
        created = {"id": "01JB0000000000000000000000", "at": data["created"], "event": "created"}
        (folder / "events.jsonl").write_text(f"{json.dumps(created)}\n")
        self.commit("Begin")

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def merge(self) -> None:
        """Merge the committed work of the origin, as `git pull`."""
        self.git("pull", "--quiet", "--no-rebase", "origin", "main")

    def clash(self) -> Done:
        """The same with a conflict, which is left to a person."""
        self.git("fetch", "--quiet", "origin")
        done = self.try_git("merge", "origin/main")
        assert done.code == 1, done.out + done.err
        return done

    def clone(self, name: str, *, driver: bool = True) -> Clone:
        """Another clone of the committed state."""
        there = Clone(self.root.parent / name, self.project)
        self.git("clone", "--quiet", str(self.root), str(there.root))
        if driver:
            there.unlatch("init", "--git")
        return there

    def resume(self, reason: str) -> None:
        self.unlatch("resume", "7", "--reason", reason, "--by", "Gil", "--yes", "--offline")
        self.commit(reason)

    def complete(self, by: str = "Gil") -> None:
        self.unlatch("complete", "7", "--offline", "--by", by)
        self.commit("complete")

    @property
    def reasons(self) -> list[str]:
        return [entry["reason"] for entry in self.metadata().get("reopenHistory", [])]


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]  # it wraps a BytesIO
    return raw.decode()
