"""Read a scope change from options, from a prompt, or from a program that proposes tasks."""

from collections.abc import Iterable
from dataclasses import replace
from shlex import quote

from unlatch.cli.options.scope_options import Scoping
from unlatch.cli.runtime.context import Context, require_terminal
from unlatch.cli.terminal import output, prompts
from unlatch.cli.terminal.editor import edit, user_editor
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.reopens import Amendment, NewTask
from unlatch.increments.model.status import Status
from unlatch.lifecycle.scoping.change_scope import (
    for_documents,
    known_amendment,
    parts_of,
    scope_change,
    unknown_names,
)

# The change in a dry run without one.
NO_CHANGE = "(the change)"
_TASKS_BELOW = "Tasks:"
_CUT = "# ------------------------ >8 ------------------------"
_TEMPLATE = f"""

{_TASKS_BELOW}
-

{_CUT}
# Above: describe the change; below "{_TASKS_BELOW}", a line for each new task.
# From the line with the scissors on, nothing is kept. An empty text changes nothing.
"""


def changed_work(
    context: Context, increment: Increment, scoping: Scoping, *, reason: str | None, yes: bool
) -> Amendment | None:
    """The change of the work, with prompts for missing options; None if the user declined."""
    if not scoping.update:
        return _named_parts(increment, scoping)
    change, tasks = scoping.change, _typed_tasks(scoping)
    if change is None:
        hint = f"unlatch resume {quote(increment.id)} --scope TEXT --task TITLE --reason TEXT --yes"
        require_terminal("--scope is required: describe the change", hint)
        change, more = _ask_change(with_tasks=not tasks)
        if change is None:
            return None
        tasks = (*tasks, *more)
    proposed = () if tasks else _propose(context, increment, change, reason)
    amendment = for_documents(increment, _scope_change(change, (*tasks, *proposed), scoping))
    if increment.status is Status.ACTIVE and known_amendment(increment, amendment):
        return amendment  # nothing is added
    _show(increment, amendment, by=context.workspace.user.tasks_command[0] if proposed else None)
    if proposed and not yes:
        require_terminal("the tasks are proposals", "repeat with --yes to take them as they are")
        if not prompts.confirm("Write these tasks?", default=True):
            return None
    return amendment


def foreseen_scope(
    context: Context, increment: Increment, scoping: Scoping, *, reason: str | None
) -> Amendment:
    """The same for a dry run, without prompts."""
    if not scoping.update:
        return _named_parts(increment, scoping)
    change, tasks = scoping.change or NO_CHANGE, _typed_tasks(scoping)
    if not tasks and scoping.change:
        tasks = _propose(context, increment, change, reason)
    return for_documents(increment, _scope_change(change, tasks, scoping))


def _named_parts(increment: Increment, scoping: Scoping) -> Amendment:
    return parts_of(
        increment, tasks=scoping.tasks, stories=scoping.stories, criteria=scoping.criteria
    )


def _typed_tasks(scoping: Scoping) -> tuple[NewTask, ...]:
    typed = tuple(NewTask(title) for title in scoping.tasks)
    if scoping.tasks_file is None:
        return typed
    from unlatch.lifecycle.scoping.proposed_tasks import read_tasks_file  # noqa: PLC0415  (loads pydantic)

    return (*typed, *read_tasks_file(scoping.tasks_file))


def _propose(
    context: Context, increment: Increment, change: str, reason: str | None
) -> tuple[NewTask, ...]:
    """The tasks proposed by the user's program, if configured."""
    if not context.workspace.user.tasks_command:
        return ()
    from unlatch.lifecycle.scoping.proposed_tasks import propose_for  # noqa: PLC0415  (loads pydantic)

    return propose_for(context.workspace, increment, change, reason)


def _scope_change(change: str, tasks: Iterable[NewTask], scoping: Scoping) -> Amendment:
    """The change; tasks without story or criteria get the typed ones."""
    story = scoping.stories[0] if scoping.stories else None
    linked = [
        replace(task, story=task.story or story, criteria=task.criteria or scoping.criteria)
        for task in tasks
    ]
    amendment = scope_change(change, linked, about=(*scoping.stories, *scoping.criteria))
    return replace(amendment, describes=scoping.describe)


def _ask_change(*, with_tasks: bool) -> tuple[str | None, tuple[NewTask, ...]]:
    """Ask for the change and the tasks: in the user's editor, else line by line."""
    if with_tasks and (editor := user_editor()):
        hint = "correct EDITOR, or give --scope TEXT and --task TITLE"
        return read_edited(edit(_TEMPLATE, editor, hint=hint))
    change = prompts.ask_text("Describe the change")
    titles: list[str] = []
    while change and with_tasks:
        title = prompts.prompt("New task (empty: no more)", default="", show_default=False).strip()
        if not title:
            break
        titles.append(title)
    return change or None, tuple(map(NewTask, titles))


def read_edited(text: str | None) -> tuple[str | None, tuple[NewTask, ...]]:
    """The change and the tasks in an edited text; None for an empty one."""
    lines = (text or "").splitlines()
    if _CUT in lines:
        lines = lines[: lines.index(_CUT)]
    tasks: list[str] = []
    below = [number for number, line in enumerate(lines) if line.strip() == _TASKS_BELOW]
    if below:
        tasks = [line.strip().removeprefix("-").strip() for line in lines[below[-1] + 1 :]]
        lines = lines[: below[-1]]
    change = "\n".join(lines).strip()
    return change or None, tuple(NewTask(title) for title in tasks if title)


def _show(increment: Increment, amendment: Amendment, *, by: str | None) -> None:
    """Show the new tasks, and the names in them that the documents lack."""
    if amendment.tasks:
        output.talk(f"  New tasks, proposed by {output.clean(by)}:" if by else "  New tasks:")
    for task in amendment.tasks:
        names = ", ".join(task.belongs_to)
        about = f" ({names})" if names else ""
        output.talk(f"    - {task.title}{about}")
    for name in unknown_names(increment, amendment):
        output.remark(f"no story or criterion has the id {output.clean(name)}")
