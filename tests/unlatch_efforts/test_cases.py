"""The requirement's examples over real HTTP: dispatch is proved here, no model's judgement."""

from pathlib import Path
from typing import Any

import pytest
from benchmarks.cases import passes
from benchmarks.samples import HELD_OUT, REQUIREMENT, Case
from tests.unlatch_efforts.llm.chat_model.model import ChatModel

from unlatch.config.tables import LlmConfig
from unlatch_efforts.llm import Complete, open_model

CONCLUDED = REQUIREMENT.concluded
QUESTION = "I found a related concluded effort: {} - '{}' Want to reopen it, or start a new effort?"


def use(tool: str, /, **arguments: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


def ask(effort: str, query: str) -> list[Any]:
    return [use("search_efforts", query=query), QUESTION.format(effort, CONCLUDED[effort])]


def reopen(effort: str) -> list[Any]:
    return [use("reopen_effort", id=effort), f"On with {effort}."]


def start(name: str) -> list[Any]:
    return [use("open_effort", name=name), "A new one."]


RIGHT = {
    **{f"explicit {number}": reopen("auth-bug") for number in (1, 2, 3, 4)},
    "ambiguous 1": ask("auth-bug", "401 errors again"),
    "ambiguous 2": ask("db-pool-fix", "database connections"),
    "ambiguous, reopened": [
        *ask("db-pool-fix", "database connections"),
        *reopen("db-pool-fix"),
    ],
    "ambiguous, declined": [
        *ask("db-pool-fix", "database query timeouts"),
        *start("query-timeouts"),
    ],
    "none 1": start("japan-vacation"),
}
# A model that ignores what was concluded, and one that reopens without asking, which has no effect
# before the user answers.
WRONG = {
    **dict.fromkeys((f"explicit {number}" for number in (1, 2, 3, 4)), start("auth-bug-2")),
    "none 1": reopen("auth-bug"),
}
every_case = pytest.mark.parametrize("case", REQUIREMENT.cases, ids=lambda case: case.name)


def opened(server: ChatModel, tmp_path: Path) -> Complete:
    config = LlmConfig(base_url=server.base_url, model=server.name, key_env="K", timeout=10)
    return open_model(config, environ={"K": server.key or ""}, where=tmp_path)


@every_case
def test_a_model_that_does_what_the_case_says_passes(case: Case, tmp_path: Path) -> None:
    with ChatModel(RIGHT[case.name]) as server:
        assert passes(case, opened(server, tmp_path))
        assert len(server.requests) == len(RIGHT[case.name])


@pytest.mark.sweep
@pytest.mark.parametrize(
    "name",
    ["ambiguous, reopened", "ambiguous, declined"],
)
@pytest.mark.parametrize(
    "replies", [start("something"), reopen("auth-bug"), ["Let me see."]], ids=["new", "old", "text"]
)
def test_any_model_passes_where_a_rule_decides(
    name: str, replies: list[Any], tmp_path: Path
) -> None:
    (case,) = (case for case in REQUIREMENT.cases if case.name == name)
    replies = [replies[0], *["And then?"] * (len(case.turns) - 1)]
    with ChatModel(replies) as server:
        assert passes(case, opened(server, tmp_path))


def test_the_cases_set_aside_are_others_and_at_least_as_many() -> None:
    kinds = [[case.kind for case in sample.cases] for sample in (REQUIREMENT, HELD_OUT)]
    assert all(kinds[1].count(kind) >= kinds[0].count(kind) for kind in set(kinds[0]))
    assert len(HELD_OUT.unrelated) >= len(REQUIREMENT.unrelated)
    said = [{text for case in s.cases for text, _ in case.turns} for s in (REQUIREMENT, HELD_OUT)]
    assert not said[0] & said[1]
    assert not {*HELD_OUT.unrelated} & {*REQUIREMENT.unrelated}
