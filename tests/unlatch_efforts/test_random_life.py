"""Any sequence of talk, reopens, crashes and second processes leaves every earlier byte."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.unlatch_efforts.script import Talk, call, reply

from unlatch.errors import UnlatchError
from unlatch.project.workspace import utc_now
from unlatch.worklog.ids import new_ulid
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import Author
from unlatch_efforts.verify import verify

NAMES = ("auth-bug", "db-pool-fix", "japan-vacation")
names = st.sampled_from(NAMES)
texts = st.text(min_size=1, max_size=30)
CALLS = {
    "open_effort": "name",
    "reopen_effort": "id",
    "switch_effort": "id",
    "expand_effort": "id",
    "collapse_effort": "id",
}


def in_a_process(act: Callable[[], Any], *, dies_at: int | None = None) -> None:
    """Do something in a process of its own, which can die before its n-th write is confirmed."""
    child = os.fork()
    if child == 0:
        left = [dies_at if dies_at is not None else 1_000_000]
        confirm = os.fsync

        def dying(descriptor: Any) -> None:
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)
            confirm(descriptor)

        os.fsync = dying  # type: ignore[assignment]  # its parameter has another name
        code = 1
        try:
            with suppress(UnlatchError):
                act()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in {0, 9}


class Life(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(mkdtemp())
        (self.root / ".unlatch").mkdir()
        author = Author("ada", utc_now, new_ulid)
        self.store = EffortStore(self.root / ".unlatch" / "efforts", author)
        self.talk = Talk(self.store)
        self.bytes: dict[Path, bytes] = {}
        # By chance alone, few lives come to an effort that can be reopened.
        self.use("open_effort", NAMES[0], "Begin")
        self.conclude(NAMES[0], "Done")

    def teardown(self) -> None:
        rmtree(self.root, ignore_errors=True)

    @rule(text=texts)
    def say(self, text: str) -> None:
        self.talk(text, reply("Ok"))

    @rule(tool=st.sampled_from([*CALLS]), name=names, text=texts)
    def use(self, tool: str, name: str, text: str) -> None:
        self.talk(text, reply("So", call(tool, **{CALLS[tool]: name})), reply("Done"))

    @rule(name=names, summary=texts)
    def conclude(self, name: str, summary: str) -> None:
        done = call("conclude_effort", effort_id=name, summary=summary)
        self.talk("Close it", reply(None, done), reply("Closed"))

    @rule(name=names, text=texts)
    def conclude_and_reopen(self, name: str, text: str) -> None:
        self.use("open_effort", name, text)
        self.conclude(name, text)
        self.use("reopen_effort", name, text)

    @rule(text=texts, name=names, dies_at=st.integers(0, 12))
    def crash(self, text: str, name: str, dies_at: int) -> None:
        reopen = reply("So", call("reopen_effort", id=name))
        in_a_process(lambda: self.talk(text, reopen, reply("Ok")), dies_at=dies_at)

    @rule(text=texts, name=st.sampled_from(["main", "other"]))
    def other_process(self, text: str, name: str) -> None:
        in_a_process(lambda: self.talk(text, reply("Ok"), name=name))

    @rule()
    def forget(self) -> None:
        """Delete all projections."""
        for kind in ("effort.json", "conversation.json"):
            for one in self.store.root.rglob(kind):
                one.unlink()

    @invariant()
    def every_earlier_byte_is_there(self) -> None:
        for path in (*self.store.root.rglob("log.jsonl"), *self.store.root.rglob("ambient.jsonl")):
            now = path.read_bytes()
            assert now.startswith(self.bytes.get(path, b""))
            self.bytes[path] = now

    @invariant()
    def all_logs_are_proved(self) -> None:
        logs = [self.store.transcript(name) for name in self.store.names()]
        logs += [Conversation(self.store, n).ambient for n in Conversation.names(self.store)]
        problems = [one for log in logs for one in verify(log)]
        assert [one for one in problems if one.kind != "unrecorded"] == []


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=2, stateful_step_count=12, deadline=None)


@pytest.mark.sweep
def test_more_lives() -> None:
    class More(Life.TestCase):  # type: ignore[misc, valid-type]
        settings = settings(max_examples=300, stateful_step_count=40, deadline=None)

    More().runTest()


@pytest.mark.parametrize(
    "dies_at",
    [pytest.param(at, marks=() if at in (0, 1, 4, 8) else pytest.mark.sweep) for at in range(14)],
)
def test_a_turn_that_dies_loses_no_message_and_repeats_none(talk: Talk, dies_at: int) -> None:
    talk("Begin", reply(None, call("open_effort", name="auth-bug")), reply("Ok"))
    in_a_process(lambda: talk("Important", reply("Noted")), dies_at=dies_at)
    talk("After", reply("Ok"))
    said = [content for role, content in talk.log("auth-bug") if role == "user"]
    assert said in (["Begin", "Important", "After"], ["Begin", "After"])
    assert len(said) == 3 or dies_at == 0
