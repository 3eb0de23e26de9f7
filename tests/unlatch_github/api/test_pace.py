"""Comments and issues are sent at the published pace, and never half a change of one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.unlatch_github.making import (
    CREATE,
    REOPEN,
    act,
    bodies,
    closed_issue,
    create,
    draft,
    ref,
    sent,
    settings_for,
    state,
)

from unlatch.errors import Transient
from unlatch.transport import Wait, for_tests
from unlatch.transport.testing import SkippingClock
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from unlatch_sandbox import Sandbox


class Paced:
    """A plugin on time that only its waits let pass."""

    def __init__(self, box: Sandbox, *, max_wait: float = 60.0) -> None:
        self.clock = SkippingClock()
        self.waits: list[Wait] = []
        settings = settings_for(box)
        transport = for_tests(
            *("github", settings.base_url),
            token=box.github.token,
            clock=self.clock,
            max_wait=max_wait,
            on_wait=self.waits.append,
        )
        self.plugin = GithubPlugin(settings, transport)


def test_a_few_reopens_wait_for_nothing(box: Sandbox) -> None:
    paced = Paced(box)

    for _ in range(5):
        act(paced.plugin, ref(box, closed_issue(box)), REOPEN)

    assert (paced.clock.now, paced.waits) == (0.0, [])


def test_many_comments_and_issues_are_a_second_apart(box: Sandbox) -> None:
    paced = Paced(box)

    for _ in range(10):
        act(paced.plugin, ref(box, closed_issue(box)), REOPEN)
        create(paced.plugin, draft(), CREATE)

    assert paced.clock.now == 15.0


def test_what_posts_nothing_waits_for_nothing(box: Sandbox) -> None:
    paced = Paced(box)

    for _ in range(8):
        number = closed_issue(box)
        act(paced.plugin, ref(box, number), replace(REOPEN, comment=None))
        paced.plugin.read(ref(box, number))
        act(paced.plugin, ref(box, number), replace(REOPEN, goal=None, comment=None))

    assert paced.clock.now == 0.0


def test_an_hours_limit_leaves_the_rest_for_later_and_touches_nothing_of_it(box: Sandbox) -> None:
    paced = Paced(box)
    for _ in range(500):
        paced.plugin._pacer.turn()
    number = closed_issue(box)

    with pytest.raises(Transient, match="rate-limited:") as caught:
        act(paced.plugin, ref(box, number), REOPEN)

    assert "500 comments and issues an hour" in caught.value.message
    assert caught.value.retry_after is not None
    assert 3000 < caught.value.retry_after < 3600
    # The read is free of this limit; nothing was written.
    assert (sent(box), state(box, number)[0]) == ([f"GET /issues/{number}"], "closed")


def test_an_hours_limit_is_waited_for_where_that_is_allowed_and_shown(box: Sandbox) -> None:
    paced = Paced(box, max_wait=4000.0)
    for _ in range(500):
        paced.plugin._pacer.turn()
    number = closed_issue(box)

    act(paced.plugin, ref(box, number), REOPEN)

    assert len(bodies(box, number)) == 1
    assert [wait.tracker for wait in paced.waits] == ["github"]
    assert paced.clock.now >= 3600.0
