"""What `unlatch doctor --fix` shows, asks and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.render.diff import agreed, diff_of, show_diff
from unlatch.cli.runtime import output

if TYPE_CHECKING:
    from unlatch.cli.runtime.session import Session

DECLINED = 2


def apply_fixes(
    session: Session, *, dry_run: bool, yes: bool, quiet: bool
) -> list[output.Json] | None:
    """Mend what is safe; None if that was not wanted.

    Args:
        quiet: whether the diffs are left to the document.

    Raises:
        UsageError: `not-interactive`.
        StoreError: a file cannot be written.
    """
    from unlatch.doctor.run import apply_fix, safe_fixes  # noqa: PLC0415

    found = list(safe_fixes(session.workspace))
    diffs = [diff_of(one.path, one.before, one.after) for one in found]
    for diff in () if quiet else diffs:
        show_diff(diff)
    if found and not dry_run:
        question = f"Change {times(len(found), 'file')}?"
        if not agreed(question, yes=yes, command="unlatch doctor --fix --yes"):
            output.talk("Nothing was changed.")
            return None
    done = [not dry_run and apply_fix(session.workspace, one) for one in found]
    if not quiet:
        _tell(done, dry_run=dry_run)
    return [
        {
            "id": one.id,
            "increment": one.increment,
            "path": one.path,
            "diff": diff,
            "done": is_done,
        }
        for one, diff, is_done in zip(found, diffs, done, strict=True)
    ]


def _tell(done: list[bool], *, dry_run: bool) -> None:
    if not done:
        output.talk("Nothing to mend that is safe to.")
    elif not dry_run:
        output.talk(f"{output.good(output.sign('ok'))} {times(sum(done), 'file')} mended")
