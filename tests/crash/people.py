"""People on the trackers' own pages: their changes, and whether these are kept."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.crash.stage import Stage

REPOSITORY = "octo/widgets"
STATES: dict[str, dict[str, dict[str, Any]]] = {
    "github": {
        "open": {"state": "open"},
        "done": {"state": "closed", "state_reason": "completed"},
        "dropped": {"state": "closed", "state_reason": "not_planned"},
    },
    "ado": {
        "open": {"state": "Active"},
        "done": {"state": "Closed"},
        "dropped": {"state": "Removed"},
    },
    "jira": {
        "open": {"status": "In Progress"},
        "done": {"status": "Done"},
        "dropped": {"status": "Done", "resolution": "Won't Do"},
    },
}
WORDS = {
    "github": ("number", "title", "labels", "body"),
    "ado": ("id", "title", "tags", "html"),
    "jira": ("key", "summary", "labels", "text"),
}
ACTS = ("open", "done", "dropped", "label", "unlabel", "comment", "rename")


@dataclass
class Item:
    """An item, and the traces of people on it.

    Args:
        key: its id, as its tracker's pages take it.
        labels: labels of theirs.
        removed: labels that they took away again.
        said: their comments.
        was_closed: whether it was they who closed it, since they last opened it.
    """

    tracker: str
    key: Any
    url: str
    title: str = "T"
    labels: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)
    was_closed: bool = False

    @property
    def place(self) -> dict[str, Any]:
        """Its name in the sandbox."""
        where = {"repository": REPOSITORY} if self.tracker == "github" else {}
        return {WORDS[self.tracker][0]: self.key, **where}


def click(stage: Stage, item: Item, act: str) -> None:
    """Do one of `ACTS` on an item's page; the caller remembers the effect."""
    _, title, labels, text = WORDS[item.tracker]
    if act in ("open", "done", "dropped"):
        if item.tracker == "github" and act == "dropped":
            stage.call("github", "edit", **item.place, state="open")
        stage.call(item.tracker, "edit", **item.place, **STATES[item.tracker][act])
    elif act in ("label", "unlabel"):
        there = stage.pages()[item.url]["labels"]
        kept = {*there, _next(item)} if act == "label" else set(there) - {_last(item)}
        stage.call(item.tracker, "edit", **item.place, **{labels: sorted(kept)})
    elif act == "comment":
        stage.call(item.tracker, "add_comment", **item.place, **{text: _words(item)})
    else:
        stage.call(item.tracker, "edit", **item.place, **{title: f"{item.title}!"})


def remember(item: Item, act: str) -> None:
    """Record the traces of a click."""
    if act in ("open", "done", "dropped"):
        item.was_closed = act != "open"
    elif act == "label":
        item.labels.add(_next(item))
    elif act == "unlabel" and item.labels:
        last = _last(item)
        item.labels.remove(last)
        item.removed.add(last)
    elif act == "comment":
        item.said.append(_words(item))
    elif act == "rename":
        item.title += "!"


def lost(item: Item, page: dict[str, Any]) -> Iterator[str]:
    """The traces of people that an item's page does not show unchanged."""
    there = set(page["labels"])
    texts = [comment["text"] for comment in page["comments"]]
    if page["title"] != item.title:
        yield f"title: {page['title']!r}, not {item.title!r}"
    if missing := item.labels - there:
        yield f"labels gone: {missing}"
    if back := item.removed & there:
        yield f"labels back: {back}"
    for words in item.said:
        if sum(words in text for text in texts) != 1:
            yield f"{words!r} is not there once: {texts}"


def _next(item: Item) -> str:
    return f"mine{len(item.labels) + len(item.removed)}"


def _last(item: Item) -> str:
    return max(item.labels, default="")


def _words(item: Item) -> str:
    return f"a person's words, number {len(item.said)};"
