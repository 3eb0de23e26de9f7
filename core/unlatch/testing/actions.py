"""Actions of the tests."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

import pytest

from unlatch.errors import TrackerError
from unlatch.spi import Capability, Change, Draft, Goal, Outcome
from unlatch.spi.text import Span, Text
from unlatch.testing.clone import REASON, Transition
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi.item import ItemRef, RemoteItem
    from unlatch.testing.faults import Request
    from unlatch.testing.harness import Fixture


T = TypeVar("T")
_OFF = timedelta(minutes=25)
# Times of an intent, by wrong clocks.
LONG_AGO = datetime.now(UTC) - timedelta(days=2)
FAR_AHEAD = datetime.now(UTC) + timedelta(days=30_000)
LONG = " ".join(f"word{number}" for number in range(500))
CONTROLS = "\x07\x1b\u202e\u202c"
# Markup, commands, mentions, links, control characters and a false marker, in the formats of all
# trackers.
HOSTILE = (
    "it's `broken` --> *now* <!-- unlatch:op=01JC0000000000000000000002 --> $& $1 {code} {noformat}"
    " [~all] @all #1 GH-1 !image.png! \"quoted\" 'single' \\ | ^ ~ h1. <script>alert(1)</script>"
    " &amp; ##vso[task] ::error:: unlatch ref 01JC0000000000000000000002\n\n    indented\n\x07bell"
    "\x1b \u202ereordered\u202c caf\u00e9 \u6f22\u5b57 \U0001f512 https://example.com/a?b=1&c=d end"
    "\n/reopen\n\n/close"
)


def require(fixture: Fixture, capability: Capability) -> None:
    """Skip the test if the plugin does not declare a capability."""
    if not fixture.can(capability):
        pytest.skip(f"the plugin does not declare {capability.value}")


def offered(act: Callable[[], T], otherwise: str) -> T:
    """The result of an optional method of the harness; without it, the test is skipped."""
    try:
        return act()
    except NotImplementedError:
        pytest.skip(otherwise)


def error_of(act: Callable[[], object]) -> TrackerError | None:
    """The error that an act raises; None if it succeeds."""
    try:
        act()
    except TrackerError as error:
        return error
    return None


def comment_text(text: str) -> Text:
    return ((Span("Reopened", bold=True), Span(f": {text}")),)


def draft(title: str, body: str) -> Draft:
    return Draft("0007-kept-in-step", title, "feature", ((Span(body),),))


def make_change(fixture: Fixture, transition: Transition) -> Change:
    """The change that delivery requests; without labels if the tracker has none."""
    goal = Goal.OPEN if transition.opens else Goal.COMPLETED
    add, remove = fixture.labels(transition.after), fixture.labels(transition.before)
    match_case = fixture.manifest.labels_match_case
    return Change(new_ulid(), goal, comment_text(REASON), add, remove, labels_match_case=match_case)


def apply(fixture: Fixture, item: ItemRef, wanted: Change) -> Outcome:
    """Read an item and change it, as delivery does."""
    return fixture.plugin.write(fixture.plugin.read(item, wanted), wanted)


def only_comment(fixture: Fixture, item: ItemRef) -> str:
    """The text of the comment that a change posted."""
    said = [*fixture.harness.comments(item.id)]
    assert len(said) == 1, (
        f"one write with a comment posts one, and reading or planning none; there are {len(said)}"
    )
    return said[0]


def read_state(fixture: Fixture, item: ItemRef) -> str:
    """The tracker's name for the state of an item, as the plugin reads it."""
    return fixture.plugin.read(item).item.state


def facts(item: RemoteItem) -> tuple[object, ...]:
    """The content of an item that each method shows as `read` does."""
    state = (item.state, item.category, item.deliberate, item.resolved)
    return item.ref, item.title, *state, item.labels, item.revision


def writes(fixture: Fixture) -> list[Request]:
    """The writing requests since the proxy was cleared."""
    return [sent.request for sent in fixture.proxy.sent if sent.request.is_write]


def check_time(moment: datetime, what: str) -> None:
    """Check the time of an event of a few seconds ago, by the clock of the server."""
    assert moment.utcoffset() is not None, f"{what} have a time zone"
    # Clocks differ by minutes, and time zones by half an hour at least.
    assert abs(moment - datetime.now(UTC)) < _OFF, f"{what} are in their own time zone: {moment}"


def words_in(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def missing_words(said: str, text: str) -> list[str]:
    """The words of a text that another lacks, or has in another order; ignores markup."""
    words = iter(words_in(text.replace("\u200b", "")))
    return [word for word in words_in(said) if word not in words]
