"""Items that the documents of increments mention, on one tracker."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.files.work.files import files_of
from unlatch.increments.model.link import Link
from unlatch.lifecycle.fetch_items import fetch_items
from unlatch.spi.item import Listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.spi import ItemRef

# Documents may mention many items, and each that is not listed takes a request.
_MOST_READ = 50


def mentioned_items(
    trackers: Trackers, tracker: str, increments: Sequence[Increment], listed: Sequence[Listed]
) -> Mapping[str, Sequence[Listed]]:
    """The existing items of a tracker that documents mention, by the ids of increments."""
    refs = {increment.id: _mentioned(trackers, tracker, increment) for increment in increments}
    by_url = {item.ref.url.casefold(): item for item in listed}
    every = {ref.url.casefold(): ref for mentions in refs.values() for ref in mentions}
    missing = [Link(tracker, ref.id, ref.url) for url, ref in every.items() if url not in by_url]
    for seen in fetch_items(trackers, islice(missing, _MOST_READ)) if missing else ():
        if item := seen.item:
            by_url[item.ref.url.casefold()] = Listed(item.ref, item.title, frozenset())
    urls = {name: [ref.url.casefold() for ref in urls_of] for name, urls_of in refs.items()}
    return {
        name: [by_url[url] for url in mentioned_urls if url in by_url]
        for name, mentioned_urls in urls.items()
    }


def _mentioned(trackers: Trackers, tracker: str, increment: Increment) -> list[ItemRef]:
    files = files_of(increment)
    refs = {}
    for name in files.layout.links(files.texts()):
        with suppress(UnlatchError):
            ref = _recognise(trackers, tracker, name)
            if ref.tracker == tracker:
                refs[ref.url] = ref
    return list(refs.values())


def _recognise(trackers: Trackers, tracker: str, name: str) -> ItemRef:
    if name.startswith("#"):
        settings = trackers.settings(tracker)
        ref = settings.locate(name[1:], None)
        # Only where people write numbers with this sign.
        if not settings.name(ref).endswith(name):
            raise UnlatchError("unknown-item", name)
        return ref
    return trackers.item(name)
