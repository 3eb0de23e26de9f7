"""The rows of the requirement's testing table, and routing, with a scripted model."""

import json

import pytest
from tests.unlatch_efforts.script import Talk, call, context, reply

from unlatch.errors import ModelError
from unlatch_efforts import llm
from unlatch_efforts.effort_model import Effort

SUMMARY = "Fixed 401 errors by adding axios interceptor for token refresh."


@pytest.fixture
def worked(talk: Talk) -> Talk:
    """A conversation with the concluded effort auth-bug, made by talking."""
    talk(
        "I see 401 errors after an hour",
        reply(None, call("open_effort", name="auth-bug")),
        reply("Looking."),
    )
    talk("It is the token refresh", reply("We add an axios interceptor, then."))
    talk("Done, close it", reply(None, call("close_effort")), reply(SUMMARY), reply("Closed."))
    return talk


def get(talk: Talk, effort: str) -> Effort:
    found = talk.store.get(effort)
    assert found is not None
    return found


def test_reopen_concluded_effort(worked: Talk) -> None:
    answered, model = worked(
        "Reopen auth-bug", reply(None, call("reopen_effort", id="auth-bug")), reply("On it.")
    )
    assert get(worked, "auth-bug").is_open
    assert answered.banners == ("--- Reopened effort: auth-bug ---",)
    assert answered.text == "On it."
    result = model.requests[-1].messages[-1]
    known = f'"status": "reopened", "effort_id": "auth-bug", "prior_summary": "{SUMMARY}"'
    assert (result["role"], known in result["content"]) == ("tool", True)


def test_the_next_step_of_an_error_is_a_tool_for_the_model(worked: Talk) -> None:
    calls = (
        call("switch_effort", id="auth-bug"),
        call("reopen_effort", id="zebra"),
        call("collapse_effort", id="auth-bug"),
        call("close_effort"),
        call("conclude_effort", effort_id="auth-bug", summary=""),
    )
    _, model = worked("Hm", reply(None, *calls), reply("Sorry."))
    results = [one["content"] for one in model.requests[-1].messages if one["role"] == "tool"]
    hints = [json.loads(one)["error"]["hint"] for one in results]
    assert [one for one in hints if "unlatch" in one or "--" in one] == []
    assert hints[0] == "reopen_effort continues it"


def test_reopen_removes_from_expanded_set(worked: Talk) -> None:
    worked("Show auth-bug", reply(None, call("expand_effort", id="auth-bug")), reply("Here."))
    assert worked.expanded() == ["auth-bug"]
    worked("Reopen it", reply(None, call("reopen_effort", id="auth-bug")), reply("Ok"))
    assert worked.expanded() == []


def test_the_turn_that_reopens_is_in_the_log_and_its_separator_is_sent_as_memory(
    worked: Talk,
) -> None:
    before = worked.log("auth-bug")
    worked("Reopen auth-bug", reply("Sure.", call("reopen_effort", id="auth-bug")), reply("On it."))
    added = worked.log("auth-bug")[len(before) :]
    assert [role for role, _ in added] == ["system", "user", "assistant", "tool", "assistant"]
    assert added[0] == ("system", "--- Effort reopened ---")
    assert added[1] == ("user", "Reopen auth-bug")
    assert "Reopen auth-bug" not in worked.ambient()
    _, model = worked("Go on", reply("Ok"))
    roles = [one["role"] for one in model.requests[-1].messages]
    assert roles.count("system") == 1
    assert context(model).count("[memory] --- Effort reopened ---") == 1


def test_conclude_effort_takes_the_summary_of_the_model_and_a_stub_gets_none(talk: Talk) -> None:
    talk("Plan", reply(None, call("open_effort", name="trip")), reply("Ok"))
    conclude = call("conclude_effort", effort_id="trip", summary="To Japan.")
    answered, model = talk("Done", reply(None, conclude), reply("Fine."))
    assert get(talk, "trip").summary == "To Japan."
    assert answered.banners == ("--- Concluded effort: trip ---",)
    assert len(model.requests) == 2

    talk.store.open("stub")
    _, model = talk(
        "ok", reply(None, call("close_effort", id="stub")), reply("Closed; nothing was in it.")
    )
    assert (get(talk, "stub").status, get(talk, "stub").summary) == ("concluded", None)
    assert len(model.requests) == 2


