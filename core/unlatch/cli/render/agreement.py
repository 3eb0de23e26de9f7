"""Ask before operations that this user did not record here are sent in their name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times, tracker_title
from unlatch.cli.render.preview import text_lines
from unlatch.cli.runtime.session import why_no_prompt
from unlatch.cli.terminal import output, prompts
from unlatch.errors import ConsentMissing, UsageError
from unlatch.lifecycle.agreement import agree, find_unfamiliar, preview_unfamiliar
from unlatch.spi.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.cli.runtime.session import Session
    from unlatch.delivery.preview import Previewed
    from unlatch.increments.model.increment import Increment

_COLUMNS = 14
_ID = "pending-not-agreed"


def agree_to_pending(
    sessions: Iterable[tuple[Session, Sequence[Increment]]], *, yes: bool, silent: bool
) -> None:
    """Show the pending operations that this user did not record here, and ask about them, once.

    Args:
        sessions: the increments whose operations are to be delivered, by the session over them.
        yes: whether the user has agreed to all (`--yes`).
        silent: whether the output is for a program, which is not asked.

    Raises:
        ConsentMissing: `pending-not-agreed`: nobody can be asked.
        UsageError: `pending-declined`.
    """
    found = [
        (session, one)
        for session, some in sessions
        for one in find_unfamiliar(session.workspace, some)
    ]
    if found and not yes:
        _ask(found, silent=silent)
    for session, increment in found:
        agree(session.workspace, increment)


def _ask(found: Sequence[tuple[Session, Increment]], *, silent: bool) -> None:
    count = sum(len(one.pending) for _, one in found)
    was, what = ("was", "it") if count == 1 else ("were", "them")
    message = f"{times(count, 'pending operation')} {was} not recorded by you in this checkout"
    items = [(session, one, _previewed(session, one)) for session, one in found]
    names = sorted({_name(session, item) for session, _, some in items for item in some})
    step = "unlatch sync --plan"
    if silent or (problem := why_no_prompt()):
        hint = f"{step} shows the texts; to send {what} in your name: unlatch sync --yes"
        why = "" if silent else f"; {problem}"
        raise ConsentMissing(_ID, f"{message}{why}", hint=hint, problems=tuple(names))
    output.talk(f"{output.warn('!')} {message}:")
    for session, increment, some in items:
        output.talk(output.strong(output.clean(increment.title)), *_lines(session, some))
    if not prompts.confirm(f"Send {what} in your name?"):
        raise UsageError("pending-declined", "nothing was sent", hint=f"to look again: {step}")


def _previewed(session: Session, increment: Increment) -> Sequence[Previewed]:
    with session.trackers() as trackers:
        return preview_unfamiliar(session.workspace, trackers, increment)


def _name(session: Session, item: Previewed) -> str:
    title = tracker_title(session.workspace.registry, item.operation.tracker)
    return f"{item.operation.kind} {title} {item.name}"


def _lines(session: Session, items: Iterable[Previewed]) -> Iterator[str]:
    said = None
    for item in items:
        if item.change.comment not in (None, said):
            said = item.change.comment
            yield from text_lines("Comment", said or (), _COLUMNS)
        if draft := item.change.draft:
            yield from text_lines("Title", ((Span(draft.title),),), _COLUMNS)
            yield from text_lines("Text", draft.body, _COLUMNS)
        url = item.operation.item if "://" in item.operation.item else ""
        yield f"    {output.clean(f'{_name(session, item)}  {url}').rstrip()}"
        if item.error is not None:
            yield f"      {output.clean(item.error.message)}"
