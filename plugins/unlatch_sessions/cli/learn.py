"""unlatch session learn: cases to learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.plan_making import OUTPUT, write_new
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.transport.trace import Masking
from unlatch.worklog.disk.checkout_folder import checkout_folder, make_checkout_folder
from unlatch_sessions.cli.chosen import IMPORTED, complete_session, sessions, store_of
from unlatch_sessions.learning.cases import Case, CaseType, learn
from unlatch_sessions.learning.export import Format, write_cases

if TYPE_CHECKING:
    from pathlib import Path


_CONSENT = "learning-consent"


@click.command("learn", help="Make learning cases from failures and corrections. (local)")
@click.argument("wanted", metavar="[ID]...", nargs=-1, shell_complete=complete_session)
@click.option(
    "--type",
    "kind",
    type=click.Choice([kind.value for kind in CaseType]),
    metavar="TYPE",
    help="Only puzzles (from failures) or corrections (by people).",
)
@click.option(
    "--export",
    "format",
    type=click.Choice([form.value for form in Format]),
    metavar="FORMAT",
    help="Print the cases as jsonl (chats for fine-tuning), markdown, or puzzle (for prompts).",
)
@OUTPUT
@flag("--consent", help="Agree to exports from this project; needed once.")
@IMPORTED
@with_json
def learn_session(
    context: Context,
    *,
    wanted: tuple[str, ...],
    kind: str | None,
    format: str | None,
    file: Path | None,
    consent: bool,
    imported: bool,
    as_json: bool,
) -> int:
    if file and not format:
        raise UsageError("option-alone", "--output belongs to --export", hint="add --export jsonl")
    store = store_of(context, imported=imported)
    chosen = [store.read(store.find(name)).session for name in wanted]
    learned = learn(
        chosen or sessions(store),
        mask=Masking().text,
        type=CaseType(kind) if kind else None,
    )
    if as_json:
        output.document(
            "session-learn",
            cases=[_entry(case) for case in learned.cases],
            unsolved=learned.unsolved,
        )
        return 0
    if format:
        _check_consent(context, given=consent)
        _write(write_cases(learned.cases, Format(format)), file)
    else:
        _list(learned.cases)
    unsolved = (
        f"; {times(learned.unsolved, 'error')} without a solution" if learned.unsolved else ""
    )
    output.talk(f"{times(len(learned.cases), 'case')}{unsolved}")
    return 0


def _check_consent(context: Context, *, given: bool) -> None:
    """Ask once for each project; UsageError `consent-missing`."""
    root = context.workspace.paths.root
    if (kept := checkout_folder(root)) and (kept / _CONSENT).exists():
        return
    question = (
        "An export contains words of people and content of files, with probable secrets masked. "
        "Export cases from this project?"
    )
    if not given and not (is_interactive() and prompts.confirm(question)):
        message = "exports contain words of people and content of files; nobody agreed to them"
        raise UsageError("consent-missing", message, hint="add --consent, which is kept")
    (make_checkout_folder(root) / _CONSENT).touch(mode=0o600)


def _list(cases: tuple[Case, ...]) -> None:
    rows = [
        (case.type.value, case.session, case.phase, str(case.line), output.clean(case.given))
        for case in cases
    ]
    if rows:
        output.table(("Type", "Session", "Phase", "Line", "Given"), rows, flexible=(4,))


def _entry(case: Case) -> output.Json:
    names = ("context", "given", "words", "expected")
    return {**case.metadata, **output.fields(case, *names)}


def _write(text: str, file: Path | None) -> None:
    if file is None:
        output.data(*text.rstrip("\n").split("\n"))
        return
    write_new(file, text)
    output.ok(f"wrote {file}")
