"""The content of a spec.md and a tasks.md."""

from dataclasses import field

from unlatch.values import dataclass


def _open_mark(box: str | None) -> str | None:
    return (box[1:-1].strip() or None) if box else None


@dataclass(frozen=True, slots=True)
class Criterion:
    """One acceptance criterion; `text` is the rest of its line, in the file's Markdown.

    Args:
        done: whether its check box is ticked; None without a check box, or if it is discarded.
        story: the id of its story, as the story spells it.
        start: the offset of its check box, or of the place for one.
        end: the offset of the end of its text.
        is_below: whether it stands under the heading of its story.
        discarded: its check box is [-]: descoped or deferred.
    """

    id: str
    text: str
    done: bool | None
    line: int
    story: str | None = None
    box: str | None = field(default=None, compare=False, repr=False)
    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)
    is_below: bool = field(default=False, compare=False, repr=False)
    discarded: bool = False
    is_mark_known: bool = field(default=True, compare=False)

    @property
    def mark(self) -> str | None:
        """What its open check box has in place of a space."""
        return _open_mark(self.box) if self.done is False else None


@dataclass(frozen=True, slots=True)
class Story:
    id: str
    title: str
    line: int
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec.md; its criteria, with or without a story, are in the file's order."""

    text: str
    title: str | None = None
    stories: tuple[Story, ...] = ()
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task: a heading or a list item, with its line number from 1, and the text below it.

    Args:
        title: its line without the id and without status marks.
        done: None if the file does not say.
        status: the status in the file's own words, if any.
        story: the first story that it names, else the story above it.
        discarded: deferred, cancelled or the like: neither open nor done.
        optional: its work is complete without it.
        mark: what its open check box has in place of a space.
        is_mark_known: whether its layout gives that a meaning.
        box: the offsets of what stands in its check box, in a file that lists tasks as boxes.
    """

    id: str
    title: str
    done: bool | None
    status: str | None
    line: int
    story: str | None = None
    criteria: tuple[str, ...] = ()
    discarded: bool = False
    optional: bool = False
    mark: str | None = field(default=None, compare=False)
    is_mark_known: bool = field(default=True, compare=False)
    box: tuple[int, int] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Tasks:
    """A tasks.md; `text` is the file, unchanged."""

    text: str
    tasks: tuple[Task, ...] = ()
