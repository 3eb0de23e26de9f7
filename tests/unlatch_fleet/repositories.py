"""Bare repositories with pending reopens of items on the sandbox, as a fleet syncs them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.cli.project import Done
from tests.crash.items import Items
from tests.git.clone import Clone, _text
from tests.warm.client import unlatch

from unlatch.cli.main import run
from unlatch_sandbox import Sandbox

REASON = "Bug discovered in error handling"
TRACKERS = ("github", "ado", "jira")
Targets = Mapping[str, Sequence[str]]
NO_TARGETS: Targets = MappingProxyType({})
_AT = "2026-01-02T08:00:00Z"
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Repository:
    """A bare repository, and the items, by tracker, that each need a comment.

    Args:
        group: of its tokens.
    """

    path: Path
    name: str
    due: Mapping[str, Sequence[str]]
    group: str = "default"

    def git(self, *arguments: str, fed: bytes = b"") -> str:
        done = subprocess.run(
            ["git", "--git-dir", str(self.path), *arguments],
            input=fed,
            capture_output=True,
            check=True,
            timeout=60,
        )
        return done.stdout.decode()

    def metadata(self) -> list[dict[str, Any]]:
        """The pushed metadata.json of each increment."""
        names = self.git("ls-tree", "-r", "--name-only", "main").splitlines()
        places = [f"main:{name}\n" for name in names if name.endswith("/metadata.json")]
        texts = self.git("cat-file", "--batch", fed="".join(places).encode())
        return [json.loads(text) for text in _blobs(texts.encode())]

    @property
    def pending(self) -> int:
        return sum(len(data.get("pending", ())) for data in self.metadata())

    @property
    def commits(self) -> int:
        return int(self.git("rev-list", "--count", "main"))

    def commit(self, files: Mapping[str, str]) -> None:
        """Commit files on top of the branch main."""
        is_first = not (self.path / "refs" / "heads" / "main").exists()
        parent = "" if is_first else "from refs/heads/main^0\n"
        parts = [
            "commit refs/heads/main",
            "committer Gil Git <gil@example.com> 1767340800 +0000",
            "data 5\nBegin",
        ]
        head = "\n".join(parts) + f"\n{parent}"
        stream = head.encode()
        for name, text in files.items():
            content = text.encode()
            stream += b"M 644 inline %s\ndata %d\n%s\n" % (name.encode(), len(content), content)
        self.git("fast-import", "--quiet", "--force", fed=stream)


@dataclass
class Fleet:
    """Bare repositories below a folder, and fleet.toml beside them."""

    box: Sandbox
    folder: Path
    repositories: list[Repository] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.folder / "fleet.toml"

    @property
    def environ(self) -> dict[str, str]:
        """That of a person with the tokens of the sandbox."""
        home = Clone(self.folder / "home")
        state = {"XDG_STATE_HOME": str(self.folder / "state"), "TMPDIR": tempfile.gettempdir()}
        keyring = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
        return {**home.environ, **self.box.environ(), **state, **keyring}

    def unlatch(self, *arguments: str, **environ: str) -> Done:
        """Run unlatch in this process; its units are processes of their own."""
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        whole = {**self.environ, **environ}
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ:
                patch.delenv(name)
            for name, value in whole.items():
                patch.setenv(name, value)
            patch.chdir(self.folder)
            patch.setattr("unlatch_fleet.cli.chosen.UNLATCH", unlatch(whole))
            with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
                code = run(list(arguments))
        return Done(code, *map(_text, streams))

    def add(self, *, items: int = 3, settle: float = 0.0) -> Repository:
        """A repository whose items are spread over the trackers; each increment has three."""
        number = len(self.repositories) + 1
        name = f"octo/part-{number}"
        path = self.folder / f"part-{number}.git"
        self.box.github.add_repository(name)
        for label in ("reopened", "completed"):
            self.box.github.add_label(label, repository=name)
        due: dict[str, list[str]] = {tracker: [] for tracker in TRACKERS}
        for turn in range(items):
            tracker = TRACKERS[turn % len(TRACKERS)]
            due[tracker].append(self._make_item(tracker, name))
        config = self.box.config().replace("octo/widgets", name)
        config += f"\n[sync]\nmax_items = {max(10, items)}\n"
        files = {".unlatch/config.toml": config.replace("settle = 0", f"settle = {settle:g}")}
        for turn in range(max(map(len, due.values()))):
            links = {tracker: ids[turn] for tracker, ids in due.items() if turn < len(ids)}
            files |= self._increment(number, turn + 1, name, links)
        self._init(path)
        repository = Repository(path, name, due, self._group(number))
        repository.commit(files)
        self.repositories.append(repository)
        return repository

    def _init(self, path: Path) -> None:
        argv = ["git", "init", "--quiet", "--bare", "--initial-branch", "main", str(path)]
        subprocess.run(argv, check=True, timeout=60)

    def _group(self, _number: int) -> str:
        return "default"

    def write(
        self, more: str = "", *, group: str | None = None, targets: Targets = NO_TARGETS
    ) -> None:
        """Write fleet.toml, each repository with its own target and the projects of the sandbox."""
        shared = {"ado": ["fabrikam/widgets"], "jira": ["SCRUM"], **targets}
        places = {
            "github": self.box.github.web_url,
            "ado": self.box.ado.organization_url,
            "jira": self.box.jira.site,
        }
        hosts = {tracker: urlsplit(place).netloc for tracker, place in places.items()}
        tables = []
        for repository in self.repositories:
            listed = {"github": [repository.name], **shared}
            tables.append(f"[[repositories]]\nurl = {json.dumps(str(repository.path))}")
            tables.append(f"group = {json.dumps(group or repository.group)}")
            for tracker, names in listed.items():
                entries = [f"{hosts[tracker]}/{name}" for name in names]
                tables.append(f"targets.{tracker} = {json.dumps(entries)}")
        self.file.write_text("\n".join([more, *tables]))

    def comments(self, repository: Repository) -> list[int]:
        """How many comments each due item has."""
        return [
            sum(REASON in comment.text for comment in self.view(repository, tracker, item).comments)
            for tracker, ids in repository.due.items()
            for item in ids
        ]

    def is_delivered(self, repository: Repository) -> bool:
        """Whether each item is open and has one comment, and the repository says so."""
        views = [
            self.view(repository, tracker, item)
            for tracker, ids in repository.due.items()
            for item in ids
        ]
        is_open = all(view.open for view in views)
        return is_open and {*self.comments(repository)} == {1} and not repository.pending

    def view(self, repository: Repository, tracker: str, item: str) -> Any:
        if tracker == "github":
            return self.box.github.item(repository.name, int(item))
        return Items(self.box, tracker).view(item)

    def _make_item(self, tracker: str, name: str) -> str:
        if tracker == "github":
            issue = self.box.github.add_issue(name, title="Part", state="closed")
            return str(issue)
        return Items(self.box, tracker).make("Part", is_open=False, labels=())

    def _increment(
        self, number: int, turn: int, name: str, links: Mapping[str, str]
    ) -> dict[str, str]:
        op = _ulid(number * 1000 + turn)
        urls = {
            tracker: f"{self.box.github.web_url}/{name}/issues/{item}"
            if tracker == "github"
            else Items(self.box, tracker).link(item)["url"]
            for tracker, item in links.items()
        }
        data: dict[str, Any] = {
            "id": f"{turn:04d}-part",
            "status": "active",
            "type": "feature",
            "created": "2025-10-01T08:00:00Z",
            "lastActivity": _AT,
        }
        keys = {"github": "issue", "ado": "workItemId", "jira": "issueKey"}
        for tracker, item in links.items():
            shown: object = item if tracker == "jira" else int(item)
            data[tracker] = {keys[tracker]: shown, "url": urls[tracker]}
        data["reopenHistory"] = [
            {
                "id": op,
                "reopenedAt": _AT,
                "reason": REASON,
                "previousStatus": "completed",
                "previousCompletedAt": "2025-10-02T08:00:00Z",
                "reopenedBy": "Gil",
                "syncedTo": {},
            }
        ]
        data["pending"] = [
            {"op": op, "kind": "reopen", "tracker": tracker, "item": url, "at": _AT}
            for tracker, url in urls.items()
        ]
        event = {"id": op, "at": _AT, "event": "reopened", "by": "Gil", "reason": REASON}
        event |= {"from": "completed", "to": "active"}
        folder = f".unlatch/increments/{turn:04d}-part"
        return {
            f"{folder}/metadata.json": json.dumps(data, indent=2) + "\n",
            f"{folder}/events.jsonl": json.dumps(event) + "\n",
            f"{folder}/spec.md": "---\nstatus: active\n---\n# Part\n",
            f"{folder}/tasks.md": "# Tasks\n\n- [ ] Repair it\n",
        }


def _blobs(batch: bytes) -> Iterator[bytes]:
    """The contents in the output of `git cat-file --batch`."""
    while batch:
        head, _, rest = batch.partition(b"\n")
        size = int(head.split()[2])
        yield rest[:size]
        batch = rest[size + 1 :]


def _ulid(number: int) -> str:
    digits = ""
    for _ in range(16):
        number, digit = divmod(number, 32)
        digits = _CROCKFORD[digit] + digits
    return f"01KDYZX800{digits}"
