"""What changes about an increment's work: typed, asked for, or proposed."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import is_interactive
from unlatch.errors import UsageError
from unlatch.increments.documents import NewTask
from unlatch.lifecycle.scope import parts_of, scope_change, unknown_names
from unlatch.worklog.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.cli.options.scope import Scoping
    from unlatch.cli.runtime.session import Session
    from unlatch.increments.model.amendment import Amendment
    from unlatch.increments.model.increment import Increment

# What stands for the change in a rehearsal where nobody has said it yet.
NO_CHANGE = "(what changes)"
_TASKS_BELOW = "Tasks:"
_CUT = "# ------------------------ >8 ------------------------"
_TEMPLATE = f"""

{_TASKS_BELOW}
-

{_CUT}
# Above: what changes, in your own words; below "{_TASKS_BELOW}", a line for each new task.
# From the line with the scissors on, nothing is kept. An empty text changes nothing.
"""


def changed_work(
    session: Session, increment: Increment, scoping: Scoping, *, reason: str | None, yes: bool
) -> Amendment | None:
    """What changes about the work, asked for where it was not typed; None if it was declined.

    Raises:
        UsageError: a part is unknown or ambiguous, something typed is unusable, or nobody is there
            to be asked.
        StoreError: `document-unreadable`.
        ProposalError: proposed tasks cannot be had or used.
    """
    if not scoping.update:
        return _named_parts(increment, scoping)
    change, tasks = scoping.change, _typed_tasks(scoping)
    if change is None:
        if not is_interactive():
            raise UsageError(
                "not-interactive",
                "--scope is required: describe the change (cannot prompt: stdin is not a terminal)",
                hint=f"unlatch resume {increment.id} --scope TEXT --task TITLE --reason TEXT --yes",
            )
        change, more = _asked(with_tasks=not tasks)
        if change is None:
            return None
        tasks = (*tasks, *more)
    proposed = () if tasks else _proposed(session, increment, change, reason)
    wanted = _linked((*tasks, *proposed), scoping)
    amendment = scope_change(change, wanted)
    _show(increment, amendment, by=session.workspace.user.tasks_command[:1] if proposed else ())
    if proposed and not yes and not _confirmed(increment):
        return None
    return amendment


def foreseen_scope(
    session: Session, increment: Increment, scoping: Scoping, *, reason: str | None
) -> Amendment:
    """The same for a rehearsal, in which nothing is asked.

    Raises:
        UsageError: a part is unknown or ambiguous, or something typed is unusable.
        StoreError: `document-unreadable`.
        ProposalError: proposed tasks cannot be had or used.
    """
    if not scoping.update:
        return _named_parts(increment, scoping)
    change, tasks = scoping.change or NO_CHANGE, _typed_tasks(scoping)
    if not tasks and scoping.change:
        tasks = _proposed(session, increment, change, reason)
    return scope_change(change, _linked(tasks, scoping))


def _named_parts(increment: Increment, scoping: Scoping) -> Amendment:
    return parts_of(
        increment, tasks=scoping.tasks, stories=scoping.stories, criteria=scoping.criteria
    )


def _typed_tasks(scoping: Scoping) -> tuple[NewTask, ...]:
    typed = tuple(NewTask(title) for title in scoping.tasks)
    if scoping.tasks_file is None:
        return typed
    from unlatch.lifecycle.proposed_tasks import read_tasks_file  # noqa: PLC0415  (loads pydantic)

    return (*typed, *read_tasks_file(scoping.tasks_file))


def _linked(tasks: Iterable[NewTask], scoping: Scoping) -> list[NewTask]:
    """Tasks with the story and the criteria that were named for all that name none."""
    story = scoping.stories[0] if scoping.stories else None
    return [
        replace(task, story=task.story or story, criteria=task.criteria or scoping.criteria)
        for task in tasks
    ]


def _editor() -> str | None:
    """The command of the user's editor, with the program's absolute path."""
    name, *arguments = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "") or [
        ""
    ]
    program = find_program(name)
    return shlex.join([program, *arguments]) if program else None


def _asked(*, with_tasks: bool) -> tuple[str | None, tuple[NewTask, ...]]:
    """What somebody writes in their editor, else line by line."""
    if with_tasks and (editor := _editor()):
        return read_edited(click.edit(_TEMPLATE, editor=editor, extension=".md"))
    change = output.prompt("What changes?", default="", show_default=False).strip()
    titles: list[str] = []
    while change and with_tasks:
        title = output.prompt("New task (empty: no more)", default="", show_default=False).strip()
        if not title:
            break
        titles.append(title)
    return change or None, tuple(map(NewTask, titles))


def read_edited(text: str | None) -> tuple[str | None, tuple[NewTask, ...]]:
    """The change and the tasks in what somebody wrote; None for nothing at all."""
    lines = (text or "").splitlines()
    if _CUT in lines:
        lines = lines[: lines.index(_CUT)]
    tasks: list[str] = []
    below = [number for number, line in enumerate(lines) if line.strip() == _TASKS_BELOW]
    if below:
        told, lines = lines[below[-1] + 1 :], lines[: below[-1]]
        tasks = [line.strip().removeprefix("-").strip() for line in told]
    change = "\n".join(lines).strip()
    return change or None, tuple(NewTask(title) for title in tasks if title)


def _proposed(
    session: Session, increment: Increment, change: str, reason: str | None
) -> tuple[NewTask, ...]:
    """The tasks that the user's own program proposes, if there is one."""
    if not session.workspace.user.tasks_command:
        return ()
    from unlatch.lifecycle.proposed_tasks import propose_for  # noqa: PLC0415  (loads pydantic)

    return propose_for(session.workspace, increment, change, reason)


def _confirmed(increment: Increment) -> bool:
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            "the tasks are proposals; cannot prompt: stdin is not a terminal",
            hint=f"unlatch resume {increment.id} ... --yes takes them as they are",
        )
    return output.confirm("Write these tasks?", default=True)


def _show(increment: Increment, amendment: Amendment, *, by: Sequence[str]) -> None:
    """The tasks that are about to be written, and what they name that is not there."""
    if not amendment.tasks:
        return
    output.talk(f"  New tasks, proposed by {output.clean(by[0])}:" if by else "  New tasks:")
    for task in amendment.tasks:
        ties = ", ".join(filter(None, (task.story, *task.criteria)))
        output.talk(f"    - {output.clean(task.title)}{f' ({output.clean(ties)})' if ties else ''}")
    for tie in unknown_names(increment, amendment):
        output.talk(f"    {output.warn('note:')} spec.md has no {output.clean(tie)}")
