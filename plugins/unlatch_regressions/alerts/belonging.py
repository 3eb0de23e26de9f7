"""The finished work that an alert names."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from unlatch.config.choices import Reaction
from unlatch.errors import UnlatchError
from unlatch.increments.files.work.files import work_files
from unlatch.worklog.disk.safe_open import read_file
from unlatch_regressions.alerts.naming import is_within, means
from unlatch_regressions.cause import Cause

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch_regressions.alerts.alert import Alert
    from unlatch_regressions.items import Item
    from unlatch_regressions.request import Request, Work

KIND = "alert"
_SHORTEST_ID = 7
_STRANGERS = "a person without rights in its repository wrote the text that names it"
_UNSEARCHED = "not all items could be searched"
_UNREAD = "it belongs to nothing that could be read"
_UNSEEN = "no earlier report shows that it was away"


class Belonging:
    """Finds the work of alerts.

    An alert belongs to the work whose spec.md or tasks.md names it by its address or number, to the
    work that it names itself, and to that of the commit by which it says that it was fixed; else to
    the work whose items name it or that commit.
    """

    def __init__(self, request: Request) -> None:
        self._request = request

    def causes(self, alerts: Iterable[Alert]) -> Iterator[Cause]:
        """What alerts show: a cause for each work that one belongs to, or for none."""
        for alert in alerts:
            works = dict.fromkeys(self._works(alert), "") or self._by_items(alert)
            several = f"it belongs to {len(works)} increments" if len(works) > 1 else ""
            for name, doubt in works.items():
                unseen = "" if _was_away(alert, self._request.work[name]) else _UNSEEN
                yield from _of_work(alert, name, several or doubt or unseen)
            if not works and not alert.is_closed:
                yield _cause(alert, "", at_most=Reaction.IGNORE, why=self._unknown(alert))

    def _unknown(self, alert: Alert) -> str:
        """Why an alert has no work; the items that could not be read may name it."""
        is_open = _can_be_meant(alert) and self._has_unread
        return _UNREAD if is_open else "it belongs to nothing known"

    def _works(self, alert: Alert) -> list[str]:
        works = self._request.work
        named = [name for item in alert.items for name in self._request.named(item)]
        fixed = [name for name in works if self._fixed(alert.fixed_by, works[name].commits)]
        texts = self._texts if alert.names or alert.numbers else {}
        is_home = any(is_within(alert.home, place) for place in self._request.own.places)
        meant = alert if is_home else replace(alert, numbers=())
        told = [name for name, text in texts.items() if means(text, meant)]
        return [name for name in dict.fromkeys((*named, *fixed, *told)) if name in works]

    def _by_items(self, alert: Alert) -> dict[str, str]:
        """The work whose items name an alert or its fix, each with what speaks against it.

        What strangers wrote counts only where nobody else names it. An item that was not searched
        may name it as well.
        """
        doubts: dict[str, str] = {}
        for name, items in self._items.items() if _can_be_meant(alert) else ():
            meant = [item.background for item in items if self._is_meant(alert, item)]
            if meant:
                doubts[name] = _STRANGERS if all(told.is_strangers for told in meant) else ""
        certain: dict[str, str] = {name: "" for name, doubt in doubts.items() if not doubt}
        if certain and self._has_unread:
            certain = dict.fromkeys(certain, _UNSEARCHED)
        return certain or doubts

    def _is_meant(self, alert: Alert, item: Item) -> bool:
        commits = (commit.id for commit in item.background.commits)
        if self._fixed(alert.fixed_by, commits):
            return True
        is_home = is_within(alert.home, item.ref.url)
        return means(item.background.text, alert if is_home else replace(alert, numbers=()))

    @property
    def _has_unread(self) -> bool:
        """Whether items were to be read, and could not be."""
        return self._request.items is not None and bool(self._request.items.unread)

    @cached_property
    def _items(self) -> Mapping[str, Sequence[Item]]:
        """The items of all finished work, by its ids, as far as they can be read."""
        items, works = self._request.items, self._request.work.values()
        return items.read(work.increment for work in works) if items else {}

    @staticmethod
    def _fixed(by: str, commits: Iterable[str]) -> bool:
        return len(by) >= _SHORTEST_ID and any(name.startswith(by) for name in commits)

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        works = self._request.work.values()
        return {work.increment.id: _text(work.increment) for work in works}


def _can_be_meant(alert: Alert) -> bool:
    """Whether an item can name it."""
    return bool(alert.names or alert.fixed_by)


def _text(increment: Increment) -> str:
    files, texts = work_files(increment.folder, increment.unit), [increment.title]
    for name in files.names:
        with suppress(OSError, UnlatchError):  # a missing file names nothing
            texts.append(read_file(files.place / name).decode(errors="replace"))
    return "\n".join(texts)


def _was_away(alert: Alert, work: Work) -> bool:
    """Whether it is known that an alert was closed when the work was completed, or since."""
    completed = work.completed_at
    if alert.earlier is None or completed is None:
        return alert.earlier is None
    before = [is_closed for at, is_closed in alert.earlier if at <= completed]
    since = [is_closed for at, is_closed in alert.earlier if at > completed]
    return any((*before[-1:], *since))


def _of_work(alert: Alert, work: str, doubt: str) -> Iterator[Cause]:
    at_most, why = (Reaction.SUGGEST, doubt) if doubt else (Reaction.REOPEN, "")
    if alert.at_most is not Reaction.REOPEN:
        at_most, why = alert.at_most, alert.why
    cause = _cause(alert, work, at_most=at_most, why=why)
    if alert.came_back and alert.is_dated:
        yield replace(cause, seen_at=cause.seen_at - timedelta.resolution, is_gone=True)
    yield cause


def _cause(alert: Alert, work: str, *, at_most: Reaction, why: str) -> Cause:
    return Cause(
        KIND,
        alert.key,
        alert.at,
        alert.evidence,
        alert.place,
        work,
        alert.commit,
        alert.is_closed,
        at_most,
        why,
    )
