"""The texts that unlatch writes to items: comments, and the body of items that it creates."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.config.choices import CommentStyle
from unlatch.errors import UsageError
from unlatch.increments.documents import front_matter
from unlatch.increments.files.changes.undo import UNDONE
from unlatch.increments.files.work.amendments import texts_of, work_of
from unlatch.increments.files.work.files import files_of
from unlatch.increments.model.check_boxes import key_of
from unlatch.increments.model.status import Status
from unlatch.increments.records.pending import has_begun
from unlatch.patterns import pattern
from unlatch.spi.change import Draft
from unlatch.spi.operation import Kind, Operation
from unlatch.spi.text import Check, Checks, Heading, Text, fill, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.config.config import CoreConfig
    from unlatch.config.tables import CommentsConfig
    from unlatch.increments.documents.spec_and_tasks import Criterion, Spec, Story, Task
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import AppliedAmendment, ReopenEntry
    from unlatch.project.workspace import Workspace

# The end of a reason from a comment, as it is recorded.
ASKED_BY = "(asked by {who} in {url})"
_BEGINNING = ASKED_BY.partition("{")[0]
# A comment whose operation is not to move its item any more says no more than is true.
_ASKED = "Asked to {verb} on {at}: {reason}; {ending}"
_SHORT = "**{headline}**: {reason}"
_FULL = "**{headline}**: {reason}\n\nIncrement {increment}, by {by}, {at}"
_OF_ITEM = "**{headline}**: {reason}\n\nBy {by}, {at}"
_CLOSING_NOTE = "To ask for a reopen, write a comment with the line **/reopen REASON**{until}."
_HEAD = "Increment **{increment}**: {title}\n\nType {type}, status {status}"
_HEADLINES = {Kind.REOPEN: "Reopened", Kind.UPDATE: "Updated", Kind.UNDO: "Reopen undone"}
_FINISHED = {Status.ABANDONED: "Abandoned", Status.COMPLETED: "Completed"}
# A comment stays readable; the increment's files have the whole list.
_MAX_TASKS = 50
_MAX_PARTS = 50
_MAX_LINE = 300
# The characters of the lists in a body that an earlier release created.
_FORMER_CHARACTERS = 12_000
# Trackers show it as it is: "**Given** albums", but not "src/**/*.py".
_BOLD = pattern(r"(?<![\w*/\\])\*\*(?=[^\s*])([^*]{1,300})(?<!\s)\*\*(?![\w*/])")
# Front matter keys about the increment itself, not about its items.
_OWN_KEYS = frozenset({"id", "increment", "title", "type", "status", "created", "priority"})


def comment_of(
    operation: Operation,
    increment: Increment,
    config: CoreConfig,
    amended: AppliedAmendment | None,
    *,
    is_closed: bool | None = None,
) -> Text | None:
    """Return an operation's comment in the configured style; None for no comment.

    The short style omits the change of the work that came with the intent.

    Args:
        is_closed: whether the item is closed; None where it was not read.
    """
    entry = next((entry for entry in increment.reopens if entry.id == operation.op), None)
    reason = entry.reason if entry else operation.reason
    if not reason and operation.kind is Kind.UNDO:
        reason = UNDONE
    if not reason or config.comment is CommentStyle.NONE:
        return None
    is_short = config.comment is CommentStyle.SHORT
    values = {
        "headline": _headline(operation, increment, amended),
        "reason": reason,
        "by": (entry.reopened_by if entry else operation.by) or "unknown",
        "at": f"{operation.at:%Y-%m-%d %H:%M} UTC",
        "increment": increment.name,
        "title": increment.title,
    }
    if asked := _asked(operation, increment, entry, is_closed):
        verb, done = asked
        past = "reopened" if verb == "reopen" else "closed"
        is_begun = has_begun(operation)
        ending = f"{done} since" if is_begun else f"{done} before this item could be {past}"
        return fill(_ASKED, {**values, "verb": verb, "ending": ending})
    full = _OF_ITEM if increment.is_item else _FULL
    text = fill(config.comment_template or (_SHORT if is_short else full), values)
    return text if is_short or amended is None else (*text, *_amendment(amended, reason))


def closing_note(operation: Operation, comments: CommentsConfig) -> Text:
    """Return the words that say how to reopen an item that an operation closes."""
    last = operation.at + timedelta(days=comments.days)
    until = f", until {last:%Y-%m-%d} (UTC)" if comments.days else ""
    # No line begins with the command: other programs obey such lines.
    return fill(_CLOSING_NOTE, {"until": until})


def _asked(
    operation: Operation, increment: Increment, entry: ReopenEntry | None, is_closed: bool | None
) -> tuple[str, str] | None:
    """What an operation wanted that is not so, and what happened instead; None if it is so."""
    if operation.state or operation.why:
        return None
    if operation.kind is Kind.REOPEN and (is_closed or _is_over(increment, entry)):
        is_alone = increment.is_item or not increment.status.is_finished
        return "reopen", "closed" if is_alone else str(increment.status)
    if operation.kind is Kind.CLOSE and is_closed is False:
        return "close", "reopened"
    return None


def _is_over(increment: Increment, entry: ReopenEntry | None) -> bool:
    """Whether the reopen of an operation does not stand any more."""
    return increment.status.is_finished or (entry is not None and entry.reverted_at is not None)


def _headline(operation: Operation, increment: Increment, amended: AppliedAmendment | None) -> str:
    if amended and amended.amendment.change:
        return "Reopened with scope change" if operation.state else "Scope changed"
    if operation.kind is Kind.REOPEN and operation.why:
        return "Broken again"
    is_undo = any(entry.revert == operation.op for entry in increment.reopens)
    kind = Kind.UNDO if is_undo else operation.kind
    finished = {} if increment.is_item else _FINISHED
    return _HEADLINES.get(kind) or finished.get(increment.status, "Closed")


def _amendment(amended: AppliedAmendment, reason: str) -> Text:
    amendment = amended.amendment
    text: Text = ()
    if amendment.change is not None and amendment.change != reason:
        text += fill("**Change**: {change}", {"change": amendment.change})
    if amendment.parts:
        parts = ", ".join(amendment.parts[:_MAX_PARTS])
        more = f", and {left} more" if (left := len(amendment.parts) - _MAX_PARTS) > 0 else ""
        text += fill("**To be done again**: {parts}", {"parts": parts + more})
    if amendment.tasks:
        lines = [_check(task.id, task.title) for task in amendment.tasks]
        if left := len(lines[_MAX_TASKS:]):
            lines[_MAX_TASKS:] = [Check(f"and {left} more in the increment's files")]
        text += (*fill("**New tasks**", {}), Checks(tuple(lines)))
    return text


def draft_of(increment: Increment, tracker: str, story: str | None = None) -> Draft:
    """Return the title and the kept part of the body for an increment's item.

    A user story that the documents do not have is refused (`item-unknown`).
    """
    files, texts = files_of(increment), texts_of(increment)
    work = files.layout.read(texts)
    spec, tasks = work.spec, work.tasks
    about = _find_story(spec, story, increment) if story is not None else None
    head = {
        "increment": increment.id,
        "title": increment.title,
        "type": increment.type or "unknown",
        "status": increment.status.value,
    }
    body = (*fill(_HEAD, head), *_lists(_sections(spec, tasks, about)))
    title = _named(about.id, about.title) if about else increment.title
    # The item's fields as the files name them; those for this tracker alone take precedence.
    front = front_matter.values(texts[files.names[0]])
    # A tool that keeps its work in single files has keys of its own there, such as milestones.
    shared = {} if increment.unit and increment.unit.is_file else front
    metadata = {key: value for key, value in shared.items() if key not in _OWN_KEYS}
    for block in (front.get(tracker), increment.data.get(tracker)):
        metadata |= block if isinstance(block, dict) else {}
    return Draft(increment.id, one_line(title), increment.type, body, story, metadata)


def stories_of(increment: Increment) -> tuple[str, ...]:
    """Return the ids of an increment's user stories, in the order of its documents."""
    stories = work_of(increment).spec.stories
    return tuple(dict.fromkeys(story.id for story in stories))


