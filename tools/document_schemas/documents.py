"""The documents, by the names in their `schema`: unlatch.NAME/1."""

from typing import Any

from document_schemas.entries import entry, read_table, type_named
from document_schemas.meanings import Meanings
from unlatch_doctor.schemas import Schema, schema_of

_DOCUMENTS = """
resume = unlatch resume.
  increment: MovedIncrement; reopen: ReopenRecord?; trackers: [ResumeEntry]; scope: ScopeEntry?;
  warnings: [Problem]; related?: [RelatedEntry]; briefing?: BriefingEntry;
  retry: Retry; retryAt: str?
resume-others = unlatch resume --without increment.
  increment: str; related: [RelatedEntry]; briefing: BriefingEntry
resume-many = unlatch resume with several ids, or --all-matching.
  increments: [ResumedEntry]; retry: Retry; retryAt: str?
apply = unlatch apply, of a plan that has been carried out already.
  increments: [str]; pending: int
# `forced` holds the ids of the refusals that were overridden.
complete, abandon = unlatch complete, unlatch abandon.
  increment: MovedIncrement; spared: [Spared]; trackers: [DeliveryEntry]; forced: [str];
  evidence: EvidenceEntry?; warnings: [Problem]; related?: [OpenWork]; retry: Retry; retryAt: str?
undo = unlatch undo.
  increment: MovedIncrement; undone: str; trackers: [DeliveryEntry]; related?: [OpenWork];
  retry: Retry; retryAt: str?
complete-many, abandon-many = unlatch complete and unlatch abandon with several ids.
  increments: [FinishedEntry]; retry: Retry; retryAt: str?
undo-many = unlatch undo with several ids.
  increments: [UndoneEntry]; retry: Retry; retryAt: str?
start, pause, review, backlog = unlatch start, pause, review, backlog.
  increment: MovedIncrement; warnings: [Problem]
start-many, pause-many, review-many, backlog-many = The same for several increments.
  increments: [MovedEntry]
new = unlatch new.
  increment: NewIncrement; warnings: [Problem]
show = unlatch show.
  increment: ListEntry; reopenHistory: [Record]; pending: [PendingEntry];
  items: [SyncedItemEntry];
  warnings: [str]; related?: [RelatedWork]; briefing?: BriefingEntry
history = unlatch history.
  id: str; events: [EventEntry]; pending: [PendingEntry]; reopens: [Record]
history-all = unlatch history --all.
  increments completed reopens items undone notCompleted: int; reopenRate: float?;
  byMonth: {int};
  byCategory: [CategoryCount]; daysToReopen secondsToReopen secondsToCompletion: {float}?;
  reopened: [ReopenListed]; mostReopened: [ReopenedEntry]; broken: [Broken]
# `checked` counts the parts of all entries.
history-verify = unlatch history verify.
  increments: [VerifiedHistory]; checked differing unchecked: int; gaps: [str];
  broken: [Broken]
regressions = unlatch regressions; `increments` are those that --apply changed.
  branch commit limit: str; limitWhy: str?; causes: [CauseEntry]; completing: [CompletingEntry];
  broken: [Broken]; notSearched: [NotSearched]; recorded: RecordedEntry?;
  increments: [RegressedEntry]; retry: Retry; retryAt: str?
report = unlatch report.
  made: str; since until: str?; increments completed reopened items reopens undone goal: int;
  reopenRate: float?; overGoal: [str]; byMonth: {int}; byCategory: [CategoryCount];
  byTracker: [TrackerCount]; secondsToReopen secondsToCompletion: SpanEntry?;
  mostReopened: [OftenReopened]; pending: [PendingOf]; blocked links notCompared: int;
  drift: [DriftEntry]; online: bool; broken: [Broken]
status = unlatch status.
  active: [ListEntry]; maxActive: int?; limits: LimitsEntry; wip: WipEntry; paused: [ListEntry];
  stale: [StaleEntry]; pending: [WaitingEntry]; notRecorded: [PendingOf]; reopenedOften: [str];
  broken: [ListEntry]; configMistakes: [str]; itemsPending: [PendingOf];
  adoptions: [AdoptionEntry]; warnings: [Problem]; otherWork?: [RelatedWork]
link = unlatch link.
  id: str; linked: [ItemEntry]; warnings: [Problem]; dryRun: bool
link-file = unlatch link --file.
  increments: [TieEntry]; warnings: [Problem]; dryRun: bool
link-many = unlatch link with several ids.
  increments: [TieEntry]; warnings: [Problem]; dryRun: bool
# `changed` says whether the list differs from the one before.
link-tests = unlatch link --test, unlatch unlink --test.
  id: str; guards: [str]; changed: bool; dryRun: bool
link-suggest = unlatch link --suggest.
  proposals: [ProposalEntry]; listed lacking: {int}; errors: [TrackerProblem]
unlink = unlatch unlink.
  id: str; unlinked: LinkEntry; dropped: int; dryRun: bool
unlink-many = unlatch unlink with several ids.
  increments: [UntiedEntry]; dryRun: bool
# `broken` are increments that could not be compared.
reopen, close = unlatch reopen and close of items. `place` is project, or user outside of one.
  place: str; items: [ChangedItem]; retry: Retry; retryAt: str?
item-status = unlatch status with items; outside of a project also without.
  items: [ItemStatus]
dry-run-items = The dry run of these.
  items: [PreviewedItem]; requests: int
sync = unlatch sync, and unlatch ingest.
  increments: [SyncedIncrement]; compared: [ComparedEntry]; notChecked: [NotCheckedEntry];
  moves: [MoveEntry]; otherBranch: str?; commit: CommitEntry?; event: MessageEntry?;
  leftOut changedLeftOut: [str]; broken: [Broken]; refused: Problem?; items: [ChangedItem];
  adoptions: [AdoptionEntry]; duplicates: [DuplicatesEntry]; refusedLabels: [RefusedLabelsEntry];
  comments?: [LookedEntry]; retry: Retry; retryAt: str?
ingest = unlatch ingest of a comment that needs nothing; of another, that of the command in it.
  why: str
sync-plan = unlatch sync --dry-run or --check.
  compared: [ComparedEntry]; notChecked: [NotCheckedEntry]; moves: [MoveEntry];
  pending: [PendingOf]; items: [PreviewedItem]; requests: {int}; comments: int; adrift: bool;
  otherBranch: str?; leftOut changedLeftOut: [str]; broken: [Broken]; refused: Problem?;
  adoptions: [AdoptionEntry]; duplicates: [DuplicatesEntry]; refusedLabels: [RefusedLabelsEntry]
dry-run = The dry run of any other command.
  increment: WouldBe; items: [PreviewedItem]; spared: [Spared]; requests: int; scope: ScopeEntry?;
  warnings: [Problem]; related?: [ForeseenWork]; digest?: str
dry-run-many = The dry run of a command with several increments.
  increments: [PreviewedIncrement]; requests: int; refused: [RefusedIncrement]; tooMany: Problem?
tracker-change = unlatch TRACKER create-, update-, close- and reopen-...; unlatch link --create.
  tracker: str; kind: Kind; increment: MovedIncrement; trackers: [DeliveryEntry];
  retry: Retry; retryAt: str?
tracker-change-many = unlatch TRACKER update-, close- and reopen-... with several ids.
  tracker: str; kind: Kind; increments: [ItemsChanged]; retry: Retry; retryAt: str?
tracker-status = unlatch TRACKER status.
  tracker: str; increments: [IncrementItems]
merge = unlatch merge --resolve.
  id: str; resolved: bool; files kept left: [str]; added: bool; conflicts: [ClashEntry]
migrate = unlatch migrate.
  dryRun undo: bool; moved: [MovedFolder]; changed: [ChangedFile]; left: [LeftFile]
init = unlatch init.
  root: str; made: [str]; git: GitEntry?; layouts: [FoundTool]
auth = unlatch auth status.
  trackers: [TokenSource]
settings = unlatch config list and get.
  settings: [SettingEntry]
setting-change = unlatch config set and unset. `value` is null if it was removed.
  key: str; value: Any?; file: str
plugins = unlatch plugins.
  plugins: [PluginEntry]; broken: {str}
plugins-new = unlatch plugins new.
  folder: str; made: [str]
doctor = unlatch doctor.
  root: str; settings: [SettingEntry]; findings: [FindingEntry]; access: [AccessEntry];
  fixes: [FixEntry]; increments items errors warnings: int
search = unlatch search, and unlatch effort search.
  query: str; results: [SearchResult]; warnings: [Problem]
similar = unlatch similar.
  title: str; looksLike: LooksLike?
# `active` is the active effort of the conversation after the command.
effort = unlatch effort open, close, reopen, switch, expand and collapse.
  status: str; effortId active: str?; summary priorSummary: str?; tokensLoaded: int?;
  candidates: [CandidateEntry]
effort-list = unlatch effort list.
  active: str?; expanded: [str]; efforts: [EffortEntry]
effort-show = unlatch effort show.
  effort: EffortEntry; log: [Record]
effort-link = unlatch effort link.
  effort: EffortEntry
effort-verify = unlatch effort verify.
  efforts: [VerifiedEntry]
session = unlatch session start, log, pause, complete and link.
  session: SessionEntry
session-resume = unlatch session resume.
  session: SessionEntry; context: str; tokens: int; phases leftOut: [str]; shortened: str?;
  decisions: [DecisionEntry]
session-list = unlatch session list.
  sessions: [ListedSession]
session-show = unlatch session show.
  session: SessionEntry; phases: [PhaseEntry]; tasks: [Record]; summary: str?
session-query = unlatch session query.
  sessions: [SessionRow]
session-stats = unlatch session stats.
  by: str; groups: [SessionFigures]
session-transcripts = unlatch session import, without a transcript to import.
  transcripts: [TranscriptEntry]
agents = unlatch agents list.
  agents: [AgentEntry]; trusted: bool?
agents-install, agents-uninstall = unlatch agents install, uninstall.
  scope: str; agents: [str]; files: [AgentFile]; kept: [KeptEntry];
  failed: [FailedAgent]; dryRun: bool
agents-trust = unlatch agents trust.
  root: str; trusted: bool; branch: TrackedBranch?
session-import = unlatch session import.
  sessions: [ImportEntry]; failed: [FailedImport]
session-publish = unlatch session publish.
  session: SessionEntry; masked: int; linked: [str]
session-learn = unlatch session learn.
  cases: [CaseEntry]; unsolved: int
run = unlatch run start, resume, recover, pause, stop and context.
  run: RunEntry; drift?: [str]; questions?: [RunQuestion]
run-list = unlatch run list.
  runs: [RunEntry]
run-status = unlatch run status.
  run: RunEntry; tasks: [RunTask]; questions: [RunQuestion]
run-events = unlatch run events.
  events: [Record]
run-plan = unlatch run check.
  source: str; tasks: [PlannedTask]
run-questions = unlatch run questions.
  questions: [RunQuestion]
workflow = unlatch workflow validate and show.
  title dialect: str; nodes: [WorkflowNode]; edges: [WorkflowEdge]; problems: [WorkflowProblem]
fleet-sync = unlatch fleet sync.
  dryRun: bool; repositories: [FleetUnit]; skipped: [str]
fleet-check = unlatch fleet check.
  repositories: [FleetCheck]
fleet-init = unlatch fleet init.
  before version: int; roles: [str]; nodeFile: str?
fleet-add = unlatch fleet add.
  listed added changed removed: int; notInFile: [str]
fleet-status = unlatch fleet status.
  at: str; oldestWaiting: str?; repositories: [FleetRepository]; nodes: [FleetNode];
  budgets: [FleetBudget]; recent: [FleetRecent]
fleet-retry = unlatch fleet retry.
  repositories: [FleetAnswer]
fleet-pause = unlatch fleet pause.
  repositories: [str]; changed: int; paused: bool
fleet-drain = unlatch fleet drain.
  nodes: int
error = The document of a command that failed.
  error: Failure
"""
_COMMON: dict[str, Any] = {"schema": str, "exitCode": int}


def document_schemas() -> dict[str, Schema]:
    """The schema of each document, by its name.

    Raises:
        LookupError: a key has no meaning, or a meaning belongs to no key.
    """
    schemas = {"list": _schema("list", type_named("[ListEntry]"))}
    for names, meaning, keys in read_table(_DOCUMENTS):
        kind = entry("Document", meaning, _COMMON | keys)
        schemas |= {name: _schema(name, kind) for name in names.split(", ")}
    meanings = Meanings()
    for name, schema in schemas.items():
        meanings.describe(name, schema)
    if unused := meanings.unused():
        raise LookupError(f"meanings.toml: no document has {', '.join(unused)}")
    return schemas


def _schema(name: str, kind: Any) -> Schema:
    schema = schema_of(kind, name=name, title=f"unlatch.{name}/1")
    if "schema" in schema.get("properties", {}):  # the document of `list` is an array
        schema["properties"]["schema"] = {"const": f"unlatch.{name}/1"}
    return schema
