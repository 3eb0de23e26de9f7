"""Lists the requests that a change would send, in place of sending them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.spi import Category, PlannedRequest, RemoteItem, Snapshot
from unlatch_roundup.client import Client, data_url, issue_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import requests

    from unlatch.spi import ItemRef
    from unlatch_roundup.settings import RoundupSettings


class Preview(Client):
    """Answers as Roundup is expected to.

    Args:
        snapshot: the issue as it was read; None where one is made.
    """

    def __init__(
        self, settings: RoundupSettings, session: requests.Session, snapshot: Snapshot | None
    ) -> None:
        super().__init__(settings, session)
        self.requests: list[PlannedRequest] = []
        self._snapshot = snapshot

    def read(self, ref: ItemRef, labels: Sequence[str] = ()) -> Snapshot:
        assert self._snapshot is not None  # a new issue is read by `create` alone
        self._note("GET", issue_url(self.settings, ref.id), "read the issue")
        for name in labels:
            if name not in self._snapshot.item.labels:
                self._note_search(name)
        return self._snapshot

    def missing_keywords(self, names: Sequence[str]) -> tuple[str, ...]:
        for name in names:
            self._note_search(name)
        return super().missing_keywords(names)

    def make_keyword(self, name: str) -> None:
        self._note("POST", data_url(self.settings, "keyword"), f"make keyword {name}")

    def add_message(self, text: str) -> str:
        self._note("POST", data_url(self.settings, "msg"), "make the comment")
        return ""

    def change(self, item: RemoteItem, fields: Mapping[str, Any]) -> None:
        self._note("PUT", issue_url(self.settings, item.ref.id), ", ".join(_in_words(fields)))
        status, labels = fields.get("status", item.state), fields.get("keyword", item.labels)
        category = self.settings.category(status)
        expected = replace(item, state=status, category=category, labels=tuple(labels))
        self._snapshot = Snapshot(expected)

    def create(self, fields: Mapping[str, Any]) -> RemoteItem:
        place = data_url(self.settings, "issue")
        self._note("POST", place, "make the issue")
        self._note("GET", place, "read the issue, by the number that it was given")
        return RemoteItem(self.settings.ref("0"), fields["title"], "unread", Category.TODO)

    def _note_search(self, name: str) -> None:
        self._note("GET", data_url(self.settings, "keyword"), f"look for keyword {name}")

    def _note(self, method: str, url: str, what: str) -> None:
        self.requests.append(PlannedRequest(method, url, what))


def _in_words(fields: Mapping[str, Any]) -> Iterator[str]:
    if "status" in fields:
        yield f"set status to {fields['status']}"
    if "keyword" in fields:
        yield f"set keywords to {', '.join(fields['keyword']) or 'none'}"
    if "messages" in fields:
        yield "post the comment"