def _find_story(spec: Spec, wanted: str, increment: Increment) -> Story:
    for story in spec.stories:
        if story.id.casefold() == wanted.casefold():
            return story
    names = ", ".join(story.id for story in spec.stories) or "none"
    raise UsageError(
        "item-unknown",
        f"there is no user story {wanted}; there are: {names}",
        where=increment.id,
        hint="name one of these, or add it to the increment's files",
    )


def _sections(
    spec: Spec, tasks: Sequence[Task], about: Story | None
) -> Iterator[tuple[str, list[Check]]]:
    if about is None:
        yield "User stories", [line for story in spec.stories for line in _story(story)]
    criteria = (
        about.criteria
        if about
        else [criterion for criterion in spec.criteria if criterion.story is None]
    )
    yield "Acceptance criteria", [check_of(criterion) for criterion in criteria]
    ours = (task for task in tasks if about is None or _belongs(task, about))
    yield "Tasks", [_check(t.id, t.title, t.done, t.mark) for t in ours if not t.discarded]


def _lists(sections: Iterator[tuple[str, list[Check]]]) -> Iterator[Heading | Checks]:
    listed = [(heading, lines) for heading, lines in sections if lines]
    # Without the first of several lines with one key, the next would be taken for it.
    keys = Counter(key_of(line.text) for _, lines in listed for line in lines)
    for heading, lines in listed:
        yield Heading(heading)
        yield Checks(tuple(replace(line, spare=keys[key_of(line.text)] == 1) for line in lines))


