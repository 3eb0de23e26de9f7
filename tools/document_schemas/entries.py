"""The parts of documents: the name and meaning of each, and its keys with their types."""

import re
from collections.abc import Iterator
from types import GenericAlias
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from document_schemas.other_kinds import ENTRIES_OF_OTHER_KINDS
from unlatch.increments.model.policies import Policy
from unlatch.increments.model.status import Status
from unlatch.increments.records.contracts import ReopenRecord, entry_type
from unlatch.increments.records.pending import OPERATION
from unlatch.spi.operation import Category, Kind

# Names, their meaning, and the indented lines below.
_ENTRY = re.compile(r"^(\S.*?) = (.*)\n((?:  .*\n)+)", re.MULTILINE)
_OUTCOMES = (
    *("reopened", "already-open", "closed", "already-closed", "created"),
    *("updated", "unchanged", "skipped", "pending", "failed"),
)
_RESUME_OUTCOMES = (
    *("reopened", "already-open", "updated", "unchanged", "pending", "skipped", "failed"),
)
_PENDING: dict[str, Any] = {"state": bool, "increment": str}
_WAITING = {**_PENDING, "attempts": int, "nextTry": str | None, "blocked": bool}
# The types by their names in the tables. A Record is an object as it stands in an increment's file,
# with the keys of other programs; the keys of operations are those of their file.
TYPES: dict[str, Any] = {
    **{type_.__name__: type_ for type_ in (str, int, float, bool, Status, Policy, Category, Kind)},
    "Any": Any,
    "Record": dict[str, Any],
    "ReopenRecord": ReopenRecord,
    "Outcome": Literal[_OUTCOMES],
    "Retry": Literal["at", "person", "none"],
    "ResumeOutcome": Literal[_RESUME_OUTCOMES],
    "Severity": Literal["error", "warning", "note"],
    "PendingEntry": entry_type(
        "PendingEntry", OPERATION, "An operation to be delivered.", {"state": bool}
    ),
    "PendingOf": entry_type("PendingOf", OPERATION, "The same, with its increment.", _PENDING),
    "WaitingEntry": entry_type(
        "WaitingEntry",
        OPERATION,
        "The same, with the attempts that count, and when it is tried again.",
        _WAITING,
    ),
}
_ENTRIES = """
Problem = The error of one item.
  id message: str; hint: str?
Failure = The error that ended a command.
  id message: str; where hint: str?; problems: [str]
MatchEntry = A word as it was found, and where, as in title, summary or text.
  word where: str
LooksLike = A completed increment that a new issue probably repeats.
  id title: str; completedAt: str?; items: [str]; score: float; next: str
SearchResult = Work that matches, the best first; `score` is the share of the query that it has.
  kind id title status: str; summary changed: str?; score: float; why: [MatchEntry]
Broken = The error of an increment that cannot be read.
  id reason: str; hint: str?
# `reasonLost`: another process moved it first, for another reason; absent otherwise.
MovedIncrement = An increment whose status may have changed.
  id: str; status previousStatus: Status; reasonLost?: bool
# The status is null for one that cannot be read.
MovedEntry = One of several increments, and why it stays as it is.
  id: str; status previousStatus: Status?; reasonLost?: bool; warnings: [Problem]; error: Problem?
NewIncrement = An increment that was made.
  id: str; status: Status; path: str
WouldBe = An increment, and the status that it would have.
  id: str; status wouldBe: Status
RefusedIncrement = An increment that would not be changed, and why.
  id: str; error: Problem
LinkEntry = An increment's link to one item.
  tracker id: str; url: str?
# `shows` is the status that the tool's files show, `by` what shows it ("5/5 tasks", "archive").
# `overridden` is the status that unlatch recorded before these files changed.
UnitEntry = The unit of another tool that an increment is.
  layout path: str; shows overridden: Status?; by: str?
ListEntry = An increment in a list.
  id: str; title: str?; status: Status?; type: str?; archived: bool;
  created completedAt lastActivity: str?; links: [LinkEntry]; reopens pending: int;
  broken: Broken?; unit: UnitEntry?
AdoptionEntry = A status that the files of a unit show since unlatch recorded another.
  increment: str; recorded shown: Status; by layout: str
# `left` counts the comments beside the first that stay; `notes` say why.
DuplicatesEntry = Comments of one operation on one item, if there are several.
  op item: str; left: int; notes: [str]
# `op` is the last operation that asked for them; `increment` is null for an item alone.
RefusedLabelsEntry = Labels of an item that its tracker refused, and that are still missing.
  increment: str?; tracker id: str; url: str?; name op: str; add remove: [str]
# `units` counts the units by the status that their files show.
FoundTool = Another tool whose marker is in the project.
  name: str?; title: str; used: bool; units: {int}
LimitsEntry = The limits of increments in progress and of idle time.
  maxActive hardCap: int?; perType: {int}; canInterrupt: [str]; policy: Policy; staleAfter: {int}
# `over` names the settings whose limits are exceeded.
WipEntry = The increments in progress.
  active: int; types: {int}; over: [str]
StaleEntry = An increment without activity for too long.
  increment: str; status: Status; days: int
# `notes`: for example items that undo left open, or labels that the tracker refused.
DeliveryEntry = The result of one operation.
  tracker id: str; url: str?; kind: Kind; outcome: Outcome; requests: int; notes: [str];
  error: Problem?; retry: Retry; retryAt: str?
# `done`: it had been changed for the same reason before, so nothing was sent. `record` is the name
# of its folder in .unlatch/items.
ChangedItem = An item alone, the operations delivered to it, and the number left.
  tracker id: str; url: str?; name record: str; done: bool; deliveries: [DeliveryEntry]; left: int;
  error: Problem?
ResumeEntry = The result of one item of an increment that was resumed.
  tracker id: str; url: str?; outcome: ResumeOutcome; requests: int; notes: [str]; error: Problem?;
  retry: Retry; retryAt: str?
ItemEntry = An item as its tracker describes it now.
  tracker id: str; url title type state: str?; category: Category?; labels: [str]; assignee: str?;
  error: Problem?
ItemStatus = The same, and the operations that are pending on an item alone.
  tracker id: str; url title type state: str?; category: Category?; labels: [str]; assignee: str?;
  error: Problem?; name: str; record: str?; reopens: int; pending: [PendingOf];
  increments: [str]
SyncedItemEntry = An item, and when unlatch last synced it.
  tracker id: str; url title type state: str?; category: Category?; labels: [str]; assignee: str?;
  error: Problem?; lastSynced: str?; absent?: [str]
IncrementItems = An increment, and its items on one tracker.
  id: str; status: Status; items: [SyncedItemEntry]
Spared = An item that stays open because other increments need it.
  tracker id: str; url: str?; neededBy: [str]
CommitSubject = A commit, by its id and the first line of its message.
  id subject: str
# `ticked` is a number of tasks and criteria; with `git` false, commits could not be read.
EvidenceEntry = The changes since the last reopen.
  reopen since: str; commits: [CommitSubject]; ticked: int; git: bool
FinishedEntry = One of several increments that were completed or abandoned.
  id: str; status previousStatus: Status?; spared: [Spared]; trackers: [DeliveryEntry];
  left: int; forced: [str]; evidence: EvidenceEntry?; warnings: [Problem]; error: Problem?;
  reasonLost?: bool
ItemsChanged = One of several increments, and the changes of its items on a tracker.
  id: str; status previousStatus: Status?; trackers: [DeliveryEntry]; error: Problem?
UndoneEntry = One of several increments whose last reopen was undone.
  id: str; status previousStatus: Status?; undone: str?; trackers: [DeliveryEntry]; left: int;
  error: Problem?; reasonLost?: bool
PreviewedRequest = A request of a dry run.
  method url what: str
PreviewedItem = An item, and its planned change.
  tracker id: str; url state comment: str?; addLabels removeLabels: [str]; pendingSince: str?;
  requests: [PreviewedRequest]; error: Problem?
PreviewedIncrement = One of several increments, and the planned changes of its items.
  increment: WouldBe; items: [PreviewedItem]; spared: [Spared]; requests: int; warnings: [Problem]
AddedTask = A task that was added.
  id title: str; story: str?; criteria: [str]
TaskCounts = How many tasks there are, discarded ones left out.
  total original new: int
# The coverage target is in percent, if the files name one. `spared` are the items of other user
# stories, which stay as they are; the next command writes the files in `unwritten`.
ScopeEntry = New work, or parts to be done again.
  change: str?; parts: [str]; newTasks: [AddedTask]; tasks: TaskCounts; coverageTarget: float?;
  spared undescribed: [LinkEntry]; unwritten: [str]
RelatedWork = An effort, session or run.
  ref status: str
SeenCause = A cause, or what shows that it is gone.
  increment: str?; kind fingerprint evidence place: str; commit: str?; seenAt: str
CauseEntry = A cause, and what follows from it.
  increment: str?; kind fingerprint evidence place: str; commit: str?; seenAt: str;
  reaction effect: str; why: str?; returns: int
CompletingEntry = Open work that was reopened for causes that have all gone.
  id: str; gone: [SeenCause]
NotSearched = Items that were needed, and could not be read.
  tracker: str; items: [str]; error: Problem
RecordedEntry = The results of tests that were recorded.
  added removed: int
RegressedEntry = An increment that was reopened for a cause, or has further causes.
  id: str; status previousStatus: Status; reopen: str?; trackers: [DeliveryEntry]; left: int;
  warnings: [Problem]; error: Problem?; reasonLost?: bool
ResumedEntry = One of the increments that were resumed.
  id: str; status previousStatus: Status; reopen: str?; trackers: [ResumeEntry]; left: int;
  scope: ScopeEntry?; warnings: [Problem]; error: Problem?; related?: [RelatedWork];
  reasonLost?: bool
# `id` and `by` are null for a time that only metadata.json has.
HistoryCheck = The check of one part of an entry; `item` is null for the local files.
  part verdict message: str; id tracker item author: str?
HistoryEntry = An operation in the history; `id` is null for the files as a whole.
  id: str?; kind: str; at by: str?; checks: [HistoryCheck]
VerifiedHistory = The verified history of an increment, of an item alone, or of what is gone.
  id name: str; entries: [HistoryEntry]
EventEntry = An event with all keys of its line.
  id: str?; at event: str; by: str?
TrackerCount = How many reopens had an item on a tracker; null for those without any item.
  tracker: str?; reopens: int
SpanEntry = Lengths of time in seconds; `p90` is the 90th percentile.
  count: int; least median p90 most: float
OftenReopened = An increment or an item alone, and its number of reopens.
  id title kind: str; reopens: int
DriftEntry = An item that differs from its increment; `there` is null if it is not known.
  increment tracker item here why: str; url there: str?
CategoryCount = How many reopens there were for one kind of reason; null where none was named.
  category: str?; reopens: int
ReopenListed = One reopen of all: by whom, why, of which items, and when it was completed again.
  id title: str; increment: str?; status: Status; reopenedAt reopenedBy reason: str;
  category source: str?; items: [LinkEntry]; completedAt completedAgainAt undoneAt: str?;
  secondsToReopen secondsToCompletion: int?; kind: str;
  gitName declaredBy: str?; accounts: {str}
ReopenSummary = One reopen among others.
  id reopenedAt reopenedBy reason: str; category: str?; daysAfterCompletion: float?
ReopenedEntry = An increment or an item alone that was reopened.
  id title kind: str; reopens: [ReopenSummary]
TieEntry = An increment, and the items that a file links to it.
  id: str; linked already: [ItemEntry]; error: Problem?
UntiedEntry = An increment, and the item that was unlinked from it.
  id: str; unlinked: LinkEntry?; dropped: int; error: Problem?
ProposedItem = An item that may be an increment's.
  id url title: str
ProposalEntry = Items of one tracker that may belong to an increment.
  increment tracker ground: str; clear: bool; items: [ProposedItem]
TrackerProblem = The error of one tracker.
  id message: str; hint: str?; tracker: str
BoxEntry = A check box that differs; `done` is its state where it changed, or on the item.
  id: str; done: bool; verdict why: str
BoxesEntry = The check boxes in an item's body; `list` is the verdict if the lines differ.
  changes: [BoxEntry]; list: str?; why: str
ComparedEntry = A link, and the state of both sides.
  increment: str; status: Status; tracker id: str; url: str?; name: str; state category: str?;
  verdict why: str; boxes: BoxesEntry?; error: Problem?
NotCheckedEntry = Items of one tracker that were not checked, and whether this is allowed.
  tracker: str; items: [str]; allowed: bool; error: Problem
MoveEntry = An increment that follows its items.
  increment: str; before after: Status; by reason: str; warnings: [Problem]; error: Problem?
SyncedIncrement = An increment whose items were updated.
  id: str; trackers: [DeliveryEntry]; left: int
CommitEntry = The published commit, or the error.
  commit branch: str?; increments: [str]; proposal: str?; skippedHooks brought: [str];
  error: Failure?
MessageEntry = An event of a tracker, and the increments that it is about.
  tracker action: str; url by: str?; increments: [str]; note: str?
LookedEntry = What was done about a new comment on an item.
  where: str; comment: str?; code: int; why: str?; error: Problem?
ClashEntry = A field that both sides of a merge changed, differently.
  field: str; ours theirs: Any
GitEntry = How git is set up to merge increments.
  attributes: [str]; driver: bool; foreign: str?
MovedFolder = A folder that moves.
  from to: str
ChangedFile = A file that changes, and how; null for one that is put back as it was.
  path: str; diff: str?; deleted: bool
LeftFile = A file that is left as it is.
  path why: str
TokenSource = Where a tracker's token comes from.
  tracker host: str; source user hint: str?
PluginEntry = A tracker that unlatch knows.
  name title noun: str; capabilities: [str]; ready: bool; extra: str?; requirement: str
SettingEntry = A setting, and where its value came from.
  key: str; value: Any; source: str
ForeseenWork = An effort, session or run that a resume would change.
  ref before status: str
OpenWork = An effort, session or run that has not ended; `next` is the command that ends it.
  ref status next: str
RelatedEntry = An effort, session or run of an increment; `next` is the command that continues it.
  ref before status: str; next: str?; error: Problem?
BriefingPoint = One thing to know, and where it is from.
  text source: str
BriefingEntry = What is known of an increment.
  reopens done decisions failed left identifiers unread: [BriefingPoint]
FindingEntry = A finding of doctor.
  severity: Severity; id message: str; where hint increment: str?
PlaceEntry = The permissions of a credential in one place; null where only a write shows it.
  target: str; rights: {bool?}
AccessEntry = The rights of a credential on a tracker.
  tracker: str; login: str?; places: [PlaceEntry]
FixEntry = A file that the doctor fixes, and how.
  id: str; increment: str?; path diff: str; done: bool
"""


