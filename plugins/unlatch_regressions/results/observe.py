"""What the given reports and the memory say of each test that guards finished work."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from unlatch.errors import StoreError
from unlatch.worklog.disk.user_files import read_user_file
from unlatch_regressions.results.case_names import Cases, Match
from unlatch_regressions.results.guards import Guard, find_guards
from unlatch_regressions.results.memory import read_memory, remembered_runs
from unlatch_regressions.results.reports import MOST_BYTES, CaseName, Report, Result, read_report
from unlatch_regressions.results.runs import Run, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from unlatch_regressions.request import Request, Work

OPTION = "junit"


class GuardResults(NamedTuple):
    """The results of a guarding test.

    Args:
        remembered: the runs on the default branch in the memory.
        new: those in the reports.
        elsewhere: the commits of other runs in which it failed; "" for one that is not known.
        unknown: why the reports do not tell its result; "" if they do, or if none was given.
    """

    guard: Guard
    remembered: Sequence[Run]
    new: Sequence[Run]
    elsewhere: Sequence[str]
    unknown: str

    @property
    def runs(self) -> Sequence[Run]:
        return [*joined([*self.remembered, *self.new])]


def observe(request: Request) -> Observed:
    """The results of all guarding tests; each report is read once.

    Raises:
        UnlatchError: as `Observed`.
    """
    kept: Observed = request.kept.get(__name__) or Observed(request)
    request.kept[__name__] = kept
    return kept


class Observed:
    """The results of all guarding tests.

    Attributes:
        skipped: the reports that were not read, each with the reason.
        lost: the number of lines of the memory that cannot be read.

    Raises:
        UnlatchError: a report or the memory cannot be read, or `history-missing`.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.skipped: list[tuple[str, str]] = []
        self.lost = 0
        reports = self._reports()
        self._guards = find_guards(request, reports.values())
        self._cases = {commit: Cases(report.results) for commit, report in reports.items()}

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The commits of the default branch that its runs are about: those of the main line."""
        history = self.request.history
        main = (commit.id for commit in history.commits if _is_main(history.merged_by, commit.id))
        return {name: place for place, name in enumerate(main)}

    def completed_at(self, work: Work) -> int:
        """The place of the commit that brought the completion; after all, if it is not known."""
        merged = self.request.history.merged_by.get(work.completed_in, "")
        return self.places.get(merged, len(self.places))

    def guards(self) -> Iterator[GuardResults]:
        """The results of each guarding test, once for each work that it guards."""
        remembered = self._remembered()
        for guards in self._by_test():
            guard, matches = min(guards, key=_is_preferred)
            # The memory may have any of its names.
            names = (guard.test for guard, _ in guards)
            earlier = [*joined([run for name in names for run in remembered.get(name, ())])]
            new = [*self._runs(matches)]
            elsewhere = [
                commit
                for commit, match in matches.items()
                if commit not in self.places and match.result is Result.FAILED
            ]
            why = _why_unknown(guard, [*matches.values()])
            yield GuardResults(guard, earlier, new, elsewhere, why)

    def _remembered(self) -> Mapping[str, Sequence[Run]]:
        with_files = self.request.head in self.places
        branch = self.request.history.branch
        memory = read_memory(self.request.root, branch=branch, with_files=with_files)
        self.lost = memory.lost
        return remembered_runs(memory.events, self.places)

    def _by_test(self) -> Iterable[Sequence[tuple[Guard, Mapping[str, Match]]]]:
        """The guards with what they match; those of one work with names of one test together."""
        groups: dict[object, list[tuple[Guard, Mapping[str, Match]]]] = defaultdict(list)
        for guard in self._guards:
            matches = {name: cases.find(guard.test) for name, cases in self._cases.items()}
            cases = frozenset(
                (name, *match.cases) for name, match in matches.items() if match.cases
            )
            groups[guard.work, cases or guard.test].append((guard, matches))
        return groups.values()

    def _runs(self, matches: Mapping[str, Match]) -> Iterator[Run]:
        for name, match in matches.items():
            commit = self.request.history.find(name)
            if commit and name in self.places and match.is_certain and match.result:
                yield Run(self.places[name], name, commit.at, match.result)

    def _reports(self) -> dict[str, Report]:
        """The reports, those of one commit as one."""
        results: dict[str, dict[CaseName, Result]] = defaultdict(dict)
        markers: dict[str, dict[CaseName, frozenset[str]]] = defaultdict(dict)
        # A pattern with ** also matches folders.
        for path in (path for path in self.request.files.get(OPTION, ()) if not path.is_dir()):
            name = self.request.commits_of.get(path, self.request.head)
            commit = self.request.history.find(name)
            data, written = _content(path)
            if commit and written < commit.at.timestamp():
                self.skipped.append((str(path), "it is older than the commit that it is about"))
                continue
            report = read_report(data, str(path))
            if earlier := results[name]:
                for case, result in report.results.items():
                    earlier[case] = max(result, earlier.get(case, result))
            else:
                earlier.update(report.results)
            markers[name] |= report.markers
        return {name: Report(results[name], markers[name]) for name in results}


def _is_preferred(pair: tuple[Guard, Mapping[str, Match]]) -> tuple[bool, str]:
    return not pair[0].is_linked, pair[0].test


def _why_unknown(guard: Guard, matches: Sequence[Match]) -> str:
    """Why no report tells the result of a test; of one that nobody linked, only after a failure."""
    unknown = [match for match in matches if not match.is_known]
    if len(unknown) < len(matches):
        return ""
    return next((match.why for match in unknown if guard.is_linked or match.has_failed), "")


def _is_main(merged_by: Mapping[str, str], name: str) -> bool:
    return merged_by.get(name) == name


def _content(path: Path) -> tuple[bytes, float]:
    """The content of a report, and when it was written."""
    try:
        return read_user_file(path, at_most=MOST_BYTES), path.stat().st_mtime
    except OSError as error:
        message = f"the report cannot be read: {error.strerror or error}"
        hint = "check the path and its permissions"
        raise StoreError("report-unreadable", message, where=str(path), hint=hint) from error
