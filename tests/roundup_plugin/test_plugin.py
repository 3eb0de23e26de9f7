"""A reopened issue on a live Roundup, and answers that a live one seldom gives.

The rest is in the conformance kit.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from tests.transport.faulty import Faulty, reply

from unlatch.errors import NotFound, Rejected, UnknownOutcome
from unlatch.spi import Category, Change, Goal, Scheme, SyncPlugin, visible
from unlatch.spi.text import Span
from unlatch.transport import for_tests

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.servers.roundup import Roundup

    from unlatch.spi import ItemRef

    Live = tuple[SyncPlugin, Callable[[str], ItemRef]]
    Make = Callable[..., Live]

OP = "01JC0000000000000000000001"
SAID = ((Span("Bug discovered"),),)
REOPEN = Change(OP, Goal.OPEN, SAID)


@pytest.fixture
def make(_installed: None) -> Make:
    """Make the plugin for a server, and references to its issues."""

    def made(url: str, *, user: str = "me", password: str = "sesame") -> Live:
        settings = import_module("unlatch_roundup.settings").RoundupSettings(
            url=url, user=user, dropped="wont-do"
        )
        transport = for_tests("roundup", url, token=password, user=user, scheme=Scheme.BASIC)
        return import_module("unlatch_roundup.plugin").RoundupPlugin(settings, transport), (
            partial(settings.locate, url=None)
        )

    return made


@pytest.fixture
def live(make: Make, roundup_server: Roundup) -> Live:
    return make(roundup_server.url, user=roundup_server.user, password=roundup_server.password)


def test_reopened_issue_has_its_comment_and_keeps_what_people_gave_it(
    live: Live, roundup_server: Roundup
) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status="resolved", keywords=["ours"])
    outcome = plugin.write(plugin.read(ref(issue), REOPEN), REOPEN)

    (message,) = roundup_server.messages(issue)
    assert "chatting" == roundup_server.status(issue) == outcome.after.state
    assert {"ours"} == roundup_server.keywords(issue)
    assert f"Bug discovered\n\n{visible(OP)}" == message
    assert (Category.DOING, True) == (outcome.after.category, outcome.commented)
    (found,) = plugin.find_comments(ref(issue), OP)
    assert (outcome.comment, True) == (found.id, found.own)
    assert (OP,) == plugin.find_ops(ref(issue))


def test_retired_issue_is_not_found(live: Live, roundup_server: Roundup) -> None:
    """Roundup 2.6.0 shows one as before to who reads it, and refuses to change it."""
    plugin, ref = live
    issue = roundup_server.add_issue("Gone", status="resolved")
    path = f"/issue/{issue}"
    etag = roundup_server.request("GET", path).headers["ETag"]
    roundup_server.request("DELETE", path, headers={"If-Match": etag}).raise_for_status()

    with pytest.raises(NotFound, match="is retired") as caught:
        plugin.write(plugin.read(ref(issue), REOPEN), REOPEN)

    assert "item-not-found" == caught.value.id


def answered(status: str = "resolved") -> dict[str, object]:
    """An issue as Roundup shows it."""
    fields: dict[str, object] = {
        "title": "Smart",
        "status": {"name": status},
        "messages": [],
        "assignedto": None,
        "activity": "2026-01-01.12:00:00",
    }
    return {"data": {"id": "7", "attributes": fields}}


MADE = reply(201, {"data": {"id": "9"}})
WRITTEN = reply(200, {"data": {"id": "7"}})


def test_write_that_cannot_be_read_back_is_unknown_and_says_what_was_posted(make: Make) -> None:
    with Faulty(reply(200, answered()), MADE, WRITTEN, otherwise=reply(502)) as server:
        plugin, ref = make(server.url)
        snapshot = plugin.read(ref("7"), REOPEN)
        with pytest.raises(UnknownOutcome) as caught:
            plugin.write(snapshot, REOPEN)

    assert caught.value.done is not None
    assert (True, "9") == (caught.value.done.commented, caught.value.done.comment)


def test_answer_that_cannot_be_read_is_refused_or_unknown(make: Make) -> None:
    nothing = reply(200, {"data": {}})
    with Faulty(reply(200, answered()), nothing, otherwise=nothing) as server:
        plugin, ref = make(server.url)
        snapshot = plugin.read(ref("7"), REOPEN)
        with pytest.raises(UnknownOutcome, match="make the comment: the answer cannot be read"):
            plugin.write(snapshot, REOPEN)
        with pytest.raises(Rejected, match="cannot read the issue") as caught:
            plugin.read(ref("7"))

    assert caught.value.id == "answer-not-understood"
