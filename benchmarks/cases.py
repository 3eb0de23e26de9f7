"""How often a real model handles the three cases correctly: reopen, ask first, open a new effort.

Then, in how many of ten topics unlike what was concluded it asks about a concluded effort.

The model is the one in the user's configuration (`[llm]`); `--model NAME` replaces its name. This
does not run by default: it costs money and needs an account or a local server.
"""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.figures import Figure, NotMeasured
from benchmarks.samples import REQUIREMENT, SAMPLES, Case, Done, Sample
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
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import Author

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from unlatch_efforts.llm import Complete

PART = "cases"
TIMES = 5
UNRELATED = "unrelated"


class Results:
    """The result of each try, kept in a file if there is one, so that a stopped run continues."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
        self._known: dict[str, bool] = {}
        for line in lines:
            self._known |= json.loads(line)

    def result(self, key: str, measure: Callable[[], bool]) -> bool:
        """The result of a try that was made before, or is made now."""
        if key not in self._known:
            self._known[key] = measure()
            if self._path:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({key: self._known[key]}) + "\n")
        return self._known[key]


def figures(
    model: str | None = None, times: int = TIMES, keep: str | None = None
) -> Iterator[Figure]:
    """The share of the tries of each kind of case that the model passes.

    Args:
        times: how often each of the requirement's cases is tried; a larger sample has as many
            tries in all.
        keep: the file with the results until now, which are not measured again.
    """
    complete = _configured(model)
    results = Results(Path(keep) if keep else None)
    for sample in SAMPLES:
        tries = max(1, times * len(REQUIREMENT.cases) // len(sample.cases))
        yield from _figures(sample, complete, tries, results)


def _figures(sample: Sample, complete: Complete, tries: int, results: Results) -> Iterator[Figure]:
    passed = {
        case: sum(
            results.result(f"{sample.name}: {case.name}: {number}", measure)
            for number in range(tries)
        )
        for case in sample.cases
        for measure in [partial(passes, case, complete, sample)]
    }
    for kind in dict.fromkeys(case.kind for case in sample.cases):
        details = {case.name: float(count) for case, count in passed.items() if case.kind == kind}
        what, total = f"{sample.name}: {kind}", sum(details.values())
        yield Figure(PART, what, total, "passes", len(details) * tries, None, "tries", details)
    asked = {
        topic: results.result(f"{sample.name}: {topic}", measure)
        for topic in sample.unrelated
        for measure in [partial(asks_needlessly, topic, complete, sample)]
    }
    what, details = f"{sample.name}: {UNRELATED}", {topic: 1.0 for topic in asked if asked[topic]}
    yield Figure(PART, what, len(details), "questions", len(asked), 0.1, "topics", details)


def _configured(model: str | None) -> Complete:
    where = user_config_file()
    try:
        config = read_user_config(where).llm
        if model:
            config = config.replaced(model=model)
        return open_model(config, environ=os.environ, where=where)
    except UnlatchError as error:
        raise NotMeasured(f"{error.message}; {error.hint}") from error


def passes(case: Case, complete: Complete, sample: Sample = REQUIREMENT) -> bool:
    """Whether a model gives the expected result in each turn of a case, in a new project."""
    answers = _answers((text for text, _ in case.turns), complete, sample)
    return all(expected(done) for (_, expected), done in zip(case.turns, answers, strict=False))


def asks_needlessly(topic: str, complete: Complete, sample: Sample = REQUIREMENT) -> bool:
    """Whether a model asks about a concluded effort when a message has another topic."""
    return any(map(sample.asked_needlessly, _answers([topic], complete, sample)))


def _answers(texts: Iterable[str], complete: Complete, sample: Sample) -> Iterator[Done]:
    """What happens after each message of one conversation, as far as the caller asks for."""
    with TemporaryDirectory() as place, patch.dict(os.environ, XDG_STATE_HOME=f"{place}/state"):
        store = _prepared(Path(place), sample)
        workspace = Workspace(project_at(Path(place)), os.environ)
        for text in texts:
            before = _open(store)
            chat = Chat(Conversation(store), complete, partial(search_efforts, workspace))
            answered = chat.turn(text)
            begun = _open(store) - before
            reopened = begun & sample.concluded.keys()
            yield Done(begun - reopened, reopened, answered.text)


def _open(store: EffortStore) -> frozenset[str]:
    return frozenset(effort.id for effort in store.all() if effort.is_open)


def _prepared(place: Path, sample: Sample) -> EffortStore:
    (place / ".unlatch").mkdir()
    store = EffortStore(place / ".unlatch" / "efforts", Author("bench", utc_now, new_ulid))
    for name, summary in sample.concluded.items():
        store.open(name)
        store.conclude(name, summary)
    return store
