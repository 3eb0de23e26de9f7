"""Marks that a project's configuration counts as discarded: `[documents] discarded_marks`.

While documents are read, such a mark is a character for internal use, which every table of marks
knows; the tables themselves stay those of the tools.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.documents.marks import INTERNAL, NO_MARKS
from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.increments.documents.spec_and_tasks import Criterion
    from unlatch.increments.layouts.interface import Layout, Texts, Work
    from unlatch.increments.model.reopens import AppliedAmendment
    from unlatch.increments.model.unit import Evidence, Unit

# Where the layouts look for a box: before a task or a criterion, and behind a status label.
_BEFORE = (
    r"(?m)^([ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)]|#{1,6})[ \t]+)?(?:\*\*Status(?::\*\*|\*\*:)[ \t]*)?\[)"
)


class Discarding:
    """A layout in which further marks mean that a task or a criterion was dropped."""

    def __init__(self, layout: Layout, marks: Sequence[str]) -> None:
        self._layout = layout
        self._inner = {mark: chr(code) for mark, code in zip(marks, INTERNAL, strict=False)}
        self._marks = str.maketrans({inner: mark for mark, inner in self._inner.items()})
        listed = "|".join(map(re.escape, self._inner))
        self._box = pattern(rf"{_BEFORE}({listed})(?=\])")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layout, name)

    def read(self, texts: Texts) -> Work:
        work = self._layout.read(self._within(texts))
        spec = replace(
            work.spec,
            text=work.spec.text.translate(self._marks),
            stories=tuple(replace(s, criteria=self._given(s.criteria)) for s in work.spec.stories),
            criteria=self._given(work.spec.criteria),
        )
        tasks = (
            replace(t, status=t.status and t.status.translate(self._marks)) for t in work.tasks
        )
        return replace(work, spec=spec, tasks=tuple(tasks))

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        return self._layout.evidence(unit, self._within(texts))

    def mark(
        self, texts: Texts, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
    ) -> Texts:
        return self._without(self._layout.mark(self._within(texts), ids, done=done, marks=marks))

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        after, ids = self._layout.amend(self._within(texts), amended)
        return self._without(after), ids

    def _within(self, texts: Texts) -> Texts:
        def inner(box: re.Match[str]) -> str:
            return box[1] + self._inner[box[2]]

        return {name: self._box.sub(inner, text) for name, text in texts.items()}

    def _without(self, texts: Texts) -> Texts:
        return {name: text.translate(self._marks) for name, text in texts.items()}

    def _given(self, criteria: Iterable[Criterion]) -> tuple[Criterion, ...]:
        return tuple(replace(c, box=c.box and c.box.translate(self._marks)) for c in criteria)