def former_checks(text: Text) -> tuple[Check, ...]:
    """The lines of a body's lists as an earlier release cut them."""
    left = _FORMER_CHARACTERS
    former: list[Check] = []
    for lines in (block.items for block in text if isinstance(block, Checks)):
        for number, line in enumerate(lines):
            left -= len(line.text) + 10
            if left < 0:
                former.append(Check(f"and {len(lines) - number} more in the increment's files"))
                break
            former.append(line)
    return tuple(former)


def _story(story: Story) -> list[Check]:
    head = Check(_cut(_named(story.id, story.title)))
    return [head, *(check_of(criterion, depth=1) for criterion in story.criteria)]


def check_of(criterion: Criterion, *, depth: int = 0) -> Check:
    """The line of an item for a criterion."""
    return Check(
        _cut(_named(criterion.id, criterion.text)),
        criterion.done,
        depth,
        criterion.mark,
        criterion.id,
    )


def _check(id_: str, title: str, done: bool | None = False, mark: str | None = None) -> Check:
    return Check(_cut(_named(id_, title)), done or False, mark=mark, id=id_)


def _named(id: str, text: str) -> str:
    """The text behind its id, unless the id is only its place in the file, or the text itself."""
    return text if id.startswith("#") or id == text else f"{id}: {text}"


def _belongs(task: Task, story: Story) -> bool:
    criteria = {criterion.id for criterion in story.criteria}
    return task.story == story.id or not criteria.isdisjoint(task.criteria)


def _cut(text: str) -> str:
    line = _BOLD.sub(r"\1", " ".join(text.split()))
    return line if len(line) <= _MAX_LINE else f"{line[: _MAX_LINE - 3]}..."


def hide_asker(
    workspace: Workspace, increment: Increment, operation: Operation
) -> tuple[Increment, Operation]:
    """An increment and its operation, without who asked in a comment on another tracker.

    People who see the operation's item get only a link to that comment.
    """
    entries = increment.reopens
    reason = next((entry.reason for entry in entries if entry.id == operation.op), operation.reason)
    anonymous = anonymous_reason(workspace, operation.tracker, reason)
    if anonymous is None or workspace.config.comments.share_text:
        return increment, operation
    reason, by = anonymous
    reopens = tuple(
        replace(entry, reason=reason, reopened_by=by) if entry.id == operation.op else entry
        for entry in entries
    )
    return replace(increment, reopens=reopens), replace(operation, reason=reason, by=by)


def anonymous_reason(
    workspace: Workspace, tracker: str, reason: str | None
) -> tuple[str, str] | None:
    """The reason and the author without the name of a person who asked on another tracker.

    None if the reason names no person who asked in a comment, or a person on this tracker.
    """
    words, beginning, asked = (reason or "").rpartition(_BEGINNING)
    url = asked.removesuffix(")").rpartition(" in ")[2]
    if not beginning or not asked.endswith(")") or "://" not in url:
        return None
    refs, _ = workspace.recognise(url)
    if tracker in refs:
        return None
    names = (workspace.settings[name].name(ref) for name, ref in refs.items())
    place = next(names, "another tracker")
    return f"{words}(asked on {place}: {url})", f"a person on {place}"
