"""Find lines of a log that were changed, removed, moved or added after they were written."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_efforts.conversation import STATE, Conversation
from unlatch_efforts.events import EVENTS, ChainedEvent, Logged, line_hash
from unlatch_efforts.store import PROJECTION, EffortStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch_efforts.transcript import Transcript


# The maximum lines of one event that a report covers.
_MOST_GONE = 100_000


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that was changed after it was written.

    Args:
        file: the name of the log, or of the events.
        line: its number, from 1.
        kind: changed, missing, moved, added or unrecorded. An unrecorded line is after the last
            recorded one: a process died before it wrote the event, or the line was added by hand.
            Of a file that is derived from the events: differs, or rebuilt.
    """

    file: str
    line: int
    kind: str


def verify(transcript: Transcript) -> list[Problem]:
    """The lines of a log and its events that were changed after they were written."""
    events = transcript.lines(EVENTS.name)
    expected: list[str] = []
    problems = list(_events(events, expected))
    hashes = list(map(line_hash, transcript.lines(transcript.name)))
    return [*problems, *_log(transcript.name, expected, hashes)]


def check_effort(store: EffortStore, id: str) -> list[Problem]:
    """As `verify` for an effort; also checks the derived files, and rebuilds them.

    They stay while the events have problems, since they may be right.
    """
    is_false, rebuild = partial(store.is_false, id), partial(store.rebuild, id)
    return _checked(store.transcript(id), PROJECTION, is_false, rebuild)


def check_conversation(talk: Conversation) -> list[Problem]:
    """As `check_effort` for a conversation."""
    return _checked(talk.ambient, STATE, talk.is_false, talk.rebuild)


def _checked(
    transcript: Transcript, name: str, is_false: Callable[[], bool], rebuild: Callable[[], object]
) -> list[Problem]:
    problems = verify(transcript)
    if not is_false():
        return problems
    if any(problem.file == EVENTS.name for problem in problems):
        return [*problems, Problem(name, 1, "differs")]
    rebuild()
    return [*problems, Problem(name, 1, "rebuilt")]


def _events(lines: list[bytes], expected: list[str]) -> Iterator[Problem]:
    """Problems of the events; puts the hashes of the log's lines into `expected`."""
    before = ""
    for number, line in enumerate(lines, 1):
        event = EVENTS.parse(line.decode(errors="replace"))
        if event is None:
            yield Problem(EVENTS.name, number, "changed")
        elif event.raw.get("prev") != before:
            yield Problem(EVENTS.name, max(1, number - 1), "changed")
        before = line_hash(line)
        if isinstance(event, Logged):
            expected += event.hashes
        if isinstance(event, ChainedEvent) and event.lines > len(expected):
            # Of a missing event; if an event claims more, the chain has the problem.
            expected += [""] * min(event.lines - len(expected), _MOST_GONE)


def _log(name: str, expected: list[str], hashes: list[str]) -> Iterator[Problem]:
    for number, (wanted, got) in enumerate(zip(expected, hashes, strict=False)):
        expected[number] = wanted or got
    start = next(
        (at for at, pair in enumerate(zip(expected, hashes, strict=False)) if pair[0] != pair[1]),
        min(len(expected), len(hashes)),
    )
    if start == len(expected):
        yield from (Problem(name, number + 1, "unrecorded") for number in range(start, len(hashes)))
    else:
        yield from _differences(name, start, expected[start:], hashes[start:])


def _differences(name: str, start: int, old: list[str], new: list[str]) -> Iterator[Problem]:
    from difflib import SequenceMatcher  # noqa: PLC0415  (slow to load)

    olds, news = set(old), set(new)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, was, was_end, now, now_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        gone = deque(at for at in range(was, was_end) if old[at] not in news)
        for at in range(now, now_end):
            if new[at] in olds:
                yield Problem(name, start + at + 1, "moved")
            elif gone:
                gone.popleft()
                yield Problem(name, start + at + 1, "changed")
            else:
                yield Problem(name, start + at + 1, "unrecorded" if was == len(old) else "added")
        yield from (Problem(name, start + at + 1, "missing") for at in gone)
