"""A process that dies at any write of an import or a publication: the next one ends as without."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import pytest
from tests.efforts.test_random_life import in_a_process
from tests.sessions.test_imports import AT, EVENTS, SECRET, call, prompt, reply, transcript

from unlatch.config.choices import SubagentMode
from unlatch.errors import StoreError
from unlatch.sessions.imports.importing import Importer
from unlatch.sessions.imports.publishing import draft, publish
from unlatch.sessions.store import SessionStore
from unlatch.transcripts import Result, Transcript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def grown(events: int) -> Transcript:
    """A transcript with secrets and two agents; the later one came with the last events."""
    facts = {"parent": "s1", "role": "scout"}
    words = (*EVENTS[:5], prompt(8, f"use {SECRET}"), call(9, "look", Result("x", subagent="a2")))
    agents = [
        transcript(reply(2, f"Saw {SECRET}."), id="a1", title="Look", **facts),
        transcript(reply(9, "Done."), id="a2", title="Look", **facts),
    ]
    return transcript(*words[:events], subagents=tuple(agents[: 1 + (events > 5)]))


def take(store: SessionStore, mode: SubagentMode, events: int = 7) -> None:
    Importer(store, mode=mode).take(grown(events), modified=AT, name="file")


def files(root: Path) -> dict[str, bytes]:
    """The content of the sessions; unfinished files are none."""
    return {it.name: it.read_bytes() for it in root.glob("*.md") if it.name[0] != "."}


def check(root: Path, prepare: Callable[[Path], None], act: Callable[[Path], None]) -> int:
    """Die at each write, then act again; the number of deaths."""
    prepare(root / "undisturbed")
    act(root / "undisturbed")
    goal = files(root / "undisturbed")
    for dies_at in count():
        place = root / str(dies_at)
        prepare(place)
        before = files(place)
        in_a_process(partial(act, place), dies_at=dies_at)
        left = files(place)
        assert all(left[name] in (before.get(name), goal[name]) for name in left)
        act(place)
        assert files(place) == goal
        assert [it for it in place.iterdir() if it.name[0] == "."] == []
        if left == goal:
            return dies_at
    raise AssertionError


@pytest.mark.parametrize(
    ("mode", "earlier"),
    [
        (SubagentMode.INLINE, 5),
        (SubagentMode.LINK, 0),
        (SubagentMode.EMBED, 5),
        pytest.param(SubagentMode.INLINE, 0, marks=pytest.mark.sweep),
        pytest.param(SubagentMode.LINK, 5, marks=pytest.mark.sweep),
        pytest.param(SubagentMode.EMBED, 0, marks=pytest.mark.sweep),
    ],
)
def test_death_at_any_write_of_an_import(tmp_path: Path, mode: SubagentMode, earlier: int) -> None:
    def prepare(place: Path) -> None:
        place.mkdir()
        if earlier:
            take(SessionStore(place), mode, earlier)

    deaths = check(tmp_path, prepare, lambda place: take(SessionStore(place), mode))
    assert deaths >= (1 if mode is SubagentMode.INLINE else 3)


def test_death_at_any_write_of_a_publication(tmp_path: Path) -> None:
    imports = SessionStore(tmp_path / "imports")
    imports.root.mkdir()
    take(imports, SubagentMode.INLINE)
    (path,) = imports.paths()

    def act(place: Path) -> None:
        try:
            publish(SessionStore(place), draft(imports, path), now=AT)
        except StoreError as error:
            assert error.id == "session-published"  # noqa: PT017

    assert check(tmp_path, lambda place: place.mkdir(), act) >= 1
