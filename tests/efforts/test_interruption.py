"""A turn that ends early keeps the received pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.efforts.script import call, context, reply

from unlatch.efforts.chat import Chat
from unlatch.efforts.conversation import Conversation
from unlatch.efforts.verify import verify
from unlatch.errors import ModelError
from unlatch.llm import Scripted

if TYPE_CHECKING:
    from tests.efforts.script import Talk

    from unlatch.llm import Complete, OnText

REPLY = "The token expires after an hour."


def turn(talk: Talk, text: str, model: Complete, on_text: OnText) -> None:
    Chat(Conversation(talk.store), model, lambda _: ()).turn(text, on_text=on_text)


def stopping(error: BaseException, *, after: str) -> OnText:
    """A listener that raises an error when it got a piece."""

    def listen(piece: str) -> None:
        if after in piece:
            raise error

    return listen


def test_the_texts_of_two_rounds_are_streamed_as_paragraphs(talk: Talk) -> None:
    pieces: list[str] = []
    replies = reply("Sure.", call("open_effort", name="auth-bug")), reply("I am looking.")
    turn(talk, "Fix", Scripted(replies), pieces.append)
    assert "".join(pieces) == "Sure.\n\nI am looking."
    turn(talk, "And?", Scripted([reply(None, call("effort_status")), reply("Ok.")]), pieces.append)
    assert pieces[-1] == "Ok."


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
    def search(_: str) -> list[Any]:
        raise KeyboardInterrupt

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
