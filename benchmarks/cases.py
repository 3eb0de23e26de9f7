"""How often a real model handles the three cases correctly: reopen, ask first, open a new effort.

Then, in how many of ten topics unlike what was concluded it asks about a concluded effort.

The model is the one in the user's configuration (`[llm]`); `--model NAME` replaces its name. This
does not run by default: it costs money and needs an account or a local server.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.figures import Figure, NotMeasured
from unlatch.config.config import read_user_config
from unlatch.errors import UnlatchError
from unlatch.increments.files.paths import project_at
from unlatch.project.workspace import Workspace, utc_now
from unlatch.worklog.disk.user_files import user_config_file
from unlatch.worklog.ids import new_ulid
from unlatch_efforts.chat import Chat
from unlatch_efforts.cli.chat import search_efforts
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.llm import open_model
from unlatch_efforts.llm.written_calls import written_calls
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import Author

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from unlatch_efforts.llm import Complete

PART = "cases"
TIMES = 5
# Efforts concluded before each case: id and summary, from the requirement's examples.
CONCLUDED = {
    "auth-bug": "Fixed 401 errors by adding axios interceptor for token refresh.",
    "db-pool-fix": "Increased connection pool from 5 to 25, fixed exhaustion errors.",
}


@dataclass(frozen=True, slots=True)
class Done:
    """The successful calls of a model in one turn, and its text."""

    calls: tuple[tuple[str, str], ...]  # the tool, and its argument: an id or name
    text: str

    def reopened(self, effort: str) -> bool:
        return ("reopen_effort", effort) in self.calls

    def asked_about(self, effort: str) -> bool:
        """Whether it named the effort and a choice without reopening or opening one."""
        acted = {tool for tool, _ in self.calls} & {"reopen_effort", "open_effort"}
        return not acted and effort in self.text and "?" in self.text

    def asked_about_any(self) -> bool:
        return any(self.asked_about(effort) for effort in CONCLUDED)

    def opened(self) -> bool:
        """Whether it opened a new effort and reopened none."""
        tools = {tool for tool, _ in self.calls}
        return "open_effort" in tools and "reopen_effort" not in tools


@dataclass(frozen=True, slots=True)
class Case:
    """An example: the messages of the user and the expected result of each."""

    name: str
    turns: tuple[tuple[str, Callable[[Done], bool]], ...]


def _asks(effort: str) -> Callable[[Done], bool]:
    return lambda done: done.asked_about(effort)


def _reopens(effort: str) -> Callable[[Done], bool]:
    return lambda done: done.reopened(effort)


CASES = (
    Case("explicit 1", (("Let's reopen the auth-bug effort", _reopens("auth-bug")),)),
    Case("explicit 2", (("I want to continue working on auth-bug", _reopens("auth-bug")),)),
    Case("explicit 3", (("Reopen auth-bug, I found another issue", _reopens("auth-bug")),)),
    Case(
        "explicit 4",
        (("Let's reopen auth-bug, I found another edge case", _reopens("auth-bug")),),
    ),
    Case("ambiguous 1", (("I'm seeing 401 errors again", _asks("auth-bug")),)),
    Case("ambiguous 2", (("We need to look at the database connections", _asks("db-pool-fix")),)),
    Case(
        "ambiguous, reopened",
        (
            ("The database is running out of connections again", _asks("db-pool-fix")),
            ("Reopen it, same issue", _reopens("db-pool-fix")),
        ),
    ),
    Case(
        "ambiguous, declined",
        (
            ("We have a different database issue — query timeouts", _asks("db-pool-fix")),
            ("No, this is different. New effort.", Done.opened),
        ),
    ),
    Case("none", (("Let's plan my vacation to Japan", Done.opened),)),
)

# Nothing here resembles a concluded effort: a question would be noise.
UNRELATED = (
    "Write release notes for version 2.0",
    "How do I center a div?",
    "Translate the welcome page into Spanish",
    "Draw a diagram of the billing module",
    "Rename the logo file to brand.svg",
    "What is a good name for a cat?",
    "Add a dark mode to the settings page",
    "Summarize the meeting about hiring",
    "Set up a linter for the shell scripts",
    "Plan the party for the team in June",
)


def figures(model: str | None = None, times: int = TIMES) -> Iterator[Figure]:
    """The share of each case that the model passes."""
    complete = _configured(model)
    for case in CASES:
        passed = sum(passes(case, complete) for _ in range(times))
        yield Figure(PART, case.name, passed, "passes", times, None, "tries")
    asked = sum(asks_needlessly(topic, complete) for topic in UNRELATED)
    yield Figure(PART, "unrelated", asked, "questions", len(UNRELATED), None, "topics")


def _configured(model: str | None) -> Complete:
    where = user_config_file()
    try:
        config = read_user_config(where).llm
        if model:
            config = config.replaced(model=model)
        return open_model(config, environ=os.environ, where=where)
    except UnlatchError as error:
        raise NotMeasured(f"{error.message}; {error.hint}") from error


def passes(case: Case, complete: Complete) -> bool:
    """Whether a model gives the expected result in each turn of a case, in a new project."""
    answers = _answers((text for text, _ in case.turns), complete)
    return all(expected(done) for (_, expected), done in zip(case.turns, answers, strict=False))


def asks_needlessly(topic: str, complete: Complete) -> bool:
    """Whether a model asks about a concluded effort when a message has another topic."""
    return any(done.asked_about_any() for done in _answers([topic], complete))


def _answers(texts: Iterable[str], complete: Complete) -> Iterator[Done]:
    """What a model does with each message of one conversation, as far as the caller asks for."""
    with TemporaryDirectory() as place, patch.dict(os.environ, XDG_STATE_HOME=f"{place}/state"):
        store = _prepared(Path(place))
        workspace = Workspace(project_at(Path(place)), os.environ)
        for text in texts:
            watched = _Watched(complete)
            search = partial(search_efforts, workspace)
            chat = Chat(Conversation(store), watched, search)
            answered = chat.turn(text)
            yield Done(tuple(watched.calls), answered.text)


class _Watched:
    """A model that records its calls."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete
        self.calls: list[tuple[str, str]] = []

    def __call__(self, messages: Sequence[Any], tools: Sequence[Any] = (), **more: Any) -> Any:
        reply = self._complete(messages, tools, **more)
        message = reply.choices[0].message
        # As the chat reads it: small models write their calls as text.
        for call in message.tool_calls or written_calls(message.content or "", tools):
            arguments = call.function.arguments
            named = next((one for one in CONCLUDED if f'"{one}"' in arguments), arguments)
            self.calls.append((call.function.name, named))
        return reply


def _prepared(place: Path) -> EffortStore:
    (place / ".unlatch").mkdir()
    store = EffortStore(place / ".unlatch" / "efforts", Author("bench", utc_now, new_ulid))
    for name, summary in CONCLUDED.items():
        store.open(name)
        store.conclude(name, summary)
    return store
