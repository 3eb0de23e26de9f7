"""The efforts, sessions and runs of an increment in the commands that resume and complete it."""

from __future__ import annotations

from os.path import relpath
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.commands.work.foreseen_work import (
    chosen_related,
    due_work,
    foreseen_keys,
    needed_reason,
    tell_work,
)
from unlatch.cli.options.resume import INCREMENT, kinds_of_work
from unlatch.cli.render.notes import tell_warnings
from unlatch.cli.render.related import tell_elsewhere
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.failure import UNDECIDED, error_lines, problem_entry
from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.increments.files.paths import BRIEFING
from unlatch.related.belonging import find_related
from unlatch.related.briefing.compose import briefing_of
from unlatch.related.briefing.file import (
    command_for,
    file_text,
    is_edited,
    known_briefing,
    quotes_own_texts,
    title_of,
    write_briefing,
)
from unlatch.related.briefing.text import render
from unlatch.related.resume_related import Resumed, resume_related

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.change import ChangeOptions
    from unlatch.lifecycle.resume_plan import ResumeRequest
    from unlatch.related.kinds import Step
    from unlatch.related.points import Briefing

_UNLIMITED = 1 << 20
# What a dry run says about the items where they stay as they are.
_NO_CHANGE: output.Json = {"items": [], "spared": [], "requests": 0, "scope": None, "warnings": []}


def resume_others(
    context: Context,
    increment: Increment,
    options: ChangeOptions,
    *,
    reason: str | None,
    by: str,
    kinds: Collection[str],
) -> tuple[int, output.Json, Collection[UnlatchError]]:
    """Resume the other work of an increment, and print the briefing.

    Returns:
        The exit code, the keys for the document (none if there is no other work), and the errors of
        unreadable work, which are shown.
    """
    related = chosen_related(context, increment, kinds)
    unreadable = related.unreadable if kinds != {INCREMENT} else ()
    tell_warnings(unreadable)
    tell_elsewhere(context, increment)
    briefing = known_briefing(context.workspace, increment, related)
    if briefing is None:
        return 0, {}, unreadable
    command = f"unlatch resume {quote(increment.id)} --reason TEXT"
    resumed = resume_related(context.workspace, related, reason=reason, by=by, otherwise=command)
    code = UNDECIDED if any(work.error for work in resumed) else 0
    if not options.as_json:
        _tell(resumed)
        output.data("", *_lines(increment, briefing))
    keys = {
        "related": [resumed_entry(work) for work in resumed],
        "briefing": briefing_entry(briefing),
    }
    return code, keys, unreadable


def resume_only_others(
    context: Context,
    wanted: str,
    request: ResumeRequest,
    options: ChangeOptions,
    kinds: Collection[str],
) -> int:
    """Resume the other work of an increment, and leave it and its items as they are."""
    increment = context.workspace.manager.read(wanted)
    _check_chosen(context, increment, kinds)
    if options.dry_run:
        steps = due_work(context, increment, request, options, kinds)
        return _preview(context, increment, steps, as_json=options.as_json)
    reason = needed_reason(context, increment, request, options, kinds)
    code, parts, _ = resume_others(
        context, increment, options, reason=reason, by=request.by, kinds=kinds
    )
    if options.as_json:
        output.document("resume-others", code, increment=increment.id, **parts)
    return code


def _check_chosen(context: Context, increment: Increment, kinds: Collection[str]) -> None:
    """Raise UsageError `nothing-to-resume` if there is no work of these kinds to resume."""
    related = find_related(context.workspace, increment)
    has = related.resumable
    if not has.keys().isdisjoint(kinds):
        return
    tell_warnings(related.unreadable)
    chosen = " or ".join(kind.removesuffix("s") for kind in kinds_of_work() if kind in kinds)
    listed = ", ".join(output.clean(ref) for refs in has.values() for ref in refs)
    problem = f"{increment.id} has no {chosen} to resume" if chosen else "all kinds are excluded"
    options = "".join(f" --only {kind}" for kind in has)
    raise UsageError(
        "nothing-to-resume",
        f"{problem}; it has {listed or 'no other work'}",
        hint=f"unlatch resume {quote(increment.id)}{options} --reason TEXT",
    )


