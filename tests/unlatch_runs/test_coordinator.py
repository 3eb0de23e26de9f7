"""The coordinator: dispatch, questions, failures, pauses, compaction and recovery."""

import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_runs.scripted import (
    ASK,
    CRASH,
    DONE,
    EXIT,
    REJECT,
    START,
    TIMEOUT,
    Lab,
    ScriptedDispatcher,
    Workers,
    always,
    answers,
    plan_of,
)

from unlatch.errors import StoreError
from unlatch_runs import events as e
from unlatch_runs.coordinator import pausing
from unlatch_runs.coordinator.context import End
from unlatch_runs.coordinator.recovery import recover
from unlatch_runs.dispatch.outcome import NO_ANSWER
from unlatch_runs.dispatch.places import Start
from unlatch_runs.dispatch.port import Assignment, Lease, Placed, Report, Role
from unlatch_runs.dispatch.protocol import Checkpoint, Done, Failed, Usage
from unlatch_runs.event_base import RunEvent
from unlatch_runs.journal import Journal
from unlatch_runs.requests import send
from unlatch_runs.run_model import Cause, Status, TaskState


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    # Each second of an hour would be a look at the requests.
    monkeypatch.setattr(pausing, "_LONGEST_SLEEP", 60.0)


def ask(run: Lab, **request: Any) -> None:
    """Leave a request for the coordinator."""
    send(run.root, run.folder.name, run.new_id(), request)


def lab(tmp_path: Path, script: Any = None, **blocked: str) -> Lab:
    return Lab(tmp_path / "project", plan_of(**blocked), Workers(script or always()))


def test_a_plan_is_carried_out_in_the_order_of_its_graph(tmp_path: Path) -> None:
    run = lab(tmp_path, a="none", b="a", c="a, b")
    assert run.start() is End.FINISHED
    assert [one.task_id for one in run.events(e.TaskComplete)] == ["a", "b", "c"]
    roles = [one.role for one in run.workers.started]
    assert roles == [Role.DEVELOPER, Role.AUDITOR] * 3
    assert run.state.status is Status.FINISHED


def test_the_assignment_has_the_format_of_the_requirement(tmp_path: Path) -> None:
    run = lab(tmp_path, answers((Checkpoint("half done"), CRASH)), a="none", b="a")
    run.references = ("docs/style.md",)
    run.start()
    first, second = (
        one for one in run.workers.started if one.task_id == "a" if one.role is Role.DEVELOPER
    )
    lines = first.text.splitlines()
    assert lines[:5] == [
        "Task: a",
        "Work: Do a",
        "a",
        "Acceptance Criteria: it works",
        "Blocked By: none",
    ]
    assert "Resume Context" not in first.text
    assert (
        "Resume Context: half done\nPrevious Progress: Review existing work before continuing."
        in second.text
    )
    assert "References:\n- docs/style.md" in second.text
    dispatched = run.events(e.DeveloperDispatched)
    assert [
        (one.resumed, one.attempt) for one in dispatched if isinstance(one, e.DeveloperDispatched)
    ][:2] == [(False, 1), (True, 2)]


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ((CRASH,), "it was ended by signal 9 (SIGKILL)"),
        ((TIMEOUT,), "it ran for longer than allowed, and was ended"),
        ((EXIT,), NO_ANSWER),
        ((Failed("no"), EXIT), "no"),
    ],
)
def test_three_failures_pause_the_run_for_a_person(tmp_path: Path, end: Any, reason: str) -> None:
    run = lab(tmp_path, always(end), a="none", b="a")
    assert run.start() is End.PAUSED
    state = run.state
    assert (state.tasks["a"].attempts, state.cause(state.tasks["a"])) == (3, Cause.ATTEMPTS)
    assert state.pause
    assert state.pause.reason == "Failed attempts"
    assert "Session resets at" not in run.said[-2]
    assert run.said[-1] == f"a: failed 3 times: {reason}"


def test_a_validation_that_fails_is_counted_apart_and_is_tried_again(tmp_path: Path) -> None:
    run = lab(tmp_path, answers(REJECT, REJECT, DONE, DONE, ASK), a="none", b="a")
    assert run.start() is End.PAUSED
    (question,) = run.state.open_questions()
    ask(run, kind="answer", question=question.id, text="a")
    run.workers.script = answers(*[(CRASH,)] * 3)
    assert run.resume() is End.PAUSED
    assert run.said[-1] == "a: the validation failed 3 times: it was ended by signal 9 (SIGKILL)"
    assert run.state.tasks["a"].attempts == 2
    ask(run, kind="retry", task="a")
    assert run.resume() is End.FINISHED


