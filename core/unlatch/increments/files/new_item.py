"""The record of an item alone: a folder like an increment's, with metadata.json and its events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.increments.files.locks import NEW, store_lock
from unlatch.increments.files.paths import METADATA
from unlatch.increments.files.snapshots import snapshot
from unlatch.increments.model.increment import ITEM, BrokenIncrement, Increment
from unlatch.increments.records.events import Linked, read_events
from unlatch.increments.records.link_edits import add_link
from unlatch.increments.records.links import same_item
from unlatch.increments.records.status_events import LOG
from unlatch.worklog.collection import Folder
from unlatch.worklog.digests import sha256
from unlatch.worklog.disk.atomic import replace_file, writing
from unlatch.worklog.disk.safe_open import exists, make_folders
from unlatch.worklog.json_text.document import JsonText, render_new
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.link import Link
    from unlatch.increments.model.status import Status

_LONGEST_SLUG = 60


def find_record(manager: MetadataManager, link: Link) -> Increment | None:
    """The record of an item; None if it has none."""
    number = f"{_number_of(link)}-"
    # An item that was moved has a record under its old address, and may be named by both.
    folders = sorted(
        manager.collection.folders(), key=lambda folder: not folder.name.startswith(number)
    )
    for record in manager.each(folders):
        if isinstance(record, BrokenIncrement):
            continue
        was_here = record.id.startswith(number) and _was_linked(record, link)
        if was_here or any(same_item(link, of) for of in record.links):
            return manager.read(record.id)
    return None


def _was_linked(record: Increment, link: Link) -> bool:
    events = (event for event in read_events(record.folder) if isinstance(event, Linked))
    return any((event.tracker, event.item) == (link.tracker, link.key) for event in events)


def draft_record(manager: MetadataManager, link: Link, title: str, status: Status) -> Increment:
    """The record that `make_record` would write for an item with this name for people."""
    data = _data(manager, link, title, status)
    folder = Folder(data["id"], manager.paths.increments / data["id"], archived=False)
    return snapshot(folder, JsonText.parse(render_new(data)), manager.shapes)


def make_record(manager: MetadataManager, draft: Increment, *, by: str) -> None:
    """Write the record of an item, unless another process has."""
    (link,) = draft.links
    facts = {**manager.event_facts(by), "tracker": link.tracker, "item": link.key}
    with store_lock(manager.paths, NEW):
        folder = manager.paths.increments / draft.id
        if exists(folder / METADATA):
            return
        if not exists(folder):
            with writing(folder):
                make_folders(folder)
        LOG.append(folder, Linked(**facts))
        # A folder without metadata.json is no record, so a crash before this line leaves none.
        replace_file(folder / METADATA, render_new(dict(draft.data)))


def _data(manager: MetadataManager, link: Link, title: str, status: Status) -> dict[str, Any]:
    times = dict.fromkeys(("created", "lastActivity"), stamp(manager.clock()))
    name = _name_of(link, title)
    data = {"id": name, "kind": ITEM, "title": title, "status": status.value, **times}
    add_link(data, link, manager.shapes.links[link.tracker])
    return data


def _name_of(link: Link, title: str) -> str:
    """The folder's name: the same in every clone, so that git merges what two of them did."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:_LONGEST_SLUG].rstrip("-")
    return f"{_number_of(link)}-{slug or link.tracker}"


def _number_of(link: Link) -> str:
    digest = sha256(f"{link.tracker} {link.key.casefold()}".encode())
    return f"{int(digest, 16) % 10**9:09}"
