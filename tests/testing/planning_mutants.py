"""Plugins that break one promise each about plans, approvals and examinations."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.testing.mutated import breaks

from unlatch.errors import TrackerError, UnknownOutcome
from unlatch.spi import Access, Examination, Remark
from unlatch.testing import FaultKind
from unlatch.testing.checks import REOPEN
from unlatch_ado.plugin import AdoPlugin
from unlatch_ado.writers import ValidatingWriter
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.spi import Change, ItemRef, PlannedRequest, Snapshot
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.patch import Patch

# Tests of the kit.
APPROVAL = "an_approval_that_fails_raises_its_error"
EXAMINATION = "an_examination_shows_rights_and_writes_nothing"
NO_ACCESS = "an_examination_without_access_shows_no_right"
PLAN = "the_planned_requests_are_those_that_are_sent"


class _ImpatientWriter(ValidatingWriter):
    """Takes an approval for a write, which is not asked for again."""

    def change(self, item: WorkItem, patch: Patch) -> WorkItem:
        api = self._client._api
        with api.understood(writing=True):
            api.update_work_item(api.document(patch.steps()), int(item.id), validate_only=True)
        return item


@breaks(PLAN, "`plan` sends no writing request", transition=REOPEN)
class PlansByWriting(GithubPlugin):
    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        if snapshot is not None:
            self.write(snapshot, change)
        return super().plan(snapshot, change)


@breaks(PLAN, "`plan` lists the requests of `read` and `write`", transition=REOPEN)
@breaks(
    "the_planned_requests_of_an_update_are_those_that_are_sent",
    "`plan` lists the requests of `read` and `write`",
)
@breaks("a_planned_create_lists_the_writing_requests", "`plan` lists the requests of `create`")
class Reticent(GithubPlugin):
    """Lists fewer requests than it sends."""

    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        return super().plan(snapshot, change)[:-1]


@breaks("an_approval_changes_nothing", "an approval changes nothing")
class ApprovesByWriting(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        if snapshot is not None:
            self.write(snapshot, change)


@breaks("an_approval_changes_nothing", "an approval asks the tracker")
class ApprovesUnasked(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        return


@breaks("a_create_is_approved_without_an_item", "an approval creates nothing")
class ApprovesByCreating(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        self.create(change)


@breaks(
    APPROVAL,
    "an approval with 400-with-the-request-in-it raises Rejected, not None",
    kind=FaultKind.REFLECTED,
)
@breaks(
    APPROVAL, "an approval with 403-forbidden raises Forbidden, not None", kind=FaultKind.FORBIDDEN
)
class ApprovesEverything(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        try:
            super().approve(snapshot, change)
        except TrackerError:
            return


@breaks(APPROVAL, "an approval with lost-reply raises its error", kind=FaultKind.LOST_REPLY)
class ApprovesWithoutAnAnswer(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        with suppress(UnknownOutcome):
            self._write(snapshot, change, _ImpatientWriter(self._client, self._settings))


@breaks(APPROVAL, "an approval asks the tracker", kind=FaultKind.FORBIDDEN)
class ApprovesNewItems(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        if snapshot is not None:
            super().approve(snapshot, change)


@breaks(EXAMINATION, "an examination changes nothing")
class ExaminesByWriting(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        for ref in refs:
            self._client.comment(ref, "a test")
        return super().examine(refs)


@breaks(EXAMINATION, "an examination shows the rights of the credential")
class GrantsNothing(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return Examination("octocat", (Access("octo/widgets", {"read": None}),))


@breaks(EXAMINATION, "the names of rights are those of `Access`")
class NamesRightsOfItsOwn(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return Examination("octocat", (Access("octo/widgets", {"issues:write": True}),))


@breaks(EXAMINATION, "finds no error in settings that work")
class SeesErrorsEverywhere(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return replace(
            super().examine(refs), remarks=(Remark("odd", "something is odd", is_error=True),)
        )


@breaks(EXAMINATION, "an examination names places as `ItemRef.target` does")
class NamesPlacesInCapitals(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        found = super().examine(refs)
        places = tuple(replace(one, target=one.target.upper()) for one in found.places)
        return replace(found, places=places)


@breaks(NO_ACCESS, "an examination that determines nothing raises TrackerError")
class ExaminesNothing(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        try:
            return super().examine(refs)
        except TrackerError:
            return Examination(None)


@breaks(NO_ACCESS, "an examination with a refused token shows no right")
class GrantsEverything(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return Examination("octocat", (Access("octo/widgets", {"read": True, "reopen": True}),))


@breaks(
    "an_examination_grants_no_right_that_the_credential_lacks",
    "an examination shows no right that the credential lacks",
)
class TakesReadingForWriting(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        found = super().examine(refs)
        granted = tuple(
            Access(place.target, dict.fromkeys(place.rights, place.rights["read"]))
            for place in found.places
        )
        return replace(found, places=granted)