def test_a_worker_that_ends_with_its_system_has_not_failed(tmp_path: Path) -> None:
    run = lab(tmp_path, a="none")

    def shuts_down(_: Assignment) -> Any:
        ask(run, kind="pause")
        return ()

    def poll(self: ScriptedDispatcher, timeout: float) -> list[Report]:
        # The worker gets the signal as its coordinator does.
        return [] if timeout else [Report(one.run_id, CRASH) for one in self.workers.live()]

    run.workers.script = shuts_down
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ScriptedDispatcher, "poll", poll)
        assert run.start() is End.PAUSED
    task = run.state.tasks["a"]
    assert (task.attempts, run.state.state_of(task)) == (0, TaskState.AVAILABLE)


def test_a_question_pauses_only_when_nothing_else_can_go_on(tmp_path: Path) -> None:
    run = lab(tmp_path, answers(ASK), a="none", b="none")
    assert run.start() is End.PAUSED
    assert run.state.pause
    assert run.state.pause.reason == "Question pending"
    assert [task.id for task in run.state.within(TaskState.DONE)] == ["b"]
    (question,) = run.state.open_questions()
    ask(run, kind="answer", question=question.id, text="sqlite", by="ann")
    assert run.resume() is End.FINISHED
    assert "Question: which?\nAnswer: sqlite" in run.workers.started[-2].text


def test_commands_that_nobody_agreed_to_block_their_task(tmp_path: Path) -> None:
    run = lab(tmp_path, a="none", b="none")
    run.plan += "\n```bash\nmake\n```\n"
    run.plan = run.plan.replace("**Blocked By**: none\n\n```", "```").replace(
        "it works\n```", "it works\n\n```"
    )
    assert run.start() is End.PAUSED
    state = run.state
    assert state.cause(state.tasks["b"]) is Cause.CONSENT
    run.consent = run.consent.agree([("make",)])
    assert run.resume() is End.FINISHED


@pytest.mark.parametrize("passed", [0, 3600])
def test_a_reset_that_has_passed_restarts_no_worker_while_the_usage_is_spent(
    tmp_path: Path, passed: int
) -> None:
    run = lab(tmp_path, a="none", b="none")
    usage = tmp_path / "usage"
    resets = run.clock.now - timedelta(seconds=passed)
    spent = f"utilisation: 97%\nremaining: 3%\nresets_at: {resets.isoformat()}\n"
    usage.write_text(spent)
    run.consent = replace(run.consent, usage_file=str(usage))
    slept = run.clock.sleep
    again = run.clock.now + timedelta(minutes=50)

    def sleep(seconds: float) -> None:
        slept(seconds)
        minutes = (run.clock.now - START) / timedelta(minutes=1)
        if minutes > 13:
            usage.write_text("broken" if minutes < 22 else spent)
        if minutes > 24:  # the new time of the reset is known
            usage.write_text(f"remaining: 3%\nresets_at: {again.isoformat()}\n")
        if run.clock.now > again:
            usage.write_text("remaining: 99%\n")

    run.clock.sleep = sleep  # type: ignore[method-assign]
    assert run.start() is End.FINISHED
    assert run.clock.now > again + timedelta(minutes=5)
    assert len(run.workers.started) == 4
    pauses = [
        one.resets_at for one in run.events(e.SessionPause) if isinstance(one, e.SessionPause)
    ]
    assert pauses == [resets, again]
    looks = [text for text in run.said if text.startswith("the usage is ")]
    assert looks[:3] == [
        f"the usage is still spent: 3% left; next look in {number} min" for number in (1, 2, 4)
    ]
    assert "the usage is unknown; next look in 15 min" in looks


@pytest.mark.parametrize("how", ["request", "signal"])
def test_a_pause_during_the_wait_keeps_the_time_of_the_reset(tmp_path: Path, how: str) -> None:
    run = lab(tmp_path, a="none")
    usage = tmp_path / "usage"
    resets = run.clock.now + timedelta(hours=1)
    usage.write_text(f"remaining: 3%\nresets_at: {resets.isoformat()}\n")
    run.consent = replace(run.consent, usage_file=str(usage))

    slept = run.clock.sleep

    def sleep(seconds: float) -> None:
        slept(seconds)
        if how == "signal":
            raise KeyboardInterrupt
        ask(run, kind="pause")

    run.clock.sleep = sleep  # type: ignore[method-assign]
    with suppress(KeyboardInterrupt):
        assert run.start() is End.PAUSED
    pause = run.state.pause
    assert pause
    assert (pause.reason, pause.remaining, pause.resets_at) == ("User stop", 3, resets)


