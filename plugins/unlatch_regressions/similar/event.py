"""The title and text of a new item in the message of its tracker.

Sources: GitHub, "Webhook events and payloads" (`issues`); Azure DevOps, "Service hooks events"
(`workitem.created`: the description is HTML); Jira Cloud, "Webhooks" (`jira:issue_created`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.errors import UsageError
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import MAX_EVENT_SIZE, read_user_file
from unlatch.worklog.json_text import load_json
from unlatch_regressions.similar.likeness import Report

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Of GitHub, Azure DevOps and Jira: the places of the title, the text and the address.
_PLACES = (
    (("issue", "title"), ("issue", "body"), ("issue", "html_url")),
    (
        ("resource", "fields", "System.Title"),
        ("resource", "fields", "System.Description"),
        ("resource", "_links", "html", "href"),
    ),
    (("issue", "fields", "summary"), ("issue", "fields", "description"), ()),
)
_TAG = re.compile(r"<[^<>]{0,1000}>")


@dataclass(frozen=True, slots=True)
class NewItem:
    """A new item; "" for an address that the message does not have."""

    report: Report
    url: str


def read_new_item(file: Path) -> NewItem:
    """The item of a message.

    Raises:
        UsageError: `event-unreadable`, or `event-not-understood`: it is about no item.
    """
    try:
        return parse_new_item(read_user_file(file, at_most=MAX_EVENT_SIZE))
    except OSError as error:
        raise UsageError(
            "event-unreadable",
            f"the event cannot be read: {error.strerror}",
            where=str(file),
            hint="name the file that the CI system wrote",
        ) from error
    except ValueError as error:
        raise _not_understood(file, str(error)) from error


def parse_new_item(content: bytes) -> NewItem:
    """The item of a message's content.

    Raises:
        ValueError: it is about no item, or nested too deep.
    """
    data: Any = load_json(content)
    for title, text, url in _PLACES:
        if words := _text(data, title).strip():
            return NewItem(Report(words, _TAG.sub(" ", _text(data, text))), _text(data, url))
    raise ValueError("it names no new issue or work item")


def _text(content: Any, path: Sequence[str]) -> str:
    """The text at a place; "" if there is none."""
    for key in path:
        content = content.get(key) if isinstance(content, dict) else None
    return content if isinstance(content, str) else ""


def _not_understood(file: Path, why: str) -> UsageError:
    return UsageError(
        "event-not-understood",
        f"not an event about an item: {why}",
        where=str(file),
        hint="in GitHub Actions the file is at $GITHUB_EVENT_PATH",
    )
