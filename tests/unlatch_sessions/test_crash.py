"""A process that dies at any write of a command, an import or a publication loses nothing."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from tests.unlatch_agents.test_imports import AT, EVENTS, SECRET, call, prompt, reply, transcript
from tests.unlatch_efforts.test_random_life import in_a_process

from unlatch.config.choices import SubagentMode
from unlatch.errors import StoreError
from unlatch_agents.imports.importing import Importer
from unlatch_agents.transcripts import Result, Transcript
from unlatch_sessions.imported.publishing import draft, publish
from unlatch_sessions.lifecycle import Start, end, pause, resume, start
from unlatch_sessions.recorder import Recorder
from unlatch_sessions.session_model import Agent, Status
from unlatch_sessions.store import Broken, SessionStore

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
# The syncs of a file and of its folder for one write, and one more; a linked subagent has writes
# for its session, its phase, its end and the callout.
MOST_SYNCS = {"subagent": 12}


def act(store: SessionStore, name: str) -> None:
    """One change of the only session, or its start."""
    if name == "start":
        start(store, Start("Fix the login"), now=NOW)
        return
    (path,) = (one for one in store.paths() if "fix-the-login" in one.name)
    recorder = Recorder(store, path, lambda: NOW)
    if name == "pause":
        pause(store, path)
    elif name == "resume":
        resume(store, path, now=NOW)
    elif name == "complete":
        end(store, path, Status.COMPLETED, now=NOW, summary="Done.")
    elif name == "phase":
        with recorder:
            recorder.phase("More", Agent("coder"))
            recorder.call("Read", "a", "ok")
    elif name == "subagent":
        with recorder:
            recorder.subagent(Agent("scout"), "Work", mode=SubagentMode.LINK)


PREPARED = {"resume": ("pause",)}


@pytest.mark.sample
@pytest.mark.parametrize("name", ["start", "phase", "subagent", "pause", "resume", "complete"])
def test_a_death_at_any_write_is_all_or_nothing(name: str, tmp_path: Path) -> None:
    texts = set()
    for dies_at in range(MOST_SYNCS.get(name, 3) + 1):
        root = tmp_path / str(dies_at) / ".unlatch" / "sessions"
        root.parent.mkdir(parents=True)
        store = SessionStore(root)
        if name != "start":
            act(store, "start")
            act(store, "phase")
        for earlier in PREPARED.get(name, ()):
            act(store, earlier)
        in_a_process(partial(act, store, name), dies_at=dies_at)
        found = [one for one in store.all() if not isinstance(one, Broken)]
        assert len(found) == len(store.paths())
        texts.add(tuple(path.read_text(encoding="utf-8") for path in store.paths()))
        act_again(store, name)
    # Before and after; a subagent's own session is there before the callout that names it.
    assert 2 <= len(texts) <= (5 if name == "subagent" else 2)


def act_again(store: SessionStore, name: str) -> None:
    """The next writer works, and removes the unfinished files of the one that died."""
    if name == "start" and not store.paths():
        act(store, "start")
    path = store.paths()[0]
    status = store.read(path).session.meta.status
    if status is Status.ACTIVE:
        pause(store, path)
    elif status is Status.PAUSED:
        resume(store, path, now=NOW)
    else:
        resume(store, path, now=NOW, reason="More to do")
    assert [one.name for one in store.root.iterdir() if one.name.startswith(".")] == []


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


@pytest.mark.sample
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