def test_a_run_pauses_at_the_cost_that_was_agreed_to(tmp_path: Path) -> None:
    run = lab(tmp_path, always((Usage(10, 5, 0.6), *DONE)), a="none", b="a", c="b")
    run.consent = replace(run.consent, max_cost=1.0)
    assert run.start() is End.PAUSED
    assert 1.0 <= run.state.cost <= 1.8
    assert run.state.pause
    assert run.state.pause.reason == "Usage limit"
    run.consent = replace(run.consent, max_cost=10.0)
    assert run.resume() is End.FINISHED


def test_the_totals_of_a_session_count_once_over_workers_and_coordinators(tmp_path: Path) -> None:
    """2.1.332 counts on when a session is resumed; one that begins anew counts whole."""
    totals = iter([(100, 0.5), (300, 0.75), (300, 0.75), (40, 0.25), (90, 0.5)])

    def work(assignment: Assignment) -> Any:
        if assignment.role is Role.AUDITOR:
            return DONE
        tokens, cost = next(totals)
        return (Usage(tokens, 0, cost, "s1"), Usage(1, 1, 0.25), *DONE)

    run = lab(tmp_path, work, a="none", b="a", c="b", d="c", e="d")
    run.consent = replace(run.consent, max_cost=1.0)
    assert run.start() is End.PAUSED
    run.consent = replace(run.consent, max_cost=10.0)
    assert run.resume() is End.FINISHED
    assert (run.state.tokens, run.state.cost) == (300 + 90 + 5 * 2, 0.75 + 0.5 + 5 * 0.25)


def test_compactions_reload_the_plan_every_second_time(tmp_path: Path) -> None:
    run = lab(tmp_path, a="none", b="a", c="b")
    script = run.workers.script

    def reporting(assignment: Assignment) -> Any:
        if assignment.role is Role.DEVELOPER:
            ask(run, kind="context", left=9.0)
        if assignment.task_id == "b":
            run.plan = plan_of(a="none", b="a", c="b", d="c")
        return script(assignment)

    run.workers.script = reporting
    assert run.start() is End.FINISHED
    state_file = ".unlatch/runs/2026-01-01-run/state.json"
    blocks = [text for text in run.said if "\n" in text or text.startswith("drift")]
    assert blocks[0] == f"AUTO-COMPACTION #1 - Context at 10%\n\nState persisted to: {state_file}"
    assert blocks[1].startswith("RESUMED - Compaction #1 complete\n\nCompleted: ")
    assert blocks[2].startswith("AUTO-COMPACTION #2 - Context at 10%")
    assert blocks[3] == "drift: d is new"
    assert blocks[4].startswith(
        "FULL PLAN RELOAD - Compaction #2\n\nPlan: plan.md\nTotal tasks: 4\nCompleted: "
    )
    assert "Blocked graph rebuilt: 3 blocking relationships" in blocks[4]
    assert blocks[5].startswith(
        "RESUMED - Compaction #2 complete (full plan reload)\n\n"
        "Plan reloaded: plan.md\nTotal tasks: 4\n"
    )
    assert [
        one.full_reload
        for one in run.events(e.CompactionComplete)
        if isinstance(one, e.CompactionComplete)
    ][:2] == [False, True]
    assert run.state.tasks["d"].completed_at


def test_a_person_pauses_and_resumes(tmp_path: Path) -> None:
    run = lab(tmp_path, a="none", b="none", c="a")
    script = run.workers.script

    def pausing(assignment: Assignment) -> Any:
        if (
            assignment.task_id == "c"
            and assignment.role is Role.DEVELOPER
            and not run.events(e.SessionPause)
        ):
            ask(run, kind="pause")
            return (Checkpoint("just begun"),)
        return script(assignment)

    run.workers.script = pausing
    assert run.start() is End.PAUSED
    assert "Session remaining" not in run.said[-1]
    assert "In progress: 1 tasks" in run.said[-1]
    assert run.state.tasks["c"].attempts == 0
    assert run.resume() is End.FINISHED
    assert "Resume Context: just begun" in run.workers.started[-2].text
    # What was completed in the last hour was validated before anything else began.
    assert [one.task_id for one in run.events(e.TaskRevalidated)] == ["a", "b"]


