import time
from collections.abc import Sequence

import pytest

from unlatch_agents.transcripts import (
    Correction,
    Decision,
    Event,
    Failure,
    Finding,
    Interruption,
    Prompt,
    Reply,
    Result,
    ToolCall,
    findings,
)

REFUSED = "The user doesn't want to proceed with this tool use."
SAID = f"{REFUSED} To tell you how to proceed, the user said:\nuse sed"


Short = str | Result | tuple[str, Result] | bool


def events(*found: Short) -> list[Event]:
    """`> ` is a prompt, other text a reply, a result a call with its tool.

    True and False are interruptions: True ended the program.
    """
    made: list[Event] = []
    for it in found:
        key = str(len(made))
        if isinstance(it, bool):
            made.append(Interruption(key, None, is_end=it))
        elif isinstance(it, str):
            is_prompt = it.startswith("> ")
            made.append(Prompt(key, None, it[2:]) if is_prompt else Reply(key, None, it))
        else:
            name, result = it if isinstance(it, tuple) else ("Bash", it)
            made.append(ToolCall(key, None, key, name, {"plan": "the plan"}, result))
    return made


def corrections(*found: Short) -> Sequence[Finding]:
    return [it for it in findings(events(*found)) if isinstance(it, Correction)]


def test_failed_calls_are_failures_and_refused_ones_are_not() -> None:
    found = findings(
        events(
            Result("ok"),
            Result("Exit code 4", failed=True, exit_code=4),
            ("Edit", Result("no match", failed=True)),
            Result(SAID, failed=True, rejected=True),
            Result("This command requires approval", failed=True, denied=True),
        )
    )
    assert [it for it in found if isinstance(it, Failure)] == [
        Failure("exit-code", "1", "Exit code 4"),
        Failure("tool-failed", "2", "no match"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Decision: add() adds.",
        "Looked at it.\n\n**Decision:** keep it",
        "- Decided: no cache",
        "We decided to keep the adapter.",
        "After some tests I've decided against a cache.",
    ],
)
def test_decisions_are_said_in_words(text: str) -> None:
    for it in (text, f"> {text}"):
        (found,) = findings(events(it))
        assert isinstance(found, Decision)
        assert (found.rule, found.key) == ("said-decided", "0")
        assert found.text in text


@pytest.mark.parametrize(
    "text",
    [
        "The decision is yours.",
        "Decision:",
        "It is not decided yet.",
        "The team decided on it last year.",
        "```\nDecision: in code\n```",
        "```\nDecision: in code that never ends",
        "> I decided to quote\n",
        "Have you decided to go on?",
        "Have we decided to go on? Not yet.",
        "It depends on what we decided to keep.",
        "If I decided to cache it, it would be stale.",
        "Decision: which one?",
    ],
)
def test_other_words_are_no_decision(text: str) -> None:
    assert findings(events(f"x\n{text}")) == []


def test_long_texts_take_no_quadratic_time() -> None:
    start = time.process_time()
    for text in (
        "\n" * 200_000,
        "```\n" * 50_000,
        "we " * 100_000,
        "User has answered:" + " ." * 100_000,
    ):
        findings(events(text, f"> {text}", ("AskUserQuestion", Result(text))))
    assert time.process_time() - start < 10


def test_approved_plans_and_answered_questions_are_decisions() -> None:
    answered = 'User has answered your questions: "Which?"="sed". You can now continue with it.'
    found = findings(
        events(
            ("ExitPlanMode", Result("User has approved your plan. You can now start coding.")),
            ("AskUserQuestion", Result(answered)),
            ("ask_user", Result('{"answers": {"0": "sed"}}')),
            ("ExitPlanMode", Result("Your plan was not approved.")),
            ("ExitPlanMode", Result(REFUSED, failed=True, rejected=True)),
            ("AskUserQuestion", Result("No such tool available", failed=True)),
            ("AskUserQuestion", Result("User submitted without answering any questions.")),
            Result("approved"),
        )
    )
    assert [it for it in found if isinstance(it, Decision)] == [
        Decision("plan-approved", "0", "the plan"),
        Decision("question-answered", "1", '"Which?"="sed"'),
        Decision("question-answered", "2", '{"answers": {"0": "sed"}}'),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "No, use sed",
        "no. Keep the old name",
        "Actually, no, keep it",
        "Don't touch the tests",
        "please don’t add a cache",  # noqa: RUF001
        "Do not rename it",
        "Never commit to main",
        "stop adding comments",
        "Instead, call the API",
        "instead of a class use a function",
        "revert that",
        "Undo the last change please",
        "That's wrong, it subtracts",
        "this is still wrong",
        "It's not what I asked for",
        "That isn't right",
        "not what I meant",
        "You misunderstood me",
        "I said two files",
    ],
)
def test_first_words_of_a_prompt_correct_the_agent(words: str) -> None:
    expected = [Correction("opening-words", "2", words)]
    assert corrections("> Go", "Done.", f"> {words}") == expected
    assert corrections(f"> {words}") == [], "nothing was done yet"
    assert corrections("> Go", f"> {words}") == [], "nothing was done in between"


@pytest.mark.parametrize(
    "words",
    [
        "No",
        "no problem",
        "No, thanks",
        "No worries, go on",
        "Nobody uses it",
        "Note that it is slow",
        "Don't forget the tests",
        "don't worry about style",
        "Don't you think it is slow?",
        "Don't see any change",
        "Never mind, it works",
        "It is not right now that we need it",
        "Stop the server and start it again",
        "revert the migration in production",
        "Undo support would be nice",
        "That works. Now revert the version",
        "It is not what it seems? Explain",
        "Add a button that is not wrong",
        "I want a cache instead",
        "Now add a docstring",
        "Is that wrong?",
    ],
)
def test_other_prompts_are_no_correction(words: str) -> None:
    assert corrections("> Go", "Done.", f"> {words}") == []


def test_refused_call_is_one_correction_with_the_words_about_it() -> None:
    refused = Result(REFUSED, failed=True, rejected=True)
    said = Result(SAID, failed=True, rejected=True)
    plan = ("ExitPlanMode", refused)
    words = [Correction("call-refused", "3", "use sed")]
    assert corrections("> Go", refused, False, "> use sed") == words
    assert corrections("> Go", said) == [Correction("call-refused", "1", "use sed")]
    assert corrections("> Go", plan, "> shorter") == [Correction("plan-refused", "2", "shorter")]
    assert corrections("> Go", refused) == [Correction("call-refused", "1", "")]
    assert corrections("> Go", refused, "Sorry.") == [Correction("call-refused", "1", "")]
    assert corrections("> Go", refused, "> go on") == [Correction("call-refused", "1", "")]


def test_call_that_a_rule_denied_is_no_correction_and_nor_is_the_next_prompt() -> None:
    denied = Result("This command requires approval", failed=True, denied=True)
    assert [] == corrections(denied, "> Now the tests")
