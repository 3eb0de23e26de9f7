"""Plugins that break one promise each about titles, bodies and labels."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from tests.testing.mutated import breaks

from unlatch.errors import Rejected, TrackerError, UnknownOutcome
from unlatch.spi import Goal, Span, plain, read_checks
from unlatch.testing import FaultKind
from unlatch.testing.checks import KEPT
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.api.paths import issue_path
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from unlatch.spi import Change, ItemRef, Outcome, Snapshot

# Tests of the kit.
UPDATE = "an_update_sets_the_title_and_leaves_the_rest"
AROUND = "an_update_keeps_what_people_wrote_around_the_part"
CREATE = "a_created_item_has_the_text_and_the_labels"
UNKNOWN_LABEL = "an_unknown_label_is_added_or_refused_with_a_change"
_END, _BROKEN_END = "<!-- unlatch:end -->", "\\<!-- un\u200blatch:end --\\>"
_FEW = 300
_KNOWN = (KEPT, "reopened", "completed")


def _known(change: Change) -> Change:
    return replace(change, add_labels=tuple(one for one in change.add_labels if one in _KNOWN))


@breaks(CREATE, "in the body of a new item")
class CreatesWithoutText(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        assert change.draft is not None
        return super().create(replace(change, draft=replace(change.draft, body=())))


@breaks(CREATE, "the labels of a new item")
class CreatesWithoutLabels(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        return super().create(replace(change, add_labels=()))


@breaks(CREATE, "an update replaces the text of a create")
class CreatesWithoutMarks(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        assert change.draft is not None
        return super().create(replace(change, draft=replace(change.draft, increment="another")))


@breaks(CREATE, "in the body of a new item: the texts in the body")
class CutsNewTexts(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        assert change.draft is not None
        text = ((Span(plain(change.draft.body)[:_FEW]),),)
        return super().create(replace(change, draft=replace(change.draft, body=text)))


@breaks(UPDATE, "an update sets the title")
class LeavesTheTitle(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            draft = replace(change.draft, title=snapshot.item.title)
            change = replace(change, draft=draft)
        return super().write(snapshot, change)


@breaks(UPDATE, "in the body after an update")
class LeavesTheBody(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            change = replace(change, draft=replace(change.draft, body=()))
        return super().write(snapshot, change)


@breaks(UPDATE, "an identical update writes nothing")
class RewritesTheSameText(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        item = replace(snapshot.item, title="")
        return super().write(
            replace(snapshot, private=replace(snapshot.private, item=item)), change
        )


@breaks(UPDATE, "the outcome of an identical update is `unchanged`")
class NeverSaysUnchanged(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return replace(super().write(snapshot, change), unchanged=False)


@breaks(UPDATE, "an update that wrote something is not `unchanged`")
class AlwaysSaysUnchanged(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return replace(super().write(snapshot, change), unchanged=change.draft is not None)


@breaks(UPDATE, "an update sets the title")
class UpdatesOpenItemsAlone(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if not snapshot.item.category.is_open:
            change = replace(change, draft=None)
        return super().write(snapshot, change)


@breaks(UPDATE, "the outcome shows the title and the state")
class ReopensWithAnUpdate(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        goal = change.goal if change.draft is None else Goal.OPEN
        return super().write(snapshot, replace(change, goal=goal))


@breaks(
    "a_long_title_is_cut_alike_each_time_or_refused",
    "an identical update writes nothing, with a long title, too",
)
class ComparesTheWholeTitle(AdoPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        seen = snapshot.private
        if change.draft is not None and seen.item.title != change.draft.title:
            seen = replace(seen, item=replace(seen.item, title=""))
        return super().write(replace(snapshot, private=seen), change)


@breaks(AROUND, "after a first update: the texts in the body")
class WipesTheBody(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        empty = replace(snapshot.private, body="")
        return super().write(replace(snapshot, private=empty), change)


@breaks(AROUND, "an update replaces its part")
class AppendsAnotherPart(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            body = (snapshot.private.body or "").replace("unlatch:begin", "begin")
            snapshot = replace(snapshot, private=replace(snapshot.private, body=body))
        return super().write(snapshot, change)


@breaks(AROUND, "with the part of another increment")
class SharesOnePart(GithubPlugin):
    """Replaces the part of another increment."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            change = replace(change, draft=replace(change.draft, increment="the-same"))
        return super().write(snapshot, change)


