"""The conformance kit on the plugin for Jira, before the sandbox as a Cloud site."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from unlatch.testing import Harness
from unlatch.testing.conformance import Conformance
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.jira import adf
from unlatch_sandbox.jira.admin import PERSON
from unlatch_sandbox.pages import ItemView


class JiraHarness(Harness):
    tracker = "jira"
    missing = "SCRUM-987654321"
    abandons_deliberately = False  # the workflow sets the resolution, and asks for none

    def __init__(self, box: Sandbox) -> None:
        self._faults = box.faults
        self._jira = box.jira
        self.server = box.jira.site

    def settings(self, server: str) -> Mapping[str, Any]:
        return {"site": server, "project": self._jira.project, "api_version": 3}

    def elsewhere(self, server: str) -> str:
        return f"{server}/browse/OTHER-1"

    def environ(self) -> Mapping[str, str]:
        return self._jira.environ()

    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        status = "In Progress" if is_open else "Done"
        return self._jira.add_issue(summary=title, status=status, labels=labels)

    def is_open(self, item: str) -> bool:
        return self._item(item).open

    def labels(self, item: str) -> list[str]:
        return list(self._item(item).labels)

    def comments(self, item: str) -> list[str]:
        return [adf.to_text(one["body"]) for one in self._jira.comments(item)]

    def add_comments(self, item: str, texts: Sequence[str]) -> None:
        for text in texts:
            self._jira.add_comment(item, text)

    def add_comment_of_a_member(self, item: str, text: str) -> None:
        self._jira.add_comment(item, text, PERSON)

    def add_restricted_comment(self, item: str, text: str) -> None:
        self._jira.add_comment(item, text, PERSON, role="Developers")

    def edit_comments(self, item: str, old: str, new: str) -> None:
        for one in self._jira.comments(item):
            text = adf.to_text(one["body"]).replace(old, new)
            self._jira.edit_comment(item, one["id"], text)

    def assign(self, item: str) -> str:
        self._jira.edit(item, assignee=PERSON)
        return PERSON

    def close_as_a_person(self, item: str) -> str:
        self._jira.edit(item, status="Done")
        return PERSON

    def add_label(self, item: str, label: str) -> None:
        self._jira.edit(item, labels=[*self.labels(item), label])

    def find_by_title(self, title: str) -> list[str]:
        return [view.id for view in self._jira.items() if view.title == title]

    def ignore_next(self) -> None:
        self._faults.add(Fault(self.tracker, "no-effect", shows="kept"))

    def body(self, item: str) -> str:
        return adf.to_text(self._jira.issue(item)["fields"]["description"])

    def write_around_body(self, item: str, before: str, after: str) -> None:
        body = self._jira.issue(item)["fields"]["description"]
        content = [part for text in (before, after) for part in adf.from_text(text)["content"]]
        content[1:1] = body["content"] if body else []
        self._jira.edit(item, description={"type": "doc", "version": 1, "content": content})

    def tick(self, item: str, words: str) -> None:
        self._jira.tick(item, words)

    def close_deliberately(self, item: str) -> None:
        self._jira.edit(item, status="Done", resolution="Won't Do")

    def _item(self, item: str) -> ItemView:
        view = self._jira.item(item)
        assert view is not None
        return view


class TestJira(Conformance):
    @pytest.fixture
    def harness(self, box: Sandbox) -> Harness:
        return JiraHarness(box)
