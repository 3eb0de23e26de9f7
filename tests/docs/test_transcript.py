"""The comparison of pages with terminals accepts varying text and rejects other differences."""

import pytest
from tests.docs.transcript import Step, difference, steps


def test_a_block_is_read_as_commands_with_their_output() -> None:
    text = "$ one \\\n    two\nfirst\nsecond\n$ three\n"
    assert [Step("one two", ("first", "second")), Step("three", ())] == steps(text)


def test_a_typed_answer_follows_its_prompt() -> None:
    (step,) = steps("$ unlatch resume 7\nContinue? [y/N]: y\nReason for reopening: Bug\n")
    typed = (("Continue? [y/N]: ", "y"), ("Reason for reopening: ", "Bug"))
    assert typed == step.typed


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (["one", "two"], "one\ntwo\n"),
        (["one ... three"], "one two three\n"),
        (["...", "three"], "one\ntwo\nthree\n"),
        (["✓ b", "✓ a"], "✓ a\n✓ b\n"),
        (["✗ b", "    hint", "✓ a"], "✓ a\n✗ b\n    hint\n"),
        (["Completed  2025-11-01 (3 days ago)"], "Completed      2026-01-02 (today)\n"),
    ],
)
def test_varying_text_passes(shown: list[str], printed: str) -> None:
    assert difference(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (["one"], "one\ntwo\n"),
        (["one", "two"], "two\none\n"),
        (["one ... three"], "one\nthree\n"),
        (["✓ a", "✓ b"], "✓ a\n"),
        (["✗ b", "    hint", "✓ a"], "✓ a\n    hint\n✗ b\n"),
        (["a.c"], "abc\n"),
    ],
)
def test_a_difference_is_reported(shown: list[str], printed: str) -> None:
    assert difference(shown, printed) is not None
