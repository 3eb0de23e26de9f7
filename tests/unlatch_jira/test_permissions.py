"""Checks of the credential's permissions and of the configuration, without writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_jira.making import REOPEN, deliver, plugin_for, ref, sent

from unlatch.errors import Unauthorised

if TYPE_CHECKING:
    from unlatch.spi import Remark
    from unlatch_sandbox import Sandbox


def remarks(box: Sandbox, *keys: str, **settings: Any) -> list[Remark]:
    found = plugin_for(box, **settings).examine([ref(box, key) for key in keys])
    return list(found.remarks)


def test_a_credential_that_may_do_everything(either: Sandbox) -> None:
    key = either.jira.add_issue(summary="Smart")

    found = plugin_for(either).examine([ref(either, key)])

    assert found.login == "Octo Cat"
    [place] = found.places
    assert (place.target, place.hint) == ("SCRUM", None)
    assert place.rights == dict.fromkeys(
        ("read", "reopen", "label", "comment", "create", "retract"), True
    )
    assert found.remarks == ()
    assert {line.partition(" ")[0] for line in sent(either)} == {"GET"}


def test_a_right_that_is_lacking_is_named_as_jira_names_it(either: Sandbox) -> None:
    either.jira.add_project("SCRUM", can_transition=False)
    [place] = plugin_for(either).examine([]).places
    assert (place.rights["reopen"], place.rights["comment"]) == (False, True)
    assert place.hint == "ask for Transition Issues in the project SCRUM"


def test_a_project_that_is_hidden_allows_nothing(either: Sandbox) -> None:
    places = plugin_for(either, projects=["GONE"]).examine([]).places
    assert [set(place.rights.values()) for place in places] == [{True}, {False}]
    assert "Browse Projects" in (places[1].hint or "")


def test_an_issue_that_is_open_and_still_resolved_is_found(either: Sandbox) -> None:
    either.jira.add_project("SCRUM", "keeps-resolution")
    kept = either.jira.add_issue(summary="Smart", status="Done")
    deliver(plugin_for(either), ref(either, kept), REOPEN)
    fine = either.jira.add_issue(summary="Fine", status="Done")

    [remark] = remarks(either, kept, fine)

    assert (remark.id, remark.where) == ("open-but-resolved", ref(either, kept).url)
    assert "'Done'" in remark.message


@pytest.mark.parametrize(
    "settings",
    [
        {"transitions": {"reopen": "Back to work"}},
        {"transitions_for": {"*/Bug": {"reopen": "Back to work"}}},
    ],
)
def test_a_configured_name_that_the_workflow_does_not_have_is_told(
    either: Sandbox, settings: dict[str, Any]
) -> None:
    key = either.jira.add_issue(summary="Smart", status="Done")
    [remark] = remarks(either, key, **settings)
    assert remark.id == "transition-unknown"
    assert ("'Back to work'" in remark.message, "To Do" in remark.message) == (True, True)


@pytest.mark.parametrize("name", ["in progress", "Reopened", "Reopen Issue", "3"])
def test_a_name_that_the_workflow_has_is_nothing_to_tell(either: Sandbox, name: str) -> None:
    either.jira.add_project("SCRUM", "classic")
    key = either.jira.add_issue(summary="Smart", status="Closed")
    assert remarks(either, key, transitions={"reopen": name}) == []


def test_a_type_that_the_project_lacks_is_a_mistake(either: Sandbox) -> None:
    [remark] = remarks(either, types={"bug": "Saga"})
    assert (remark.id, remark.is_error) == ("issue-type-unknown", True)


def test_a_path_from_a_status_that_is_not_there_is_told(either: Sandbox) -> None:
    [remark] = remarks(either, paths={"reopen": {"Erledigt": ["Offen"]}})
    assert (remark.id, "'Erledigt'" in remark.message) == ("path-unknown", True)


def test_an_examination_lets_the_next_reopen_tell_of_a_closed_sprint(either: Sandbox) -> None:
    sprint = either.jira.add_sprint("Sprint 4", "closed")
    key = either.jira.add_issue(summary="Smart", status="Done", sprints=[sprint])
    plugin = plugin_for(either)
    plugin.examine([])
    either.requests.clear()

    notes = deliver(plugin, ref(either, key), REOPEN).notes

    assert notes == ("its sprint 'Sprint 4' is closed",)
    assert len(sent(either)) == {"Cloud": 3, "Server": 4}[either.jira.deployment]


def test_an_item_that_is_gone_does_not_end_the_examination(either: Sandbox) -> None:
    assert plugin_for(either).examine([ref(either, "SCRUM-999")]).remarks == ()


def test_a_credential_that_is_refused_is_told(either: Sandbox) -> None:
    with pytest.raises(Unauthorised):
        plugin_for(either, token="wrong").examine([])
