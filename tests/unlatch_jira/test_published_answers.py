"""Answers of real Jira sites: other languages, old servers, nulls, text that is not JSON."""

import json
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict
from tests.unlatch_jira.making import (
    CLOSE,
    REOPEN,
    comments,
    deliver,
    done_issue,
    plugin_for,
    ref,
    settings_for,
)

from unlatch.errors import Conflict, Rejected
from unlatch.spi import Category
from unlatch.transport import Answer
from unlatch_jira.api.errors import FieldsNotOnScreen, explain
from unlatch_jira.api.workflow_models import ScreenField, Transition
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.workflow.screens import Refused, configured_fields
from unlatch_sandbox import Fault, Sandbox

SITE = "https://acme.atlassian.net/rest/api/3"


def refused(method: str, path: str, body: Any, kind: str = "application/json") -> Any:
    text = body if isinstance(body, str) else json.dumps(body)
    headers = CaseInsensitiveDict({"Content-Type": kind})
    return explain(Answer(method, f"{SITE}/{path}", 400, headers, text.encode()))


GERMAN_SCREEN = (
    "Das Feld 'labels' kann nicht festgelegt werden. Es befindet sich nicht auf dem "
    "entsprechenden Bildschirm oder ist unbekannt."
)


def test_refusals_are_recognised_in_every_language() -> None:
    error = refused("PUT", "issue/OPS-1", {"errors": {"labels": GERMAN_SCREEN}})
    assert isinstance(error, FieldsNotOnScreen)
    assert error.fields == {"labels"}
    assert error.hint is not None
    assert error.hint.startswith("set labels on the issue in Jira, or ask an administrator")
    words = "Der eingegebene Text ist zu lang. Er überschreitet die Grenze von 32.767 Zeichen."
    error = refused("PUT", "issue/OPS-1", {"errors": {"comment": words}})
    assert error.id == "body-too-long"
    body = {"errorMessages": ["Attach the log file first"], "errors": {}}
    assert not isinstance(refused("POST", "issue/OPS-1/transitions", body), Conflict)


def test_labels_refused_in_german_are_a_shortfall(box: Sandbox, plugin: JiraPlugin) -> None:
    key = done_issue(box)
    body = {"errorMessages": [], "errors": {"labels": GERMAN_SCREEN}}
    box.faults.add(Fault("jira", "status", method="PUT", path=f"issue/{key}", code=400, body=body))
    outcome = deliver(plugin, ref(box, key), REOPEN)
    assert set(outcome.refused) == {"reopened", "completed"}
    assert [note for note in outcome.notes if "Das Feld 'labels'" in note]
    assert len(comments(box, key)) == 1


@pytest.mark.parametrize(
    "errors",
    [
        # freescout-help-desk/freescout#2470
        {"duedate": "Due date is required.", "labels": "Labels is required."},
        {"customfield_10004": "Story Points is required."},  # keepcosmos/terjira#23
        {"versions": "Affects Version/s is required.", "components": "Component/s is required."},
        {"reporter": "Reporter is required."},  # stablyai/orca#10565, of #4643
        {"customfield_12312": "Story type is required."},  # textfuel/lazyjira#111
    ],
)
def test_a_refused_new_issue_names_each_field_to_set(errors: dict[str, str]) -> None:
    error = refused("POST", "issue", {"errorMessages": [], "errors": errors})
    assert error.id == "tracker-rejected"
    lines = [f'"{name}" = "..."' for name in errors]
    assert error.hint == f"set below [trackers.jira.fields.create]: {', '.join(lines)}"


