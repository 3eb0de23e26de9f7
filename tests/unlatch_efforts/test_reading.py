"""What the chat does for a model that neither searches nor asks, with a scripted one."""

import pytest
from tests.unlatch_efforts.script import Talk, call, context, reply

from unlatch_efforts.chat import Chat
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.llm import Reply, Scripted, ToolCall

SUMMARY = "Renews the access token."
QUESTION = (
    f"I found a related concluded effort: auth-bug - '{SUMMARY}' "
    "Do you want to reopen it, or start a new effort?"
)
OPEN = call("open_effort", name="login")
SEARCH = reply(None, call("search_efforts", query="401"))


@pytest.fixture
def talk(talk: Talk) -> Talk:
    """A conversation with a concluded effort that each message resembles."""
    talk.store.open("auth-bug")
    talk.store.conclude("auth-bug", SUMMARY)
    talk.hits = [{"id": "auth-bug", "score": 0.4}]
    return talk


def hint(talk: Talk, message: str, *replies: Reply) -> str:
    """The hint beside a message."""
    _, model = talk(message, *(replies or (reply("Ok"),)))
    return context(model, 0).partition("[hint] ")[2].partition("\n\n")[0]


@pytest.mark.parametrize(
    "replies",
    [
        [reply("Let me look.")],
        [reply(None, OPEN)],
        [SEARCH, reply("I reopen it.", call("reopen_effort", id="auth-bug"))],
        [SEARCH] * 4,
        [reply("What does auth-bug do")],
        [reply("")],
    ],
)
def test_the_user_is_asked_whatever_the_model_does(talk: Talk, replies: list[Reply]) -> None:
    shown = list[str]()
    answered, model = talk("The 401 is there", *replies, on_text=shown.append)

    assert answered.text.endswith(QUESTION)
    assert "".join(shown) == answered.text
    assert talk.active() is None
    assert [effort.id for effort in talk.store.all() if effort.is_open] == []
    assert not any("effort:" in banner for banner in answered.banners)
    assert all("may be about the concluded effort auth-bug" in one for one in contexts(model))
    assert Conversation(talk.store).ambient.read()[-1]["content"] == QUESTION

    _, later = talk("Yes", reply(None, call("reopen_effort", id="auth-bug")), reply("Ok"))
    assert QUESTION in context(later, 0)
    assert talk.active() == "auth-bug"


