"""The tasks of a tasks.md: `- [ ] 1. Title`, `  - [ ] 1.1 Title`, `- [ ]* 1.2 Optional`.

Kiro runs the leaves that are not optional, so a task with tasks below it is not required itself
(kirodotdev/Kiro#8714); its own box often stays open (#2502). It is below another by its indent, or
by its number, as cc-sdd writes it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from unlatch.increments.documents.marks import Marks, State
from unlatch.increments.documents.model import Spec, Task
from unlatch.increments.layouts.check_list import Box, Entry, TaskGrammar, boxes
from unlatch.increments.layouts.kiro.references import (
    keys_in,
    reference_in,
    stories_by_key,
    without_reference,
)
from unlatch.values import dataclass
from unlatch.worklog.markdown_lines import scan_work

_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,4}){0,5}[a-z]?"
_HEAD = re.compile(
    r"(?P<star>\*(?!\*)[ \t]*)?(?P<bold>\*\*|__)?(?:Task[ \t]{1,4})?"
    rf"(?P<id>T-?[0-9]{{1,9}}|{_NUMBER})(?P<late>\*(?=[ \t.:]|\Z))?(?P<end>[.):\uff1a\u3001]*)"
    r"(?P<close>\*\*|__)?(?P<colon>[:\uff1a])?(?:[ \t]+|\Z)(?P<title>.*)",
    re.IGNORECASE,
)
GRAMMAR = TaskGrammar(
    # In progress, and queued (kirodotdev/Kiro#8859, #5723).
    Marks({"-": State.STARTED, "~": State.OPEN}),
    re.compile(
        rf"[*_ \t]{{0,4}}(?:Task[ \t]{{1,4}}|T-?)?{_NUMBER}[*_]{{0,3}}[.):\uff1a\u3001]",
        re.IGNORECASE,
    ),
)
# cc-sdd's mark of tasks that can run at the same time.
_PARALLEL = re.compile(r"\A\(P\)(?:[ \t]|\Z)|[ \t]\(P\)\Z")


@dataclass(slots=True)
class _Found:
    """A task while it is read; `above` is the one that it is below."""

    box: Box
    id: str
    title: str
    starred: bool
    references: list[re.Match[str]] = field(default_factory=list)
    above: "_Found | None" = None
    is_parent: bool = False


def read_entries(text: str, spec: Spec) -> list[Entry]:
    """The tasks, with the stories and criteria of `spec` that they name."""
    known = stories_by_key(spec)
    return [Entry(_task(one, known), one.box) for one in _read(text)]


def with_opened_below(text: str, tops: Iterable[Box]) -> str:
    """The text in which all tasks below these ones are open."""
    below = {box.at for box in tops}
    edits: set[int] = set()
    for one in _read(text):
        if one.above and one.above.box.at in below:
            below.add(one.box.at)
            if one.box.is_done:
                edits.add(one.box.at)
    return "".join(" " if at in edits else char for at, char in enumerate(text)) if edits else text


def _task(found: _Found, known: Mapping[str, str]) -> Task:
    box = found.box
    story, criteria = keys_in(found.references, known)
    return Task(
        found.id,
        found.title,
        box.is_done,
        box.open_mark,
        box.line,
        story=story,
        criteria=criteria,
        optional=found.is_parent or found.starred,
        mark=box.open_mark,
        is_mark_known=box.known,
    )


def _read(text: str) -> Sequence[_Found]:
    by_line = {box.line: box for box in boxes(text, GRAMMAR)}
    found: list[_Found] = []
    around: list[_Found] = []
    current: _Found | None = None
    for line in scan_work(text).lines:
        if line.level:
            around, current = [], None
        elif box := by_line.get(line.number):
            current = _found(box, len(found) + 1)
            while around and around[-1].box.indent >= box.indent:
                around.pop()
            current.above = around[-1] if around else None
            around.append(current)
            found.append(current)
        elif current and (reference := reference_in(line.text)):
            indent = _indent(line.text)
            owner = next((one for one in reversed(around) if one.box.indent < indent), current)
            owner.references.append(reference)
    _connect(found)
    return found


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def _connect(found: Sequence[_Found]) -> None:
    """Find the tasks above others by their numbers, and pass on what is optional."""
    numbered: dict[str, _Found] = {}
    for one in found:
        one.above = one.above or numbered.get(one.id.rpartition(".")[0])
        numbered[one.id] = one
        if one.above:
            one.above.is_parent = True
            one.starred = one.starred or one.above.starred


def _found(box: Box, place: int) -> _Found:
    title, reference = without_reference(box.text)
    references = [reference] if reference else []
    match = _HEAD.match(title)
    if match is None or not _is_id(match):
        starred = title.startswith("* ")
        return _Found(
            box, f"#{place}", title[2:].strip() if starred else title, starred, references
        )
    title = _PARALLEL.sub("", match["title"])
    if match["bold"] and not match["close"]:
        title = title.replace(match["bold"], "", 1)
    starred = bool(match["star"] or match["late"])
    return _Found(box, match["id"], title.strip(), starred, references)


def _is_id(match: re.Match[str]) -> bool:
    """Whether a number is an id: `2.1`, `2.`, `T001` and `Task 2` are, not that of "2 files"."""
    number = match["id"]
    has_end = bool(match["end"] or match["colon"] or match["late"] or match["close"])
    return has_end or not number[0].isdigit() or "." in number or "task" in match[0][:9].casefold()
