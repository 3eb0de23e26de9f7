"""Calls that small local models write as text."""

import pytest
from tests.unlatch_efforts.script import Talk, call, reply

from unlatch_efforts.llm.written_calls import may_be_calls, written_calls
from unlatch_efforts.store import EffortStore
from unlatch_efforts.tools import DEFINITIONS

OPEN = '{"name": "open_effort", "arguments": {"name": "japan"}}'
STATUS = '{"name": "effort_status", "arguments": {}}'
DOUBLED = OPEN.replace("{", "{{").replace("}", "}}")


@pytest.mark.parametrize(
    "text",
    [
        OPEN,
        f"\n {OPEN}\n",
        f"[{OPEN}]",
        f"```json\n{OPEN}\n```",
        f"```\n{OPEN}```",
        f"```json\n{OPEN}",
        DOUBLED,
        f"{{{OPEN}}}",
        f"<tool_call>\n{OPEN}\n</tool_call>",
        f"<tool_call>{DOUBLED}",
        f"```xml\n<tool_call>{OPEN}</tool_call>\n```",
        f"<tools>\n{DOUBLED}\n</tools>",
        f"{OPEN}\n```\n```",
        '[tools] open_effort({"name": "japan"})',
        '[open_effort, {"name": "japan"}]',
        OPEN.replace("arguments", "parameters"),
        f'{{"type": "function", "function": {OPEN}}}',
        r'{"name": "open_effort", "arguments": "{\"name\": \"japan\"}"}',
    ],
)
def test_an_answer_that_is_a_call_is_read(text: str) -> None:
    (found,) = written_calls(text, DEFINITIONS)
    assert (found.function.name, found.function.arguments) == ("open_effort", '{"name": "japan"}')
    assert all(may_be_calls(text[:size]) for size in range(len(text)))


def test_several_calls_are_read_in_their_order() -> None:
    text = f"<tool_call>{OPEN}</tool_call>\n<tool_call>{STATUS}</tool_call>"
    for written in (text, f"[{OPEN}, {STATUS}]"):
        names = [found.function.name for found in written_calls(written, DEFINITIONS)]
        assert names == ["open_effort", "effort_status"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"I would call {OPEN}",
        "[tools] open_effort(japan)",
        '[tools] rm({"name": "japan"})',
        '[rm, {"name": "japan"}]',
        f"{OPEN} opens it.",
        f"```json\n{OPEN}\n```\nThat opens it.",
        f"```json\n{OPEN}\nThat opens it.",
        f"<tool_call>{OPEN}</tool_call> Done.",
        OPEN.replace("open_effort", "rm"),
        f"[{OPEN}, {OPEN.replace('open_effort', 'rm')}]",
        '{"japan": 1}',
        "{}",
        "[]",
        "[" * 100_000,
        "```json\n{}\n```",
        '{"name": ["open_effort"]}',
    ],
)
def test_anything_else_stays_text(text: str) -> None:
    assert written_calls(text, DEFINITIONS) == ()


def test_a_chat_runs_them_says_so_and_shows_no_json(store: EffortStore) -> None:
    talk, shown = Talk(store), list[str]()
    answered, model = talk(
        "Plan Japan", reply(f"```json\n{OPEN}\n```"), reply('{"so": 1} it is'), on_text=shown.append
    )
    assert answered.banners == (
        "--- Read as a call: open_effort ---",
        "--- Started effort: japan ---",
    )
    assert "".join(shown) == answered.text == '{"so": 1} it is'
    assert [one["role"] for one in model.requests[-1].messages[-2:]] == ["assistant", "tool"]
    assert talk.active() == "japan"
    same, _ = talk("And now?", reply("I look.", call("effort_status")), reply("Ok"))
    assert not any("Read as a call" in banner for banner in same.banners)
