"""The to-do list that an agent kept with tools of its own, as the tasks of a session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch_agents.transcripts import Event, ToolCall
from unlatch_sessions.heading import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# The list in the arguments of a call that replaces it: Claude Code and OpenCode, Gemini CLI, Codex.
_LISTS = {"todowrite": "todos", "writetodos": "todos", "updateplan": "plan"}
_TEXTS = ("subject", "content", "description", "step")
# Claude Code 2.1 keeps its list by single calls.
_CREATE, _UPDATE = "taskcreate", "taskupdate"
_NUMBER = re.compile(r"#(\d{1,9})\b")
_STATUSES = ("pending", "in_progress", "completed")
_DROPPED = frozenset({"cancelled", "deleted"})
Task = dict[str, object]


def keeps_list(event: Event) -> bool:
    """Whether an event is a call that changed the agent's list."""
    if not isinstance(event, ToolCall) or (event.result and event.result.failed):
        return False
    return _name(event) in (*_LISTS, _CREATE, _UPDATE)


def tasks_of(events: Iterable[Event], mask: Callable[[str], str]) -> list[Task]:
    """The tasks after these events: objects with `id`, `content` and `status`.

    A task of another status is pending; a cancelled one is none.

    Args:
        mask: takes secrets out of a text.
    """
    tasks: dict[str, Task] = {}
    for event in events:
        if not isinstance(event, ToolCall) or not keeps_list(event):
            continue
        name, given = _name(event), event.arguments
        if name in _LISTS:
            listed = given.get(_LISTS[name])
            every = enumerate(listed if isinstance(listed, list) else (), 1)
            rows = (
                (number, todo if isinstance(todo, dict) else {"content": todo})
                for number, todo in every
            )
            named = {str(row.get("id") or number): row for number, row in rows}
            tasks = {key: _task(key, row, mask) for key, row in named.items()}
        elif name == _CREATE:
            number = _NUMBER.search(event.result.text) if event.result else None
            key = number[1] if number else str(len(tasks) + 1)
            tasks[key] = _task(key, given, mask)
        elif (key := str(given.get("taskId"))) in tasks:
            tasks[key] = _task(key, given, mask, before=tasks[key])
    return [task for task in tasks.values() if task["content"] and task["status"] not in _DROPPED]


def _task(
    key: str, row: Mapping[str, Any], mask: Callable[[str], str], before: Task | None = None
) -> Task:
    texts = (row.get(key) for key in _TEXTS)
    text = next((value for value in texts if isinstance(value, str) and value.strip()), "")
    task: Task = {"id": one_line(key), "content": "", "status": _STATUSES[0], **(before or {})}
    if text:
        task["content"] = mask(one_line(text))
    if (status := row.get("status")) is not None:
        is_known = status in (*_STATUSES, *_DROPPED)
        task["status"] = status if is_known else _STATUSES[0]
    return task


def _name(call: ToolCall) -> str:
    return call.name.replace("_", "").casefold()
