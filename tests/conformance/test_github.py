"""The conformance kit on the plugin for GitHub, before the sandbox."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from unlatch.testing import Harness
from unlatch.testing.conformance import Conformance
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.github.records import MadeCommit

REPOSITORY = "octo/widgets"
_MENTION = re.compile(r"(?<![\w`])@([A-Za-z\d][A-Za-z\d-]*)")


class GithubHarness(Harness):
    tracker = "github"

    def __init__(self, box: Sandbox) -> None:
        self._faults = box.faults
        self._github = box.github
        self.server = box.github.web_url

    def settings(self, server: str) -> Mapping[str, Any]:
        return {"api_url": f"{server}/api/v3", "web_url": server, "repository": REPOSITORY}

    def elsewhere(self, server: str) -> str:
        return f"{server}/octo/gadgets/issues/1"

    def environ(self) -> Mapping[str, str]:
        return {"GITHUB_TOKEN": self._github.token}

    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        number = self._github.add_issue(
            title=title,
            state="open" if is_open else "closed",
            state_reason=None if is_open else "completed",
            labels=labels,
        )
        return str(number)

    def is_open(self, item: str) -> bool:
        return bool(self._issue(item)["state"] == "open")

    def labels(self, item: str) -> list[str]:
        return [label["name"] for label in self._issue(item)["labels"]]

    def comments(self, item: str) -> list[str]:
        return [one["body"] for one in self._github.comments(REPOSITORY, int(item))]

    def add_comments(self, item: str, texts: Sequence[str]) -> None:
        for text in texts:
            self._github.add_comment(REPOSITORY, int(item), text)

    def add_comment_of_a_stranger(self, item: str, text: str) -> None:
        self._github.add_person("stranger")
        self._github.add_comment(REPOSITORY, int(item), text, "stranger")

    def add_item_of_a_stranger(self, title: str, body: str) -> str:
        self._github.add_person("stranger")
        return str(self._github.add_issue(title=title, body=body, author="stranger"))

    def add_comment_of_a_member(self, item: str, text: str) -> None:
        self._github.add_comment(REPOSITORY, int(item), text, "a-person")

    def edit_comments(self, item: str, old: str, new: str) -> None:
        for one in self._github.comments(REPOSITORY, int(item)):
            self._github.edit_comment(REPOSITORY, one["id"], one["body"].replace(old, new))

    def assign(self, item: str) -> str:
        self._github.edit(REPOSITORY, int(item), assignees=["a-person"])
        return "a-person"

    def close_as_a_person(self, item: str) -> str:
        self._github.edit(REPOSITORY, int(item), state="closed", by="a-person")
        return "a-person"

    def read_only_environ(self) -> Mapping[str, str]:
        return {"GITHUB_TOKEN": self._github.reader_token}

    def add_label(self, item: str, label: str) -> None:
        self._github.edit(REPOSITORY, int(item), labels=[*self.labels(item), label])

    def find_by_title(self, title: str) -> list[str]:
        found = [view for view in self._github.items() if view.title == title]
        return [view.id.partition("#")[2] for view in found]

    def ignore_next(self) -> None:
        self._faults.add(Fault(self.tracker, "no-effect", shows="kept"))

    def body(self, item: str) -> str:
        return self._issue(item)["body"] or ""

    def write_around_body(self, item: str, before: str, after: str) -> None:
        body = f"{before}\n\n{self.body(item)}\n\n{after}"
        self._github.edit(REPOSITORY, int(item), body=body)

    def mentioned(self, item: str) -> list[str]:
        return [name for text in self.comments(item) for name in _MENTION.findall(text)]

    def tick(self, item: str, words: str) -> None:
        self._github.tick(REPOSITORY, int(item), words)

    def close_by_commit(self, item: str, commit: str) -> None:
        self._github.push_commit(REPOSITORY, MadeCommit(commit), closes=int(item))

    def close_deliberately(self, item: str) -> None:
        self._github.edit(REPOSITORY, int(item), state="closed", state_reason="not_planned")

    def _issue(self, item: str) -> dict[str, Any]:
        return self._github.issue(REPOSITORY, int(item))


class TestGithub(Conformance):
    @pytest.fixture
    def harness(self, box: Sandbox) -> Harness:
        return GithubHarness(box)