def read_table(table: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The name, meaning and keys of each entry of a table.

    An entry is a line `Name = Meaning`, and indented lines of `key key: type; key: type`. All keys
    are always there, except `key?`. Of a type T, `[T]` is a list, `{T}` an object with such values,
    and `T?` may be null.
    """
    for names, meaning, listed in _ENTRY.findall(table):
        keys: dict[str, Any] = {}
        for part in " ".join(listed.split()).split("; "):
            words, _, kind = part.partition(": ")
            named = type_named(kind)
            for key in words.split():
                keys[key.rstrip("?")] = NotRequired[named] if key.endswith("?") else named
        yield names, meaning, keys


def type_named(name: str) -> Any:
    """The type that a table spells like this."""
    if name.endswith("?"):
        return type_named(name[:-1]) | None
    if name.startswith("["):
        return GenericAlias(list, type_named(name[1:-1]))
    if name.startswith("{"):
        return GenericAlias(dict, (str, type_named(name[1:-1])))
    return TYPES[name]


def entry(name: str, meaning: str, keys: dict[str, Any]) -> Any:
    definition: Any = TypedDict(name, keys)  # type: ignore[misc]  # the table defines it
    definition.__doc__ = meaning
    return definition


for _name, _meaning, _keys in read_table(_ENTRIES + ENTRIES_OF_OTHER_KINDS):
    TYPES[_name] = entry(_name, _meaning, _keys)
