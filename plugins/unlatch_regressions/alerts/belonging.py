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
from unlatch_regressions.cause import Cause

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unlatch.increments.model.increment import Increment
    from unlatch_regressions.alerts.alert import Alert
    from unlatch_regressions.request import Request, Work

KIND = "alert"
_SHORTEST_ID = 7
_UNSEEN = "no earlier report shows that it was away"


class Belonging:
    """Finds the work of alerts.

    An alert belongs to the work whose spec.md or tasks.md names it by its address or number, to the
    work that it names itself, and to that of the commit by which it says that it was fixed.
    """

    def __init__(self, request: Request) -> None:
        self._request = request

    def causes(self, alerts: Iterable[Alert]) -> Iterator[Cause]:
        """What alerts show: a cause for each work that one belongs to, or for none."""
        for alert in alerts:
            works = self._works(alert)
            several = f"it belongs to {len(works)} increments" if len(works) > 1 else ""
            for name in works:
                unseen = "" if _was_away(alert, self._request.work[name]) else _UNSEEN
                yield from _of_work(alert, name, several or unseen)
            if not works and not alert.is_closed:
                yield _cause(alert, "", at_most=Reaction.IGNORE, why="it belongs to nothing known")

    def _works(self, alert: Alert) -> list[str]:
        works = self._request.work
        named = [name for item in alert.items for name in self._request.named(item)]
        fixed = [name for name in works if self._fixed(alert.fixed_by, works[name].commits)]
        texts = self._texts if alert.names else {}
        told = [name for name in texts if any(_mentions(texts[name], n) for n in alert.names)]
        return [name for name in dict.fromkeys((*named, *fixed, *told)) if name in works]

    @staticmethod
    def _fixed(by: str, commits: Iterable[str]) -> bool:
        return len(by) >= _SHORTEST_ID and any(name.startswith(by) for name in commits)

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        works = self._request.work.values()
        return {work.increment.id: _text(work.increment) for work in works}


def _mentions(text: str, name: str) -> bool:
    """Whether a text has a name that is no part of another one: #4 is not #42."""
    name = name.rstrip("/")
    at = text.find(name)
    while name and at >= 0:
        end = at + len(name)
        if not any(map(_is_of_name, (text[max(at - 1, 0) : at], text[end : end + 1]))):
            return True
        at = text.find(name, end)
    return False


def _is_of_name(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")


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
    if alert.came_back:
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
