"""Random conversations: what the person said is kept once, and each request has what it needs.

The logs are read from their files, and the requests where a model gets them.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_efforts.script import call, reply

from unlatch.chat_model import estimate
from unlatch.errors import ModelError
from unlatch.project.workspace import utc_now
from unlatch.worklog.ids import new_ulid
from unlatch_efforts.chat import Chat
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.llm import Json, OnText, Reply, ToolCall
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import Author

NAMES = ("boiler", "japan", "printer")
NOT_HERE = "[memory] Not in this context:"


def step(tool: str, **arguments: str) -> tuple[str, dict[str, str]]:
    return tool, arguments


names = st.sampled_from(NAMES)
calls = (
    st.builds(lambda name: step("open_effort", name=name), names)
    | st.builds(
        lambda tool, name: step(tool, id=name),
        st.sampled_from(["reopen_effort", "switch_effort", "expand_effort", "collapse_effort"]),
        names,
    )
    | st.builds(lambda name: step("close_effort", id=name, summary=f"Sum of {name}."), names)
    | st.builds(lambda name: step("close_effort", id=name), names)
    | st.sampled_from([step("search_efforts", query="x"), step("effort_status"), step("burn")])
)
turns = st.tuples(
    st.sampled_from([5, 50, 2_000, 9_000, 60_000]),  # characters
    st.lists(st.lists(calls, min_size=1, max_size=3), max_size=4),  # the calls of each round
    st.none() | st.integers(0, 3),  # the request at which the model fails
)
lives = st.lists(turns | names, min_size=1, max_size=8)  # a name: a person closes or reopens it


class Life:
    """A conversation, and a model that checks each request that it gets."""

    def __init__(self, root: Path, ceiling: int) -> None:
        self.store = EffortStore(root, Author("ada", utc_now, new_ulid))
        self.ceiling = ceiling
        self.said = self.answers = self.asked = 0
        self.plan: list[Sequence[tuple[str, dict[str, str]]]] = []
        self.fails_at: int | None = None
        self.homes: list[str | None] = []  # of each message, as far as the calls say
        self.home: str | None = None
        self.made: dict[str, str] = {}  # the effort of a call that makes it active

    def close_or_reopen(self, name: str) -> None:
        effort = self.store.get(name)
        if effort and effort.is_open:
            self.store.conclude(name, f"Sum of {name}.")
        elif effort:
            self.store.reopen(name, f"Why {name} {len(effort.reopens)}.")

    def turn(self, size: int, rounds: Sequence[Any], fails_at: int | None) -> None:
        self.said += 1
        self.plan, self.fails_at, self.asked = [*rounds], fails_at, 0
        self.before = read_logs(self.store.root)
        active = Conversation(self.store).state().active
        effort = self.store.get(active) if active else None
        self.home = active if effort and effort.is_open else None  # a person may have concluded it
        chat = Chat(Conversation(self.store), self, lambda _: [], estimate, self.ceiling)
        with suppress(ModelError):
            answered = chat.turn(f"Words-{self.said}; ".ljust(size, "x"))
            assert answered.context.tokens <= self.ceiling
            assert answered.effort == self.home
        self.homes.append(self.home)
        self._check_logs()

    def _check_logs(self) -> None:
        logs = read_logs(self.store.root)
        words = [
            (number_of(text), home)
            for home, log in logs.items()
            for role, text in log
            if role == "user"
        ]
        assert sorted(words) == [(n, str(home)) for n, home in enumerate(self.homes, 1)]

    def __call__(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, on_text: OnText | None = None
    ) -> Reply:
        text = "\n".join(str(one.get("content")) for one in messages)
        if text.startswith("Summarize this log"):
            return reply("A sum.")
        self._follow(messages)
        self._check_request(text)
        if self.asked == self.fails_at:
            raise ModelError("llm-refused", "the model fails")
        self.asked += 1
        self.answers += 1
        calls: list[ToolCall] = []
        for tool, arguments in self.plan.pop(0) if self.plan else ():
            calls.append(call(tool, **arguments))
            if tool in {"open_effort", "reopen_effort", "switch_effort"}:
                self.made[calls[-1].id] = next(iter(arguments.values()))
        return reply(f"Answer-{self.answers};", *calls)

    def _follow(self, messages: Sequence[Json]) -> None:
        """Note where the turn is now, from the results of the calls."""
        for one in messages:
            name = self.made.pop(str(one.get("tool_call_id")), None)
            if name and json.loads(one["content"]).get("status") in {
                "opened",
                "reopened",
                "switched",
            }:
                self.home = name

    def _check_request(self, text: str) -> None:
        for number in range(1, self.said + 1):
            assert text.count(f"Words-{number};") in ({1} if number == self.said else {0, 1})
        note = next((it for it in text.split("\n\n") if it.startswith(NOT_HERE)), "")
        active = Conversation(self.store).state().active
        for effort in self.store.all():
            if not effort.is_open:
                continue
            if effort.reopens:
                facts = [effort.reopens[-1].reason or "", effort.summary or ""]
                assert all(it in text for it in facts) or "reopened efforts" in note
            self._check_newest(text, effort.id, note, is_active=effort.id == active)

    def _check_newest(self, text: str, name: str, note: str, *, is_active: bool) -> None:
        """The newest messages are there; the first one that is not would not fit, and is said."""
        log = [it for role, it in self.before.get(name, ()) if role in {"user", "assistant"} and it]
        kept = 0
        while kept < len(log) and is_in(text, log[-kept - 1]):
            kept += 1
        assert not any(is_in(text, it) for it in log[: len(log) - kept])
        if kept == len(log):
            return
        assert f"messages of {name}" in note or "older messages" in note or "[... cut" in note
        if is_active:
            missing = sum(len(it) for it in log[len(log) - kept - 1 :])
            turn = len(text) - text.index(f"Words-{self.said};")
            room = self.ceiling * 4 - len(text[: text.index("[memory] ")]) - turn
            assert missing > room * 0.3


def read_logs(root: Path) -> dict[str, list[tuple[str, str]]]:
    """Roles and texts of all logs; that of talk without an effort is `None`."""
    paths = [*root.rglob("log.jsonl"), *root.rglob("ambient.jsonl")]
    found: dict[str, list[tuple[str, str]]] = {}
    for path in paths:
        name = "None" if path.name == "ambient.jsonl" else path.parent.name
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        found[name] = [(str(row["role"]), str(row.get("content") or "")) for row in rows]
    return found


def number_of(text: str) -> int:
    found = re.match(r"Words-(\d+);", text)
    assert found, text
    return int(found[1])


def is_in(text: str, message: str) -> bool:
    return message.strip() in text


@given(lives, st.sampled_from([4_000, 24_000]))
def test_each_message_is_in_one_log_and_each_request_has_what_fits(
    life: list[Any], ceiling: int
) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder) / ".unlatch" / "efforts"
        root.parent.mkdir()
        talk = Life(root, ceiling)
        for name in NAMES[:2]:
            talk.store.open(name)
        for one in life:
            if isinstance(one, str):
                talk.close_or_reopen(one)
            else:
                talk.turn(*one)
