from __future__ import annotations

import threading

import pytest

from unlatch.errors import NotFound
from unlatch.project.begun_read import BegunRead
from unlatch.spi import Category, ItemRef, RemoteItem, Snapshot
from unlatch.transport import measure
from unlatch.transport.request_context import count_request

REF = ItemRef("github", "octo/widgets", "4", "https://github.com/octo/widgets/issues/4")


def test_the_item_is_read_while_the_caller_does_other_work() -> None:
    snapshot, may_answer = Snapshot(an_item()), threading.Event()

    def read() -> Snapshot:
        count_request()
        may_answer.wait()
        return snapshot

    begun = BegunRead(read)
    may_answer.set()
    with measure() as meter:
        found = begun.result()

    assert (snapshot, 1) == (found, meter.requests)


def test_an_error_is_raised_where_the_item_is_needed() -> None:
    missing = NotFound("not-found", "there is no such issue")

    def read() -> Snapshot:
        raise missing

    with pytest.raises(NotFound) as caught:
        BegunRead(read).result()

    assert missing is caught.value


def an_item() -> RemoteItem:
    return RemoteItem(REF, "Title", "closed", Category.DONE)
