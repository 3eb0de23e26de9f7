"""The plugin on a live Roundup, method by method, and on answers that a live one seldom gives."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from tests.transport.faulty import Faulty, reply

from unlatch.errors import Conflict, UnknownOutcome
from unlatch.spi import Category, Change, Draft, Goal, Scheme, SyncPlugin, visible
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
REOPEN = Change(OP, Goal.OPEN, SAID, ("reopened",), ("completed",))
CLOSE = Change(OP, Goal.COMPLETED, SAID, ("completed",), ("reopened",))
CREATE = Change(
    "01JC0000000000000000000002",
    add_labels=("fresh",),
    draft=Draft("0007-smart", "Smart\ndiscipline", None, SAID),
)


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
            settings.ref
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


def test_reopened_issue_has_its_comment_and_labels_and_keeps_those_of_people(
    live: Live, roundup_server: Roundup
) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status="resolved", keywords=["completed", "ours"])
    outcome = plugin.write(plugin.read(ref(issue), REOPEN), REOPEN)

    (message,) = roundup_server.messages(issue)
    assert "chatting" == roundup_server.status(issue) == outcome.after.state
    assert {"ours", "reopened"} == roundup_server.keywords(issue) == {*outcome.after.labels}
    assert f"Bug discovered\n\n{visible(OP)}" == message
    assert (Category.DOING, True) == (outcome.after.category, outcome.commented)
    (found,) = plugin.find_comments(ref(issue), OP)
    assert (outcome.comment, True) == (found.id, found.own)
    assert (OP,) == plugin.find_ops(ref(issue))


def test_issue_that_is_as_wanted_gets_no_write(
    live: Live, roundup_server: Roundup, tmp_path: Path
) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status="chatting", keywords=["reopened"])
    wanted = Change(OP, Goal.OPEN, None, ("reopened",), ("completed",))
    snapshot = plugin.read(ref(issue), wanted)
    outcome = plugin.write(snapshot, wanted)

    assert (snapshot.item, False) == (outcome.after, outcome.commented)
    assert ["GET"] == [method for method, _ in sent(tmp_path)]


def test_issue_that_a_person_changed_meanwhile_is_left_alone(
    live: Live, roundup_server: Roundup
) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status="resolved", keywords=["completed"])
    snapshot = plugin.read(ref(issue), REOPEN)
    roundup_server.add_keyword(issue, "theirs")

    with pytest.raises(Conflict) as caught:
        plugin.write(snapshot, REOPEN)

    assert ("resolved", []) == (roundup_server.status(issue), roundup_server.messages(issue))
    assert {"completed", "theirs"} == roundup_server.keywords(issue)
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
@pytest.mark.parametrize("known", [True, False], ids=["keyword known", "keyword new"])
def test_change_is_planned_as_it_is_sent(
    status: str,
    change: Change,
    live: Live,
    roundup_server: Roundup,
    tmp_path: Path,
    *,
    known: bool,
) -> None:
    plugin, ref = live
    issue = roundup_server.add_issue("Smart", status=status, keywords=[*change.remove_labels])
    label = f"{status}-{known}"
    if known:
        roundup_server.add_issue("Other", status=status, keywords=[label])
    change = Change(OP, change.goal, SAID, (label,), change.remove_labels)

    snapshot = plugin.read(ref(issue), change)
    looked = len(sent(tmp_path))
    planned = plugin.plan(snapshot, change)
    assert looked == len(sent(tmp_path))
    plugin.write(snapshot, change)

    assert sent(tmp_path) == [(one.method, one.url) for one in planned]


def test_new_issue_is_planned_made_and_found_by_its_marker_whatever_the_clock_says(
    live: Live, roundup_server: Roundup, tmp_path: Path
) -> None:
    plugin, _ = live
    planned = plugin.plan(None, CREATE)
    asked = len(sent(tmp_path))
    made = plugin.create(CREATE).after

    number = made.ref.id
    requests = [(method, url.removesuffix(f"/{number}")) for method, url in sent(tmp_path)[asked:]]
    assert requests == [(one.method, one.url) for one in planned]
    assert ("Smart discipline", ("fresh",)) == (made.title, made.labels)
    assert [f"Bug discovered\n\n{visible(CREATE.op)}"] == roundup_server.messages(number)
    later = datetime.now(UTC) + timedelta(days=30_000)
    assert made == plugin.find_created(CREATE.op, later)
    assert plugin.find_created("01JC0000000000000000000003", later) is None


def answered(*labels: str, status: str = "resolved") -> dict[str, object]:
    """An issue as Roundup shows it."""
    fields = {
        "title": "Smart",
        "status": {"name": status},
        "keyword": [{"name": label} for label in labels],
        "messages": [],
        "assignedto": None,
        "activity": "2026-01-01.12:00:00",
    }
    return {"data": {"id": "7", "attributes": fields}}


MADE = reply(201, {"data": {"id": "9"}})
NO_KEYWORD = reply(200, {"data": {"collection": []}})
WRITTEN = reply(200, {"data": {"id": "7"}})


def test_keyword_that_the_account_may_not_make_is_refused_and_the_rest_is_done(make: Make) -> None:
    refusal = reply(403, {"error": {"status": 403, "msg": "Permission to create keyword denied"}})
    script = (reply(200, answered()), NO_KEYWORD, refusal, MADE, WRITTEN)
    with Faulty(*script, reply(200, answered(status="chatting"))) as server:
        plugin, ref = make(server.url)
        outcome = plugin.write(plugin.read(ref("7"), REOPEN), REOPEN)

    assert (("reopened",), (), True) == (outcome.refused, outcome.after.labels, outcome.commented)
    assert b"keyword" not in server.requests[-2].body


def test_keyword_that_another_client_made_meanwhile_is_used(make: Make) -> None:
    exists = reply(409, {"error": {"status": 409, "msg": "node with key reopened exists"}})
    script = (reply(200, answered()), NO_KEYWORD, exists, MADE, WRITTEN)
    with Faulty(*script, reply(200, answered("reopened", status="chatting"))) as server:
        plugin, ref = make(server.url)
        outcome = plugin.write(plugin.read(ref("7"), REOPEN), REOPEN)

    assert ((), ("reopened",)) == (outcome.refused, outcome.after.labels)


def test_write_that_cannot_be_read_back_is_unknown_and_says_what_was_posted(make: Make) -> None:
    known = reply(200, {"data": {"collection": [{"id": "1"}]}})
    script = (reply(200, answered()), known, MADE, WRITTEN)
    with Faulty(*script, otherwise=reply(502)) as server:
        plugin, ref = make(server.url)
        snapshot = plugin.read(ref("7"), REOPEN)
        with pytest.raises(UnknownOutcome) as caught:
            plugin.write(snapshot, REOPEN)

    assert caught.value.done is not None
    assert (True, "9") == (caught.value.done.commented, caught.value.done.comment)