def test_a_task_without_a_worktree_fails_alone(tmp_path: Path) -> None:
    run = lab(tmp_path, a="none", b="none")

    def worktree(task: str) -> Path:
        if task == "a":
            raise StoreError("worktree-failed", "git: not a valid branch name")
        return tmp_path

    run.worktree = worktree
    assert run.start() is End.PAUSED
    assert run.state.cause(run.state.tasks["a"]) is Cause.ATTEMPTS
    assert run.state.is_done("b")


def test_auditors_and_later_tasks_get_the_commit_of_submitted_work(tmp_path: Path) -> None:
    pushed = replace(EXIT, commit="c0ffee")
    run = lab(tmp_path, always((Placed("east"), Done("all"), pushed)), a="none", b="a")
    run.places = Elsewhere()
    assert run.start() is End.FINISHED
    given = [
        (one.task_id, one.role, one.commit, one.branch, one.needs) for one in run.workers.started
    ]
    assert given == [
        ("a", Role.DEVELOPER, "head", "work/a", ()),
        ("a", Role.AUDITOR, "c0ffee", "", ()),
        ("b", Role.DEVELOPER, "head", "work/b", ("c0ffee",)),
        ("b", Role.AUDITOR, "c0ffee", "", ()),
    ]
    placed = [(one.task_id, one.node) for one in run.events(e.AgentPlaced)]  # type: ignore[attr-defined]
    assert placed == [("a", "east"), ("b", "east")]


class Elsewhere:
    """Places on other machines."""

    def begin(self, task: str) -> Start:
        return Start("head", f"work/{task}")


def test_an_answer_at_the_moment_of_a_pause_is_no_failure(tmp_path: Path) -> None:
    run = lab(tmp_path, a="none")
    release = ScriptedDispatcher.release

    def pausing(_: Assignment) -> Any:
        ask(run, kind="pause")
        return (Checkpoint("half"),)

    def answering(self: ScriptedDispatcher, lease: Lease) -> None:
        self.workers.reports += [Report(lease.run_id, one) for one in (Done("all"), EXIT)]
        release(self, lease)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ScriptedDispatcher, "release", answering)
        run.workers.script = pausing
        assert run.start() is End.PAUSED
    assert run.state.tasks["a"].attempts == 0
    assert run.state.state_of(run.state.tasks["a"]) is TaskState.AVAILABLE


def test_an_audit_of_an_old_definition_does_not_complete_the_new_one(tmp_path: Path) -> None:
    run = lab(tmp_path, a="none")
    script, plan = run.workers.script, run.plan

    def slow(assignment: Assignment) -> Any:
        if assignment.role is Role.DEVELOPER or run.plan != plan:
            return script(assignment)
        run.plan = plan.replace("it works", "it works twice")
        ask(run, kind="context", left=9.0)
        return (Checkpoint("still looking"),)

    run.workers.script = slow
    with run.journal() as journal:
        journal.record(e.RunCreated, plan_file="plan.md", title="T", attempts=3, by="ann")
        journal.record(e.CompactionStart, compaction_number=1, context_remaining=9)
        journal.record(e.CompactionComplete, compaction_number=1, full_reload=False)
    assert run.start() is End.FINISHED
    audits = [one for one in run.workers.started if one.role is Role.AUDITOR]
    assert [("it works twice" in one.text) for one in audits] == [False, True]
    assert len(run.events(e.TaskComplete)) == 1


class Death(BaseException):
    """The coordinator is gone between two instructions."""


