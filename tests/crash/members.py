"""Clones of one project with one origin, whose trackers are a sandbox's."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.crash.items import Items
from tests.git.clone import NAME, Clone
from tests.warm.client import unlatch

from unlatch_sandbox import Sandbox

TRACKERS = ("github", "ado", "jira")
REASON = "Bug discovered in error handling"


@dataclass(frozen=True)
class Member(Clone):
    """A clone of one member of the team.

    Args:
        extra: the tokens of this member.
    """

    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def environ(self) -> dict[str, str]:
        return {**super().environ, **self.extra}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start unlatch as a process of its own, and do not wait for it."""
        return subprocess.Popen(
            [*unlatch(self.environ), *arguments],
            cwd=self.root,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def reopen(self, reason: str = REASON, *options: str) -> int:
        return self.try_unlatch(
            "resume", "7", "--reason", reason, "--by", "Gil", "--yes", *options
        ).code

    def push(self, message: str) -> None:
        """Commit everything, and push it."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        self.git("push", "--quiet", "origin", "main")

    def pull(self) -> int:
        """Merge the pushed work of others; returns git's exit code."""
        self.git("fetch", "--quiet", "origin")
        return self.try_git("merge", "--quiet", "--no-edit", "origin/main").code

    @property
    def pending(self) -> list[str]:
        return [operation["tracker"] for operation in self.metadata().get("pending", [])]

    @property
    def reopens(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.metadata().get("reopenHistory", [])
        return found

    @property
    def synced(self) -> dict[str, list[str]]:
        """By reason: the trackers that the reopen reached."""
        return {entry["reason"]: sorted(entry["syncedTo"]) for entry in self.reopens}


@dataclass(frozen=True)
class Team:
    """Two clones with a completed increment, the origin of both, and its three closed items."""

    box: Sandbox
    folder: Path
    ids: Mapping[str, str]
    laptop: Member
    colleague: Member

    @classmethod
    def meet(cls, box: Sandbox, folder: Path) -> Team:
        """Make all of that."""
        ids = _make_items(box)
        tokens = box.environ()
        laptop = Member(folder / "laptop", extra=tokens)
        _begin(laptop, box, ids)
        laptop.git("clone", "--quiet", "--bare", str(laptop.root), str(folder / "origin.git"))
        laptop.git("remote", "add", "origin", str(folder / "origin.git"))
        team = cls(box, folder, ids, laptop, laptop)
        return cls(box, folder, ids, laptop, team.newcomer("colleague"))

    def copied(self, folder: Path) -> Team:
        """The same team in another folder; its trackers were reset, and get their items again."""
        assert self.ids == _make_items(self.box)
        return self.moved(folder)

    def moved(self, folder: Path) -> Team:
        """The same team, with its clones and their origin copied to another folder."""
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        for config in (*folder.glob("*/.git/config"), folder / "origin.git" / "config"):
            config.write_text(config.read_text().replace(str(self.folder), str(folder)))
        laptop, colleague = (
            replace(member, root=folder / member.root.name)
            for member in (self.laptop, self.colleague)
        )
        return replace(self, folder=folder, laptop=laptop, colleague=colleague)

    def newcomer(self, name: str, *, driver: bool = True) -> Member:
        """A fresh clone of the pushed work; without a driver, git merges our files as text."""
        member = Member(self.folder / name, extra=self.laptop.extra)
        self.laptop.git("clone", "--quiet", str(self.folder / "origin.git"), str(member.root))
        if driver:
            member.unlatch("init", "--git")
        return member

    def states(self) -> dict[str, bool]:
        """By tracker: whether the item is open."""
        return {t: Items(self.box, t).view(item).open for t, item in self.ids.items()}

    def labels(self) -> list[list[str]]:
        return [Items(self.box, t).view(item).labels for t, item in self.ids.items()]

    def comments(self) -> dict[str, list[str]]:
        return {
            tracker: [comment.text for comment in Items(self.box, tracker).view(item).comments]
            for tracker, item in self.ids.items()
        }

    def told(self, reason: str = REASON) -> dict[str, int]:
        """By tracker: how many comments tell a reason."""
        return {t: sum(reason in text for text in said) for t, said in self.comments().items()}

    def writes(self) -> list[str]:
        """The requests that changed something since the last look."""
        sent = self.box.requests.entries()
        self.box.requests.clear()
        return [f"{one.method} {one.path}" for one in sent if one.changes]


def _make_items(box: Sandbox) -> dict[str, str]:
    return {
        tracker: Items(box, tracker).make("Smart discipline", is_open=False, labels=("completed",))
        for tracker in TRACKERS
    }


def _begin(member: Member, box: Sandbox, ids: Mapping[str, str]) -> None:
    member.root.mkdir(parents=True)
    member.git("init", "--quiet", "--initial-branch", "main")
    member.unlatch("init", "--git")
    (member.root / ".unlatch" / "config.toml").write_text(box.config())
    folder = member.path().parent
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text("---\nstatus: completed\n---\n# Smart discipline\n")
    links: dict[str, Any] = {t: Items(box, t).link(item) for t, item in ids.items()}
    data = {
        "id": NAME,
        "status": "completed",
        "type": "feature",
        "created": "2025-10-01T08:00:00Z",
        "lastActivity": "2025-10-02T08:00:00Z",
        "completedAt": "2025-10-02T08:00:00Z",
        **links,
    }
    (folder / "metadata.json").write_text(json.dumps(data, indent=2) + "\n")
    member.commit("Begin")
