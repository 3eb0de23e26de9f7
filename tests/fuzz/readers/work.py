"""Files of efforts, runs, workflows and saved plans, and what workers print."""

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.fuzz.target import Target, text_of

from unlatch.errors import MistakesError, StoreError, UsageError
from unlatch.lifecycle.planned.saved import SavedPlan
from unlatch_ci.approved import read_plan as read_saved_plan
from unlatch_efforts.effort_model import Effort
from unlatch_efforts.events import EVENTS
from unlatch_efforts.store import project
from unlatch_runs.dispatch import protocol
from unlatch_runs.journal import read_state
from unlatch_runs.plan.plan_model import Plan
from unlatch_runs.plan.read_plan import read_plan
from unlatch_runs.run_model import RunState
from unlatch_sessions.workflow.read_workflow import read_workflow
from unlatch_sessions.workflow.workflow_model import Workflow

_AT = "2026-11-22T10:00:00Z"
_PLAN = """\
# Plan

### Task 1-1: Look
**Work**: Look at it.
**Acceptance Criteria**:
- [ ] `git --version`
**Blocked By**: none

### Task 1-2: Look again
**Acceptance Criteria**:
```sh
make "a b" \\
  c # all
```
**Blocked By**: Task 1-1
"""
_SAVED = {
    "schema": "unlatch.plan/1",
    "made": _AT,
    "by": "dana",
    "project": "octo/widgets",
    "accounts": {"github": "dana"},
    "command": {"name": "resume", "options": {"--reason": ["More"]}, "words": ["7"]},
    "increments": [{"id": "0007-a", "status": "completed", "lastEvent": None, "revision": "5f"}],
    "items": [],
    "preview": {"exitCode": 0},
}
_EFFORT = (
    ("opened", {"title": "Memory", "lines": 0}),
    ("concluded", {"summary": "Use a queue", "lines": 1}),
    ("linked", {"increment": "0007-search", "lines": 1}),
)
_RUN = (
    ("run_created", {"plan_file": "plan.md", "title": "plan", "attempts": 3, "by": "dana"}),
    ("coordinator_started", {"epoch": 1}),
    ("plan_loaded", {"tasks": [{"id": "1-1", "title": "Look", "digest": "5f"}]}),
    ("developer_dispatched", {"blocked_by": [], "resumed": False}),
)
_WORKER = (
    {"type": "checkpoint", "text": "half"},
    {"type": "usage", "input_tokens": 12, "output_tokens": 3, "cost_usd": 0.02},
    {"type": "question", "text": "Which?", "options": ["a"]},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "I look"}]}},
    {"type": "result", "is_error": False, "result": "Done", "usage": {"input_tokens": 12}},
)


def _read_plan(data: bytes) -> Plan | None:
    try:
        plan = read_plan(text_of(data), "plan.md")
    except MistakesError:
        return None
    assert all(argv and argv[0] != "" for argv in map(list, plan.commands()))
    return plan


def _read_saved(data: bytes) -> SavedPlan | None:
    path = _folder() / "plan.json"
    path.write_bytes(data)
    try:
        return read_saved_plan(path)
    except UsageError:
        return None


def _read_workflow(data: bytes) -> Workflow | None:
    try:
        return read_workflow(text_of(data))
    except StoreError:
        return None


def _workflows() -> list[bytes]:
    made = "---\ntype: workflow\nname: Build\n---\n# Build\n\n## Test @coder !\n\n1. Run it\n"
    branch = "- If it fails \u2192 proceed to Test\n"
    return [made.encode(), f"{made}\n{branch}\n### Look\n\ntakes: a::file\n".encode()]


def _read_effort(data: bytes) -> Effort | None:
    events = map(EVENTS.parse, text_of(data).split("\n"))
    return project("memory", filter(None, events))


@cache
def _folder() -> Path:
    return Path(mkdtemp(prefix="unlatch-fuzz-"))


def _read_run(data: bytes) -> RunState | None:
    (_folder() / "events.jsonl").write_bytes(data)
    try:
        return read_state(_folder())
    except StoreError:
        return None


def _read_output(data: bytes) -> list[protocol.Message]:
    messages = [message for line in data.split(b"\n") for message in protocol.read_line(line)]
    texts = (getattr(message, "text", "") for message in messages)
    assert all(len(text) <= protocol.LONGEST_TEXT for text in texts)
    return messages


def _lines(*values: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(value)}\n" for value in values).encode()


def _effort_lines() -> bytes:
    head = {"at": _AT, "by": "dana", "prev": "", "size": 0}
    ids = (f"01JC{number:022}" for number in range(len(_EFFORT)))
    return _lines(*({"id": next(ids), "event": kind, **head, **more} for kind, more in _EFFORT))


def _run_lines() -> bytes:
    return _lines(
        *(
            {
                "timestamp": _AT,
                "sequence": number,
                "session_id": "s",
                "event_type": kind,
                "agent_id": "a",
                "task_id": "1-1",
                "details": details,
            }
            for number, (kind, details) in enumerate(_RUN, 1)
        )
    )


TARGETS = {
    "plan": Target(
        _read_plan,
        lambda: [_PLAN.encode(), _PLAN.replace("\n", "\r\n").encode()],
        lambda plan: plan is not None and any(task.notes for task in plan.tasks.values()),
    ),
    "saved-plan": Target(
        _read_saved,
        lambda: [_lines(_SAVED)],
        # Most mutations leave no valid plan.
        lambda plan: plan is not None and plan.model_dump(mode="json", by_alias=True) != _SAVED,
    ),
    "workflow": Target(
        _read_workflow,
        _workflows,
        lambda workflow: workflow is not None and len(workflow.nodes) > 2,
    ),
    "effort": Target(
        _read_effort,
        lambda: [_effort_lines()],
        lambda effort: effort is not None and bool(effort.reopens),
    ),
    "run": Target(
        _read_run,
        lambda: [_run_lines()],
        lambda state: state is not None and state.title not in ("", "plan"),
    ),
    "worker": Target(
        _read_output,
        lambda: [_lines(*_WORKER)],
        lambda messages: any(isinstance(one, protocol.Failed) for one in messages),
    ),
}
