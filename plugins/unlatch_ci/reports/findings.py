"""The report of a command that found something for people to see: a table, and next steps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch_ci.reports import formats as ci
from unlatch_ci.reports.formats import Annotation, Level

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context
    from unlatch.sync.publishing import PublishResult


def report_findings(
    context: "Context",
    *,
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    steps: Sequence[str],
    code: int,
    changed: bool,
    published: "PublishResult" = None,
    retry: output.Json | None = None,
) -> None:
    """Report to the job, if this is one.

    Args:
        title: the result in one line.
        rows: texts from outside.
        steps: what a person can do about it.
        changed: whether a file or an item was changed.
        retry: whether to run the command again, and when, if it delivers.
    """
    job = ci.job()
    if job is None:
        return
    level = Level.ERROR if code else Level.WARNING
    ci.annotate(job, [Annotation(level, title, step) for step in steps])
    lines = [f"### {ci.words(title)}", ""]
    if rows:
        lines += ci.table(headings, [[ci.words(cell) for cell in row] for row in rows])
    lines += ["", *(f"- {ci.words(step)}" for step in steps)]
    ci.summarise(job, lines, id=context.workspace.new_id())
    flags = {"changed": str(changed).lower(), "adrift": str(bool(steps)).lower()}
    outputs = {"exit-code": str(code), **flags, "summary": title}
    if retry is not None:
        outputs |= {"retry": retry["retry"], "retry-at": retry["retryAt"] or ""}
    if published is not None and not isinstance(published, UnlatchError):
        outputs |= {"branch": published.branch, "proposal": published.proposal or ""}
    ci.tell_outputs(job, outputs)