def contexts(model: object) -> list[str]:
    return [
        "\n".join(str(one.get("content")) for one in request.messages)
        for request in model.requests  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize(
    "question", ["Is it auth-bug, or another matter?", "Reopen it?", "SUMMARY Want to reopen that?"]
)
def test_a_model_that_asks_itself_is_not_repeated(talk: Talk, question: str) -> None:
    answered, _ = talk("The 401 is there", SEARCH, reply(question))
    assert answered.text == question


@pytest.mark.parametrize(
    ("message", "score", "asks"),
    [
        ("The 401 is there", 0.3, True),
        ("The 401 is there", 0.29, False),
        ("The 401 is there again", 0.15, True),
        ("We have another problem with tokens", 0.15, True),
        ("The 401 is there again", 0.14, False),
        ("Start a new effort for the login page", 0.9, False),
        ("Please open an effort for tokens", 0.9, False),
    ],
)
def test_a_message_is_asked_about_if_enough_of_it_is_in_an_effort(
    talk: Talk, message: str, score: float, *, asks: bool
) -> None:
    talk.hits = [{"id": "auth-bug", "score": score}]
    answered, _ = talk(message, reply("Hm."))
    assert answered.text.endswith(QUESTION) is asks


@pytest.mark.parametrize(
    ("message", "effort"),
    [
        ("Reopen boiler", "boiler"),
        ("Back to auth bug", "auth-bug"),
    ],
)
def test_who_names_an_effort_is_not_asked(talk: Talk, message: str, effort: str) -> None:
    talk.store.open("boiler")
    talk.store.conclude("boiler", "It is warm.")
    talk.hits = [{"id": effort, "score": 0.5}]
    answered, model = talk(message, reply(None, call("reopen_effort", id=effort)), reply("Ok"))
    assert (answered.effort, answered.text) == (effort, "Ok")
    assert f"call reopen_effort with id {effort} now" in context(model, 0)
    assert "[hint] The next" not in context(model, 1)


ASKED = "The token page shows a 401"


@pytest.mark.parametrize(
    ("message", "reopens"),
    [
        ("Reopen auth-bug, I found another issue", True),
        ("Let's reopen the auth bug", True),
        ("I want to continue working on auth-bug", True),
        ("Back to auth-bug: the page is blank", True),
        ("Let's not reopen auth-bug", False),
        ("Why did we reopen auth-bug?", False),
        ("Reopen auth-bug tomorrow", False),
        ("auth-bug was hard to reopen", False),
        ("Reopen auth-bug or boiler-noise", False),
    ],
)
def test_who_tells_to_reopen_an_effort_has_it_reopened_if_the_model_does_not(
    talk: Talk, message: str, *, reopens: bool
) -> None:
    talk.store.open("boiler-noise")
    talk.store.conclude("boiler-noise", "It is quiet.")
    answered, _ = talk(message, reply("I look."))
    assert answered.effort == talk.active() == ("auth-bug" if reopens else None)
    assert [one.reason for one in talk.store.find("auth-bug").reopens] == [message] * reopens


@pytest.mark.parametrize("answer", ["Reopen it, same issue", "Sure!"])
@pytest.mark.parametrize("asks_itself", [True, False])
def test_who_agrees_has_the_effort_reopened_whatever_the_model_does(
    talk: Talk, answer: str, *, asks_itself: bool
) -> None:
    own = "I found the concluded effort auth-bug. Do you want to reopen it, or start a new effort?"
    talk(ASKED, reply(own if asks_itself else "Hm."))
    answered, model = talk(answer, reply("Which effort?"))

    assert answered.banners == ("--- Reopened effort: auth-bug ---",)
    assert answered.effort == talk.active() == "auth-bug"
    assert "Active effort: auth-bug" in context(model)
    assert "auth-bug is reopened, as the user wants" in context(model)
    (reopen,) = talk.store.find("auth-bug").reopens
    assert reopen.reason == ASKED
    assert ("user", answer) in talk.log("auth-bug")


@pytest.mark.parametrize("answer", ["No, this is different. New effort.", "It's another page"])
def test_who_declines_for_a_new_effort_gets_it_whatever_the_model_does(
    talk: Talk, answer: str
) -> None:
    talk(ASKED, reply("Hm."))
    talk.hits = []
    answered, model = talk(answer, reply("Which effort?"))
    assert "Call open_effort now" in context(model)
    assert answered.banners == ("--- Started effort: token-page-shows-401 ---",)
    assert answered.effort == "token-page-shows-401"
    assert not talk.store.find("auth-bug").is_open


@pytest.mark.parametrize(
    "mistake", [call("reopen_effort", id="auth-bug"), call("open_effort", name="auth-bug")]
)
def test_what_the_user_declined_stays_concluded(talk: Talk, mistake: ToolCall) -> None:
    talk(ASKED, reply("Hm."))
    answered, model = talk("No, a new one", reply(None, mistake), reply(None, OPEN), reply("Ok"))
    assert "does not want to reopen it" in model.requests[1].messages[-1]["content"]
    assert answered.banners == ("--- Started effort: login ---",)
    assert not talk.store.find("auth-bug").is_open


@pytest.mark.parametrize(
    "answer",
    [
        "Please do not ask, reopen it",
        "Yes, but first tell me what was done",
        "Should we reopen it?",
    ],
)
def test_an_answer_that_is_unclear_is_left_to_the_model(talk: Talk, answer: str) -> None:
    talk(ASKED, reply("Hm."))
    talk.hits = []
    answered, model = talk(answer, reply("It renewed tokens."))
    assert "If the user wants a new effort, call open_effort" in context(model)
    assert (answered.banners, talk.active()) == ((), None)
    assert "resembles no" in hint(talk, "And the weather?")  # the last answer asked nothing


def test_a_yes_to_another_question_reopens_nothing(talk: Talk) -> None:
    talk(ASKED, reply("auth-bug did that. Shall I write it down?"))
    assert "If the user wants" in hint(talk, "Yes")
    assert talk.active() is None


def test_a_message_about_nothing_known_opens_an_effort_or_is_answered(talk: Talk) -> None:
    talk.hits = []
    assert "If it starts work on a topic, call open_effort" in hint(talk, "A trip to Japan")
    assert "If it starts work" in hint(talk, "Let's see, what is a kimono?")
    said = hint(talk, "Let's plan a trip", reply(None, OPEN), reply("Ok"))
    assert "It starts work on a topic: call open_effort" in said
    assert hint(talk, "To Japan") == ""  # it belongs to the active effort


def test_a_question_that_came_with_a_clone_is_not_answered(talk: Talk) -> None:
    talk(ASKED, reply("Hm."))
    talk.hits = []
    chat = Chat(Conversation(talk.store), Scripted([reply("What?")]), lambda _: [])
    chat.is_shared = True
    assert chat.turn("Yes").banners == ()
    assert not talk.store.find("auth-bug").is_open