@breaks(AROUND, "an update keeps what people wrote around its part, to the letter")
class JoinsTheSpacesOfPeople(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            body = re.sub(" +", " ", snapshot.private.body or "")
            snapshot = replace(snapshot, private=replace(snapshot.private, body=body))
        return super().write(snapshot, change)


@breaks(AROUND, "an update leaves the state")
class ClosesWithAnUpdate(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        goal = change.goal if change.draft is None else Goal.COMPLETED
        return super().write(snapshot, replace(change, goal=goal))


@breaks(
    "a_mark_in_peoples_words_ends_nothing",
    "an update replaces its whole part, with marks in people's words",
)
class PostsMarksOfPeople(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        ref = snapshot.item.ref
        body = (self._client.read(ref).body or "").replace(_BROKEN_END, _END)
        self._client._ask("PATCH", issue_path(ref), {"body": body})
        return outcome


@breaks("check_boxes_are_read_back_as_people_leave_them", "of those in the generated part alone")
class ReadsBoxesOfPeople(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        boxes = read_checks((found.private.body or "").splitlines())
        kept = tuple(replace(one, checks=boxes) for one in found.item.kept)
        return replace(found, item=replace(found.item, kept=kept))


@breaks("update_survives", "written after an unknown outcome", fault=FaultKind.LOST_REPLY)
class RepeatsAnUpdate(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except UnknownOutcome as error:
            super().write(snapshot, change)
            raise error from None


@breaks("update_survives", "the title", fault=FaultKind.FORBIDDEN)
class HidesAFailedUpdate(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except TrackerError as error:
            return cast("Outcome", error.done)


@breaks(
    "a_label_in_another_case_is_the_same_where_the_manifest_says_so",
    "a label in another case is the same",
)
class ComparesLabelsByCase(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        item = replace(snapshot.item, labels=())
        seen = replace(snapshot, item=item, private=replace(snapshot.private, item=item))
        return super().write(seen, change)


@breaks(
    "a_label_in_another_case_is_removed_where_it_is_the_same",
    "the labels without one in another case",
)
class RemovesLabelsByCase(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        there = tuple(one for one in change.remove_labels if one in snapshot.item.labels)
        return super().write(snapshot, replace(change, remove_labels=there))


@breaks(UNKNOWN_LABEL, "a label is added as it is, or `Outcome.refused` lists")
class ForgetsUnknownLabels(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return super().write(snapshot, _known(change))


@breaks(UNKNOWN_LABEL, "a label is added as it is")
class WritesLabelsInSmallLetters(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        small = tuple(one.lower() for one in change.add_labels)
        return super().write(snapshot, replace(change, add_labels=small))


@breaks(UNKNOWN_LABEL, "a label that is refused for good ends no write")
class EndsAtAnUnknownLabel(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change != _known(change):
            raise Rejected("tracker-rejected", "no such label")
        return super().write(snapshot, change)


@breaks(UNKNOWN_LABEL, "a refused label keeps no other part from being done")
class LeavesAnItemWithAnUnknownLabel(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change == _known(change):
            return super().write(snapshot, change)
        refused = replace(_known(change), goal=None, comment=None)
        return replace(super().write(snapshot, refused), refused=change.add_labels)


@breaks(UNKNOWN_LABEL, "the outcome shows the labels of the item")
class ShowsLabelsThatItAskedFor(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, _known(change))
        return replace(outcome, after=replace(outcome.after, labels=change.add_labels))


@breaks(
    "an_unknown_label_is_added_or_refused_with_a_create",
    "a label is added as it is, or `Outcome.refused` lists it",
)
class CreatesWithKnownLabels(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        return super().create(_known(change))
