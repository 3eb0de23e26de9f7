"""What the person said, and why work was reopened, is in the right log and in each request."""

import json

import pytest
from tests.unlatch_efforts.script import Talk, call, context, reply

from unlatch.errors import ModelError
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.llm import Scripted, ToolCall
from unlatch_efforts.memory import CEILING
from unlatch_efforts.verify import verify

PLAN = "Plan Japan: no flights on Sunday"
WHY = "The refund of a voucher is rounded down"
OPEN = call("open_effort", name="japan")
SEARCH = call("search_efforts", query="Japan")
CLOSE = call("close_effort", id="printer", summary="The printer works.")


def logs(talk: Talk) -> dict[str, list[str]]:
    """The messages of the user in each log."""
    said = {name: talk.log(name) for name in talk.store.names()}
    words = {name: [text for role, text in log if role == "user"] for name, log in said.items()}
    return {"ambient": talk.ambient(), **words}


def rounds(*calls: ToolCall, together: bool) -> list[object]:
    if together:
        return [reply(None, *calls), reply("Ok")]
    return [*(reply(None, each) for each in calls), reply("Ok")]


@pytest.mark.parametrize("together", [True, pytest.param(False, marks=pytest.mark.sweep)])
@pytest.mark.parametrize(
    ("calls", "home"),
    [
        ((SEARCH, OPEN), "japan"),
        ((CLOSE, SEARCH, OPEN), "japan"),
        ((CLOSE, SEARCH), "printer"),
        ((OPEN, call("switch_effort", id="printer")), "printer"),
        ((SEARCH, call("switch_effort", id="ambient")), "ambient"),
        ((CLOSE, call("reopen_effort", id="boiler")), "boiler"),
    ],
)
def test_a_turn_is_in_the_log_of_the_effort_in_which_it_ends(
    talk: Talk, calls: tuple[ToolCall, ...], home: str, *, together: bool
) -> None:
    talk.store.open("Boiler")
    talk.store.conclude("boiler", "It is warm.")
    talk("The printer jams", reply(None, call("open_effort", name="printer")), reply("Ok"))

    answered, _ = talk(PLAN, *rounds(*calls, together=together))  # type: ignore[arg-type]
    _, later = talk("And the hotel?", reply("Ok"))

    assert {name for name, said in logs(talk).items() if PLAN in said} == {home}
    assert sum(said.count(PLAN) for said in logs(talk).values()) == 1
    assert (answered.effort or "ambient") == home
    # It is in the next request, unless the effort was closed, whose summary stands for it.
    assert (PLAN in context(later)) is (CLOSE not in calls or home != "printer")
    assert all([] == [*verify(talk.store.transcript(name))] for name in talk.store.names())


def test_what_a_turn_said_before_it_fails_is_kept_once(talk: Talk) -> None:
    talk("The printer jams", reply(None, call("open_effort", name="printer")), reply("Ok"))
    talk.store.open("boiler")
    talk.store.conclude("boiler", "It is warm.")
    with pytest.raises(ModelError):
        talk("It is cold again", reply("Hm.", call("reopen_effort", id="boiler")))

    assert talk.log("boiler")[-3:-1] == [("user", "It is cold again"), ("assistant", "Hm.")]
    assert logs(talk)["printer"] == ["The printer jams"]
    assert not Conversation(talk.store).state().said


def reopened(talk: Talk, *, words: int = 0) -> Talk:
    """The effort vouchers, concluded, reopened for a reason, and with a long log."""
    talk("Vouchers", reply(None, call("open_effort", name="vouchers")), reply("Ok"))
    for number in range(words):
        talk(f"Rule {number} " + "word " * 400, reply("Ok"))
    talk("Done", reply(None, call("close_effort", summary="Rounded half up.")), reply("Closed."))
    talk.store.reopen("vouchers", WHY)
    talk("Go on", reply(None, call("switch_effort", id="vouchers")), reply("Ok"))
    return talk


@pytest.mark.parametrize("words", [0, pytest.param(40, marks=pytest.mark.sweep)])
def test_summary_and_reason_of_a_reopened_effort_are_in_each_request(
    talk: Talk, words: int
) -> None:
    reopened(talk, words=words)
    for _ in range(3):
        _, model = talk("Next " + "word " * 300, reply("Ok"))
        assert "Rounded half up." in context(model)
        assert WHY in context(model)
    talk("Something else", reply(None, call("switch_effort", id="ambient")), reply("Ok"))
    _, elsewhere = talk("Hm", reply("Ok"))
    assert WHY in context(elsewhere)  # it is open in the background

    talk("Done", reply(None, call("close_effort", id="vouchers", summary="Now exact.")), reply("."))
    _, after = talk("Hm", reply("Ok"))
    assert "Now exact." in context(after)
    assert f"reopened: {WHY}" not in context(after)


