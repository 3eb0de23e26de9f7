"""How a workflow is walked: chosen transitions, filled screens, ways of several steps."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unlatch_jira.making import (
    CLOSE,
    OTHER_OP,
    REOPEN,
    WITH_PATHS,
    comments,
    deliver,
    field,
    plugin_for,
    ref,
    resolution,
    sent,
    status,
)

from unlatch.errors import Rejected
from unlatch.spi import Category, Change, DeliveryOptions, Goal
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.jira.workflows import ROOT_CAUSE

NOT_OFFERED = "Root cause takes one of Bug, Misunderstanding, not the configured '...'"
WAY = ["Wartet auf Freigabe", "In Arbeit"]


def finished(box: Sandbox, workflow: str, status: str, **more: Any) -> str:
    box.jira.add_project("SCRUM", workflow)
    return box.jira.add_issue(summary="Smart", status=status, labels=["completed"], **more)


@pytest.mark.sample(at=(0, 2))
@pytest.mark.parametrize(
    ("table", "reached"),
    [
        ({"SCRUM": {"reopen": "To Do"}}, "To Do"),
        ({"SCRUM/Story": {"reopen": "11"}}, "To Do"),
        ({"*/story": {"reopen": "10000"}}, "To Do"),
        ({"*/Bug": {"reopen": "To Do"}, "OPS": {"reopen": "To Do"}}, "In Progress"),
        ({"SCRUM/Bug": {"reopen": "To Do"}}, "In Progress"),
        ({"*/Story": {"reopen": "In Progress"}, "SCRUM": {"reopen": "To Do"}}, "To Do"),
        ({"SCRUM": {"reopen": "In Progress"}, "SCRUM/Story": {"reopen": "To Do"}}, "To Do"),
        # What the narrowest leaves open, the next one says.
        ({"SCRUM/Story": {"complete": "Done"}, "SCRUM": {"reopen": "To Do"}}, "To Do"),
    ],
)
def test_the_narrowest_table_for_an_issue_counts(
    either: Sandbox, table: dict[str, Any], reached: str
) -> None:
    key = either.jira.add_issue(summary="Smart", status="Done")
    deliver(plugin_for(either, transitions_for=table), ref(either, key), REOPEN)
    assert status(either, key) == reached


def test_a_way_of_two_steps_is_printed_and_not_gone_unasked(box: Sandbox) -> None:
    key = finished(box, "two-hops", "Erledigt")

    with pytest.raises(Rejected, match="path-needed:") as caught:
        deliver(plugin_for(box), ref(box, key), REOPEN)

    assert "Erledigt > Wartet auf Freigabe > In Arbeit" in caught.value.message
    setting = 'paths.reopen = { "Erledigt" = ["Wartet auf Freigabe", "In Arbeit"] }'
    assert setting in (caught.value.hint or "")
    assert "--allow-path" in (caught.value.hint or "")
    assert (status(box, key), comments(box, key)) == ("Erledigt", [])


def test_the_printed_setting_is_the_way_that_is_then_gone(box: Sandbox) -> None:
    key = finished(box, "two-hops", "Erledigt")
    plugin = plugin_for(box, paths={"reopen": {"Erledigt": WAY}})
    planned = plugin.plan(plugin.read(ref(box, key), REOPEN), REOPEN)
    box.requests.clear()

    outcome = deliver(plugin, ref(box, key), REOPEN)

    assert (status(box, key), resolution(box, key)) == ("In Arbeit", None)
    assert outcome.after.category is Category.DOING
    assert len(comments(box, key)) == 1
    assert sent(box) == [
        f"GET /issue/{key}",
        f"POST /issue/{key}/transitions",
        f"GET /issue/{key}",
        f"POST /issue/{key}/transitions",
        f"PUT /issue/{key}",
    ]
    assert [one.method for one in planned] == [line.partition(" ")[0] for line in sent(box)]
    assert planned[1].what == ("take the transition 'Freigabe erbitten' to 'Wartet auf Freigabe'")
    assert planned[3].what == "take the transition 'In Arbeit' to 'In Arbeit'"


def test_a_way_that_broke_off_is_gone_on_from_where_the_issue_stands(either: Sandbox) -> None:
    key = finished(either, "two-hops", "Wartet auf Freigabe")
    plugin = plugin_for(either, paths={"reopen": {"erledigt": WAY}})

    deliver(plugin, ref(either, key), REOPEN)

    assert status(either, key) == "In Arbeit"


@pytest.mark.parametrize("can_view", [True, False], ids=["map", "no map"])
def test_with_leave_a_way_is_found_and_told(either: Sandbox, *, can_view: bool) -> None:
    key = finished(either, "two-hops", "Erledigt")
    either.jira.add_project("SCRUM", "two-hops", can_view_workflow=can_view)

    change = replace(REOPEN, options=WITH_PATHS)
    outcome = deliver(plugin_for(either), ref(either, key), change)

    assert status(either, key) == "In Arbeit"
    setting = 'paths.reopen = { "Erledigt" = ["Wartet auf Freigabe", "In Arbeit"] }'
    assert [setting in note for note in outcome.notes] == [True]


@pytest.mark.parametrize("deployment", ["Cloud", "Server"])
def test_without_a_map_the_error_says_that_only_moving_would_tell(
    box: Sandbox, deployment: str
) -> None:
    box.jira.add_project("SCRUM", "two-hops", deployment, can_view_workflow=False)
    key = box.jira.add_issue(summary="Smart", status="Erledigt")

    with pytest.raises(Rejected, match="no-transition:") as caught:
        deliver(plugin_for(box), ref(box, key), REOPEN)

    assert "Freigabe erbitten (to Wartet auf Freigabe)" in caught.value.message
    hint = caught.value.hint or ""
    assert ("paths.reopen" in hint, "--allow-path" in hint) == (True, True)
    assert status(box, key) == "Erledigt"


def test_a_configured_status_that_is_two_steps_away_is_found_on_the_map(box: Sandbox) -> None:
    key = finished(box, "two-hops", "Offen")
    plugin = plugin_for(box, transitions={"complete": "Erledigt"})

    with pytest.raises(Rejected, match="path-needed:"):
        deliver(plugin, ref(box, key), CLOSE)
    deliver(plugin, ref(box, key), replace(CLOSE, options=WITH_PATHS))

    assert (status(box, key), resolution(box, key)) == ("Erledigt", "Done")


def test_a_search_ends_where_the_issue_is_open(server: Sandbox) -> None:
    key = finished(server, "two-hops", "Erledigt")
    plugin = plugin_for(server, transitions={"reopen": "Offen"})

    outcome = deliver(plugin, ref(server, key), replace(REOPEN, options=WITH_PATHS))

    assert status(server, key) == "In Arbeit"
    assert ["Erledigt > Wartet auf Freigabe > In Arbeit" in note for note in outcome.notes] == [
        True
    ]


@pytest.mark.sample(at=(7,))
@pytest.mark.parametrize(
    "fields",
    [
        {"Root cause": "Bug"},
        {"root CAUSE": "bug"},
        {ROOT_CAUSE: "10100"},
        {ROOT_CAUSE: {"value": "Bug"}},
    ],
)
def test_a_required_field_is_filled_from_the_configuration(
    either: Sandbox, fields: dict[str, Any]
) -> None:
    key = finished(either, "required-fields", "Done")

    deliver(plugin_for(either, fields=fields), ref(either, key), REOPEN)

    assert (status(either, key), field(either, key, ROOT_CAUSE)["value"]) == ("To Do", "Bug")


CAUSE = {"fields": {"reopen": {"Root cause": "Bug"}}}
TO_SET = (
    'set it below [trackers.jira.fields.reopen]: "Root cause" = "..." '
    "(one of Bug, Misunderstanding)"
)
WANTS_COMMENT = (
    "its rule may want a comment: unlatch {} KEY --item-only --reason TEXT, then unlatch sync KEY"
)


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize(
    ("more", "moves"),
    [
        (CAUSE, 2),
        ({"fields": {"Root cause": "Bug"}}, 2),
        (CAUSE | {"comment_in_transition": True}, 1),
    ],
)
def test_what_a_validator_wants_goes_with_the_transition_once(
    either: Sandbox, more: dict[str, Any], moves: int
) -> None:
    key = finished(either, "validators", "Done")
    plugin = plugin_for(either, **more)

    outcome = deliver(plugin, ref(either, key), REOPEN)

    assert (status(either, key), field(either, key, ROOT_CAUSE)["value"]) == ("To Do", "Bug")
    assert (outcome.commented, len(comments(either, key))) == (True, 1)
    assert sent(either).count(f"POST /issue/{key}/transitions") == moves
    deliver(plugin, ref(either, key), replace(CLOSE, op=OTHER_OP))
    assert (status(either, key), len(comments(either, key))) == ("Done", 2)


@pytest.mark.parametrize(
    ("more", "change", "hint"),
    [
        ({}, REOPEN, TO_SET),
        ({"fields": {"close": {"Root cause": "Bug"}}}, REOPEN, TO_SET),
        (
            {"fields": {"Root cause": "..."}},
            REOPEN,
            f"correct [trackers.jira.fields]: {NOT_OFFERED}",
        ),
        # Everything on its screen was sent.
        (CAUSE, replace(REOPEN, comment=None), WANTS_COMMENT.format("reopen")),
        ({}, replace(CLOSE, comment=None), WANTS_COMMENT.format("close")),
    ],
)
def test_a_refused_transition_says_what_to_set(
    either: Sandbox, more: dict[str, Any], change: Change, hint: str
) -> None:
    before = "Done" if change.goal is Goal.OPEN else "To Do"
    key = finished(either, "validators", before)
    with pytest.raises(Rejected, match="Jira refused the transition") as caught:
        deliver(plugin_for(either, **more), ref(either, key), change)
    assert caught.value.hint == hint.replace("KEY", key)
    assert (status(either, key), comments(either, key)) == (before, [])


@pytest.mark.parametrize(
    ("may", "is_silent", "mails"), [(True, False, 2), (True, True, 1), (False, True, 2)]
)
def test_silent_reopen_sends_one_mail_where_the_account_may(
    either: Sandbox, *, may: bool, is_silent: bool, mails: int
) -> None:
    either.jira.add_project("SCRUM", "classic", can_administer=may)
    key = either.jira.add_issue(summary="Smart", status="Closed", labels=["completed"])
    options = DeliveryOptions(plugin=frozenset({"no-notify"} if is_silent else ()))

    outcome = deliver(plugin_for(either), ref(either, key), replace(REOPEN, options=options))

    assert (status(either, key), len(comments(either, key))) == ("Reopened", 1)
    assert either.jira.mails(key) == mails
    assert ["mail was sent" in note for note in outcome.notes] == [True] * (is_silent and not may)


@pytest.mark.parametrize(
    "body",
    [
        # go-jira/jira#444
        {"errorMessages": [], "errors": {"comment": "Comment is required."}},
        # Of bobcarroll/jira-client#164 and jirban/jirban-jira#2, in the words of a script's author.
        {"errorMessages": ["A comment is mandatory when an issue is reopened."], "errors": {}},
        {"errorMessages": ["Bitte begründen"]},
    ],
)
def test_a_comment_that_jira_wants_goes_with_the_next_try(
    either: Sandbox, body: dict[str, Any]
) -> None:
    """The fields of the transition name no comment."""
    key = finished(either, "classic", "Closed")
    path = "/transitions$"
    either.faults.add(Fault("jira", "status", method="POST", path=path, code=400, body=body))
    outcome = deliver(plugin_for(either), ref(either, key), REOPEN)
    assert (status(either, key), outcome.commented) == ("Reopened", True)
    assert len(comments(either, key)) == 1
    assert sent(either).count(f"POST /issue/{key}/transitions") == 2


def test_a_resolution_that_the_workflow_never_clears_is_told(either: Sandbox) -> None:
    key = finished(either, "keeps-resolution", "Done")

    outcome = deliver(plugin_for(either), ref(either, key), REOPEN)

    assert (status(either, key), resolution(either, key)) == ("To Do", "Done")
    assert ["kept its resolution 'Done'" in note for note in outcome.notes] == [True]
    assert len(comments(either, key)) == 1


def test_a_closed_status_that_forbids_edits_still_gets_the_comment(either: Sandbox) -> None:
    key = finished(either, "closed-for-edits", "To Do")
    either.jira.edit(key, labels=["mine"])

    outcome = deliver(plugin_for(either), ref(either, key), CLOSE)

    assert (status(either, key), len(comments(either, key))) == ("Locked", 1)
    assert (outcome.after.state, outcome.commented) == ("Locked", True)
    assert outcome.refused == ("completed",)


@pytest.mark.parametrize(
    ("wanted", "reached"),
    [
        ({"reopen": "Move"}, "To Do"),  # the other one leads to a status of finished work
        ({"reopen": "MOVE"}, "To Do"),
        ({"reopen": "REOPEN"}, "To Do"),  # the only one with just this name
        ({"reopen": "71"}, "Doing"),
        ({"reopen": "Doing"}, "Doing"),
    ],
)
def test_of_transitions_that_share_a_name_the_one_to_the_goal_is_taken(
    either: Sandbox, wanted: dict[str, str], reached: str
) -> None:
    key = finished(either, "shared-names", "Done")

    deliver(plugin_for(either, transitions=wanted), ref(either, key), REOPEN)

    assert reached == status(either, key)


def test_two_transitions_of_one_name_to_the_goal_are_refused_with_their_ids(
    either: Sandbox,
) -> None:
    key = finished(either, "shared-names", "Done")

    with pytest.raises(Rejected, match="transition-ambiguous:") as caught:
        deliver(plugin_for(either, transitions={"reopen": "Reopen"}), ref(either, key), REOPEN)

    assert "61 (to To Do) and 71 (to Doing)" in caught.value.message
    assert ("Done", []) == (status(either, key), comments(either, key))


@pytest.mark.parametrize("wanted", ["41", "Archived"])
def test_a_configured_transition_away_from_the_goal_is_not_taken(
    either: Sandbox, wanted: str
) -> None:
    key = finished(either, "shared-names", "Done")

    with pytest.raises(Rejected, match="transition-not-offered:"):
        deliver(plugin_for(either, transitions={"reopen": wanted}), ref(either, key), REOPEN)

    assert "Done" == status(either, key)


@pytest.mark.parametrize(
    ("way", "reached"), [(["Move"], "To Do"), (["Reopen"], None), (["71"], "Doing")]
)
def test_the_last_step_of_a_path_is_the_one_to_the_goal(
    either: Sandbox, way: list[str], reached: str | None
) -> None:
    key = finished(either, "shared-names", "Done")
    plugin = plugin_for(either, paths={"reopen": {"Done": way}})

    if reached is None:
        with pytest.raises(Rejected, match="transition-ambiguous:"):
            deliver(plugin, ref(either, key), REOPEN)
    else:
        deliver(plugin, ref(either, key), REOPEN)

    assert (reached or "Done") == status(either, key)
