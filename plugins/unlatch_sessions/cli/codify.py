"""unlatch session codify: a workflow from a session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag
from unlatch.cli.runtime.context import Context, require_terminal
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.runtime.plan_making import OUTPUT, write_new
from unlatch.cli.terminal import output, prompts
from unlatch.cli.terminal.editor import edit, require_editor
from unlatch.errors import UnlatchError, UsageError
from unlatch.transport.trace import Masking
from unlatch.worklog.disk.user_files import user_config_file
from unlatch.worklog.text.neutral import without_comments
from unlatch_sessions.cli.chosen import IMPORTED, SESSION
from unlatch_sessions.cli.everywhere import chosen_or_picked
from unlatch_sessions.document import read_document
from unlatch_sessions.imported.masking import masked_session
from unlatch_sessions.session_model import Status
from unlatch_sessions.workflow.codify import codify
from unlatch_sessions.workflow.graph import check
from unlatch_sessions.workflow.read_workflow import read_workflow
from unlatch_sessions.workflow.workflow_model import Dialect, Problem, Severity
from unlatch_sessions.workflow.writing import write_workflow

if TYPE_CHECKING:
    from pathlib import Path


_COMMENT = re.compile(r"^<!-- unlatch: .* -->\n", re.MULTILINE)


@click.command("codify", help="Extract a workflow from a session. (local)")
@SESSION
@OUTPUT
@click.option(
    "--dialect",
    type=click.Choice([dialect.value for dialect in Dialect]),
    default=Dialect.CRUCIBLE_1.value,
    show_default=True,
    metavar="NAME",
    help="Dialect of the workflow: crucible-1 or crucible-2026.",
)
@flag("--refine", help="Let the model of your configuration improve it.")
@flag("--interactive", help="Edit it in your editor until it is valid.")
@IMPORTED
@with_context
def codify_session(
    context: Context,
    *,
    wanted: str | None,
    file: Path | None,
    dialect: str,
    refine: bool,
    interactive: bool,
    imported: bool,
) -> int:
    if interactive:
        require_terminal("--interactive opens your editor", "unlatch session codify --output FILE")
    context, store, path, _ = chosen_or_picked(
        context, wanted, Status.ACTIVE, Status.PAUSED, imported=imported, asks=True
    )
    session = masked_session(store.read(path).text, Masking())
    text = write_workflow(codify(read_document(session).session, Dialect(dialect)))
    if refine:
        text = _refined(context, session, text)
    if interactive:
        text = _edited(text)
    problems = check(read_workflow(text))
    if file:
        write_new(file, text)
        output.ok(f"wrote {file}")
    else:
        output.data(*text.rstrip("\n").split("\n"))
    for problem in problems:
        output.talk(f"line {problem.line}: {problem.severity}: {output.clean(problem.message)}")
    return UNDECIDED if any(problem.severity is Severity.ERROR for problem in problems) else 0


def _refined(context: Context, session: str, workflow: str) -> str:
    from unlatch.chat_model import open_model  # noqa: PLC0415  (rarely needed)
    from unlatch_sessions.workflow.refine import refine  # noqa: PLC0415

    workspace = context.workspace
    where = user_config_file()
    with context.transport() as options:
        config, environ = workspace.user.llm, workspace.environ
        complete = open_model(config, environ=environ, where=where, options=options)
        return refine(complete, session, workflow)


def _edited(text: str) -> str:
    """The text as the user saves it; mistakes come back as comments at their lines."""
    editor = require_editor("use --output FILE and edit that")
    is_edited = False
    while True:
        saved = _saved(text, editor, is_edited=is_edited)
        if saved is None:
            return _COMMENT.sub("", text)
        is_edited = True
        text = _COMMENT.sub("", saved)
        problems = _problems(text)
        if not problems or not prompts.confirm(f"{_count(problems)}. Edit again?", default=True):
            return text
        text = with_comments(text, problems)


def _saved(text: str, editor: str, *, is_edited: bool) -> str | None:
    """The text as it was saved; None if it was not. Earlier edits survive an editor that fails."""
    try:
        return edit(text, editor, hint="correct EDITOR, or use --output FILE")
    except UsageError as error:
        if not is_edited:
            raise
        output.note(f"{error.message}; the text is as it was saved before")
        return None


def _problems(text: str) -> list[Problem]:
    try:
        return check(read_workflow(text))
    except UnlatchError as error:
        return [Problem(Severity.ERROR, 1, error.message)]


def _count(problems: list[Problem]) -> str:
    return f"{len(problems)} mistakes" if len(problems) > 1 else "1 mistake"


def with_comments(text: str, problems: list[Problem]) -> str:
    """The text with a comment above the line of each mistake; nothing else changes."""
    lines = text.split("\n")
    for problem in sorted(problems, key=lambda problem: problem.line, reverse=True):
        message = without_comments(output.clean(problem.message))
        # Not above the front matter, which has to begin the file.
        at = max(problem.line - 1, _after_front_matter(lines))
        lines.insert(at, f"<!-- unlatch: {problem.severity}: {message} -->")
    return "\n".join(lines)


def _after_front_matter(lines: list[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines) if n and line.rstrip() == "---"), 0)