def requests(model: Scripted) -> list[str]:
    return [context(model, number) for number in range(len(model.requests))]


def test_a_turn_is_once_in_each_of_its_requests(talk: Talk) -> None:
    talk("Begin", reply(None, call("open_effort", name="import")), reply("Ok"))
    talk("The first rule", reply("Understood"))
    paste = "unique-head " + "row " * 10_000
    search = reply("I look.", call("search_efforts", query="x"))

    answered, model = talk(paste, search, reply("I look again.", SEARCH), reply("Here."))

    for text in requests(model):
        assert text.count("unique-head") == 1
        assert "The first rule" in text
    assert requests(model)[-1].count("I look.") == 1
    assert answered.context.tokens <= CEILING


@pytest.mark.parametrize(
    ("failing", "banner"),
    [
        (call("close_effort", id="nothing"), "Not done: close_effort: there is no effort"),
        (call("close_effort"), "Not done: close_effort: the model wrote no summary"),
        (call("burn_effort"), "Not done: burn_effort: there is no tool 'burn_effort'"),
        (call("open_effort", title="x"), "Not done: open_effort: wrong or missing arguments"),
    ],
)
def test_a_call_that_is_refused_is_said(talk: Talk, failing: ToolCall, banner: str) -> None:
    talk("x" * 60, reply(None, call("open_effort", name="printer")), reply("Ok"))
    summary = [reply("")] if "no summary" in banner else []

    answered, _ = talk("Close it", reply(None, failing), *summary, reply("All closed!"))

    assert [line for line in answered.banners if banner in line] == [*answered.banners] != []
    assert talk.store.find("printer").is_open


def test_an_effort_that_another_conversation_reopened_is_not_expanded(talk: Talk) -> None:
    talk.store.open("boiler")
    talk.store.conclude("boiler", "It is warm.")
    talk("Show it", reply(None, call("expand_effort", id="boiler")), reply("Here"))
    talk("Cold", reply(None, call("reopen_effort", id="boiler")), reply("Ok"), name="other")

    _, model = talk("Which?", reply(None, call("effort_status")), reply("Ok"))

    assert json.loads(model.requests[-1].messages[-1]["content"])["expanded"] == []


def test_a_message_that_resembles_concluded_work_has_it_in_its_context(talk: Talk) -> None:
    for name, summary in (("boiler", "It is warm."), ("printer", "No A4."), ("attic", "Tidy.")):
        talk.store.open(name)
        talk.store.conclude(name, summary)
    talk.store.reopen("boiler", "It is cold")
    talk.store.conclude("boiler", "It is warm again.")
    talk.store.reopen("attic")
    shares = {"boiler": 0.5, "printer": 0.1, "attic": 0.9, "gone": 0.9}
    talk.hits = [{"id": name, "score": share} for name, share in shares.items()]

    _, model = talk("The heating is off", reply("Reopen boiler, or a new one?"))
    _, later = talk("A new one", reply("Ok"))

    before, _, after = context(model).partition("that the next message resembles:")
    assert after.startswith("\n> - boiler: It is warm again.; reopened for: It is cold\n")
    assert "printer" not in after
    assert "attic" not in after
    assert "The heating is off" in after
    assert "The heating is off" not in before
    assert context(later).count("resembles") == context(model).count("resembles")
    assert [role for role, _ in talk.log("boiler")].count("user") == 0


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("The 401 errors again", "may be about the concluded effort auth-bug, but does not name"),
        ("Let's go on with Auth bug", "names the concluded effort auth-bug"),
        ("The printer jams", "may be about the concluded effort printer, but does not name"),
        ("Plan a trip", "resembles no concluded effort"),
    ],
)
def test_a_hint_says_what_fits_a_message_until_the_model_has_answered(
    talk: Talk, message: str, hint: str
) -> None:
    for name in ("auth-bug", "printer"):
        talk.store.open(name)
        talk.store.conclude(name, "It works.")
    hits = {"401": "auth-bug", "printer": "printer"}
    talk.hits = [{"id": name, "score": 0.5} for word, name in hits.items() if word in message]

    _, model = talk(message, reply(None, call("effort_status")), reply("Ok"))

    first, second = (str(one.messages[1:]) for one in model.requests)
    assert first.count("[hint]") == 1
    assert hint in first
    # What is to be done is said once, and what is to be asked until the end of the turn.
    assert second.count("[hint]") == ("may be about" in hint)