def test_text_that_names_a_tool_does_nothing_and_beside_a_call_counts(talk: Talk) -> None:
    talk("Hello", reply("Opening effort: auth-bug"))
    assert talk.store.all() == []
    assert talk.ambient() == ["Hello"]

    answered, _ = talk(
        "Let us fix auth",
        reply("Sure, opening.", call("open_effort", name="auth-bug")),
        reply(None),
    )
    assert answered.text == "Sure, opening."
    assert answered.banners == ("--- Started effort: auth-bug ---",)
    assert ("user", "Let us fix auth") in talk.log("auth-bug")


def test_a_message_is_in_the_log_of_the_active_effort_unless_the_model_interrupts_it(
    talk: Talk,
) -> None:
    talk("Fix", reply(None, call("open_effort", name="auth-bug")), reply("Ok"))
    talk("It is the refresh", reply("Yes."))
    assert talk.log("auth-bug")[-2:] == [("user", "It is the refresh"), ("assistant", "Yes.")]

    before = talk.log("auth-bug")
    talk("Will it rain?", reply(None, call("switch_effort", id="ambient")), reply("No."))
    assert talk.log("auth-bug") == before
    assert talk.ambient() == ["Will it rain?"]


def test_opening_the_name_of_an_open_effort_switches_to_it(talk: Talk) -> None:
    talk.store.open("auth-bug")
    answered, _ = talk("Fix", reply(None, call("open_effort", name="Auth Bug")), reply("Ok"))
    assert answered.banners == ("--- Switched to effort: auth-bug ---",)
    assert talk.active() == "auth-bug"


def test_opening_the_name_of_a_concluded_effort_offers_it(worked: Talk) -> None:
    before = worked.log("auth-bug")
    _, model = worked("Fix", reply(None, call("open_effort", name="auth-bug")), reply("Reopen it?"))
    assert '"candidates": [{"id": "auth-bug"' in model.requests[-1].messages[-1]["content"]
    assert worked.log("auth-bug") == before


def test_an_expanded_log_is_in_the_context_until_it_is_collapsed_or_three_turns_pass(
    worked: Talk,
) -> None:
    worked("Show auth-bug", reply(None, call("expand_effort", id="auth-bug")), reply("Here."))
    assert "It is the token refresh" in context(worked("Hm", reply("Ok"))[1])
    worked("Enough", reply(None, call("collapse_effort", id="auth-bug")), reply("Ok"))
    assert "It is the token refresh" not in context(worked("Hm", reply("Ok"))[1])

    worked("Show auth-bug", reply(None, call("expand_effort", id="auth-bug")), reply("Here."))
    said = [worked(text, reply("Ok"))[0].banners for text in ("Fine", "Nice", "Well")]
    assert said == [(), (), ("--- Auto-collapsed effort: auth-bug (inactive for 3 turns) ---",)]


def test_a_summary_leaves_the_context_after_twenty_turns(worked: Talk) -> None:
    for _ in range(20):
        assert SUMMARY in context(worked("Hm", reply("Ok"))[1])
    shown = context(worked("Hm", reply("Ok"))[1])
    assert SUMMARY not in shown
    assert "1 summaries of concluded efforts (search_efforts finds them)" in shown


