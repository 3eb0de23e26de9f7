"""Which tests of a report a name means.

Writers spell a test in their own ways (`tests.test_a.T` and `test_x`, `search > fails`, `search
fails`), so names are compared word by word: a name means the tests whose words end with its words.
What stands in brackets at the end are parameters, and a name without them means all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, NamedTuple

from unlatch.patterns import pattern
from unlatch_regressions.results.reports import CaseName, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Words = tuple[str, ...]
# The last one is between the names of nested tests in the output of jest.
_BETWEEN = str.maketrans(dict.fromkeys(":./\\#$>\u203a", " "))
_OPENING = {")": "(", "]": "["}
# JUnit 5 in surefire: sizes{int}[2]
_TYPES = pattern(r"\{[^{}]*\}\Z")
# Of all tests in reports of node.
_ANY_GROUP = "test"
_MOST_NAMED = 3
# A row of an outline in behave (findings/behave-outline-rows.sh): sizes -- @1.2 small
_ROW = pattern(r"\d+\.\d+(?: .*)?", re.DOTALL)
_ROW_MARK = " -- @"
# So many are compared one by one.
_FEW = 50
# Of broken files and classes, which are in a message only.
_MOST_IN_PLACE = 200
_SCRIPTS = tuple(f".{kind}{end}" for kind in ("", "m", "c") for end in ("js", "ts", "jsx", "tsx"))
CODE = (".py", ".go", ".java", ".kt", ".cs", *_SCRIPTS)
# Cases in place of tests that did not run: unittest-xml-reporting and nose2, mocha, then bun, whose
# case has the tests around it alone (findings/bun-suites-inside-out.sh). A file that cannot be
# loaded may be in no report at all (findings/deno-broken-file.sh).
_OF_CLASS = pattern(r"(?:setUp|tearDown)(?:Class|Module) \(([^()]+)\)")
_HOOK = pattern(r'"(?:before|after) (?:each|all)" hook\b')
_UNNAMED = "(unnamed)"
_NO_TESTS = frozenset(
    {
        *("", "nose2.loader.ModuleImportFailure", "unittest.loader._FailedTest"),
        "Test suite failed to run",
    }
)


class Match(NamedTuple):
    """The tests of a run that a name means, as one result.

    Args:
        result: the worst of them; None if it is not known.
        why: what is said of a result that is not known, or may be another test's.
        is_certain: whether no other test can be meant.
        has_failed: whether one of them failed, or what ran in their place.
        cases: the tests.
    """

    result: Result | None
    why: str = ""
    is_certain: bool = True
    has_failed: bool = False
    cases: Sequence[CaseName] = ()

    @property
    def is_known(self) -> bool:
        return self.result is not None and self.is_certain


def split_parameters(name: str) -> tuple[str, str]:
    """A name without the brackets at its end, and these: `test_a[1]`, `test_b (i=2)`."""
    outline, mark, row = name.rpartition(_ROW_MARK)
    if mark and _ROW.fullmatch(row):
        return outline, mark + row
    opening, depth = _OPENING.get(name[-1:]), 0
    if opening is None:
        return name, ""
    for place in range(len(name) - 1, 0, -1):
        depth += (name[place] == name[-1]) - (name[place] == opening)
        if depth == 0:
            plain = name[:place].rstrip()
            types = _TYPES.search(plain)
            return (plain[: types.start()] if types else plain), name[place:]
    return name, ""


def spelled(case: CaseName) -> str:
    """A case for people, without its file: some writers name it from the root of the disk."""
    group, name = _without_root(case.group), _without_root(case.name)
    is_enough = group in _NO_TESTS or group == _ANY_GROUP or group in name
    return name if is_enough else f"{group}::{name}"


def _without_root(text: str) -> str:
    for path in (PurePosixPath(text), PureWindowsPath(text)):
        if path.is_absolute():
            return path.name or text
    return text


@lru_cache(maxsize=1000)
def _words(text: str) -> Words:
    return tuple(text.translate(_BETWEEN).split())


def _words_of(name: str) -> Words:
    plain, parameters = split_parameters(name)
    words = _words(plain)
    return (*words[:-1], words[-1] + parameters) if words else ()


def is_name(text: str) -> bool:
    """Whether a text can name a test."""
    return bool(_words(text))


class _Name(NamedTuple):
    """A name in words.

    Args:
        files: the file of the test in front of it, in the ways in which reports name it.
    """

    words: Words
    files: tuple[Words, ...]

    @classmethod
    def of(cls, name: str) -> _Name:
        plain, parameters = split_parameters(name)
        head, _, tail = plain.partition("::")
        if tail and ("/" in head or is_code(head)):
            return cls(_words_of(tail + parameters), tuple(_files(head)))
        return cls(_words_of(name), ())

    def means(self, case: CaseName, name: Words) -> bool:
        """Whether it means a case of this name."""
        group, place = _words(case.group), _words(case.place)
        if self.files:
            # A test in the top folder of a Go module has no file.
            places = [*_places(case)] if any(self.files) else []
            is_there = not places or any(self._is_in(words) for words in places)
            return is_there and _ends(group + name, self.words)
        return _ends(group + name, self.words) or _ends(place + name, self.words)

    def _is_in(self, place: Words) -> bool:
        """Whether a file, or the name of its module or class, is that of the name."""
        return any(
            _ends(place[: end + 1], file) or _ends(file, place[: end + 1])
            for file in self.files
            for end, word in enumerate(place)
            if file and word == file[-1]
        )


def is_code(path: str) -> bool:
    """Whether tests of a language whose reports are understood may be in a file."""
    return path.endswith(CODE)


def _files(path: str) -> Iterator[Words]:
    file = PurePosixPath(path)
    folder = _words(str(file.parent))
    if file.suffix == ".go":
        yield folder  # reports name the package
    else:
        yield _words(path)
        if is_code(path):
            yield (*folder, file.name.partition(".")[0])


def _places(case: CaseName) -> Iterator[Words]:
    """What tells in which file a test is."""
    if "." in case.place or "/" in case.place:
        yield _words(case.place)
    # As jest names it, a group is the name of the test itself.
    if case.group != _ANY_GROUP and case.group not in case.name:
        yield _words(case.group)


def _full_words(case: CaseName) -> Words:
    return _words_of(spelled(case))


def _ends(words: Words, last: Words) -> bool:
    return words[len(words) - len(last) :] == last if len(last) <= len(words) else False


class _SameEnd:
    """Cases whose names end with one word, which may be all of a report."""

    def __init__(self) -> None:
        self.cases: list[CaseName] = []

    def likely(self, wanted: _Name) -> Iterable[CaseName]:
        """Those that a name may mean; all of them, if they are few."""
        if len(self.cases) < _FEW:
            return self.cases
        files = wanted.files or ((),)
        if whole := self._by_words.get(files[0] + wanted.words):
            return whole
        # The last form of a file has its name, or that of a package.
        words = ("", *files[-1][-1:]) if wanted.files else ()
        near = dict.fromkeys(case for word in words for case in self._by_place.get(word, ()))
        return near if wanted.files else self.cases

    @cached_property
    def _by_words(self) -> Mapping[Words, Sequence[CaseName]]:
        cases: dict[Words, list[CaseName]] = defaultdict(list)
        for case in self.cases:
            cases[_full_words(case)].append(case)
        return cases

    @cached_property
    def _by_place(self) -> Mapping[str, Sequence[CaseName]]:
        """The cases by each word of their places; by "", those without a place."""
        cases: dict[str, list[CaseName]] = defaultdict(list)
        for case in self.cases:
            for word in {word for place in _places(case) for word in place} or {""}:
                cases[word].append(case)
        return cases


_NONE = _SameEnd()


class Cases:
    """The tests in the reports of one run."""

    def __init__(self, results: Mapping[CaseName, Result]) -> None:
        self.results = results
        self._whole: dict[str, _SameEnd] = defaultdict(_SameEnd)
        self._plain: dict[str, _SameEnd] = defaultdict(_SameEnd)
        for case in results:
            if case.name.isidentifier():  # as most are, and faster
                self._whole[case.name].cases.append(case)
                continue
            plain, parameters = split_parameters(case.name)
            for last in plain.translate(_BETWEEN).rsplit(None, 1)[-1:]:
                self._whole[last + parameters].cases.append(case)
                if parameters:
                    self._plain[last].cases.append(case)

    def find(self, name: str) -> Match:
        """The result of the tests that a name means."""
        wanted = _Name.of(name)
        if not wanted.words:
            return Match(None, "it names no test")
        if cases := self._whole_cases(wanted) or self._plain_cases(wanted):
            return self._worst(cases, wanted)
        if passed := self._passed_whole(wanted):
            return self._worst(passed, wanted)
        return self._missing(wanted)

    def _whole_cases(self, wanted: _Name) -> list[CaseName]:
        listed = self._whole.get(wanted.words[-1], _NONE).likely(wanted)
        cases = [case for case in listed if wanted.means(case, _words_of(case.name))]
        # The name may be the end of others.
        whole = (wanted.files or ((),))[0] + wanted.words
        return [case for case in cases if whole == _full_words(case)] or cases

    def _plain_cases(self, wanted: _Name) -> list[CaseName]:
        cases = self._plain.get(wanted.words[-1], _NONE).likely(wanted)
        return [
            case for case in cases if wanted.means(case, _words(split_parameters(case.name)[0]))
        ]

    def _passed_whole(self, wanted: _Name) -> list[CaseName]:
        """The test of a subtest: unittest-xml-reporting names only subtests that fail."""
        last, parameters = split_parameters(wanted.words[-1])
        if not parameters.startswith("("):
            return []
        cases = self._whole_cases(wanted._replace(words=(*wanted.words[:-1], last)))
        return [case for case in cases if self.results[case] is Result.PASSED]

    def _worst(self, cases: Sequence[CaseName], wanted: _Name) -> Match:
        result = max(self.results[case] for case in cases)
        has_failed, why = result is Result.FAILED, ""
        tests = {(case.place, case.group, split_parameters(case.name)[0]) for case in cases}
        if len(tests) > 1:
            names = ", ".join(sorted({*map(spelled, cases)})[:_MOST_NAMED])
            why = f"the reports have {len(tests)} tests of this name ({names})"
        elif wanted.files and not (any(wanted.files) and any(_places(cases[0]))):
            why = "the reports do not tell in which file it is"
        elif result is Result.SKIPPED:
            return Match(None, "it was skipped", cases=cases)
        return Match(result, why, not why, has_failed, cases)

    def _missing(self, wanted: _Name) -> Match:
        names = [*wanted.files, ()]
        for case, words in self._in_place:
            if any(_has(file + wanted.words, words) for file in names):
                return Match(None, f"it did not run: {spelled(case)} failed", has_failed=True)
        return Match(None, "no report has it")

    @cached_property
    def _in_place(self) -> list[tuple[CaseName, Words]]:
        """The failed cases in place of tests that did not run, with what they are about."""
        failed = (case for case, result in self.results.items() if result is Result.FAILED)
        pairs = ((case, _words(about)) for case in failed if (about := _subject(case)))
        return [(case, words) for case, words in islice(pairs, _MOST_IN_PLACE) if words]


def _subject(case: CaseName) -> str:
    """The class, module or file that a case is about instead of a test; "" for a test."""
    whole = f"{case.group}.{case.name}" if case.group else case.name
    if match := _OF_CLASS.search(whole):
        return match[1]
    if match := _HOOK.search(case.name):
        return case.name[: match.start()]
    if case.name == _UNNAMED:
        return case.group or case.place
    is_file = is_code(case.name) and case.group in (case.name, _ANY_GROUP)
    return case.name if is_file or case.group in _NO_TESTS else ""


def _has(words: Words, part: Words) -> bool:
    """Whether words stand in others, in their order."""
    starts = range(len(words) - len(part) + 1)
    return any(words[start : start + len(part)] == part for start in starts)
