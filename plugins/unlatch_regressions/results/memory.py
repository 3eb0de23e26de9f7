"""The memory of results: `.unlatch/regressions.jsonl`, one line for a guarding test and a commit.

CI starts from fresh clones, so what earlier runs saw is a file in the repository. It is
append-only, and git merges it by union: two clones can add lines.
"""

from __future__ import annotations

from collections import defaultdict
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from unlatch.increments.files.paths import HOME, RESULTS
from unlatch.project.git.run import run_git
from unlatch.worklog.disk.atomic import replace_file, writing
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.safe_open import exists, make_folders, read_file
from unlatch.worklog.event_log import Event, EventLog
from unlatch.worklog.ids import derived_ulid
from unlatch.worklog.record import TEXT, key, record
from unlatch_regressions.results.reports import Result
from unlatch_regressions.results.runs import MOST_RUNS, Run, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

LOG = EventLog(RESULTS)
WORDS = MappingProxyType({result: result.name.lower() for result in Result})
_RESULTS = MappingProxyType({word: result for result, word in WORDS.items()})


@LOG.event("tested")
@record
class Ran(Event):
    """A test ran; `at` is the time of the commit."""

    test: str = key(TEXT)
    commit: str = key(TEXT)
    result: str = key(TEXT)


def event_of(test: str, run: Run, *, by: str) -> Ran:
    """The line of a run: the same from every clone of one author."""
    result = WORDS[run.result]
    ulid = derived_ulid(run.at, ["tested", test, run.commit, result])
    return Ran(id=ulid, at=run.at, by=by, test=test, commit=run.commit, result=result)


def remembered_runs(events: Iterable[Event], places: Mapping[str, int]) -> dict[str, Sequence[Run]]:
    """The runs of each test, in the order of their commits.

    Args:
        places: those of the commits of the default branch; runs of other commits do not count.
    """
    runs: dict[str, list[Run]] = defaultdict(list)
    for event in events:
        if isinstance(event, Ran) and event.commit in places and event.result in _RESULTS:
            run = Run(places[event.commit], event.commit, event.at, _RESULTS[event.result])
            runs[event.test].append(run)
    return {test: [*joined(several)] for test, several in runs.items()}


class Memory(NamedTuple):
    """The results that are remembered, and the number of lines that cannot be read."""

    events: Sequence[Event]
    lost: int


def read_memory(root: Path, *, branch: str, with_files: bool) -> Memory:
    """The lines at the last commit of the default branch.

    Args:
        with_files: read the file in the checkout as well, which may have lines that are not
            committed. That of a pull request is not read.

    Raises:
        StoreError: `events-unreadable`.
    """
    committed = run_git(root, "cat-file", "blob", f"{branch}:./{HOME}/{RESULTS}") or b""
    lines = committed.decode("utf-8", "replace").split("\n")
    events = [LOG.parse(line) for line in lines if line]
    if not with_files:
        return Memory([*filter(None, events)], events.count(None))
    home = root / HOME
    lost = max(events.count(None), LOG.lost_lines(home))
    return Memory([*filter(None, events), *LOG.read(home)], lost)


def write_memory(
    root: Path, new: Sequence[Ran], places: Mapping[str, int], *, is_default: bool
) -> int:
    """Append lines; on the default branch, remove those of a test that are older than the last ten.

    Elsewhere they would come back with the next merge. Lines that cannot be read stay.

    Returns:
        The number of lines removed.

    Raises:
        StoreError: the file cannot be read or written.
    """
    folder = root / HOME
    if not new and not exists(folder / RESULTS):
        return 0
    if not exists(folder):
        with writing(folder):
            make_folders(folder)
    with folder_lock(folder):
        LOG.append(folder, *new)
        if not is_default:
            return 0
        lines = read_file(folder / RESULTS).decode("utf-8", "surrogateescape").split("\n")
        kept = [*_without_old(lines, places)]
        if len(kept) < len(lines):
            content = "\n".join(kept).encode("utf-8", "surrogateescape")
            replace_file(folder / RESULTS, content)
        return len(lines) - len(kept)


def _without_old(lines: Sequence[str], places: Mapping[str, int]) -> Iterator[str]:
    commits: dict[str, dict[str, tuple[int, datetime]]] = defaultdict(dict)
    events = {line: event for line in lines if isinstance(event := LOG.parse(line), Ran)}
    for event in events.values():
        commits[event.test][event.commit] = (places.get(event.commit, -1), event.at)
    last = {
        test: {*sorted(times, key=times.__getitem__)[-MOST_RUNS:]}
        for test, times in commits.items()
    }
    # A merge by union, and a run that was cut short, repeat lines.
    yielded: set[str] = set()
    for line in lines:
        event = events.get(line)
        if event is None or (line not in yielded and event.commit in last[event.test]):
            yielded.add(line)
            yield line
