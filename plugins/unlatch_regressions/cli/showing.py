"""What the readers saw, as text, as a document and in the summary of a CI job."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import broken_entries
from unlatch.cli.render.notes import tell_left_out
from unlatch.cli.runtime.failure import part, problem_entry
from unlatch.cli.terminal import output
from unlatch.config.choices import Reaction
from unlatch.worklog.name_matching import first_of
from unlatch.worklog.times import stamp
from unlatch_regressions.acting import reason_for, short_place
from unlatch_regressions.judging import Effect, Verdict
from unlatch_regressions.readers import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.terminal.output import Json
    from unlatch.sync.publishing import PublishResult
    from unlatch_regressions.cause import Cause
    from unlatch_regressions.items import Unread
    from unlatch_regressions.survey import Survey

HEADINGS = ("Work", "Cause", "Evidence", "Result")
_NO_WORK = "(unknown)"
_NOTHING = Effect.NOTHING


def row_of(verdict: Verdict) -> tuple[str, str, str, str]:
    """A verdict as a row of a table; its texts are from outside."""
    cause = verdict.cause
    return (
        cause.work or _NO_WORK,
        f"{cause.kind} {short_place(cause)}",
        cause.line,
        result_of(verdict),
    )


def result_of(verdict: Verdict) -> str:
    """What follows from a cause, in words."""
    if verdict.effect is _NOTHING:
        return f"nothing: {verdict.why}" if verdict.why else "nothing"
    if verdict.reaction is Reaction.IGNORE:
        return f"listed: {verdict.why}"
    word = "suggested: " if verdict.is_suggested else ""
    why = f" ({verdict.why})" if verdict.why else ""
    return f"{word}{verdict.effect}{why}"


def tell_survey(survey: Survey, *, apply: bool) -> None:
    """Show the causes, and what a person can do about them.

    Args:
        apply: whether the policy is carried out after that.
    """
    if survey.verdicts:
        rows = [tuple(map(output.clean, row_of(verdict))) for verdict in survey.verdicts]
        output.table(HEADINGS, rows, flexible=(2, 3))
    else:
        count = times(len(survey.request.work), "increment")
        is_whole = not (survey.broken or survey.unread)
        whole = "Nothing breaks finished work"
        output.talk(f"{whole if is_whole else 'No cause in what can be read'} ({count}).")
    output.talk(*map(output.clean, next_steps(survey)))
    if apply and survey.branch.why:
        output.note(f"nothing is reopened, because {survey.branch.why}")
    elif not apply and any(verdict.acts for verdict in survey.verdicts):
        output.talk("Next: unlatch regressions --apply")
    if survey.has_others:
        where = f"the last commit of {survey.branch.name}"
        output.note(f"[regressions] in config.toml counts as in {where}, where it is another")
    if unknown := sorted(survey.settings.policy.keys() - kinds()):
        output.note(f"the policy names kinds of causes that nothing reads: {', '.join(unknown)}")
    tell_left_out(survey.broken)
    for unread in survey.unread:
        output.note(_not_searched(unread))
        if unread.error.hint:
            output.talk(f"  next: {output.clean(unread.error.hint)}")


def report_to_job(
    context: Context, survey: Survey, *, code: int, changed: bool, published: PublishResult
) -> None:
    """Show the same in the summary of the CI job, and set its outputs."""
    broken = {verdict.cause.work for verdict in survey.verdicts if verdict.effect is not _NOTHING}
    title = f"unlatch regressions: {times(len(broken), 'increment')} broken again"
    if survey.broken:
        title += f", {len(survey.broken)} unreadable"
    if items := sum(len(unread.names) for unread in survey.unread):
        title += f", {times(items, 'item')} not searched"
    part("findings")(
        context,
        title=title,
        headings=HEADINGS,
        rows=[row_of(verdict) for verdict in survey.verdicts],
        steps=[*next_steps(survey), *(_not_searched(unread) for unread in survey.unread)],
        code=code,
        changed=changed,
        published=published,
    )


def next_steps(survey: Survey) -> Iterator[str]:
    """The commands for a person, each with what it answers."""
    for name, causes in _suggestions(survey.verdicts).items():
        reason = reason_for(causes)
        yield f"To reopen it: unlatch resume {quote(name)} --reason {quote(reason)}"
    for work, evidence in survey.completions:
        name = work.increment.id
        shown = ", ".join(f"{cause.kind} {short_place(cause)}" for cause in evidence)
        gone = f"Every cause of {name} has gone ({shown})"
        yield f"{gone}. To complete it: unlatch complete {quote(name)}"


def _suggestions(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """The suggested reopens by work."""
    by_work: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.is_suggested and verdict.effect is Effect.REOPEN:
            by_work.setdefault(verdict.cause.work, []).append(verdict)
    return by_work


def document_of(survey: Survey) -> Json:
    """The parts of the document about causes."""
    return {
        "branch": survey.branch.name,
        "commit": survey.branch.commit,
        "limit": survey.branch.limit,
        "limitWhy": survey.branch.why or None,
        "causes": [
            {
                **_cause_entry(verdict.cause),
                "reaction": verdict.reaction,
                "effect": verdict.effect,
                "why": verdict.why or None,
                "returns": verdict.returns,
            }
            for verdict in survey.verdicts
        ],
        "completing": [
            {"id": work.increment.id, "gone": [_cause_entry(cause) for cause in evidence]}
            for work, evidence in survey.completions
        ],
        "broken": broken_entries(survey.broken),
        "notSearched": [_unread_entry(unread) for unread in survey.unread],
    }


def _not_searched(unread: Unread) -> str:
    names, error = first_of(unread.names), unread.error
    return f"not searched: {names}: {error.message} [{error.id}]"


def _unread_entry(unread: Unread) -> Json:
    error = problem_entry(unread.error)
    return {"tracker": unread.tracker, "items": [*unread.names], "error": error}


def _cause_entry(cause: Cause) -> Json:
    return {
        "increment": cause.work or None,
        "kind": cause.kind,
        "fingerprint": cause.fingerprint,
        "evidence": cause.line,
        "place": short_place(cause),
        "commit": cause.commit or None,
        "seenAt": stamp(cause.seen_at),
    }