def dying(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """Die at the n-th write to the log, before it (even) or after it (odd)."""
    written = [0]
    original = Journal._write

    def write(self: Journal, event: RunEvent) -> None:
        written[0] += 1
        if written[0] * 2 == at:
            raise Death
        original(self, event)
        if written[0] * 2 + 1 == at:
            raise Death

    monkeypatch.setattr(Journal, "_write", write)


def check_history(run: Lab) -> None:
    """Each completion follows a dispatch of its auditor, and comes once until the task reopens."""
    done: set[str] = set()
    audits: dict[str, str] = {}
    submitted: set[str] = set()
    for event in run.events(RunEvent):
        task = event.task_id or ""
        if isinstance(event, e.TaskSubmitted):
            submitted.add(task)
        elif isinstance(event, e.AuditorDispatched):
            audits[event.agent_id or ""] = task
        elif isinstance(event, e.TaskComplete):
            assert audits[event.agent_id or ""] == task
            assert task in submitted
            assert task not in done
            done.add(task)
        elif isinstance(event, e.AuditRejected):
            done.discard(task)
    assert len({one.run_id for one in run.workers.started}) == len(run.workers.started)


# An odd step, so that it dies before some writes and after others.
@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.sweep)])
def test_a_death_at_every_write_of_a_run_ends_in_the_same_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    scripts = (DONE, REJECT, (Checkpoint("half"), CRASH))
    calm = lab(tmp_path / "calm", answers(*scripts), a="none", b="a", c="none")
    assert calm.start() is End.FINISHED
    writes = calm.state.sequence
    for at in range(2, 2 * writes + 2, step):
        run = lab(tmp_path / str(at), answers(*scripts), a="none", b="a", c="none")
        with monkeypatch.context() as patched:
            dying(patched, at)
            with pytest.raises(Death):
                run.start()
        # `close` ran in the dead coordinator here; its leases are what a crash leaves.
        run.workers.over.clear()
        over = {lease for lease in run.workers.leases if lease not in run.state.dispatched()}
        run.workers.over.update(over)
        if run.state.is_over:
            continue
        assert run.go_on() is End.FINISHED
        check_history(run)
        assert {task.id for task in run.state.within(TaskState.DONE)} == {"a", "b", "c"}
        failures = Counter(
            one.task_id for kind in (e.AgentFailed, e.AuditRejected) for one in run.events(kind)
        )
        assert failures == Counter({one.id: one.attempts for one in run.state.tasks.values()})


def test_recovery_twice_is_as_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = lab(tmp_path, answers((Checkpoint("half"),)), a="none")
    with monkeypatch.context() as patched:
        dying(patched, 11)
        with pytest.raises(Death):
            run.start()
    run.workers.over.clear()
    states = []
    for _ in range(2):
        with run.journal() as journal:
            recover(run.context(journal), run.new_id())
        state = run.state
        states.append(
            [(t.id, state.state_of(t), t.attempts, t.checkpoint) for t in state.tasks.values()]
        )
    assert states[0] == states[1] == [("a", TaskState.AVAILABLE, 0, "half")]
    first, second = run.events(e.CoordinatorRecovered)
    assert isinstance(first, e.CoordinatorRecovered)
    assert isinstance(second, e.CoordinatorRecovered)
    assert (first.orphaned_agents, second.orphaned_agents) == (1, 0)
    assert second.events_reconciled == 0
    block = next(text for text in run.said if text.startswith("COORDINATOR RECOVERY"))
    assert "Orphaned agents: 1" in block


@pytest.mark.sweep
@given(seed=st.integers(0, 10**9))
def test_random_plans_with_workers_that_crash_lie_and_ask(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance = random.Random(seed)
    names = [f"t{number}" for number in range(chance.randint(1, 6))]
    blocked = {
        name: ", ".join(chance.sample(names[:place], chance.randint(0, min(place, 2)))) or "none"
        for place, name in enumerate(names)
    }

    def script(assignment: Assignment) -> Any:
        good = chance.random() < 0.7
        bad: list[Any] = [
            (CRASH,),
            (EXIT,),
            (Failed("no"), EXIT),
            (Done(), CRASH),
            (Checkpoint("x"), TIMEOUT),
        ]
        if assignment.role is Role.DEVELOPER:
            bad.append(ASK)
        return DONE if good else chance.choice(bad)

    run = lab(tmp_path_factory.mktemp("run"), script, **blocked)
    for _ in range(40):
        with suppress(Death), pytest.MonkeyPatch.context() as patched:
            patched.setenv("XDG_STATE_HOME", str(run.root.parent / "state"))
            dying(patched, chance.randint(2, 160))
            end = run.go_on()
            if end is End.FINISHED:
                break
            for question in run.state.open_questions():
                ask(run, kind="answer", question=question.id, text="a")
            for task in run.state.tasks.values():
                ask(run, kind="retry", task=task.id)
        if run.state.status is Status.FINISHED:
            break
    check_history(run)
    assert run.state.status is Status.FINISHED
    assert run.state.done == len(names)