# What a transition wanted in these reports, by the id and the name of each field.
WANTED: list[dict[str, str]] = [
    {"customfield_12312": "Story type", "customfield_10443": "Root cause"},  # textfuel/lazyjira#111
    {"resolution": "Resolution"},  # stablyai/orca#10565
    {"fixVersions": "Fix Version/s", "assignee": "Assignee"},  # UiPath/skills#1730
    {"customfield_10030": "Estimate (hours)"},  # gioboa/jira-plugin#166: the site asks in a dialog
    {"customfield_10001": "Umsetzung"},  # unmonoqueteclea/jira.el#21: a validator of an add-on
]


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("is_on_screen", [True, False])
def test_a_refused_transition_names_each_field_to_set(
    box: Sandbox, wanted: dict[str, str], *, is_on_screen: bool
) -> None:
    errors = {field: f"{name} is required." for field, name in wanted.items()}
    body = {"errorMessages": [], "errors": errors}
    error = refused("POST", "issue/SCRUM-1/transitions", body)
    shown = {field: {"name": name} for field, name in wanted.items()} if is_on_screen else {}
    raw = {"id": "5", "name": "Close", "to": {"name": "Closed"}, "hasScreen": True, "fields": shown}
    hint = Refused(Transition(raw), "close", error.fields, ()).hint(settings_for(box))
    named = [wanted[field] if is_on_screen else field for field in sorted(wanted)]
    if is_on_screen:
        lines = ", ".join(f'"{name}" = "..."' for name in named)
        assert hint == f"set it below [trackers.jira.fields.close]: {lines}"
    else:
        assert hint.startswith(f"its screen has no field {', '.join(named)}: set the field in Jira")


# The fields of these reports and of atlassian/gajira-create#2, as a create screen describes them,
# a value of the configuration, and what Jira takes.
VALUES: list[tuple[dict[str, Any], Any, Any]] = [
    ({"type": "date", "system": "duedate"}, "2026-12-24", "2026-12-24"),
    ({"type": "array", "items": "string", "system": "labels"}, "urgent", ["urgent"]),
    ({"type": "number", "custom": "x:float"}, 3, 3),
    ({"type": "array", "items": "component"}, ["API", "CLI"], [{"name": "API"}, {"name": "CLI"}]),
    ({"type": "user", "system": "reporter"}, "5b10", {"accountId": "5b10"}),
    ({"type": "array", "items": "option"}, "Web", [{"value": "Web"}]),
    ({"type": "group"}, "team-a", {"name": "team-a"}),
    ({"type": "option-with-child"}, {"value": "A", "child": {"value": "B"}}, None),
]


@pytest.mark.parametrize(("schema", "value", "taken"), VALUES)
def test_a_configured_value_is_sent_as_its_field_takes_it(
    box: Sandbox, schema: dict[str, Any], value: Any, taken: Any
) -> None:
    settings = settings_for(box, fields={"create": {"Wanted": value}})
    screen = {"customfield_1": ScreenField({"name": "Wanted", "required": True, "schema": schema})}
    found = configured_fields(screen, settings, "create")
    assert found == {"customfield_1": value if taken is None else taken}


def test_without_categories_the_resolution_and_configured_names_decide(server: Sandbox) -> None:
    server.jira.has_categories = False
    plugin = plugin_for(server)
    closed, opened = done_issue(server, resolution="Fixed"), server.jira.add_issue(summary="Open")
    assert plugin.read(ref(server, closed)).item.category is Category.DONE
    assert plugin.read(ref(server, opened)).item.category is Category.TODO

    key = done_issue(server, resolution="Fixed")
    with pytest.raises(Rejected, match="no-transition:") as caught:
        deliver(plugin_for(server), ref(server, key), REOPEN)
    assert "trackers.jira.transitions" in (caught.value.hint or "")

    names = {"complete": "Done", "reopen": "To Do"}
    plugin = plugin_for(server, transitions=names)
    key = done_issue(server)
    assert deliver(plugin, ref(server, key), REOPEN).after.state == "To Do"
    assert deliver(plugin, ref(server, key), CLOSE).after.state == "Done"


def test_the_author_of_a_move_comes_from_the_changelog(either: Sandbox) -> None:
    plugin, key = plugin_for(either), done_issue(either)
    either.jira.edit(key, status="To Do")
    either.jira.edit(key, summary="Another one")
    assert plugin.find_author(ref(either, key)) == "A Person"
