"""Ask before operations that this user did not record here are sent in their name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times, tracker_title
from unlatch.cli.runtime.context import Context, why_no_prompt
from unlatch.cli.terminal import output, prompts
from unlatch.errors import ConsentMissing, UsageError
from unlatch.lifecycle.deliver import agree, find_unfamiliar, preview_unfamiliar
from unlatch.spi.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.delivery.preview import Previewed
    from unlatch.increments.model.increment import Increment

_COLUMNS = 14
_ID = "pending-not-agreed"


def agree_to_pending(
    contexts: Iterable[tuple[Context, Sequence[Increment]]], *, yes: bool, silent: bool
) -> None:
    """Show the pending operations that this user did not record here, and ask about them, once.

    Args:
        contexts: the increments whose operations are to be delivered, by the context over them.
        yes: whether the user has agreed to all (`--yes`).
        silent: whether the output is for a program, which is not asked.

    Raises:
        ConsentMissing: `pending-not-agreed`: nobody can be asked.
        UsageError: `pending-declined`.
    """
    pending = _of_others(contexts)
    if pending and not yes:
        _ask(pending, silent=silent)
    for context, increment in pending:
        agree(context.workspace, increment)


def refuse_pending_of_others(contexts: Iterable[tuple[Context, Sequence[Increment]]]) -> None:
    """Refuse what an agent asks for, where the same would be asked: it cannot agree for the user.

    Raises:
        ConsentMissing: `pending-not-agreed`.
    """
    if pending := _of_others(contexts):
        _ask(pending, silent=True)


def _of_others(
    contexts: Iterable[tuple[Context, Sequence[Increment]]],
) -> list[tuple[Context, Increment]]:
    return [
        (context, increment)
        for context, increments in contexts
        for increment in find_unfamiliar(context.workspace, increments)
    ]


def _ask(pending: Sequence[tuple[Context, Increment]], *, silent: bool) -> None:
    count = sum(len(increment.pending) for _, increment in pending)
    was, what = ("was", "it") if count == 1 else ("were", "them")
    message = f"{times(count, 'pending operation')} {was} not recorded by you in this checkout"
    items = [(context, increment, _previewed(context, increment)) for context, increment in pending]
    names = sorted({_name(context, item) for context, _, previews in items for item in previews})
    step = "unlatch sync --dry-run"
    if silent or (problem := why_no_prompt()):
        hint = f"{step} shows the texts; to send {what} in your name: unlatch sync --yes"
        why = "" if silent else f"; {problem}"
        raise ConsentMissing(_ID, f"{message}{why}", hint=hint, problems=tuple(names))
    output.talk(f"{output.warn('!')} {message}:")
    for context, increment, previews in items:
        output.talk(output.strong(output.clean(increment.title)), *_lines(context, previews))
    if not prompts.confirm(f"Send {what} in your name?"):
        raise UsageError("pending-declined", "nothing was sent", hint=f"to look again: {step}")


def _previewed(context: Context, increment: Increment) -> Sequence[Previewed]:
    with context.trackers() as trackers:
        return preview_unfamiliar(context.workspace, trackers, increment)


def _name(context: Context, item: Previewed) -> str:
    title = tracker_title(context.workspace.registry, item.operation.tracker)
    return f"{item.operation.kind} {title} {item.name}"


def _lines(context: Context, items: Iterable[Previewed]) -> Iterator[str]:
    from unlatch.cli.render.preview import text_lines  # noqa: PLC0415  (rarely needed)

    said = None
    for item in items:
        if item.change.comment not in (None, said):
            said = item.change.comment
            yield from text_lines("Comment", said or (), _COLUMNS)
        if draft := item.change.draft:
            yield from text_lines("Title", ((Span(draft.title),),), _COLUMNS)
            yield from text_lines("Text", draft.body, _COLUMNS)
        url = item.operation.item if "://" in item.operation.item else ""
        yield f"    {output.clean(f'{_name(context, item)}  {url}').rstrip()}"
        if item.error is not None:
            yield f"      {output.clean(item.error.message)}"
