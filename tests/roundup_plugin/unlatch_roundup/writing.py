"""A change of an issue as requests, in their order: `Client` sends them, `Preview` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import Forbidden, Rejected
from unlatch.spi import Outcome, Progress, must_move, plain, visible
from unlatch.spi.text import defused, without_controls

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from unlatch.spi import Change, RemoteItem, Snapshot, Text
    from unlatch_roundup.client import Client
    from unlatch_roundup.settings import RoundupSettings


def write(client: Client, snapshot: Snapshot, change: Change) -> Outcome:
    """Change an issue in one request, which Roundup takes only if it is as it was read.

    The comment is made first, as a message that belongs to no issue and is shown nowhere.
    """
    item = snapshot.item
    with Progress(item) as done:
        done.refused += _make_keywords(client, snapshot.private.missing)
        fields = _differences(item, change, client.settings, refused=done.refused)
        message = None
        if change.comment is not None:
            message = client.add_message(_marked(change.comment, change.op))
            # Without a status, Roundup reopens a resolved issue that gets a message.
            messages = [*snapshot.private.messages, message]
            fields = {"status": item.state, **fields, "messages": messages}
        if fields:
            client.change(item, fields)
            done.commented, done.comment = message is not None, message
            done.item = client.read_back(item.ref)
        return done.outcome


def create(client: Client, change: Change) -> Outcome:
    """Make an issue; its first message is the body."""
    if change.draft is None:
        raise Rejected("draft-missing", "a new issue needs a draft")
    refused = _make_keywords(client, client.missing_keywords(change.add_labels))
    fields = {
        "title": " ".join(without_controls(change.draft.title).split()),
        "keyword": [name for name in change.add_labels if name not in refused],
        "messages": [client.add_message(_marked(change.draft.body, change.op))],
    }
    return Outcome(client.create(fields), refused=tuple(refused))


def _differences(
    item: RemoteItem, change: Change, settings: RoundupSettings, *, refused: Collection[str]
) -> dict[str, Any]:
    """The fields of the issue that are not as the change wants them."""
    fields: dict[str, Any] = {}
    if change.goal is not None and must_move(item, change.goal):
        fields["status"] = settings.status_for(change.goal)
    kept = [name for name in item.labels if name not in change.remove_labels]
    new = [name for name in change.add_labels if name not in (*item.labels, *refused)]
    if [*kept, *new] != [*item.labels]:
        fields["keyword"] = [*kept, *new]
    return fields


def _make_keywords(client: Client, names: Iterable[str]) -> list[str]:
    """Make the keywords that the tracker lacks; return those that this account may not make."""
    refused = []
    for name in names:
        try:
            client.make_keyword(name)
        except Forbidden:
            refused.append(name)
    return refused


def _marked(text: Text, op: str) -> str:
    """Plain text, with the marker as a last line that people can read."""
    return f"{defused(without_controls(plain(text)))}\n\n{visible(op)}"
