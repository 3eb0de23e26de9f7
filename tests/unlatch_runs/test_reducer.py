"""The state of a run from its events: each task in one state, each event counted once."""

from datetime import UTC, datetime
from typing import Any

from unlatch_runs import events as e
from unlatch_runs.dispatch.port import Role
from unlatch_runs.event_base import RunEvent
from unlatch_runs.event_lines import OtherEvent, line_of, parse_event
from unlatch_runs.reducer import apply
from unlatch_runs.run_model import Cause, RunState, TaskState

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Log:
    """Events with their sequence numbers."""

    def __init__(self, session: str = "S1") -> None:
        self.events: list[RunEvent] = []
        self.session = session
        self.add(e.RunCreated, plan_file="plan.md", title="T", attempts=3, by="ann")
        self.add(e.CoordinatorStarted, epoch=1)
        self.load("a", b=("a",))

    def add(self, kind: type[RunEvent], **facts: Any) -> None:
        number = len(self.events) + 1
        self.events.append(kind(timestamp=NOW, sequence=number, session_id=self.session, **facts))

    def load(self, *names: str, digest: str = "1", **blocked: tuple[str, ...]) -> None:
        tasks = [e.TaskFacts(id=one, title=one, digest=digest) for one in names]
        tasks += [
            e.TaskFacts(id=one, title=one, digest=digest, blocked_by=by)
            for one, by in blocked.items()
        ]
        self.add(e.PlanLoaded, tasks=tuple(tasks))

    def dispatch(self, task: str, agent: str, role: Role = Role.DEVELOPER) -> None:
        if role is Role.DEVELOPER:
            self.add(
                e.DeveloperDispatched, agent_id=agent, task_id=task, blocked_by=(), resumed=False
            )
        else:
            self.add(e.AuditorDispatched, agent_id=agent, task_id=task)

    def complete(self, task: str, *agents: str) -> None:
        developer, auditor = agents
        self.dispatch(task, developer)
        self.add(e.TaskSubmitted, agent_id=developer, task_id=task)
        self.dispatch(task, auditor, Role.AUDITOR)
        self.add(e.TaskComplete, agent_id=auditor, task_id=task)

    def state(self) -> RunState:
        state = RunState()
        for event in self.events:
            apply(state, event)
        return state

    def of(self, task: str) -> tuple[TaskState, Cause | None]:
        state = self.state()
        return state.state_of(state.tasks[task]), state.cause(state.tasks[task])


def test_a_task_goes_from_available_to_done_and_frees_the_next() -> None:
    log = Log()
    assert log.of("a") == (TaskState.AVAILABLE, None)
    assert log.of("b") == (TaskState.BLOCKED, Cause.DEPENDENCIES)
    log.dispatch("a", "A1")
    assert log.of("a")[0] is TaskState.IN_PROGRESS
    log.add(e.TaskSubmitted, agent_id="A1", task_id="a")
    assert log.of("a")[0] is TaskState.CRITIQUE
    log.dispatch("a", "A2", Role.AUDITOR)
    assert log.of("a")[0] is TaskState.AUDIT
    assert log.of("b")[0] is TaskState.BLOCKED
    log.add(e.TaskComplete, agent_id="A2", task_id="a")
    assert log.of("a")[0] is TaskState.DONE
    assert log.of("b")[0] is TaskState.AVAILABLE


def test_the_answer_of_an_earlier_dispatch_changes_nothing() -> None:
    log = Log()
    log.dispatch("a", "A1")
    log.add(e.AgentFailed, agent_id="A1", task_id="a", reason="15 minutes")
    log.dispatch("a", "A2")
    for kind, facts in ((e.TaskSubmitted, {}), (e.Checkpoint, {"text": "late"})):
        log.add(kind, agent_id="A1", task_id="a", **facts)
    state = log.state()
    assert state.state_of(state.tasks["a"]) is TaskState.IN_PROGRESS
    assert (state.tasks["a"].attempts, state.tasks["a"].checkpoint) == (1, "")


def test_three_failures_block_a_task_until_a_person_retries_it() -> None:
    log = Log()
    for agent in ("A1", "A2", "A3"):
        log.dispatch("a", agent)
        log.add(e.AgentFailed, agent_id=agent, task_id="a", reason="exit 1")
    assert log.of("a") == (TaskState.BLOCKED, Cause.ATTEMPTS)
    log.dispatch("a", "A4")
    log.add(e.TaskRetried, task_id="a", by="ann")
    assert log.of("a")[0] is not TaskState.BLOCKED


def test_a_rejection_keeps_the_checkpoint_and_adds_its_reason() -> None:
    log = Log()
    log.dispatch("a", "A1")
    log.add(e.Checkpoint, agent_id="A1", task_id="a", text="half")
    log.add(e.TaskSubmitted, agent_id="A1", task_id="a")
    log.dispatch("a", "A2", Role.AUDITOR)
    log.add(e.AuditRejected, agent_id="A2", task_id="a", reason="no tests")
    task = log.state().tasks["a"]
    assert log.of("a")[0] is TaskState.AVAILABLE
    assert task.checkpoint == "half\nThe auditor rejected the work: no tests"
    assert task.attempts == 1


