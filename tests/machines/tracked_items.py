"""Items as their trackers keep them, read without unlatch."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.crash.items import REPOSITORY

from unlatch_sandbox import Sandbox


@dataclass(frozen=True)
class Item:
    """An item as its tracker has it.

    Args:
        moves: when it was opened (True) and closed, in order.
        comments: the text of each.
    """

    is_open: bool
    labels: frozenset[str]
    moves: tuple[tuple[datetime, bool], ...]
    comments: tuple[str, ...]

    def was_open(self, at: datetime) -> bool:
        return [is_open for moved, is_open in self.moves if moved <= at][-1]

    def was_ever(self, is_open: bool, since: datetime, until: datetime) -> bool:
        """Whether it was open, or closed, at some time of a period."""
        states = {self.was_open(since)}
        states |= {opened for moved, opened in self.moves if since <= moved <= until}
        return is_open in states


def read_items(box: Sandbox, ids: Mapping[str, str]) -> dict[str, Item]:
    return {
        "github": _issue(box, int(ids["github"])),
        "ado": _work_item(box, int(ids["ado"])),
        "jira": _ticket(box, ids["jira"]),
    }


def _issue(box: Sandbox, number: int) -> Item:
    issue = box.github.issue(REPOSITORY, number)
    record = box.github.hub.issue(REPOSITORY, number)
    assert record is not None
    begun = datetime.fromisoformat(record.created_at)
    moves = [(datetime.fromisoformat(at), what == "reopened") for _, what, _, at, _ in record.moves]
    labels = frozenset(label["name"] for label in issue["labels"])
    texts = tuple(one["body"] for one in box.github.comments(REPOSITORY, number))
    return Item(issue["state"] == "open", labels, ((begun, True), *moves), texts)


def _work_item(box: Sandbox, number: int) -> Item:
    fields = box.ado.work_item(number)["fields"]
    moves, at = [], ""
    for changes in (update["fields"] for update in box.ado.updates(number)):
        at = changes.get("System.ChangedDate", {}).get("newValue", at)
        if state := changes.get("System.State", {}).get("newValue"):
            moves.append((datetime.fromisoformat(at), state not in ("Closed", "Removed")))
    tags = frozenset(filter(None, fields.get("System.Tags", "").split("; ")))
    is_open = fields["System.State"] not in ("Closed", "Removed")
    texts = tuple(one["text"] for one in box.ado.comments(number))
    return Item(is_open, tags, tuple(moves), texts)


def _ticket(box: Sandbox, key: str) -> Item:
    fields = box.jira.issue(key)["fields"]
    record = box.jira._issue(key)
    first = record.moves[0][2] if record.moves else record.status
    moves = [(datetime.fromisoformat(record.created), first != "Done")]
    moves += [(datetime.fromisoformat(at), to != "Done") for _, at, _, to in record.moves]
    is_open = fields["status"]["statusCategory"]["key"] != "done"
    texts = tuple(_plain(one["body"]) for one in box.jira.comments(key))
    return Item(is_open, frozenset(fields["labels"]), tuple(moves), texts)


def _plain(node: Any) -> str:
    """The text of a document of Jira."""
    if isinstance(node, str):
        return node
    return str(node.get("text", "")) + " ".join(map(_plain, node.get("content", ())))
