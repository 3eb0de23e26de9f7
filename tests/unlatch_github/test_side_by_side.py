"""The comment is sent while the labels change; labels change one after the other."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.unlatch_github.making import REOPEN, act, bodies, closed_issue, ref, sent

from unlatch.errors import Rejected, UnknownOutcome
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch_github.plugin import GithubPlugin
    from unlatch_sandbox import Sandbox

LOCKED = {"message": "Unable to create comment because issue is locked."}


class UnderWay:
    """The requests under way at one moment."""

    def __init__(self) -> None:
        self.now: list[str] = []
        self.seen: set[frozenset[str]] = set()
        self._both = threading.Event()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        self.now.append(name)
        self.seen.add(frozenset(self.now))
        if len(self.now) > 1:
            self._both.set()
        # Each waits for company, but not for ever: the second label has none.
        self._both.wait(5)
        yield
        self.now.remove(name)


@pytest.fixture
def under_way(plugin: GithubPlugin, monkeypatch: pytest.MonkeyPatch) -> UnderWay:
    found = UnderWay()
    client = plugin._client

    def slowed(name: str) -> Callable[..., object]:
        send = getattr(client, name)

        def sent(*args: object) -> object:
            with found.part(name):
                return send(*args)

        return sent

    for name in ("comment", "add_labels", "remove_label"):
        monkeypatch.setattr(client, name, slowed(name))
    return found


def test_the_comment_waits_for_no_label(
    box: Sandbox, plugin: GithubPlugin, under_way: UnderWay
) -> None:
    number = closed_issue(box, labels=("completed", "done", "bug"))

    done = act(plugin, ref(box, number), replace(REOPEN, remove_labels=("completed", "done")))

    assert {"bug", "reopened"} == set(done.after.labels)
    assert frozenset({"comment", "add_labels"}) in under_way.seen
    assert not any({"add_labels", "remove_label"} <= seen for seen in under_way.seen)


@pytest.mark.parametrize("lost", ["/comments", "/labels"])
def test_after_a_lost_answer_nothing_more_is_sent(
    box: Sandbox, plugin: GithubPlugin, lost: str
) -> None:
    number = closed_issue(box, labels=("completed",))
    box.faults.add(Fault("github", "drop-after", method="POST", path=lost))

    with pytest.raises(UnknownOutcome):
        act(plugin, ref(box, number), REOPEN)

    assert {"POST /issues/1/comments", "POST /issues/1/labels"} == set(sent(box)[2:])


def test_a_lost_answer_about_a_label_counts_before_a_refused_comment(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box, labels=("completed",))
    box.faults.add(Fault("github", "status", path="/comments", code=403, body=LOCKED))
    box.faults.add(Fault("github", "error-after", method="POST", path="/labels"))

    with pytest.raises(UnknownOutcome):
        act(plugin, ref(box, number), REOPEN)


def test_a_refused_comment_reports_the_label_that_was_added(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box, labels=("completed",))
    box.faults.add(Fault("github", "status", path="/comments", code=403, body=LOCKED))

    with pytest.raises(Rejected) as caught:
        act(plugin, ref(box, number), REOPEN)

    assert caught.value.done is not None
    assert {"completed", "reopened"} == set(caught.value.done.after.labels)
    assert [] == bodies(box, number)
