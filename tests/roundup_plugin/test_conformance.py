"""The conformance kit on the example, before a live Roundup."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.servers.roundup import Roundup

from unlatch.testing import Harness
from unlatch.testing.conformance import Conformance


class RoundupHarness(Harness):
    tracker = "roundup"
    many_comments = 30  # it reads all at once

    def __init__(self, roundup: Roundup) -> None:
        self._roundup = roundup
        self.server = roundup.url

    def settings(self, server: str) -> Mapping[str, Any]:
        return {"url": server, "user": self._roundup.user, "dropped": "wont-do"}

    def environ(self) -> Mapping[str, str]:
        return {"ROUNDUP_USER": self._roundup.user, "ROUNDUP_PASSWORD": self._roundup.password}

    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        return self._roundup.add_issue(title, status="in-progress" if is_open else "resolved")

    def is_open(self, item: str) -> bool:
        return self._roundup.status(item) not in ("resolved", "wont-do")

    def comments(self, item: str) -> list[str]:
        return self._roundup.messages(item)

    def add_comments(self, item: str, texts: Sequence[str]) -> None:
        self._roundup.say(item, texts)

    def assign(self, item: str) -> str:
        self._roundup.change(item, {"assignedto": self._roundup.user})
        return self._roundup.user

    def close_deliberately(self, item: str) -> None:
        self._roundup.change(item, {"status": "wont-do"})


class TestRoundup(Conformance):
    @pytest.fixture
    def harness(self, roundup_server: Roundup) -> Harness:
        return RoundupHarness(roundup_server)
