"""The plan of a run: a Markdown file, or the open tasks of an increment."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.runtime.increments import named_increment
from unlatch.errors import UsageError
from unlatch.increments.files.work.files import files_of
from unlatch.worklog.disk.user_files import read_user_file
from unlatch_runs.plan.plan_model import Plan, PlanTask
from unlatch_runs.plan.read_plan import read_plan

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch.cli.runtime.context import Context

INCREMENT = "increment:"
_LARGEST = 8 << 20


def source_name(context: Context, typed: str) -> str:
    """How a run remembers its plan: a path from the project's root, or `increment:NAME`."""
    if typed.startswith(INCREMENT):
        return f"{INCREMENT}{named_increment(context, typed.removeprefix(INCREMENT))}"
    path, root = Path(typed).resolve(), context.paths.root.resolve()
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


def read_source(context: Context, name: str, in_run: Collection[str] = ()) -> Plan:
    """Read a plan.

    Args:
        in_run: the ids of the tasks that the run has already.

    Raises:
        UsageError: `plan-unreadable` or `plan-empty`; MistakesError: `plan-invalid`.
    """
    if name.startswith(INCREMENT):
        return _of_increment(context, name, in_run)
    path = context.paths.root / name
    try:
        text = read_user_file(path, at_most=_LARGEST).decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} of the plan is not UTF-8"
        raise UsageError("plan-unreadable", message, where=name, hint="save it as UTF-8") from None
    except OSError as error:
        message = f"the plan cannot be read: {error.strerror or error}"
        hint = "name a Markdown file, or the tasks of an increment as increment:7"
        raise UsageError("plan-unreadable", message, where=name, hint=hint) from None
    return read_plan(text, name)


def _of_increment(context: Context, name: str, in_run: Collection[str]) -> Plan:
    """The tasks of an increment; an auditor decides about them by their criteria.

    Ticked ones are left out, unless the run knows them already.
    """
    increment = context.workspace.manager.read(name.removeprefix(INCREMENT))
    files = files_of(increment)
    work = files.layout.read(files.checked_texts())
    texts = {criterion.id: criterion.text for criterion in work.spec.criteria}
    planned = {}
    for task in work.tasks:
        if task.id and not task.discarded and (not task.done or task.id in in_run):
            criteria = "\n".join(f"- {key}: {texts.get(key, '')}" for key in task.criteria)
            planned[task.id] = PlanTask(task.id, task.title, "", criteria, (), (), (), task.line)
    if not planned:
        message = f"increment {increment.id} has no open task"
        raise UsageError("plan-empty", message, hint=f"unlatch show {quote(increment.id)}")
    return Plan(name, planned)