def _preview(
    context: Context, increment: Increment, steps: Sequence[Step], *, as_json: bool
) -> int:
    status = increment.status
    moved = {"id": increment.id, "status": status, "wouldBe": status}
    parts = {"increment": moved, **_NO_CHANGE, **foreseen_keys(steps)}
    if not show_plan(context, "dry-run", 0, parts, as_json=as_json, about=[increment]):
        tell_work(steps)
        output.data("Nothing was written.")
    return 0


def briefing_now(context: Context, increment: Increment) -> Briefing:
    """What is known of an increment, also if nothing else belongs to it."""
    related = find_related(context.workspace, increment)
    tell_warnings(related.unreadable)
    tell_elsewhere(context, increment)
    briefing = known_briefing(context.workspace, increment, related)
    return briefing or briefing_of(context.workspace, increment, related)


def show_briefing(context: Context, increment: Increment) -> None:
    with context.paged():
        output.data(*_lines(increment, briefing_now(context, increment)))


def offer_briefing(
    context: Context, increment: Increment, *, wanted: bool | None, asks: bool, silent: bool
) -> None:
    """Show the briefing of a completed increment, and write it where that is wanted.

    Args:
        wanted: None asks at a terminal, and elsewhere names the command that writes it.
        asks: whether it may ask.
        silent: without a line on stdout, which is a document.
    """
    related = find_related(context.workspace, increment)
    if not related and not wanted:
        return
    if wanted is None and not (asks and is_interactive()):
        command = f"unlatch complete {quote(increment.id)} --briefing"
        output.talk(f"To write down what is known of it, for others: {command}")
        return
    briefing = known_briefing(context.workspace, increment, related)
    if briefing is None:
        output.talk("There is nothing to brief about: no effort, session or run is linked to it.")
        return
    text = file_text(increment, briefing, at=context.workspace.clock())
    output.talk("", *text.rstrip("\n").split("\n"), "")
    place = relpath(increment.folder / BRIEFING)
    keeps = " Your changes to the file are kept." if is_edited(increment) else ""
    question = f"Write this to {place}, for others who resume it?{keeps}"
    if wanted or prompts.confirm(question):
        is_own = quotes_own_texts(context.workspace, increment, related, briefing)
        kept = write_briefing(increment, text, is_own=is_own)
        if kept:
            output.note(f"{output.clean(place)} had been changed; that text is now {kept.name}")
        if not silent:
            output.ok(f"Wrote {output.clean(place)}")


def _tell(resumed: Sequence[Resumed]) -> None:
    for work in resumed:
        if work.error:
            output.talk(f"{output.warn('!')} {output.clean(work.ref)} was not resumed")
            output.talk(*(f"  {line}" for line in error_lines(work.error)))
        elif work.is_left:
            output.talk(f"{output.warn('!')} {output.clean(work.ref)} stays {work.status}")
        elif work.before == work.status:
            output.ok(f"{output.clean(work.ref)} is {work.status}")
        else:
            output.ok(f"{output.clean(work.ref)}: {work.before} -> {work.status}")
        if work.next and not work.error:
            output.talk(f"    Next: {output.clean(work.next)}")


def _lines(increment: Increment, briefing: Briefing) -> list[str]:
    more = command_for(increment)
    text = render(title_of(increment), briefing, more=more, limit=_UNLIMITED)
    return [
        line
        for text_line in text.rstrip("\n").split("\n")
        for line in _wrapped(output.clean(text_line))
    ]


def _wrapped(line: str) -> list[str]:
    head = "- " if line.startswith("- ") else ""
    return output.hang(head, line.removeprefix(head))


def resumed_entry(work: Resumed) -> output.Json:
    error = problem_entry(work.error) if work.error else None
    return {**output.fields(work, "ref", "before", "status", "next"), "error": error}


def briefing_entry(briefing: Briefing) -> output.Json:
    return {
        name: [output.fields(point, "text", "source") for point in points]
        for name, points in briefing.sections().items()
    }
