"""Tasks that a file or a program proposes, checked by schemas/proposed-tasks.schema.json."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from unlatch.errors import ProposalError, UsageError
from unlatch.increments.files.work.amendments import texts_of
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.reopens import NewTask
from unlatch.lifecycle.scoping.change_scope import LONGEST_TITLE, MOST_TASKS
from unlatch.project.program_environment import program_environment, secret_variables
from unlatch.project.workspace import Workspace
from unlatch.spi.validation import validation_message
from unlatch.worklog.programs import TookTooLong, TooMuchOutput, run
from unlatch.worklog.search_path import find_program
from unlatch.worklog.text.neutral import without_controls

# Seconds.
PATIENCE = 300.0
_MOST_BYTES = 4_000_000
_MOST_SAID = 300
_MOST_PROBLEMS = 5

_Word = Annotated[str, Field(min_length=1, max_length=100)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ProposedTask(_Record):
    """One task."""

    title: str = Field(min_length=1, max_length=LONGEST_TITLE, description="the work to do")
    story: _Word | None = Field(None, description="the user story that it belongs to (US-001)")
    criteria: list[_Word] = Field(
        default_factory=list, description="the acceptance criteria that it satisfies (AC-US1-01)"
    )
    description: Annotated[str, Field(max_length=10_000)] | None = Field(
        None, description="more about it, in Markdown; quoted below the task"
    )


class ProposedTasks(_Record):
    """The output of a program, or a file of tasks."""

    tasks: list[ProposedTask] = Field(max_length=MOST_TASKS)


def read_tasks_file(path: Path) -> tuple[NewTask, ...]:
    """Read the tasks in a file: JSON by the schema, else one title a line.

    Raises:
        UsageError: `tasks-file-unreadable`.
        ProposalError: `tasks-invalid`, it is not by the schema.
    """
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(
            "tasks-file-unreadable",
            f"the tasks cannot be read: {reason}",
            where=str(path),
            hint="name a file with one title a line, or with JSON by proposed-tasks.schema.json",
        ) from error
    if text.lstrip().startswith(("{", "[")) or path.suffix.lower() == ".json":
        return _read(text, where=str(path))
    lines = (line.strip() for line in text.splitlines())
    return tuple(NewTask(line) for line in lines if line)


def propose_for(
    workspace: Workspace, increment: Increment, change: str, reason: str | None
) -> tuple[NewTask, ...]:
    """Ask the user's program for the tasks of a change of scope.

    Raises:
        ProposalError: the program cannot be run, fails, takes too long, or prints something else.
    """
    *spec, tasks = texts_of(increment).values()
    asked = {
        "increment": increment.id,
        "title": increment.title,
        "reason": reason,
        "change": change,
        "spec": "\n".join(spec),
        "tasks": tasks,
    }
    secrets = secret_variables(workspace.registry)
    environ = program_environment(workspace.environ, secrets=secrets)
    argv, root = workspace.user.tasks_command, workspace.paths.root
    return propose_tasks(argv, asked, root=root, environ=environ)


def propose_tasks(
    argv: Sequence[str],
    question: Mapping[str, Any],
    *,
    root: Path,
    environ: Mapping[str, str],
    patience: float = PATIENCE,
) -> tuple[NewTask, ...]:
    """Run a program that proposes tasks.

    Args:
        argv: the program and its arguments; it is run without a shell.
        question: its standard input, as JSON.
        root: the folder in which it is run.
        patience: seconds until it is stopped.

    Raises:
        ProposalError: it cannot be run, fails, takes too long, or prints something else.
    """
    program = _find_program(argv[0], environ)
    try:
        done = run(
            [program, *argv[1:]],
            cwd=root,
            environ=environ,
            seconds=patience,
            most=_MOST_BYTES,
            fed=json.dumps(question, ensure_ascii=False).encode("utf-8", errors="replace"),
        )
        if done.code:
            raise _failed(argv, f"failed with exit code {done.code}{_said(done.err)}")
        text = done.out.decode("utf-8-sig")
    except TookTooLong as error:
        raise _failed(argv, f"did not answer within {patience:g} s") from error
    except TooMuchOutput as error:
        raise _failed(argv, f"printed more than {_MOST_BYTES:,} bytes") from error
    except OSError as error:
        raise _failed(argv, f"cannot be run: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise _failed(argv, "printed text that is not UTF-8") from error
    return _read(text, where=argv[0])


def _find_program(name: str, environ: Mapping[str, str]) -> str:
    path = Path(name).expanduser()
    if path.is_absolute():
        return str(path)
    # With a relative path, a repository could supply the program.
    program = find_program(name, path=environ.get("PATH"))
    if program is None:
        raise ProposalError(
            "tasks-command-missing",
            f"tasks_command: program not found on the PATH: {name!r}",
            hint="name it by its full path in your own config.toml",
        )
    return program


def _failed(argv: Sequence[str], why: str) -> ProposalError:
    return ProposalError(
        "tasks-command-failed",
        f"{Path(argv[0]).name} {why}",
        hint="run it by hand, or name the tasks with --task",
    )


def _said(stderr: bytes) -> str:
    text = " ".join(without_controls(stderr.decode("utf-8", "replace")).split())
    return f": {text[-_MOST_SAID:]}" if text else ""


def _read(text: str, *, where: str) -> tuple[NewTask, ...]:
    try:
        proposed = ProposedTasks.model_validate_json(text)
    except ValidationError as error:
        problems = [_problem(detail) for detail in error.errors()]
        more = len(problems) - _MOST_PROBLEMS
        listed = problems[:_MOST_PROBLEMS] + ([f"and {more} more"] if more > 0 else [])
        raise ProposalError(
            "tasks-invalid",
            "the proposed tasks do not match proposed-tasks.schema.json",
            where=where,
            hint='the form is {"tasks": [{"title": "..."}]}',
            problems=tuple(listed),
        ) from error
    return tuple(
        NewTask(task.title, task.story, tuple(task.criteria), task.description)
        for task in proposed.tasks
    )


def _problem(detail: Any) -> str:
    place = "/".join(str(part) for part in detail["loc"])
    message = without_controls(validation_message(detail))[:_MOST_SAID]
    return f"{place}: {message}" if place else message
