"""Which tests guard which finished work.

`unlatch link 7 --test NAME` says so, and the trailer `Regression-test: 7` for the tests that a
commit adds; the tests that the work's own commits add guard it, and a test whose name or properties
have the full name of the increment, or of an item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from unlatch.patterns import pattern
from unlatch_regressions.branch.commits import trailers_of
from unlatch_regressions.results.added_tests import tests_added_by
from unlatch_regressions.results.case_names import spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch_regressions.request import Request
    from unlatch_regressions.results.reports import Report

TRAILER = "Regression-test"
# octo/widgets#4, 0007-search, SCRUM-28; never a bare number.
_FULL_NAME = pattern(
    r"(?<![\w/#-])(?:(?P<item>[\w.-]{1,100}/[\w.-]{1,100}#[0-9]{1,9}|[A-Z][A-Z0-9_]{1,50}-[0-9]{1,9})"
    r"|(?P<folder>[0-9]{3,9}[A-Za-z]?-[\w-]{1,200}))(?![\w-])"
)


class Guard(NamedTuple):
    """A test that guards work.

    Args:
        test: its name, as `Cases.find` understands it.
        work: the increment's id.
        is_linked: whether a person linked the test by this name.
    """

    test: str
    work: str
    is_linked: bool = False


def find_guards(request: Request, reports: Iterable[Report]) -> list[Guard]:
    """The guards of the finished work, each once."""
    guards: dict[tuple[str, str], Guard] = {}
    for guard in (*_linked(request), *_added(request), *_named(request, reports)):
        guards.setdefault((guard.test, guard.work), guard)
    return [*guards.values()]


def _linked(request: Request) -> Iterator[Guard]:
    for name, work in request.work.items():
        yield from (Guard(test, name, is_linked=True) for test in work.guards)


def _added(request: Request) -> Iterator[Guard]:
    works: dict[str, set[str]] = {}
    for name, work in request.work.items():
        for commit in work.commits:
            works.setdefault(commit, set()).add(name)
    for commit, names in _trailers(request):
        works.setdefault(commit, set()).update(names)
    for commit, tests in tests_added_by(request.root, works):
        yield from (Guard(test, name) for test in tests for name in sorted(works[commit]))


def _trailers(request: Request) -> Iterator[tuple[str, list[str]]]:
    """The commits that say which work their tests guard."""
    sign = f"{TRAILER}:".casefold()
    commits = [commit.id for commit in request.history.commits if sign in commit.message.casefold()]
    for commit, values in trailers_of(request.root, commits, TRAILER):
        words = " ".join(values).replace(",", " ").split()
        names = [name for word in words for name in request.named(word) if name in request.work]
        yield commit, names


def _named(request: Request, reports: Iterable[Report]) -> Iterator[Guard]:
    """The tests whose names or markers name work."""
    for results, markers in reports:
        # Most have neither sign in their names, and no markers.
        signed = (
            case
            for case in results
            if "-" in case[2] or "#" in case[2] or "-" in case[1] or "#" in case[1]
        )
        for case in dict.fromkeys((*signed, *markers)):
            for text in (case.group, case.name, *markers.get(case, ())):
                for work in _works_in(request, text):
                    yield Guard(spelled(case), work)


def _works_in(request: Request, text: str) -> Iterator[str]:
    for match in _FULL_NAME.finditer(text):
        if match["folder"] in request.work:
            yield match["folder"]
        elif match["item"]:
            yield from (name for name in request.named(match["item"]) if name in request.work)
