"""Texts have a longest length, and a log has lines of any length."""

import json
from typing import Any

import pytest
from tests.unlatch_efforts.script import Talk, call, reply

from unlatch.errors import UsageError
from unlatch_efforts import llm
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.events import EVENTS
from unlatch_efforts.limits import MESSAGE, REASON, SUMMARY, TITLE
from unlatch_efforts.llm import Scripted
from unlatch_efforts.store import LOG, EffortStore
from unlatch_efforts.verify import verify

MIB = 1 << 20
LONG = "arguments-invalid: the arguments have 1"
# Six characters in JSON each, and seven in JSON within JSON.
WIDE = "\x01"


def error_of(model: Scripted) -> str:
    """The id and the message of the error that was the last result."""
    error = json.loads(model.requests[-1].messages[-1]["content"])["error"]
    return f"{error['id']}: {error['message']}"


def test_a_longest_message_is_kept_and_a_longer_one_refused_before_it_is_written(
    talk: Talk,
) -> None:
    talk(WIDE * MESSAGE, reply("Ok"))
    assert talk.ambient() == [WIDE * MESSAGE]
    talk("And now?", reply("Ok"))
    assert len(talk.ambient()) == 2

    talk("Begin", reply("Ok"))
    folder = Conversation(talk.store).ambient.folder
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(UsageError, match="message-too-long"):
        talk("x" * (MESSAGE + 1))
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        (
            "open_effort",
            {"name": "x" * (TITLE + 1)},
            "effort-name-too-long: the name has",
        ),
        (
            "conclude_effort",
            {"effort_id": "trip", "summary": "x" * (SUMMARY + 1)},
            "summary-too-long",
        ),
        ("conclude_effort", {"effort_id": "trip", "summary": "x" * MESSAGE}, LONG),
        ("reopen_effort", {"id": "x" * MIB}, LONG),
        ("reopen_effort", {"id": "x" * 300}, "effort-unknown"),
    ],
)
def test_a_model_that_writes_too_much_gets_an_error(
    talk: Talk, tool: str, arguments: dict[str, Any], error: str
) -> None:
    talk("Plan", reply(None, call("open_effort", name="trip")), reply("Ok"))
    answered, model = talk("Hm", reply(None, call(tool, **arguments)), reply("Sorry"))
    (banner,) = answered.banners
    assert error_of(model).startswith(error)
    assert banner.startswith(f"--- Not done: {tool}: ")
    assert len(banner) < 2 * TITLE
    assert [(one.id, one.is_open) for one in talk.store.all()] == [("trip", True)]
    assert ("user", "Hm") in talk.log("trip")
    assert all(len(line) < MESSAGE + 1_000 for line in lines(talk.store, "trip"))


def test_the_longest_title_summary_and_reason_are_kept(store: EffortStore) -> None:
    store.open(WIDE * (TITLE - 1) + "x")
    store.conclude("x", WIDE * SUMMARY)
    store.reopen("x", WIDE * REASON)
    with pytest.raises(UsageError, match="reason-too-long"):
        store.reopen("x", "x" * (REASON + 1))
    with pytest.raises(UsageError, match="summary-too-long"):
        store.conclude("x", "x" * (SUMMARY + 1))
    (effort,) = store.all()
    assert (effort.is_open, effort.summary) == (True, WIDE * SUMMARY)


def test_a_reply_and_a_result_that_are_too_long_are_cut_and_say_so(talk: Talk) -> None:
    talk("Tell me", reply("y" * (MESSAGE + 1)))
    text = Conversation(talk.store).ambient.read()[-1]["content"]
    note = "\n[cut: 100,001 characters, of which the first 99,900 are kept]"
    assert text == "y" * (MESSAGE - 100) + note

    talk.hits = [{"id": "auth-bug", "why": "y" * MIB}]
    talk("Find", reply(None, call("search_efforts", query="y")), reply("Ok"))
    (result,) = (
        one["content"] for one in Conversation(talk.store).ambient.read() if one["role"] == "tool"
    )
    assert len(result) < MESSAGE
    assert "[cut: 1,048," in result


def test_a_summary_of_the_model_that_is_too_long_is_cut_and_an_empty_one_refused(
    talk: Talk,
) -> None:
    talk("Begin", reply(None, call("open_effort", name="auth-bug")), reply("y" * 100))
    talk("End", reply(None, call("close_effort")), reply("z" * (SUMMARY + 1)), reply("Ok"))
    (effort,) = talk.store.all()
    assert effort.summary
    assert effort.summary.startswith("z" * (SUMMARY - 100) + "\n[cut")
    talk("Again", reply(None, call("reopen_effort", id="auth-bug")), reply("Ok"))

    _, model = talk("End", reply(None, call("close_effort")), reply(" "), reply("Sorry"))
    assert error_of(model) == "summary-missing: the model wrote no summary"
    assert [one.is_open for one in talk.store.all()] == [True]


def lines(store: EffortStore, effort: str) -> list[bytes]:
    return store.transcript(effort).lines(LOG)


@pytest.mark.sweep
def test_lines_of_any_length_are_read_and_their_events_too(store: EffortStore) -> None:
    store.open("auth-bug")
    transcript = store.transcript("auth-bug")
    long = {"role": "user", "content": "x" * 2 * MIB}
    transcript.append(long)
    # As another program would have added them: their event has a hash for each.
    with (transcript.folder / LOG).open("a", encoding="utf-8") as log:
        log.writelines('{"role": "user", "content": "y"}\n' for _ in range(20_000))
    transcript.append({"role": "user", "content": "last"})
    assert max(map(len, transcript.lines(EVENTS.name))) > MIB
    assert [len(one["content"]) for one in transcript.read()] == [2 * MIB, *[1] * 20_000, 4]
    assert verify(transcript) == []
    (effort,) = store.all()
    assert effort.lines == 20_002


@pytest.mark.parametrize("arguments", ["[" * 60_000, '{"name":' * 10_000, "9" * 10_000])
def test_arguments_that_no_parser_reads_go_back_as_an_error(talk: Talk, arguments: str) -> None:
    replies = reply("Let us see.", llm.call("open_effort", arguments)), reply("Sorry.")
    answered, model = talk("Fix the login", *replies)
    assert error_of(model).startswith("arguments-invalid: the arguments are not ")
    assert answered.text == "Let us see.\n\nSorry."
    assert talk.ambient() == ["Fix the login"]