def test_a_reopened_effort_begins_with_its_highlights(talk: Talk) -> None:
    talk("Fix", reply(None, call("open_effort", name="auth-bug")), reply("Ok"))
    talk("We decided to keep `refreshToken` in memory.", reply("A cookie was ruled out."))
    talk(
        "Done", reply(None, call("conclude_effort", effort_id="auth-bug", summary="s")), reply(".")
    )
    talk("Again", reply(None, call("reopen_effort", id="auth-bug")), reply("Ok"))
    shown = context(talk("Go on", reply("Ok"))[1])
    assert "line 5, decided: We decided to keep `refreshToken` in memory." in shown
    assert "line 6, rejected: A cookie was ruled out." in shown
    assert "line 5, identifier: `refreshToken`" in shown


def test_unknown_tools_and_bad_arguments_go_back_as_errors(talk: Talk) -> None:
    bad = llm.call("open_effort", '{"name": ')
    _, model = talk(
        "Hm",
        reply(None, call("delete_effort"), bad, call("open_effort", title="x")),
        reply("Sorry"),
    )
    errors = [one["content"] for one in model.requests[-1].messages if one["role"] == "tool"]
    assert [
        "tool-unknown" in errors[0],
        "arguments-invalid" in errors[1],
        "arguments-invalid" in errors[2],
    ] == [True] * 3
    assert talk.store.all() == []


def test_at_most_three_rounds_of_tools_run_and_calls_of_a_fourth_are_named(talk: Talk) -> None:
    status = reply(None, call("effort_status"))
    answered, model = talk("Hm", status, status, status, reply("Enough.", call("effort_status")))
    assert [one["role"] for one in model.requests[-1].messages].count("tool") == 3
    assert answered.text == "Enough."

    calls = [reply(None, call("open_effort", name=name)) for name in ("one", "two", "three")]
    answered, _ = talk("Hm", *calls, reply(None, call("open_effort", name="four")))
    assert [one.id for one in talk.store.all()] == ["three", "two", "one"]
    assert (answered.text, answered.dropped) == ("", ("open_effort",))


def test_a_message_is_kept_when_the_model_fails(talk: Talk) -> None:
    with pytest.raises(ModelError, match="llm-script-ended"):
        talk("Important")
    assert talk.ambient() == ["Important"]
    talk("Still there?", reply("Yes."))
    assert talk.ambient() == ["Important", "Still there?"]


def test_a_summary_that_cannot_be_made_leaves_the_effort_open(talk: Talk) -> None:
    talk(
        "Fix the long standing problem with tokens",
        reply(None, call("open_effort", name="auth-bug")),
        reply("Ok, we look."),
    )
    with pytest.raises(ModelError, match="llm-script-ended"):
        talk("Close it", reply(None, call("close_effort")))
    assert get(talk, "auth-bug").is_open
    assert ("user", "Close it") in talk.log("auth-bug")


def test_two_conversations_have_an_active_effort_each_and_one_that_is_concluded_takes_no_lines(
    talk: Talk,
) -> None:
    talk("Fix", reply(None, call("open_effort", name="auth-bug")), reply("Ok"))
    talk("Hi", reply("Hello."), name="other")
    assert (talk.active(), talk.active("other")) == ("auth-bug", None)
    assert talk.ambient() == []

    talk.store.conclude("auth-bug", "done elsewhere")
    before = talk.log("auth-bug")
    talk("Go on", reply("Ok"))
    assert talk.log("auth-bug") == before
    assert talk.ambient() == ["Go on"]


def test_a_summary_of_a_long_log_covers_all_of_it(talk: Talk) -> None:
    talk("Begin", reply(None, call("open_effort", name="auth-bug")), reply("Ok"))
    talk.store.transcript("auth-bug").append(
        *({"role": "user", "content": f"Fact {number}. " + "word " * 500} for number in range(70))
    )
    replies = [reply(f"Part {number}.") for number in range(3)]
    _, model = talk("Close it", reply(None, call("close_effort")), *replies, reply("Closed."))
    shown = [context(model, number) for number in (1, 2, 3)]
    assert [
        number for number in range(70) if not any(f"Fact {number}." in one for one in shown)
    ] == []
    assert ["Summary of the log so far:\nPart" in one for one in shown] == [False, True, True]
    assert get(talk, "auth-bug").summary == "Part 2."
