"""Lines of a worker become messages, and nothing that a worker prints raises."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch_runs.dispatch.outcome import NO_ANSWER, NO_VERDICT, NoAnswer, outcome_of
from unlatch_runs.dispatch.output import Output
from unlatch_runs.dispatch.port import End, Ended, Role
from unlatch_runs.dispatch.protocol import (
    LONGEST_TEXT,
    MOST_OPTIONS,
    Answer,
    Checkpoint,
    Done,
    Failed,
    Message,
    Noise,
    Question,
    Usage,
    read_line,
    stated_answer,
)

RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "Added the parser.",
    "session_id": "7f5c",
    "total_cost_usd": 0.02,
    "usage": {
        "input_tokens": 10,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000,
        "output_tokens": 40,
    },
}
SPENT = Usage(3210, 40, 0.02)
REFUSED = '{"type": "failed", "reason": "no test"}'


def said(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}, {"type": "tool_use", "name": "Read", "input": {}}]
    return {"type": "assistant", "message": {"content": content}, **more}


SHAPES: list[tuple[Any, tuple[Message, ...]]] = [
    ({"type": "checkpoint", "text": "half"}, (Checkpoint("half"),)),
    ({"type": "question", "text": "Which?"}, (Question("Which?"),)),
    ({"type": "question", "text": "?", "options": ["a", "b"]}, (Question("?", ("a", "b")),)),
    ({"type": "done"}, (Done(),)),
    ({"type": "done", "summary": "all", "more": 1}, (Done("all"),)),
    ({"type": "failed", "reason": "no server"}, (Failed("no server"),)),
    (
        {"type": "usage", "input_tokens": 1, "output_tokens": 2, "cost_usd": 0.5},
        (Usage(1, 2, 0.5),),
    ),
    ({"type": "usage", "input_tokens": 1}, (Usage(1),)),
    (RESULT, (SPENT, Done("Added the parser.", is_stated=False))),
    ([RESULT], (SPENT, Done("Added the parser.", False))),
    (
        [{"type": "system"}, said("First."), RESULT],
        (Checkpoint("First."), SPENT, Done("Added the parser.", False)),
    ),
    ({**RESULT, "result": f"It fails.\n\n{REFUSED}\n"}, (SPENT, Failed("no test"))),
    ({**RESULT, "result": f"It fails.\n```json\n{REFUSED}\n```"}, (SPENT, Failed("no test"))),
    (
        {**RESULT, "result": f"{REFUSED}\nbut then it passed"},
        (SPENT, Done(f"{REFUSED}\nbut then it passed", False)),
    ),
    (
        {**RESULT, "is_error": True, "result": "API Error: 529"},
        (SPENT, Failed("success: API Error: 529", False)),
    ),
    (
        {"type": "result", "subtype": "error_max_turns", "is_error": False},
        (Usage(), Failed("error_max_turns", False)),
    ),
    (
        {
            "type": "result",
            "subtype": "error_during_execution",
            "is_error": True,
            "errors": ["a", "b"],
        },
        (Usage(), Failed("error_during_execution: a: b", False)),
    ),
    (
        {"type": "result", "subtype": "error_max_turns", "is_error": True, "errors": 5},
        (Usage(), Failed("error_max_turns", False)),
    ),
    ({**RESULT, "usage": "much"}, (Usage(0, 0, 0.02), Done("Added the parser.", False))),
    ({"type": "system", "subtype": "init"}, ()),
    ({"type": "user", "message": {"content": "x"}}, ()),
    ({"type": "stream_event", "event": {}}, ()),
    (said("Reading the parser."), (Checkpoint("Reading the parser."),)),
    (said("A subagent's words.", parent_tool_use_id="toolu_1"), ()),
    (said(REFUSED), ()),
    ({"type": "assistant", "message": {"content": "plain"}}, ()),
]
NO_MESSAGES: list[Any] = [
    {"type": "approved"},
    {"type": ["done"]},
    {"type": "checkpoint"},
    {"type": "checkpoint", "text": " "},
    {"type": "checkpoint", "text": 7},
    {"type": "question", "text": "?", "options": "a"},
    {"type": "question", "text": "?", "options": [1]},
    {"type": "failed"},
    {"type": "done", "summary": ["all"]},
    {"type": "usage", "input_tokens": -1},
    {"type": "usage", "input_tokens": 1.5},
    {"type": "usage", "input_tokens": True},
    {"type": "usage", "input_tokens": 10**30},
    {"type": "usage", "cost_usd": float("nan")},
    {"type": "usage", "cost_usd": float("inf")},
    {"type": "result"},
    "done",
    7,
    None,
    [["done"]],
]


@pytest.mark.parametrize(("value", "messages"), SHAPES)
def test_every_documented_shape_is_read(value: Any, messages: tuple[Message, ...]) -> None:
    assert read_line(json.dumps(value).encode()) == messages


@pytest.mark.parametrize("value", NO_MESSAGES, ids=str)
def test_anything_else_is_noise(value: Any) -> None:
    (message,) = read_line(json.dumps(value).encode())
    assert isinstance(message, Noise)


def test_long_texts_are_cut_and_stay_writable() -> None:
    (message,) = read_line(json.dumps({"type": "checkpoint", "text": "x\ud800" * 40_000}).encode())
    assert isinstance(message, Checkpoint)
    assert len(message.text) == LONGEST_TEXT
    assert message.text.encode()
    many = {"type": "question", "text": "?", "options": ["a"] * 1000}
    (question,) = read_line(json.dumps(many).encode())
    assert isinstance(question, Question)
    assert len(question.options) == MOST_OPTIONS


def collect(output: Output, *pieces: bytes) -> list[Message]:
    return [message for piece in pieces for message in output.feed(piece)] + list(output.finish())


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_no_bytes_raise_and_the_pieces_make_no_difference(pieces: list[bytes]) -> None:
    whole = collect(Output(longest=64), b"".join(pieces))
    assert collect(Output(longest=64), *pieces) == whole


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "text", "options", "usage", "result", "message", "content"])
            | st.text(max_size=5),
            inner | st.sampled_from(["done", "failed", "question", "usage", "result", "assistant"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_json_raises(value: Any) -> None:
    read_line(json.dumps(value).encode())
    stated_answer(json.dumps(value))


def test_a_last_line_without_an_end_counts() -> None:
    assert collect(Output(), b'{"type": "do', b'ne"}') == [Done()]


def test_the_first_answer_is_the_answer() -> None:
    output = Output()
    lines = b'{"type": "failed", "reason": "a"}\n{"type": "done"}\n{"type": "usage"}\n'
    messages = collect(output, lines)
    assert [type(one) for one in messages] == [Failed, Noise, Usage]
    assert output.answer == Failed("a")
    assert output.noise == 1


@pytest.mark.parametrize("most", [10, 0])
def test_a_result_has_the_totals_of_its_session_and_its_agents(most: int) -> None:
    """As 2.1.332 tells them: `usage` of one turn without its agents, the rest of the session."""
    tokens = {"inputTokens": 1000, "cacheReadInputTokens": 50, "outputTokens": 10}
    models = {"modelUsage": {"a": tokens, "b": {"outputTokens": 3}}}
    results = (
        {**RESULT, **models, "session_id": "s1", "total_cost_usd": 0.5},
        {**RESULT, **models, "session_id": "s1", "total_cost_usd": 0.75},
        {**RESULT, **models, "session_id": ""},
    )
    output = Output(most=most)
    messages = collect(output, b"".join(json.dumps(one).encode() + b"\n" for one in results))
    totals = [Usage(1050, 13, cost, "s1") for cost in (0.5, 0.75)]
    expected = [*(totals if most else totals[1:]), SPENT]
    assert expected == [one for one in messages if isinstance(one, Usage)]


def test_a_flood_of_messages_does_not_hide_the_answer_or_the_cost() -> None:
    output = Output(most=2, most_noise=0)
    flood = b'{"type": "checkpoint", "text": "x"}\n' * 5
    usage = b'{"type": "usage", "cost_usd": 1}\n'
    messages = collect(output, flood + usage + usage + b'{"type": "done"}\n')
    assert messages == [Checkpoint("x"), Checkpoint("x"), Done(), Usage(0, 0, 2)]
    assert output.noise == 3


def test_a_line_without_an_end_is_cut() -> None:
    output = Output(longest=100)
    for _ in range(1000):
        assert list(output.feed(b"x" * 1000)) == []
    assert [type(one) for one in output.feed(b'\n{"type": "done"}\n')] == [Noise, Done]


CLEAN = Ended(End.EXIT, 0)
KILLED = Ended(End.SIGNAL, 9)
DONE, ASSUMED = Done("all"), Done("all", is_stated=False)
FAILED, BROKEN = Failed("no server"), Failed("error_max_turns", is_stated=False)
ASKED = Question("Which?")

TABLE: list[tuple[Answer | None, Ended, Answer | NoAnswer, Answer | NoAnswer]] = [
    # answer, end, outcome for a developer, outcome for an auditor
    (DONE, CLEAN, DONE, DONE),
    (DONE, Ended(End.LINGERED), DONE, DONE),
    (ASSUMED, CLEAN, ASSUMED, NoAnswer(NO_VERDICT)),
    (FAILED, CLEAN, FAILED, FAILED),
    (FAILED, Ended(End.EXIT, 1), FAILED, FAILED),
    (BROKEN, Ended(End.EXIT, 1), BROKEN, NoAnswer("error_max_turns")),
    (ASKED, CLEAN, ASKED, ASKED),
    (None, CLEAN, NoAnswer(NO_ANSWER), NoAnswer(NO_VERDICT)),
    (DONE, Ended(End.UNSEEN), DONE, DONE),
]


@pytest.mark.parametrize(("answer", "ended", "developer", "auditor"), TABLE)
def test_an_outcome_depends_on_answer_end_and_role(
    answer: Answer | None, ended: Ended, developer: Answer | NoAnswer, auditor: Answer | NoAnswer
) -> None:
    assert outcome_of(Role.DEVELOPER, answer, ended) == developer
    assert outcome_of(Role.AUDITOR, answer, ended) == auditor


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("end", [one for one in End if one not in (End.LINGERED, End.UNSEEN)])
def test_done_counts_only_with_a_clean_end(role: Role, end: End) -> None:
    code = {End.EXIT: 1, End.SIGNAL: 11}.get(end)
    outcome = outcome_of(role, DONE, Ended(end, code))
    assert isinstance(outcome, NoAnswer)
    assert outcome.reason.startswith("it reported done, then: it ")


def test_a_reason_names_exit_code_signal_and_the_last_error() -> None:
    failed = Ended(End.EXIT, 3, errors="Traceback\n  ...\nKeyError: 'x'\n\n")
    assert outcome_of(Role.DEVELOPER, None, failed) == NoAnswer(
        "it ended with exit code 3: KeyError: 'x'"
    )
    assert outcome_of(Role.DEVELOPER, None, KILLED) == NoAnswer(
        "it was ended by signal 9 (SIGKILL)"
    )
    assert outcome_of(Role.DEVELOPER, None, Ended(End.SIGNAL, 99)) == NoAnswer(
        "it was ended by signal 99 (unknown)"
    )
