"""Plugins that break one promise each about the words of a comment, a title or a body."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.spi import Goal, Span, defused, plain, read_checks
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.spi import Change, ItemRef, Outcome, RemoteItem, Snapshot

_FEW = 300


class PostsControlCharacters(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.comment is not None:
            words = Span(defused(plain(change.comment)), marker=True)  # no renderer changes it
            change = replace(change, comment=((words,),))
        return super().write(snapshot, change)


class DropsAddresses(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.comment is not None:
            words = Span(re.sub(r"https?://\S+", "", plain(change.comment)))
            change = replace(change, comment=((words,),))
        return super().write(snapshot, change)


class CutsNewTexts(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        assert change.draft is not None
        text = ((Span(plain(change.draft.body)[:_FEW]),),)
        return super().create(replace(change, draft=replace(change.draft, body=text)))


class UpdatesOpenItemsAlone(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if not snapshot.item.category.is_open:
            change = replace(change, draft=None)
        return super().write(snapshot, change)


class JoinsTheSpacesOfPeople(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            body = re.sub(" +", " ", snapshot.private.body or "")
            snapshot = replace(snapshot, private=replace(snapshot.private, body=body))
        return super().write(snapshot, change)


class ReopensWithAnUpdate(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        goal = change.goal if change.draft is None else Goal.OPEN
        return super().write(snapshot, replace(change, goal=goal))


class ClosesWithAnUpdate(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        goal = change.goal if change.draft is None else Goal.COMPLETED
        return super().write(snapshot, replace(change, goal=goal))


class ReadsBoxesOfPeople(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        boxes = read_checks((found.private.body or "").splitlines())
        kept = tuple(replace(one, checks=boxes) for one in found.item.kept)
        return replace(found, item=replace(found.item, kept=kept))


class FindsOpenItemsAlone(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        found = super().find_created(op, since)
        return found if found and found.category.is_open else None


class ComparesTheWholeTitle(AdoPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        seen = snapshot.private
        if change.draft is not None and seen.item.title != change.draft.title:
            seen = replace(seen, item=replace(seen.item, title=""))
        return super().write(replace(snapshot, private=seen), change)