def test_an_orphan_is_available_with_its_checkpoint_and_costs_no_attempt() -> None:
    log = Log()
    log.dispatch("a", "A1")
    log.add(e.Checkpoint, agent_id="A1", task_id="a", text="half")
    for _ in range(2):
        log.add(e.OrphanAgentDetected, agent_id="A1", task_id="a", type="developer")
    task = log.state().tasks["a"]
    assert log.of("a")[0] is TaskState.AVAILABLE
    assert (task.checkpoint, task.attempts, task.crashes) == ("half", 0, 1)


def test_five_ends_with_the_coordinator_in_a_row_block_a_task() -> None:
    log = Log()
    for number in range(9):
        agent = f"A{number}"
        log.dispatch("a", agent)
        if number == 3:  # in between, its coordinator saw an end
            log.add(e.AgentFailed, agent_id=agent, task_id="a", reason="exit 1")
        else:
            assert log.of("a")[0] is TaskState.IN_PROGRESS
            log.add(e.OrphanAgentDetected, agent_id=agent, task_id="a", type="developer")
    assert log.of("a") == (TaskState.BLOCKED, Cause.CRASHES)
    log.add(e.TaskRetried, task_id="a", by="ann")
    assert log.of("a") == (TaskState.AVAILABLE, None)


def test_a_question_blocks_its_task_until_the_answer() -> None:
    log = Log()
    log.dispatch("a", "A1")
    log.add(e.QuestionAsked, agent_id="A1", task_id="a", question_id="Q", text="which?")
    log.add(e.AgentStopped, agent_id="A1", task_id="a", reason="question")
    assert log.of("a") == (TaskState.BLOCKED, Cause.QUESTION)
    log.add(e.QuestionAnswered, question_id="Q", text="sqlite", by="ann")
    log.add(e.QuestionAnswered, question_id="Q", text="another", by="bob")
    assert log.of("a") == (TaskState.AVAILABLE, None)
    assert [one.answer for one in log.state().answers("a")] == ["sqlite"]


def test_commands_without_consent_block_their_task() -> None:
    log = Log()
    log.add(e.ConsentChanged, missing=("a",))
    assert log.of("a") == (TaskState.BLOCKED, Cause.CONSENT)
    log.add(e.ConsentChanged, missing=())
    assert log.of("a") == (TaskState.AVAILABLE, None)


def test_a_changed_definition_of_a_completed_task_is_audited_again() -> None:
    log = Log()
    log.complete("a", "A1", "A2")
    log.load("a", b=("a",))
    assert log.of("a")[0] is TaskState.DONE
    log.load("a", digest="2", b=("a",))
    assert log.of("a")[0] is TaskState.CRITIQUE
    assert log.of("b")[0] is TaskState.BLOCKED


def test_a_task_that_left_the_plan_is_gone_and_frees_what_it_blocked() -> None:
    log = Log()
    log.dispatch("a", "A1")
    log.load("b")
    log.add(e.TaskSubmitted, agent_id="A1", task_id="a")
    assert list(log.state().tasks) == ["b"]


def test_validation_again_keeps_a_task_done_and_a_rejection_reopens_it() -> None:
    log = Log()
    log.complete("a", "A1", "A2")
    log.add(
        e.CoordinatorRecovered, orphaned_agents=0, events_reconciled=0, tasks_to_revalidate=("a",)
    )
    assert log.state().tasks["a"].validates
    log.dispatch("a", "A3", Role.AUDITOR)
    assert log.of("a")[0] is TaskState.DONE
    log.add(e.TaskRevalidated, agent_id="A3", task_id="a")
    assert not log.state().tasks["a"].validates
    log.add(e.SessionResume, resume_count=1, tasks_to_revalidate=("a",))
    log.dispatch("a", "A4", Role.AUDITOR)
    log.add(e.AuditRejected, agent_id="A4", task_id="a", reason="broken since")
    assert log.of("a")[0] is TaskState.AVAILABLE


def test_an_event_counts_once_and_an_old_epoch_not_at_all() -> None:
    log = Log()
    log.dispatch("a", "A1")
    log.add(e.AgentFailed, agent_id="A1", task_id="a", reason="exit 1")
    state = log.state()
    assert not any(apply(state, event) for event in log.events)
    assert state.tasks["a"].attempts == 1
    log.session = "S2"
    log.add(e.CoordinatorStarted, epoch=2, previous_session_id="S1")
    log.session = "S1"
    log.add(e.TaskRetried, task_id="a", by="stale")
    state = log.state()
    assert (state.epoch, state.tasks["a"].attempts) == (2, 1)


def test_every_event_is_read_as_it_was_written() -> None:
    log = Log()
    log.complete("a", "A1", "A2")
    log.add(e.SessionPause, reason="Usage limit", remaining_percent=8.5, resets_at=NOW)
    log.add(e.SessionPause, reason="User stop")
    log.add(e.Usage, agent_id="A1", task_id="a", tokens=12, cost=0.25)
    log.add(OtherEvent, word="later_version", details={"x": [1]})
    for event in log.events:
        assert parse_event(line_of(event)) == event
