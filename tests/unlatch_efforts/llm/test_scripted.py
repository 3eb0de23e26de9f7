"""The scripted model gives its replies in order, keeps the requests, and says when it ends."""

import json
from pathlib import Path

import pytest
from tests.unlatch_efforts.llm.asking import HELLO, calls_of

from unlatch.errors import ModelError
from unlatch_efforts.llm import Scripted, said


def test_a_request_beyond_the_script_is_an_error() -> None:
    model = Scripted([said("One.")])
    model(HELLO)

    with pytest.raises(ModelError, match=r"llm-script-ended: .* no reply to request 2"):
        model(HELLO)


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(
        json.dumps(
            [
                "Hello.",
                {
                    "content": "Sure.",
                    "tool_calls": [{"name": "open_effort", "arguments": {"name": "a"}, "id": "c"}],
                },
                {"tool_calls": [{"name": "effort_status"}]},
            ]
        )
    )
    model = Scripted.from_file(path)

    messages = [model(HELLO).choices[0].message for _ in range(3)]

    assert ["Hello.", "Sure.", None] == [one.content for one in messages]
    assert [("c", "open_effort", '{"name": "a"}')] == calls_of(messages[1])
    assert [("effort_status", "{}")] == [one[1:] for one in calls_of(messages[2])]


@pytest.mark.parametrize(
    "text",
    ["", "{", "{}", "[1]", '[{"tool_calls": 1}]', '[{"tool_calls": [{}]}]', "\xff", "[" * 99_999],
)
def test_a_file_that_is_no_script_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(ModelError) as caught:
        Scripted.from_file(path)

    assert ("llm-script-invalid", str(path)) == (caught.value.id, caught.value.where)
