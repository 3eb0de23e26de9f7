"""The plugin on a live Roundup, method by method, and on answers that a live one seldom gives."""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from tests.transport.faulty import Faulty, reply

from unlatch.errors import Conflict, Rejected, UnknownOutcome
from unlatch.spi import Category, Change, Goal, Scheme, SyncPlugin, visible
from unlatch.spi.text import Span
from unlatch.transport import for_tests
from unlatch.transport.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.roundup import Roundup

    from unlatch.spi import ItemRef

    Live = tuple[SyncPlugin, Callable[[str], ItemRef]]
    Make = Callable[..., Live]

OP = "01JC0000000000000000000001"
SAID = ((Span("Bug discovered"),),)
REOPEN = Change(OP, Goal.OPEN, SAID)
CLOSE = Change(OP, Goal.COMPLETED, SAID)


@pytest.fixture
def make(_installed: None) -> Make:
    """Make the plugin for a server, and references to its issues."""

    def made(
        url: str, *, user: str = "me", password: str = "sesame", trace: Trace | None = None
    ) -> Live:
        settings = import_module("unlatch_roundup.settings").RoundupSettings(
            url=url, user=user, dropped="wont-do"
        )
        transport = for_tests(
            "roundup", url, token=password, user=user, scheme=Scheme.BASIC, trace=trace
        )
        return import_module("unlatch_roundup.plugin").RoundupPlugin(settings, transport), (
            partial(settings.locate, url=None)
        )

    return made


@pytest.fixture
def trace(tmp_path: Path) -> Iterator[Trace]:
    with Trace(tmp_path / "trace") as opened:
        yield opened


@pytest.fixture
def live(make: Make, roundup_server: Roundup, trace: Trace) -> Live:
    server = roundup_server
    return make(server.url, user=server.user, password=server.password, trace=trace)


def sent(folder: Path) -> list[tuple[str, str]]:
    """Method and address of each request in the trace, without its query."""
    text = (folder / "trace").read_text()
    return re.findall(r"^\S+ roundup (\S+) ([^\s?]+)", text, re.MULTILINE)


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


def test_issue_that_is_as_wanted_gets_no_write(
    live: Live, roundup_server: Roundup, tmp_path: Path
) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status="chatting")
    wanted = Change(OP, Goal.OPEN)
    snapshot = plugin.read(ref(issue), wanted)
    outcome = plugin.write(snapshot, wanted)

    assert (snapshot.item, False) == (outcome.after, outcome.commented)
    assert ["GET"] == [method for method, _ in sent(tmp_path)]


def test_issue_that_a_person_changed_meanwhile_is_left_alone(
    live: Live, roundup_server: Roundup
) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status="resolved")
    snapshot = plugin.read(ref(issue), REOPEN)
    roundup_server.add_keyword(issue, "theirs")

    with pytest.raises(Conflict) as caught:
        plugin.write(snapshot, REOPEN)

    assert ("resolved", []) == (roundup_server.status(issue), roundup_server.messages(issue))
    assert {"theirs"} == roundup_server.keywords(issue)
    assert caught.value.done is not None
    assert not caught.value.done.commented


def test_comment_alone_leaves_the_state(live: Live, roundup_server: Roundup) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status="resolved")
    outcome = plugin.write(plugin.read(ref(issue)), Change(OP, comment=SAID))

    assert ("resolved", True) == (roundup_server.status(issue), outcome.commented)


@pytest.mark.parametrize(
    ("status", "change"), [("resolved", REOPEN), ("chatting", CLOSE)], ids=["reopen", "close"]
)
def test_change_is_planned_as_it_is_sent(
    status: str, change: Change, live: Live, roundup_server: Roundup, tmp_path: Path
) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status=status)

    snapshot = plugin.read(ref(issue), change)
    looked = len(sent(tmp_path))
    planned = plugin.plan(snapshot, change)
    assert looked == len(sent(tmp_path))
    plugin.write(snapshot, change)

    assert sent(tmp_path) == [(one.method, one.url) for one in planned]


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
