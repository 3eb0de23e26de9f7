"""The context of a resumed session, against a second implementation: every decision is in it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from unlatch.errors import UsageError
from unlatch_sessions.context import ResumeContext, resume_context
from unlatch_sessions.store import SessionStore


@dataclass
class Writing:
    """Session files, and the words of each decision in them, as they are written."""

    folder: Path
    decided: list[str] = field(default_factory=list)

    def decision(self, quote: str = "") -> str:
        self.decided.append(f"Decided {len(self.decided) + 1}: use a lock")
        return f"{quote}> [!Decision]\n{quote}> {self.decided[-1]}"

    def part(self, kind: str, size: int) -> str:
        """A part of a phase."""
        number = len(self.decided)
        scout = "> [!subagent] @scout\n> mode: "
        if kind == "embedded":
            text = f"## Work\n\n{self.decision()}\n\n## Summary\n\n{self.decision()}\n"
            self.file(f"own-{number}", text)
            return f"{scout}embed\n> ![[own-{number}]]"
        rows = [f"- `Bash run {row}` \u2192 ok" for row in range(size)]
        made: dict[str, Callable[[], str]] = {
            "decision": self.decision,
            "inline": lambda: f"{scout}inline\n> Looked.\n>\n{self.decision('> ')}",
            "deep": lambda: (
                f"{scout}inline\n> > [!subagent] @deep\n> > mode: inline\n{self.decision('> > ')}"
            ),
            "earlier summary": lambda: f"> [!summary]\n> Done.\n>\n{self.decision('> ')}",
            "quoted": lambda: '> [!user]\n> "See:\n> > [!decision]\n> > Decided by others (main"',
            "code": lambda: "```\n> [!decision]\n> An example\n```",
            "calls": lambda: "\n".join(["**Tool calls:**", *rows]),
            "prose": lambda: f"Prose {number}. " * size,
        }
        return made[kind]()

    def file(self, name: str, body: str, point: str = "null") -> Path:
        head = f"session_id: {name}\nstatus: paused\nresume_point: {point}"
        path = self.folder / f"{name}.md"
        path.write_text(f"---\n{head}\n---\n\n# Fix the login\n\n{body}", encoding="utf-8")
        return path


DECIDE = ("decision", "inline", "deep", "earlier summary", "embedded")
parts = st.tuples(
    st.sampled_from([*DECIDE, "quoted", "code", "calls", "prose"]), st.integers(1, 60)
)
phases = st.lists(st.lists(parts, max_size=4), min_size=1, max_size=5)


class Life:
    """A session of drawn parts, and its contexts."""

    def __init__(
        self, folder: Path, phases: list[list[tuple[str, int]]], point: int, *, has_ends: bool
    ) -> None:
        written = Writing(folder)
        body = f"{written.decision()}\n\n" if has_ends else ""
        for number, drawn in enumerate(phases, 1):
            texts = [written.part(*one) for one in drawn]
            body += "\n\n".join([f"## Step {number}", *texts]) + "\n\n"
        if has_ends:
            body += f"## Summary\n\nDone.\n\n{written.decision()}\n"
        self.store = SessionStore(folder)
        self.path = written.file("main", body, f"phase-{point}")
        self.decided = written.decided
        self.whole = self.context(None)

    def context(self, budget: int | None) -> ResumeContext:
        return resume_context(self.store, self.store.read(self.path).session, budget=budget)

    def check(self, budget: int) -> None:
        try:
            context = self.context(budget)
        except UsageError as error:
            (least,) = re.findall(r"--budget (\d+)", error.hint or "")
            assert budget < int(least) <= self.whole.tokens
            budget = int(least)
            context = self.context(budget)
        assert context.tokens == ceil(len(context.text) / 4) <= budget
        listed = context.text.partition("Decisions:\n")[2].partition("\n\n")[0]
        named = re.findall(r"^- (Decided .*?) \((?:main|own)", listed, re.MULTILINE)
        assert sorted(self.decided) == sorted(named)
        if context.text == self.whole.text:
            return
        assert "Left out to keep to the budget: " in context.text
        self._has_the_newest(context, budget)

    def _has_the_newest(self, context: ResumeContext, budget: int) -> None:
        """The end of the whole text is there, and next to no more would fit."""
        every = self.whole.phases
        assert every == context.left_out + context.phases
        end = _common_end(context.text, self.whole.text)
        if context.phases:
            first = context.phases[0]
            assert context.shortened in (None, first)
            assert f"\n## Step {first.removeprefix('phase-')}\n" in context.text
        # Half of the room can be lost to the start of a line, and some to the names of what is cut.
        room = (budget - context.tokens) * 4
        assert room <= end + 100


def _common_end(one: str, other: str) -> int:
    size = 0
    while size < min(len(one), len(other)) and one[-size - 1] == other[-size - 1]:
        size += 1
    return size


@given(phases, st.integers(1, 5), st.booleans(), st.data())
def test_every_decision_is_in_the_context_at_every_budget(
    drawn: list[list[tuple[str, int]]], point: int, has_ends: bool, data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        life = Life(Path(folder), drawn, min(point, len(drawn)), has_ends=has_ends)
        for budget in data.draw(st.lists(st.integers(1, life.whole.tokens), max_size=5)):
            life.check(budget)


def test_an_embedded_session_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    text = "## A\n\n> [!subagent] @scout\n> mode: embed\n> ![[gone]]\n"
    path, store = Writing(tmp_path).file("main", text), SessionStore(tmp_path)
    context = resume_context(store, store.read(path).session)
    named = "Embedded sessions that could not be read:\n- gone: there is no session 'gone'\n"
    assert named in context.text
