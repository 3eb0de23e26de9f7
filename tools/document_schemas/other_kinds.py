"""The parts of documents about efforts, sessions, runs and workflows, as in `entries`."""

ENTRIES_OF_OTHER_KINDS = """
EffortReopen = One reopen of an effort.
  at by: str; reason priorSummary concluded: str?
EffortEntry = An effort.
  id title status: str; summary increment concluded: str?; lines: int; created updated: str;
  reopens: [EffortReopen]
CandidateEntry = A concluded effort of the name that was to be opened.
  id status: str; summary: str?
LineProblem = A line of a file, and the kind of its change.
  file: str; line: int; kind: str
TrackedBranch = A remote-tracking branch, by its name on the remote.
  remote name address: str
SubagentEntry = A subagent of a session; `session` is the id of its own, if it has one.
  session agent model: str?; tokens: int
SessionEntry = A session.
  id title status: str; started ended channel model resumePoint increment effort branch: str?;
  forkOf: str?; participants: [str]; tokensUsed: int; subagents: [SubagentEntry]
ListedSession = A session in a list, and its place.
  id title status project: str; started ended channel model resumePoint increment effort: str?;
  branch forkOf: str?; participants: [str]; tokensUsed: int; subagents: [SubagentEntry];
  imported: bool
CallEntry = A tool call of a phase.
  tool arguments result: str; failed: bool
CalloutEntry = A callout of a phase: decision, error, user, subagent, or another word.
  kind head text: str
PhaseEntry = A phase of a session; `line` is that of its heading.
  id title: str; agent channel at: str?; calls: [CallEntry]; callouts: [CalloutEntry]; line: int
DecisionEntry = A decision, and the place where it stands.
  text session: str; phase: str?; line: int
SessionRow = A session of the index.
  id title status: str; started ended channel model: str?;
  tokens calls failures decisions errors: int
SessionFigures = The figures of the sessions of one agent, channel or status.
  group: str?; sessions tokens calls failures: int; meanSeconds failureRate: float?
TranscriptEntry = A transcript that can be imported.
  agent id title branch path modified: str; forkOf: str?
ImportEntry = A session made from a transcript, and how much was added to it.
  session source: str; created: bool; phases events masked unknown subagents: int
FailedImport = A transcript that could not be imported.
  transcript: str; error: Problem
CaseEntry = A case to learn from; `words` are those of a person who corrected the agent.
  type id session phase context given expected: str; line: int; agent channel model at words: str?
RunCounts = The number of tasks in each state.
  available blocked in_progress critique audit done: int
RunPause = A pause; only one by usage has `remainingPercent` and `resetsAt`.
  reason at: str; remainingPercent: float?; resetsAt: str?
RunEntry = A run; `coordinator` says if one was seen to live.
  id title status planFile: str; coordinator: bool; created updated: str?; sequence: int;
  tasks: RunCounts; compactions resumes tokens: int; costUsd: float; pause: RunPause?
RunTask = A task of a run; `cause` says why it is blocked, `agent` is the id of its dispatch.
  id title state: str; cause checkpoint agent role since node completedAt: str?; blockedBy: [str];
  attempts: int; alive: bool?
RunQuestion = A question of a worker for a person.
  id task text: str; options: [str]; answer: str?
PlannedTask = A task of a plan; `line` is that of its heading, `commands` are argument lists.
  id title: str; line: int; blockedBy: [str]; commands: [Any]
WorkflowBranch = What follows a step; `condition` is null for `Otherwise`, `node` for a text.
  condition node: str?; text: str
WorkflowNode = A step; its marks are required, optional, parallel and gate.
  name: str; line level: int; agent channel: str?; marks takes creates steps: [str];
  branches: [WorkflowBranch]
WorkflowEdge = Data that one step creates and another one takes.
  from to data: str
WorkflowProblem = A mistake.
  severity: Severity; line: int; message: str
FleetUnit = The sync of a repository.
  repository group result: str; written left: int; commit retryAt: str?; error: Problem?
FleetFinding = A finding of `unlatch doctor --online` in a repository, or why it could not look.
  severity: Severity; id message: str; hint: str?
FleetWebhooks = The webhooks of a target.
  tracker target state: str; why: str?
FleetCheck = The check of a repository.
  repository group: str; findings: [FleetFinding]; webhooks: [FleetWebhooks]
FleetRepository = A repository of a fleet, and what it waits for.
  repository group state: str; waitingSince atWorkSince node lastAt lastOutcome error: str?;
  failures: int; nextAt: str?
FleetNode = A node of a fleet that has not ended.
  name: str; epoch: int; version: str; jobs units: int; began seenAt: str; isSilent isDraining: bool
FleetBudget = The requests of an account of a tracker.
  account kind: str; used reserved: int; most: int?
FleetRecent = Syncs that ended in the last hour.
  outcome: str; units: int
FleetAnswer = The answer to the request for a sync.
  repository answer: str
AgentEntry = A coding agent, and whether unlatch is installed in it.
  name title: str; found user: bool; project: bool?
AgentFile = A file that is created, changed or removed.
  path change: str
KeptEntry = An entry that stays: you changed it, or unlatch never wrote it.
  path: str; entry: str?; foreign: bool
FailedAgent = An agent that cannot be changed.
  agent: str; error: Problem
VerifiedEntry = An effort or conversation, and the lines that are not as they were written.
  id: str; problems: [LineProblem]
"""
