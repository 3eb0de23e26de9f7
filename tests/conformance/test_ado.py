"""The conformance kit on the plugin for Azure DevOps, before the sandbox."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from unlatch.testing import Harness
from unlatch.testing.conformance import Conformance
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.ado.admin import PERSON
from unlatch_sandbox.pages import ItemView


class AdoHarness(Harness):
    tracker = "ado"
    many_comments = 220  # it reads two hundred at once

    def __init__(self, box: Sandbox) -> None:
        self._faults = box.faults
        self._ado = box.ado
        self.server = box.ado.organization_url

    def settings(self, server: str) -> Mapping[str, Any]:
        return {"organization_url": server, "web_url": server, "project": self._ado.project}

    def elsewhere(self, server: str) -> str:
        return f"{server}/another/_workitems/edit/1"

    def environ(self) -> Mapping[str, str]:
        return {"AZURE_DEVOPS_EXT_PAT": self._ado.token}

    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        state = "Active" if is_open else "Closed"
        return str(self._ado.add_work_item(title=title, state=state, tags=labels))

    def is_open(self, item: str) -> bool:
        return self._item(item).open

    def labels(self, item: str) -> list[str]:
        return list(self._item(item).labels)

    def comments(self, item: str) -> list[str]:
        return [one["text"] for one in self._ado.comments(int(item))]

    def add_comments(self, item: str, texts: Sequence[str]) -> None:
        for text in texts:
            self._ado.add_comment(int(item), text)

    def add_comment_of_a_member(self, item: str, text: str) -> None:
        self._ado.add_comment(int(item), text, PERSON)

    def edit_comments(self, item: str, old: str, new: str) -> None:
        for one in self._ado.comments(int(item)):
            self._ado.edit_comment(int(item), one["id"], one["text"].replace(old, new))

    def assign(self, item: str) -> str:
        self._ado.edit(int(item), assigned_to=PERSON)
        return PERSON

    def close_as_a_person(self, item: str) -> str:
        self._ado.edit(int(item), state="Closed")
        return PERSON

    def add_label(self, item: str, label: str) -> None:
        self._ado.edit(int(item), tags=[*self.labels(item), label])

    def find_by_title(self, title: str) -> list[str]:
        return [view.id for view in self._ado.items() if view.title == title]

    def ignore_next(self) -> None:
        self._faults.add(Fault(self.tracker, "no-effect", shows="kept"))

    def body(self, item: str) -> str:
        return str(self._ado.work_item(int(item))["fields"].get("System.Description") or "")

    def write_around_body(self, item: str, before: str, after: str) -> None:
        description = f"<p>{before}</p>{self.body(item)}<p>{after}</p>"
        self._ado.edit(int(item), description=description)

    def tick(self, item: str, words: str) -> None:
        self._ado.tick(int(item), words)

    def close_by_commit(self, item: str, commit: str) -> None:
        place = f"{'0' * 8}%2F{'1' * 8}%2F{commit}"
        self._ado.add_link(int(item), f"vstfs:///Git/Commit/{place}", name="Fixed in Commit")

    def close_deliberately(self, item: str) -> None:
        self._ado.edit(int(item), state="Removed")

    def _item(self, item: str) -> ItemView:
        view = self._ado.item(self._ado.project, int(item))
        assert view is not None
        return view


class TestAdo(Conformance):
    @pytest.fixture
    def harness(self, box: Sandbox) -> Harness:
        return AdoHarness(box)
