"""Ticking and unticking tasks and criteria by their ids; all other characters stay."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from unlatch.increments.documents.headings import boxed_marks, plain_marks
from unlatch.increments.documents.item_ids import Edit, ambiguous_id, unknown_id, with_edits
from unlatch.increments.documents.marks import NO_MARKS, State
from unlatch.increments.documents.spec import read_stories
from unlatch.increments.documents.spec_and_tasks import Criterion, Story
from unlatch.increments.documents.state_words import box, is_wanted
from unlatch.increments.documents.status_style import StatusStyle, is_bare
from unlatch.increments.documents.tasks import TaskBlock, discarded_by_id, fields, task_blocks
from unlatch.worklog.text.markdown_lines import line_ending, scan_work

_Item = TaskBlock | Criterion | Story
_NONE = ("", "")


def with_marked(
    text: str, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
) -> str:
    """Tick or untick tasks, criteria, and all criteria of stories; fitting marks stay.

    Args:
        marks: what stood in the boxes of criteria before they were ticked, by their ids in lower
            case. Tasks keep former marks in notes.

    Raises:
        UsageError: `item-unknown`, an id is not there; `item-ambiguous`, it occurs more than once.
    """
    lines = scan_work(text).lines
    tasks = task_blocks(lines)
    stories, criteria = read_stories(lines)
    by_id: dict[str, list[_Item]] = defaultdict(list)
    items: tuple[_Item, ...] = (*tasks, *stories, *criteria)
    for item in items:
        by_id[item.id.upper()].append(item)
    # Two ids may select one item: its story's, and its own.
    chosen = {id(item): item for wanted in ids for item in _items(by_id, wanted.strip())}
    # The chosen tasks do not count for the style, so unticking restores the text of before.
    others = [block for block in tasks if id(block) not in chosen]
    marker = _TaskMarker(text, StatusStyle(others), done=done)
    edits: set[Edit] = set()
    for item in chosen.values():
        if isinstance(item, TaskBlock):
            edits.update(marker.edits(item))
        elif isinstance(item, Criterion):
            before = marks.get(item.id.casefold(), " ")
            edits.update(_criterion_edits(item, "[x]" if done else f"[{before}]", done=done))
    return with_edits(text, edits)


def _criterion_edits(criterion: Criterion, new: str, *, done: bool) -> Iterator[Edit]:
    if criterion.box is None:
        yield criterion.start, criterion.start, f"{new} "
    elif criterion.done is not done:
        yield from _replaced(criterion.start, criterion.box, new)
        note = f" (was: {criterion.box})"
        if criterion.discarded and not criterion.text.endswith(note):
            yield criterion.end, criterion.end, note


def _items(by_id: dict[str, list[_Item]], wanted: str) -> list[_Item]:
    candidates = by_id.get(wanted.upper(), [])
    # Mentions do not count where something else has the id.
    candidates = [item for item in candidates if not _is_mention(item)] or candidates
    if not candidates:
        raise unknown_id(wanted, [items[0].id for items in by_id.values()])
    if len(candidates) > 1:
        raise ambiguous_id(wanted, [item.line for item in candidates])
    item = candidates[0]
    if not isinstance(item, Story):
        return [item]
    # A criterion elsewhere without a check box is a mention, for example in a table of coverage.
    named = (
        criterion for criterion in item.criteria if criterion.box is not None or criterion.is_below
    )
    return [item, *(criterion for criterion in named if not criterion.discarded)]


def _is_mention(item: _Item) -> bool:
    if isinstance(item, Story):
        return not item.criteria
    return isinstance(item, Criterion) and item.box is None


def _replaced(start: int, old: str, new: str) -> Iterator[Edit]:
    if old != new:
        yield start, start + len(old), new


class _TaskMarker:
    """Marks tasks as done, or open, in the style of the others."""

    def __init__(self, text: str, style: StatusStyle, *, done: bool) -> None:
        self._text = text
        self._style = style
        self._done = done
        self._line = style.label(words := style.words(done=done)) + words
        self._marks = style.decoration()

    def edits(self, block: TaskBlock) -> Iterator[Edit]:
        status = block.status
        if status is None:
            if self._needs_line(block):
                yield self._new_line(block)
        elif is_wanted(block.status_state, done=self._done):
            pass
        elif block.boxes and not status.value:
            for start, old in block.boxes:
                yield start, start + len(old), box(done=self._done)
        else:
            gap = "" if status.label[-1:].isspace() else " "
            bare = is_bare(status.label)
            words = self._style.changed(status.value, done=self._done, is_bare=bare)
            yield status.start, status.end, gap + words
        if not (self._done and block.state is State.DONE):
            yield from self._heading_edits(block)

    def _needs_line(self, block: TaskBlock) -> bool:
        if discarded_by_id(block.id):
            return True
        if block.heading.has_box or is_wanted(block.state, done=self._done):
            return False
        return not any(self._marks)

    def _new_line(self, block: TaskBlock) -> Edit:
        end = line_ending(self._text)
        if block.indent is not None:
            at = block.head.start + len(block.head.text)
            return at, at, f"{end}{block.indent}  {self._line.lstrip(' ')}"
        if block.first and any(fields(block.first)):
            return block.first.start, block.first.start, self._line + end
        at = block.head.start + len(block.head.text)
        behind = self._text[at : at + 4].replace("\r\n", "\n").replace("\r", "\n")
        # Without an empty line in between, a text would join the paragraph of the status.
        is_free = behind in ("", "\n") or behind.startswith("\n\n")
        return at, at, end + self._line + ("" if is_free else end)

    def _heading_edits(self, block: TaskBlock) -> Iterator[Edit]:
        heading, done, words = block.heading, self._done, block.head.words
        if heading.has_box:
            mark, suffix = boxed_marks(heading, done=done, ticked=self._style.ticked)
        else:
            usual, dropped = (self._marks, _NONE) if done else (_NONE, self._marks)
            mark, suffix = plain_marks(heading, done=done, usual=usual, dropped=dropped)
        title = words.removeprefix(heading.mark).removesuffix(heading.suffix)
        yield from _replaced(block.head.start + block.head.body, words, mark + title + suffix)
