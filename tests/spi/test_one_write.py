"""The base class for one write, with parts that the example plugin does not declare."""

from dataclasses import replace

import pytest
import requests
from tests.transport.faulty import Faulty, Reply, reply

from unlatch.errors import Forbidden, UnknownOutcome
from unlatch.spi import (
    Category,
    Change,
    CommentRef,
    Draft,
    ItemRef,
    OneWritePlugin,
    Progress,
    RemoteItem,
    Snapshot,
    Wire,
)
from unlatch.transport import for_tests

pytestmark = pytest.mark.connects
OP = "01JC0000000000000000000001"
LABEL = Change(OP, add_labels=("reopened",))
CREATE = replace(LABEL, draft=Draft("0007-smart", "Smart", None, ()))
KNOWN = reply(200, {"known": True})
UNKNOWN = reply(200, {"known": False})
MADE = reply(201, {"id": "7"})
SMART = reply(200, {"title": "Smart"})


class Labelled(OneWritePlugin):
    """A tracker on which a label is made before an item has it."""

    def __init__(self, url: str) -> None:
        super().__init__(for_tests("labelled", url, token="sesame").session(lambda _answer: None))
        self.url = url

    def ref(self, item: str) -> ItemRef:
        return ItemRef("labelled", "x", item, f"{self.url}/items/{item}")

    def fetch(self, wire: Wire, ref: ItemRef) -> Snapshot:
        def parse(answer: requests.Response) -> RemoteItem:
            return RemoteItem(ref, answer.json()["title"], "open", Category.DOING)

        return Snapshot(wire.read(ref.url, "read the item", parse))

    def prepare(self, wire: Wire, snapshot: Snapshot, change: Change) -> Snapshot:
        return replace(snapshot, private=self._missing(wire, change))

    def send(self, wire: Wire, snapshot: Snapshot, change: Change, done: Progress) -> None:
        done.refused += self._label(wire, snapshot.private)
        wire.write("PUT", snapshot.item.ref.url, "set labels", bool, expected=True, json={})

    def make(self, wire: Wire, change: Change) -> tuple[ItemRef, list[str]]:
        refused = self._label(wire, self._missing(wire, change))
        url = f"{self.url}/items"
        made = wire.write(
            "POST", url, "make the item", lambda a: str(a.json()["id"]), expected="0", json={}
        )
        return self.ref(made), refused

    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return ()

    def _missing(self, wire: Wire, change: Change) -> list[str]:
        def known(answer: requests.Response) -> bool:
            return bool(answer.json()["known"])

        names = change.add_labels
        return [name for name in names if not wire.read(self._labels(name), "find it", known)]

    def _label(self, wire: Wire, names: list[str]) -> list[str]:
        refused = []
        for name in names:
            try:
                wire.write("POST", self._labels(name), "make it", bool, expected=True)
            except Forbidden:
                refused.append(name)
        return refused

    def _labels(self, name: str) -> str:
        return f"{self.url}/labels/{name}"


class Silent(Labelled):
    """A tracker that takes state and comment together, and whose answer omits the comment."""

    def send(self, wire: Wire, snapshot: Snapshot, change: Change, done: Progress) -> None:
        url = snapshot.item.ref.url
        wire.write("PUT", url, "set state and comment", bool, expected=True, json={})
        done.comment = wire.read(f"{url}/comments", "find it", lambda a: a.json()["id"])
        done.commented = done.comment is not None


def sent(server: Faulty) -> list[tuple[str, str]]:
    return [(one.method, f"{server.url}{one.path}") for one in server.requests]


@pytest.mark.parametrize("label", [KNOWN, UNKNOWN], ids=["known", "new"])
def test_change_is_planned_with_the_reads_that_prepare_it(label: Reply) -> None:
    script = [SMART, label, *([MADE] if label is UNKNOWN else []), MADE, SMART]
    with Faulty(*script) as server:
        plugin = Labelled(server.url)
        snapshot = plugin.read(plugin.ref("7"), LABEL)
        planned = plugin.plan(snapshot, LABEL)
        plugin.write(snapshot, LABEL)

    assert sent(server) == [(one.method, one.url) for one in planned]


def test_a_snapshot_of_many_is_prepared_when_it_is_written() -> None:
    with Faulty(SMART, UNKNOWN, reply(403, {}), MADE, SMART) as server:
        plugin = Labelled(server.url)
        snapshot = plugin.fetch(plugin.wire(), plugin.ref("7"))
        outcome = plugin.write(snapshot, LABEL)

    assert (("reopened",), "Smart") == (outcome.refused, outcome.after.title)
    assert [one.method for one in server.requests] == ["GET", "GET", "POST", "PUT", "GET"]


def test_new_item_is_planned_made_and_read_back() -> None:
    with Faulty(UNKNOWN, UNKNOWN, MADE, MADE, SMART) as server:
        plugin = Labelled(server.url)
        planned = plugin.plan(None, CREATE)
        made = plugin.create(CREATE)

    assert (plugin.ref("7"), "Smart") == (made.after.ref, made.after.title)
    last = (planned[-1].method, f"{planned[-1].url}/7")
    assert sent(server)[1:] == [*((one.method, one.url) for one in planned[:-1]), last]


def test_label_that_the_tracker_refuses_is_reported_and_the_item_is_made() -> None:
    with Faulty(UNKNOWN, reply(403, {}), MADE, SMART) as server:
        made = Labelled(server.url).create(CREATE)

    assert (("reopened",), "Smart") == (made.refused, made.after.title)


def test_new_item_that_cannot_be_read_back_is_unknown() -> None:
    with Faulty(KNOWN, MADE, otherwise=reply(502)) as server:
        plugin = Labelled(server.url)
        with pytest.raises(UnknownOutcome, match="the item was written, and cannot be read"):
            plugin.create(CREATE)


@pytest.mark.parametrize("failed", [reply(403, {}), reply(200, {})], ids=["refused", "unreadable"])
def test_a_read_that_fails_after_a_write_leaves_its_effect_unknown(failed: Reply) -> None:
    with Faulty(SMART, KNOWN, MADE, failed) as server:
        plugin = Silent(server.url)
        snapshot = plugin.read(plugin.ref("7"), LABEL)
        with pytest.raises(UnknownOutcome, match="the item was written, and cannot be read"):
            plugin.write(snapshot, LABEL)


def test_a_read_that_fails_in_a_plan_raises_its_own_error() -> None:
    with Faulty(SMART, KNOWN, reply(403, {})) as server:
        plugin = Silent(server.url)
        snapshot = plugin.read(plugin.ref("7"), LABEL)
        with pytest.raises(Forbidden):
            plugin.plan(snapshot, LABEL)
