"""An item on GitHub, closed an hour ago, and a job for each comment on it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.cli.project import Done, Project

from unlatch_sandbox.clock import stored

REPOSITORY = "octo/widgets"
ROLES = {"ann": "read", "tim": "triage", "wes": "write", "oda": "read"}


@dataclass
class Desk:
    """A closed item with its comments.

    Args:
        kind: of the item's address: "issues" or "pull".
    """

    project: Project
    kind: str = "issues"
    number: int = 4

    @property
    def url(self) -> str:
        return f"{self.project.box.github.web_url}/{REPOSITORY}/{self.kind}/{self.number}"

    def post(self, user: str, words: str, *, review: bool = False) -> int:
        github = self.project.box.github
        return github.add_comment(REPOSITORY, self.number, words, user, review=review)

    def event(self, comment: int, words: str = "/", *, review: bool = False) -> dict[str, Any]:
        """What GitHub sends for a new comment."""
        item: dict[str, Any] = {"html_url": self.url, "state": "closed"}
        if self.kind == "pull" and not review:
            item |= {"pull_request": {"html_url": self.url}}
        return {
            "action": "created",
            "pull_request" if review else "issue": item,
            "comment": {"id": comment, "body": words},
            "sender": {"login": "somebody"},
        }

    def take_up(self, comment: int, words: str = "/", *options: str, review: bool = False) -> Done:
        """Run the job for a comment."""
        return self.ingest(self.event(comment, words, review=review), *options)

    def ingest(self, event: dict[str, Any], *options: str) -> Done:
        path = self.project.home / "event.json"
        path.write_text(json.dumps(event))
        self.project.box.requests.clear()
        return self.project.run("ingest", "--from", "github-event", str(path), *options)

    def say(self, user: str, words: str, *options: str, review: bool = False) -> Done:
        comment = self.post(user, words, review=review)
        return self.take_up(comment, words, *options, review=review)

    @contextmanager
    def earlier(self, minutes: int = 60) -> Iterator[None]:
        """Let GitHub's clock show an earlier time."""
        then = stored(datetime.now(UTC) - timedelta(minutes=minutes))
        with self.project.monkeypatch.context() as patch:
            patch.setattr(type(self.project.box.github.hub), "now", lambda _: then)
            yield

    def close(self, by: str, reason: str | None = "completed", *, ago: int = 60) -> None:
        """Close the item, some minutes ago."""
        github = self.project.box.github
        with self.earlier(ago):
            github.edit(REPOSITORY, self.number, state="closed", state_reason=reason, by=by)

    @property
    def state(self) -> str:
        return str(self.project.box.github.issue(REPOSITORY, self.number)["state"])

    @property
    def texts(self) -> list[str]:
        comments = self.project.box.github.comments(REPOSITORY, self.number)
        return [comment["body"] for comment in comments]

    @property
    def answers(self) -> list[str]:
        """The comments that unlatch posted."""
        return [text for text in self.texts if "unlatch:op=" in text]

    @property
    def sent(self) -> list[str]:
        """The requests of the last job."""
        entries = self.project.box.requests.entries()
        return [f"{entry.method} {entry.path.partition('/api/')[2]}" for entry in entries]

    def thumbs(self, comment: int) -> int:
        comments = self.project.box.github.comments(REPOSITORY, self.number)
        [shown] = [entry for entry in comments if entry["id"] == comment]
        return int(shown["reactions"]["+1"])


def add_people(project: Project) -> None:
    for login, role in ROLES.items():
        project.box.github.add_person(login, role=role)
