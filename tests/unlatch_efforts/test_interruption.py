"""The whole life of an effort by talking, and turns that end early."""

from typing import Any

import pytest
from tests.unlatch_efforts.script import Talk, call, context, reply

from unlatch.errors import ModelError
from unlatch_efforts.chat import Chat
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.llm import Complete, OnText, Scripted
from unlatch_efforts.verify import check_effort, verify


def test_full_cycle_open_conclude_reopen_work_re_conclude(talk: Talk) -> None:
    talk("401 errors", reply(None, call("open_effort", name="auth-bug")), reply("Looking."))
    talk("It is the token", reply("An axios interceptor refreshes it."))
    close = reply(None, call("close_effort"))
    talk("Done", close, reply("Fixed the 401 errors."), reply("Closed."))
    first = (talk.store.root / "auth-bug" / "log.jsonl").read_bytes()
    reopen = reply("Sure.", call("reopen_effort", id="auth-bug"))
    answered, _ = talk("Reopen auth-bug", reopen, reply("On it."))
    assert (answered.effort, answered.banners) == (
        "auth-bug",
        ("--- Reopened effort: auth-bug ---",),
    )
    talk("The logout races", reply("A lock around the refresh."))
    _, model = talk("Done", close, reply("Fixed 401 errors and the logout."), reply("Closed."))
    summarized = context(model, 1)
    assert summarized.index("401 errors") < summarized.index("--- Effort reopened ---")
    assert summarized.index("--- Effort reopened ---") < summarized.index("The logout races")
    (effort,) = talk.store.all()
    assert (effort.is_open, effort.summary) == (False, "Fixed 401 errors and the logout.")
    assert [one.prior_summary for one in effort.reopens] == ["Fixed the 401 errors."]
    assert (talk.store.root / "auth-bug" / "log.jsonl").read_bytes().startswith(first)
    assert (check_effort(talk.store, "auth-bug"), talk.active()) == ([], None)


REPLY = "The token expires after an hour."


def turn(talk: Talk, text: str, model: Complete, on_text: OnText) -> None:
    Chat(Conversation(talk.store), model, lambda _: ()).turn(text, on_text=on_text)


def stopping(error: BaseException, *, after: str) -> OnText:
    """A listener that raises an error when it got a piece."""

    def listen(piece: str) -> None:
        if after in piece:
            raise error

    return listen


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ModelError("llm-answer-cut", "It ended")])
def test_a_part_of_a_reply_is_logged_as_interrupted(talk: Talk, error: BaseException) -> None:
    with pytest.raises(type(error)):
        turn(talk, "401 errors", Scripted([reply(REPLY)]), stopping(error, after="token"))
    log = Conversation(talk.store).ambient
    assert lines(log.read()) == [
        ("user", "401 errors", None),
        ("assistant", "The token", True),
    ]
    _, model = talk("Go on", reply("Ok"))
    assert "The token" in context(model)
    assert talk.ambient() == ["401 errors", "Go on"]
    assert verify(log) == []


def test_what_the_rounds_before_did_is_logged_once(talk: Talk) -> None:
    replies = reply("Sure.", call("open_effort", name="auth-bug")), reply(REPLY)
    with pytest.raises(KeyboardInterrupt):
        turn(talk, "Fix", Scripted(replies), stopping(KeyboardInterrupt(), after="token"))
    log = lines(talk.store.transcript("auth-bug").read())
    assert [role for role, _, _ in log] == ["user", "assistant", "tool", "assistant"]
    assert [log[1], log[3]] == [("assistant", "Sure.", None), ("assistant", "The token", True)]


def test_an_interruption_of_a_tool_keeps_the_text_before(talk: Talk) -> None:
    def search(query: str) -> list[Any]:
        if query == "401":
            raise KeyboardInterrupt
        return []

    model = Scripted([reply("I search.", call("search_efforts", query="401"))])
    chat = Chat(Conversation(talk.store), model, search)
    with pytest.raises(KeyboardInterrupt):
        chat.turn("401 errors")
    assert lines(Conversation(talk.store).ambient.read()) == [
        ("user", "401 errors", None),
        ("assistant", "I search.", None),
    ]


def lines(log: list[dict[str, Any]]) -> list[tuple[str, str, Any]]:
    return [(one["role"], one["content"], one.get("interrupted")) for one in log]
