"""A plugin that breaks one promise of the interface fails the kit, which names the promise."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.conformance.test_ado import AdoHarness
from tests.conformance.test_github import GithubHarness
from tests.conformance.test_jira import JiraHarness
from tests.testing import ado_mutants as ado
from tests.testing import failure_mutants as failing
from tests.testing import github_mutants as gh
from tests.testing import github_reading_mutants as reading
from tests.testing import history_mutants as past
from tests.testing import jira_mutants as jira
from tests.testing import label_mutants as label
from tests.testing import people_mutants as people
from tests.testing import text_mutants as text
from tests.testing.mutated import MutatedFixture, passes

from unlatch.testing import FaultKind, Proxy
from unlatch.testing.behaviour import Behaviour
from unlatch.testing.bodies import Bodies
from unlatch.testing.checks import REOPEN
from unlatch.testing.failures import Failures
from unlatch.testing.history import History
from unlatch.testing.labels import Labels
from unlatch.testing.many import Many
from unlatch.testing.markers import Markers
from unlatch.testing.parts import Parts
from unlatch.testing.people import People
from unlatch.testing.planning import Consultation, Planning
from unlatch.testing.scenario import FaultCase, run_update_faults
from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from unlatch.spi import SyncPlugin
    from unlatch.testing import Harness
    from unlatch.testing.fixture import Fixture

    Case = tuple[type[SyncPlugin], Callable[[Fixture], None], str]


def _survives(kind: FaultKind) -> Callable[[Fixture], None]:
    def survives(fixture: Fixture) -> None:
        assert list(run_update_faults(fixture, FaultCase(kind))) != []

    return survives


_BODIES, _LABELS, _MANY, _MARKERS = Bodies(), Labels(), Many(), Markers()
_BEHAVIOUR, _CONSULTATION, _PEOPLE = Behaviour(), Consultation(), People()
_CLOSES = _PEOPLE.test_a_person_who_closed_an_item_is_named
_MEMBERS = _PEOPLE.test_a_comment_of_another_member_counts_and_is_not_own
_KEEPS = _BODIES.test_an_update_keeps_what_people_wrote_around_the_part
_UPDATES = _BODIES.test_an_update_sets_the_title_and_leaves_the_rest
_CREATES = _BODIES.test_a_created_item_has_the_text_and_the_labels
_READS = _MANY.test_many_items_are_read_as_one_is
_LISTS = _MANY.test_items_are_listed_newest_first
_ABANDONS = _BEHAVIOUR.test_abandoned_work_is_closed
_MENTIONS = _MARKERS.test_people_are_mentioned_only_on_request
_FINDS = _MARKERS.test_comments_of_one_operation_are_found_oldest_first
_FINDS_CREATED = _MARKERS.test_a_created_item_is_found_again_by_its_marker
_RETRACTS = _MARKERS.test_a_comment_can_be_taken_back
_EXAMINES = _CONSULTATION.test_an_examination_shows_rights_and_writes_nothing
_CROWD = _MARKERS.test_a_comment_is_found_in_a_crowd
_STRANGERS = _MARKERS.test_a_copied_marker_of_a_stranger_does_not_count
_HISTORY = History()
_SHOWS_THE_PAST = _HISTORY.test_the_history_shows_comments_and_changes_of_state
_AMONG = _MANY.test_items_are_found_among_many
_PARTS = partial(Parts().test_an_error_carries_the_parts_that_were_done, kind=FaultKind.FORBIDDEN)
_CHANGES = _MANY.test_many_items_are_changed_at_once
_PLANS = partial(Planning().test_the_planned_requests_are_those_that_are_sent, transition=REOPEN)
_APPROVES = _CONSULTATION.test_an_approval_changes_nothing
_APPROVALS = _CONSULTATION.test_an_approval_that_fails_raises_its_error
_FAILURES = Failures()
_SEARCHES = partial(
    _FAILURES.test_a_search_that_fails_does_not_find_nothing, kind=FaultKind.FORBIDDEN
)
_DELETIONS = _FAILURES.test_a_deletion_that_fails_has_the_class_of_its_cause
_CLASSES = _FAILURES.test_a_refused_write_has_the_class_of_its_cause
_KNOWS = _LABELS.test_an_unknown_label_is_added_or_refused_with_a_change
# A mutant, the test of the kit that it fails, and the promise as the failure names it.
GITHUB: tuple[Case, ...] = (
    (gh.WipesTheBody, _KEEPS, "after a first update: the texts in the body"),
    (gh.AppendsAnotherPart, _KEEPS, "an update replaces its part"),
    (gh.SharesOnePart, _KEEPS, "with the part of another increment"),
    (
        gh.PostsMarksOfPeople,
        _BODIES.test_a_mark_in_peoples_words_ends_nothing,
        "an update replaces its whole part, with marks in people's words",
    ),
    (gh.LeavesTheTitle, _UPDATES, "an update sets the title"),
    (gh.LeavesTheBody, _UPDATES, "in the body after an update"),
    (gh.RewritesTheSameText, _UPDATES, "an identical update writes nothing"),
    (gh.NeverSaysUnchanged, _UPDATES, "the outcome of an identical update is `unchanged`"),
    (gh.AlwaysSaysUnchanged, _UPDATES, "an update that wrote something is not `unchanged`"),
    (gh.CreatesWithoutText, _CREATES, "in the body of a new item"),
    (gh.CreatesWithoutLabels, _CREATES, "the labels of a new item"),
    (gh.RepeatsAnUpdate, _survives(FaultKind.LOST_REPLY), "written after an unknown outcome"),
    (gh.HidesAFailedUpdate, _survives(FaultKind.FORBIDDEN), "the title"),
    (
        gh.WritesTheSameState,
        _BEHAVIOUR.test_where_nothing_is_to_be_done_nothing_is_written,
        "a change without differences writes nothing",
    ),
    (
        gh.ReopensWithEachComment,
        partial(_BEHAVIOUR.test_a_comment_alone_leaves_the_state, is_open=False),
        "a comment alone leaves the state",
    ),
    (
        gh.PostsMarkersOfPeople,
        _MARKERS.test_hostile_text_is_posted_and_does_nothing,
        "a marker in people's words is no marker",
    ),
    (gh.ReadsOneByOne, _READS, "`read_many` reads many items in few requests"),
    (gh.LeavesOutMissingItems, _READS, "a missing item has a result: NotFound"),
    (gh.ReadsManyWithoutLabels, _READS, "`read_many` shows each item as `read` does"),
    (gh.ListsOldestFirst, _LISTS, "items are listed newest first"),
    (gh.ListsOldItemsOnly, _LISTS, "items are listed newest first"),
    (
        gh.ListsWithoutMarkers,
        _MANY.test_a_list_shows_the_markers_of_bodies,
        "a list shows the operations whose markers a body has",
    ),
    (
        gh.TakesAMissingItemForARefusal,
        _BEHAVIOUR.test_a_missing_item_is_not_found,
        "a missing item is NotFound",
    ),
    (
        gh.ReadsLocalTimes,
        _BEHAVIOUR.test_a_read_shows_the_item,
        "the times of items have a time zone",
    ),
    (gh.AbandonsAsCompleted, _ABANDONS, "abandoned work is closed deliberately"),
    (gh.CompletesAsAbandoned, _ABANDONS, "completed work is not closed deliberately"),
    (gh.AlwaysMentions, _MENTIONS, "a comment notifies nobody unasked"),
    (gh.NeverMentions, _MENTIONS, "`Change.mentions` lets @names take effect"),
    (gh.FindsTheNewestFirst, _FINDS, "comments are found oldest first"),
    (gh.FindsCommentsAtLocalTimes, _FINDS, "the times of comments have a time zone"),
    (
        gh.FindsCommentsOfOthers,
        _CROWD,
        "a comment that the plugin posted is its own",
    ),
    (
        gh.TakesAQuoteForAComment,
        _MARKERS.test_a_quoted_marker_posted_nothing,
        "a quoted marker posted nothing",
    ),
    (gh.FindsNewOpsFirst, _CROWD, "`find_ops` returns the operations oldest first, or nothing"),
    (gh.WritesWhileReading, _PLANS, "`read` sends no writing request"),
    (gh.PlansByWriting, _PLANS, "`plan` sends no writing request"),
    (
        gh.WritesWhileReading,
        _MARKERS.test_hostile_text_is_posted_and_does_nothing,
        "one write with a comment posts one, and reading or planning none; there are 2",
    ),
    (gh.DeletesAllComments, _RETRACTS, "only the comment with the marker is deleted"),
    (gh.MissesADeletedComment, _RETRACTS, "deleting a comment that is gone is a success"),
    (gh.ExaminesByWriting, _EXAMINES, "an examination changes nothing"),
    (gh.GrantsNothing, _EXAMINES, "an examination shows the rights of the credential"),
    (gh.NamesRightsOfItsOwn, _EXAMINES, "the names of rights are those of `Access`"),
    (gh.SeesErrorsEverywhere, _EXAMINES, "finds no error in settings that work"),
    (
        gh.ExaminesNothing,
        _CONSULTATION.test_an_examination_without_access_shows_no_right,
        "an examination that determines nothing raises TrackerError",
    ),
    (
        gh.GrantsEverything,
        _CONSULTATION.test_an_examination_without_access_shows_no_right,
        "an examination with a refused token shows no right",
    ),
    (
        gh.SharesOneMarker,
        _MARKERS.test_threads_may_share_it_and_every_request_passes_the_transport,
        "each comment has the marker of its own operation, and no other",
    ),
)
READING: tuple[Case, ...] = (
    (reading.ReadsTheFirstPageOfComments, _CROWD, "however many there are"),
    (reading.TakesLocalTimesForUtc, _FINDS, "the times of comments are in their own time zone"),
    (
        reading.ReadsItemsInAnotherZone,
        _BEHAVIOUR.test_a_read_shows_the_item,
        "the times of items are in their own time zone",
    ),
    (reading.TrustsEverybody, _STRANGERS, "a stranger's comment does not count"),
    (
        reading.AdoptsItems,
        _MARKERS.test_an_item_of_a_stranger_with_a_copied_marker_does_not_count,
        "a stranger's item does not count",
    ),
    (reading.DeliversForStrangers, _STRANGERS, "a stranger's comment posted nothing"),
    (reading.CountsStrangers, _STRANGERS, "a stranger's comment does not count in the history"),
    (
        reading.ShowsNewChangesFirst,
        _SHOWS_THE_PAST,
        "the changes of state are shown, oldest first",
    ),
    (reading.HidesARefusedDeletion, _RETRACTS, "a comment that stays is Forbidden"),
    (reading.CommentsFirst, _PARTS, "the comment comes after the state"),
    (reading.CreatesWithoutMarks, _CREATES, "an update replaces the text of a create"),
    (
        reading.ComparesLabelsByCase,
        _LABELS.test_a_label_in_another_case_is_the_same_where_the_manifest_says_so,
        "a label in another case is the same",
    ),
    (reading.ListsThePageOfToday, _AMONG, "items are listed newest first, every page"),
    (reading.TakesTheDayWithoutItsZone, _LISTS, "items are listed newest first"),
    (reading.ListsAllAtOnce, _AMONG, "a list reads a page when it is needed"),
    (reading.FindsRecentItemsAlone, _AMONG, "a created item is found among newer ones"),
    (
        reading.SendsItself,
        _MARKERS.test_threads_may_share_it_and_every_request_passes_the_transport,
        "history: every request passes the transport",
    ),
    (reading.ReadsAHundred, _AMONG, "`read_many` has no item for"),
    (
        reading.ReadsItemsNow,
        _BEHAVIOUR.test_a_read_shows_the_item,
        "the times of items are the tracker's",
    ),
    (reading.FindsCommentsNow, _FINDS, "the times of comments are the tracker's"),
    (reading.FindsTheOldestItem, _FINDS_CREATED, "the newest item with the marker is found"),
    (
        reading.FindsItemsWithOtherLabels,
        _FINDS_CREATED,
        "`find_created` shows the item as `read` does",
    ),
    (reading.ListsOpenItems, _LISTS, "items are listed newest first, closed ones, too"),
    (
        reading.RemovesLabelsByCase,
        _LABELS.test_a_label_in_another_case_is_removed_where_it_is_the_same,
        "the labels without one in another case",
    ),
    (
        reading.NamesPlacesInCapitals,
        _EXAMINES,
        "an examination names places as `ItemRef.target` does",
    ),
)
FAILING: tuple[Case, ...] = (
    (failing.FindsNoComment, _SEARCHES, "`find_comments`: a search that fails raises its error"),
    (failing.FindsNoOp, _SEARCHES, "`find_ops`: a search that fails raises its error"),
    (failing.FindsNoItem, _SEARCHES, "`find_created`: a search that fails raises its error"),
    (failing.FindsNoPast, _SEARCHES, "`read_history`: a search that fails raises its error"),
    (failing.ListsNothing, _SEARCHES, "`list_items`: a search that fails raises its error"),
    (
        failing.TakesARefusedTokenForAMissingRight,
        partial(_CLASSES, kind=FaultKind.UNAUTHORISED),
        "a write with 401-midway raises Unauthorised, not Forbidden",
    ),
    (
        failing.TakesARefusedTokenForAMissingRight,
        _FAILURES.test_a_refused_read_is_unauthorised,
        "a read with a refused token raises Unauthorised, not Forbidden",
    ),
    (
        failing.TakesARefusedTokenForAMissingRight,
        _FAILURES.test_a_wrong_token_is_unauthorised,
        "a read with a wrong token raises Unauthorised, not Forbidden",
    ),
    (
        failing.TakesAMissingRightForARefusedToken,
        _FAILURES.test_a_write_without_the_right_to_it_waits_for_a_person,
        "a write without the right to it: Forbidden, NotFound or Rejected, not Unauthorised",
    ),
    (
        failing.TakesALimitForAConflict,
        partial(_CLASSES, kind=FaultKind.LIMITED),
        "a write with 429-seconds raises Limited, not Conflict",
    ),
    (
        failing.HidesALostDeletion,
        partial(_DELETIONS, kind=FaultKind.LOST_REPLY),
        "a deletion with lost-reply raises UnknownOutcome, not None",
    ),
    (
        failing.TakesALimitForADeletion,
        partial(_DELETIONS, kind=FaultKind.LIMITED),
        "a deletion with 429-seconds raises Limited, not None",
    ),
    (
        failing.DeletesOnce,
        partial(_DELETIONS, kind=FaultKind.FAILED_BEFORE),
        "a deletion that failed can be repeated",
    ),
    (
        failing.ReportsTheFailedRead,
        _FAILURES.test_a_read_that_fails_after_a_write_leaves_its_effect_unknown,
        "a write with a refused read after it raises UnknownOutcome, not Forbidden",
    ),
)
PAST: tuple[Case, ...] = (
    (past.CutsTexts, _SHOWS_THE_PAST, "the text of a comment is whole"),
    (past.CountsComments, _SHOWS_THE_PAST, "a comment has the same id as in `find_comments`"),
    (past.ShowsAllComments, _SHOWS_THE_PAST, "the comments with markers are shown"),
    (past.ListsCommentsTwice, _SHOWS_THE_PAST, "`read_history` lists the comments once"),
    (past.ShowsTheFirstPageOfComments, _CROWD, "the history has each comment with a marker"),
    (past.ShowsEachChangeTwice, _SHOWS_THE_PAST, "each change of state is shown once"),
    (past.KnowsNoRights, _SHOWS_THE_PAST, "a comment has a note in `find_comments` if its"),
    (past.NotesEachComment, _SHOWS_THE_PAST, "a comment has a note in `find_comments` if its"),
    (past.SeesEdits, _SHOWS_THE_PAST, "a comment that was not edited is not `edited`"),
    (past.TrustsNobody, _SHOWS_THE_PAST, "the comments of the plugin count"),
    (past.HidesStrangers, _STRANGERS, "a stranger's comment with a marker is in the history"),
    (
        past.TakesUpdatesForChanges,
        _HISTORY.test_other_changes_are_no_changes_of_state,
        "a change of labels, title or comments is no change of state",
    ),
    (
        past.MissesNoItem,
        _HISTORY.test_the_past_of_a_missing_item_is_not_found,
        "the past of a missing item is NotFound",
    ),
    (
        past.NamesAuthorsByAddress,
        _HISTORY.test_a_person_has_one_name,
        "an account has one name everywhere: {'`MarkedComment.author`': 'octocat@",
    ),
    (
        past.NamesItselfByAddress,
        _HISTORY.test_a_person_has_one_name,
        "an account has one name everywhere: {'`MarkedComment.author`': 'octocat', ",
    ),
)
_POSTS = _MARKERS.test_hostile_text_is_posted_and_does_nothing
TEXTS: tuple[Case, ...] = (
    (text.PostsControlCharacters, _POSTS, "control characters of people's words are not posted"),
    (text.DropsAddresses, _POSTS, "people's words are posted, all and in order"),
    (text.CutsNewTexts, _CREATES, "in the body of a new item: the texts in the body"),
    (text.UpdatesOpenItemsAlone, _UPDATES, "an update sets the title"),
    (
        text.JoinsTheSpacesOfPeople,
        _KEEPS,
        "an update keeps what people wrote around its part, to the letter",
    ),
    (text.ReopensWithAnUpdate, _UPDATES, "the outcome shows the title and the state"),
    (text.ClosesWithAnUpdate, _KEEPS, "an update leaves the state"),
    (
        text.ReadsBoxesOfPeople,
        _BODIES.test_check_boxes_are_read_back_as_people_leave_them,
        "of those in the generated part alone",
    ),
    (text.FindsOpenItemsAlone, _FINDS_CREATED, "a created item is found by its marker"),
)
LABELS: tuple[Case, ...] = (
    (label.ForgetsUnknownLabels, _KNOWS, "a label is added as it is, or `Outcome.refused` lists"),
    (label.WritesLabelsInSmallLetters, _KNOWS, "a label is added as it is"),
    (label.EndsAtAnUnknownLabel, _KNOWS, "a label that is refused for good ends no write"),
    (
        label.LeavesAnItemWithAnUnknownLabel,
        _KNOWS,
        "a refused label keeps no other part from being done",
    ),
    (label.ShowsLabelsThatItAskedFor, _KNOWS, "the outcome shows the labels of the item"),
    (
        label.CreatesWithKnownLabels,
        _LABELS.test_an_unknown_label_is_added_or_refused_with_a_create,
        "a label is added as it is, or `Outcome.refused` lists it",
    ),
)
PEOPLE: tuple[Case, ...] = (
    (
        people.NamesTheAssigneeOfClosedItems,
        _HISTORY.test_a_person_has_one_name,
        "an account has one name everywhere",
    ),
    (people.TakesAPersonForAMerge, _CLOSES, "no automation closed an item that a person closed"),
    (people.HidesTheAssignee, _PEOPLE.test_the_assignee_is_named, "a read names the assignee"),
    (people.HidesWhoClosedIt, _CLOSES, "who closed an item is its `changed_by`"),
    (people.TakesTheAssigneeForTheAuthor, _CLOSES, "who closed an item is its `changed_by`"),
    (
        people.SeesNoEdits,
        _PEOPLE.test_an_edited_comment_is_shown_as_it_is_now,
        "a comment that was edited is `edited`",
    ),
    (
        people.TakesReadingForWriting,
        _CONSULTATION.test_an_examination_grants_no_right_that_the_credential_lacks,
        "an examination shows no right that the credential lacks",
    ),
)
ADO: tuple[Case, ...] = (
    (
        failing.MissesUnreadItems,
        partial(
            _FAILURES.test_many_items_that_cannot_be_read_are_not_missing, kind=FaultKind.FORBIDDEN
        ),
        "`read_many` raises the error of a request, or gives it to each item",
    ),
    (
        ado.ShowsOneRevision,
        _BEHAVIOUR.test_a_revision_changes_with_the_item,
        "a revision changes with the item",
    ),
    (
        text.ComparesTheWholeTitle,
        _BODIES.test_a_long_title_is_cut_alike_each_time_or_refused,
        "an identical update writes nothing, with a long title, too",
    ),
    (ado.ChangesOneByOne, _CHANGES, "`write_many` changes many in few requests"),
    (ado.ChangesNothing, _CHANGES, "`write_many` changes items"),
    (ado.MixesResultsUp, _CHANGES, "the results of `write_many` are in order"),
    (ado.LeavesResultsOut, _CHANGES, "`write_many` returns a result for each change"),
    (ado.HidesComments, _CHANGES, "the outcome shows the item afterwards"),
    (ado.ChangesHalf, _CHANGES, "`write_many` changes an item completely or not at all"),
    (
        ado.OverwritesOthers,
        _MANY.test_an_item_that_changed_meanwhile_is_not_written_with_others,
        "an item that changed meanwhile: Conflict",
    ),
    (
        ado.TakesALostAnswerForARefusal,
        partial(_MANY.test_a_lost_answer_about_many_items_is_unknown, kind=FaultKind.LOST_REPLY),
        "after a lost answer each result is UnknownOutcome",
    ),
    (ado.ApprovesByWriting, _APPROVES, "an approval changes nothing"),
    (ado.ApprovesUnasked, _APPROVES, "an approval asks the tracker"),
    (
        ado.ApprovesByCreating,
        _CONSULTATION.test_a_create_is_approved_without_an_item,
        "an approval creates nothing",
    ),
    (
        ado.ApprovesEverything,
        partial(_APPROVALS, kind=FaultKind.REFLECTED),
        "an approval with 400-with-the-request-in-it raises Rejected, not None",
    ),
    (
        ado.ApprovesEverything,
        partial(_APPROVALS, kind=FaultKind.FORBIDDEN),
        "an approval with 403-forbidden raises Forbidden, not None",
    ),
    (
        ado.ApprovesWithoutAnAnswer,
        partial(_APPROVALS, kind=FaultKind.LOST_REPLY),
        "an approval with lost-reply raises its error",
    ),
    (
        ado.ApprovesNewItems,
        partial(_APPROVALS, kind=FaultKind.FORBIDDEN),
        "an approval asks the tracker",
    ),
    (
        ado.TakesARefusalForALostAnswer,
        partial(_MANY.test_a_refused_write_of_many_items_changes_none, kind=FaultKind.UNAUTHORISED),
        "`write_many` with 401-midway raises Unauthorised, not UnknownOutcome",
    ),
    (
        ado.ReportsARefusedWrite,
        partial(_MANY.test_a_refused_write_of_many_items_changes_none, kind=FaultKind.FORBIDDEN),
        "changed with others: the item's state",
    ),
)
JIRA: tuple[Case, ...] = (
    (
        people.TakesACommentForAChange,
        _CLOSES,
        "a comment does not change the author of the state",
    ),
    (people.NamesItselfInTheHistory, _CLOSES, "the history names the author of a change of state"),
    (people.OwnsAllComments, _MEMBERS, "a comment of another member counts, and is not `own`"),
    (people.CountsItsOwnComments, _MEMBERS, "a comment of another member counts"),
    (
        jira.ReadsAheadInPart,
        _MANY.test_items_are_read_ahead_with_all_that_their_writes_need,
        "a write of a snapshot of `read_many` needs no further request",
    ),
)


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running


@pytest.fixture
def fixture(box: Sandbox, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Fixture]:
    harness: Harness = request.param(box)
    with Proxy(harness.server) as proxy:
        yield MutatedFixture(harness, proxy, tmp_path)


@pytest.mark.parametrize(
    ("fixture", "case"),
    [
        pytest.param(harness, case, id=case[0].__name__)
        for harness, cases in (
            (GithubHarness, (*GITHUB, *READING, *FAILING, *TEXTS, *LABELS, *PAST, *PEOPLE)),
            (AdoHarness, ADO),
            (JiraHarness, JIRA),
        )
        for case in cases
    ],
    indirect=["fixture"],
)
def test_a_broken_promise_is_named(case: Case, fixture: MutatedFixture) -> None:
    mutant, test, promise = case
    passes(test, fixture)
    fixture.mutate(mutant)
    with pytest.raises(AssertionError, match=re.escape(promise)):
        test(fixture)


class LetsEverybodyChangeItems(GithubHarness):
    def read_only_environ(self) -> Mapping[str, str]:
        return self.environ()


@pytest.mark.parametrize("fixture", [LetsEverybodyChangeItems], indirect=True)
def test_a_right_that_can_be_used_breaks_no_promise(fixture: Fixture) -> None:
    _CONSULTATION.test_an_examination_grants_no_right_that_the_credential_lacks(fixture)


@pytest.mark.parametrize("fixture", [GithubHarness], indirect=True)
def test_a_plugin_that_prints_is_named(
    fixture: MutatedFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    _MARKERS.test_a_plugin_prints_nothing(fixture, capfd)
    fixture.mutate(gh.Prints)
    with pytest.raises(AssertionError, match="a plugin prints nothing"):
        _MARKERS.test_a_plugin_prints_nothing(fixture, capfd)
