"""Tell the pull request that a job checks which finished work it breaks, in one comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.terminal import output
from unlatch.delivery.duplicates import delete_duplicates
from unlatch.errors import UnlatchError
from unlatch.lifecycle.items.change import locate_items
from unlatch.patterns import pattern
from unlatch.spi.change import Change
from unlatch.spi.text import fill
from unlatch.worklog.ids import derived_ulid
from unlatch_regressions.acting import reason_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.project.trackers import Trackers
    from unlatch_regressions.judging import Verdict
    from unlatch_regressions.survey import Survey

_REF = pattern(r"refs/pull/(?P<number>[0-9]{1,9})/(?:merge|head)")
# GitHub's own limit of a comment is far higher.
_MOST_WORK = 20
_TEXT = "**Breaks finished work**: {causes}"


def pull_request(environ: Mapping[str, str]) -> str | None:
    """The address of the pull request that a job of GitHub Actions checks."""
    match = _REF.fullmatch(environ.get("GITHUB_REF", ""))
    server, repository = environ.get("GITHUB_SERVER_URL"), environ.get("GITHUB_REPOSITORY")
    is_known = match and server and repository
    return f"{server}/{repository}/pull/{match['number']}" if match and is_known else None


def tell_pull_request(trackers: Trackers, survey: Survey, url: str) -> None:
    """Post what the commits of a pull request break, once; an error is a note."""
    verdicts = brought_by_pull(survey)
    if not verdicts:
        return
    marks = [verdict.cause.fingerprint for verdict in verdicts]
    op = derived_ulid(verdicts[0].cause.seen_at, ["pull", url, *sorted(marks)])
    try:
        (ref,) = locate_items(trackers, [url])
        plugin = trackers.open(ref.tracker)
        if not plugin.find_comments(ref, op):
            text = fill(_TEXT, {"causes": _causes(verdicts)})
            outcome = plugin.write(plugin.read(ref), Change(op, comment=text))
            delete_duplicates(trackers, ref, op, posted=outcome.comment)
    except UnlatchError as error:
        output.note(f"{url} got no comment: {error.message}")


def brought_by_pull(survey: Survey) -> Sequence[Verdict]:
    """The suggestions whose commits the default branch does not have."""
    history, tip = survey.request.history, survey.branch.commit
    there = history.ancestors(of=[tip])
    return [
        verdict
        for verdict in survey.verdicts
        if verdict.is_suggested
        and history.find(verdict.cause.commit)
        and not there.has(verdict.cause.commit, of=tip)
    ]


def _causes(verdicts: Sequence[Verdict]) -> str:
    by_work: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_work.setdefault(verdict.cause.work, []).append(verdict)
    told = [f"{work} ({reason_for(causes)})" for work, causes in by_work.items()]
    left = len(told) - _MOST_WORK
    return ", ".join([*told[:_MOST_WORK], *([f"and {left} more"] if left > 0 else [])])
