"""Answers that the sandbox does not give: incomplete or dropped content, and refusals."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import responses
from tests.unlatch_jira.making import CREATE, OP, REOPEN, WITH_PATHS, deliver, draft

from unlatch.errors import Rejected, Transient, UnknownOutcome
from unlatch.spi import Change, Goal, Scheme, visible
from unlatch.transport import for_tests
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.settings import JiraSettings

Wire = responses.RequestsMock
CLOUD = "https://acme.atlassian.net"
SERVER = "https://tools.example.com/jira"
SCRUM_28 = JiraSettings(site=CLOUD, project="SCRUM").ref("SCRUM-28")
DONE = {"name": "Erledigt", "statusCategory": {"key": "done"}}
DOING = {"name": "In Arbeit", "statusCategory": {"key": "indeterminate"}}
MARKED = {"id": "7", "created": "2025-11-01T09:00:00.000+0000", "body": visible(OP)}


@pytest.fixture
def wire() -> Iterator[Wire]:
    with Wire() as mock:
        yield mock


def plugin_at(site: str, **more: Any) -> JiraPlugin:
    settings = JiraSettings.model_validate({"site": site, "project": "SCRUM", **more})
    transport = for_tests("jira", site, token="t", user="me@example.com", scheme=Scheme.BASIC)
    return JiraPlugin(settings, transport)


def reopen(site: str, change: Change = REOPEN, **more: Any) -> Any:
    plugin = plugin_at(site, **more)
    ref = JiraSettings(site=site, project="SCRUM").ref("SCRUM-28")
    return deliver(plugin, ref, change)


def address(site: str, path: str = "") -> str:
    return f"{site}/rest/api/{3 if site == CLOUD else 2}/issue/SCRUM-28{path}"


def issue(status: dict[str, Any] = DONE, *, key: str = "SCRUM-28", **fields: Any) -> dict[str, Any]:
    whole = {"summary": "Smart", "status": status, "labels": ["completed"], **fields}
    return {"id": "10001", "key": key, "fields": whole}


def move(number: int = 4, to: dict[str, Any] = DOING, **screen: Any) -> dict[str, Any]:
    return {"id": str(number), "name": f"Weiter {number}", "to": to, "fields": screen}


def asked(name: str, *, required: bool = True, **more: Any) -> dict[str, Any]:
    return {"name": name, "key": name, "required": required, "hasDefaultValue": False, **more}


def gives_issue(wire: Wire, site: str, *moves: Any, **fields: Any) -> None:
    wire.get(address(site), json={**issue(**fields), "transitions": [*(moves or (move(),))]})
    wire.post(address(site, "/transitions"), status=204)


def sent(wire: Wire) -> list[str]:
    return [str(call.request.method) for call in wire.calls]


def body(wire: Wire, number: int) -> Any:
    return json.loads(wire.calls[number].request.body or "null")


@pytest.mark.parametrize(
    "answer",
    [
        {"json": {"id": "10001", "key": "SCRUM-28", "fields": {"labels": ["reopened"]}}},
        {"json": {"id": "10001", "key": "SCRUM-28"}},
        {"status": 204},
    ],
)
def test_an_edit_that_does_not_show_the_status_is_read_back(
    wire: Wire, answer: dict[str, Any]
) -> None:
    gives_issue(wire, CLOUD)
    wire.put(address(CLOUD), **answer)
    wire.get(address(CLOUD), json=issue(DOING, labels=["reopened"]))

    outcome = reopen(CLOUD)

    assert (outcome.after.state, outcome.commented) == ("In Arbeit", True)
    assert sent(wire) == ["GET", "POST", "PUT", "GET"]


@pytest.mark.parametrize(
    ("shown", "pages", "commented"),
    [
        # The issue shows the comment.
        ({"comment": {"comments": [MARKED], "total": 1}}, [], True),
        # It shows others, and all are looked through.
        ({"comment": {"comments": [], "total": 1}}, [[MARKED]], True),
        # It shows none at all.
        ({}, [[MARKED]], True),
        # It is looked for again, and is shown then, or not.
        ({}, [[], [], [MARKED]], True),
        ({}, [[]], False),
        ({"comment": {"comments": [], "total": 0}}, [[]], False),
    ],
)
def test_a_comment_that_an_edit_does_not_show_is_looked_for_and_not_posted(
    wire: Wire, *, shown: dict[str, Any], pages: list[list[Any]], commented: bool
) -> None:
    gives_issue(wire, SERVER)
    wire.put(address(SERVER), status=204)
    wire.get(address(SERVER), json=issue(DOING, labels=["reopened"], **shown))
    for page in pages:
        wire.get(address(SERVER, "/comment"), json={"comments": page, "total": len(page)})

    outcome = reopen(SERVER)

    assert commented == outcome.commented
    assert 1 == sent(wire).count("POST")


def test_a_transition_that_moved_nothing_names_what_its_screen_requires(wire: Wire) -> None:
    cause = asked("Cause", allowedValues=[{"id": "1", "value": "Bug"}], hasDefaultValue=True)
    gives_issue(wire, CLOUD, move(customfield_1=cause))
    wire.put(address(CLOUD), json=issue(DONE))

    outcome = reopen(CLOUD)

    [note] = outcome.notes
    assert ("'Erledigt'" in note, "Cause (one of Bug)" in note) == (True, True)
    assert outcome.after.state == "Erledigt"


def test_a_screen_that_only_a_person_can_fill_stops_us_before_any_write(wire: Wire) -> None:
    cause = asked("Cause", allowedValues=[{"id": "1", "value": "Bug"}, {"id": "2", "name": "Typo"}])
    wire.get(address(CLOUD), json={**issue(), "transitions": [move(customfield_1=cause)]})
    wire.get(address(CLOUD), json={"id": "10001", "key": "SCRUM-28", "fields": {}})

    with pytest.raises(Rejected, match="transition-needs-fields:") as caught:
        reopen(CLOUD)

    assert "Cause (one of Bug, Typo)" in caught.value.message
    assert sent(wire) == ["GET", "GET"]


def test_a_search_that_leads_nowhere_says_where_the_issue_is_left(wire: Wire) -> None:
    places = [{**DONE, "name": name} for name in ("Here", "There", "Nowhere")]
    for here, there in zip(places, (*places[1:], places[0]), strict=True):
        offered = {**issue(here), "transitions": [move(to=there)]}
        wire.get(address(SERVER), json=offered)
    wire.post(address(SERVER, "/transitions"), status=204)

    with pytest.raises(Rejected, match="path-not-found:") as caught:
        reopen(SERVER, replace(REOPEN, options=WITH_PATHS))

    assert "Here > There > Nowhere" in caught.value.message
    assert sent(wire) == ["GET", "POST", "GET", "POST", "GET"]


@pytest.mark.parametrize(
    ("required", "fields"), [(False, {"fields": {"resolution": None}}), (True, {})]
)
def test_a_resolution_is_cleared_where_the_screen_lets_us(
    wire: Wire, *, required: bool, fields: dict[str, Any]
) -> None:
    screen = asked("Lösung", required=required, hasDefaultValue=True)
    resolution = {"id": "1", "name": "Fertig"}
    gives_issue(wire, CLOUD, move(resolution=screen), resolution=resolution)
    wire.put(address(CLOUD), json=issue(DOING, labels=["reopened"], resolution=resolution))

    outcome = reopen(CLOUD)

    assert body(wire, 1) == {"transition": {"id": "4"}, **fields}
    assert ["'Fertig'" in note for note in outcome.notes] == [True]


def test_closing_without_a_resolution_says_which_there_are(wire: Wire) -> None:
    offered = [{"id": 1, "name": "Fertig"}, {"id": 2, "name": "Doppelt"}]
    screen = asked("Lösung", required=False, allowedValues=offered)
    gives_issue(wire, CLOUD, move(to=DONE, resolution=screen), status=DOING)
    wire.get(address(CLOUD), json=issue(DONE))

    outcome = deliver(plugin_at(CLOUD), SCRUM_28, Change(OP, Goal.COMPLETED))

    assert body(wire, 1) == {"transition": {"id": "4"}}
    assert ["Fertig, Doppelt" in note for note in outcome.notes] == [True]


def test_a_required_resolution_that_is_not_on_offer_stops_us_before_any_write(wire: Wire) -> None:
    screen = asked("Lösung", allowedValues=[{"id": "1", "name": "Fertig"}])
    wire.get(
        address(CLOUD), json={**issue(DOING), "transitions": [move(to=DONE, resolution=screen)]}
    )
    wire.get(address(CLOUD), json=issue(DOING, resolution=None))

    with pytest.raises(Rejected) as caught:
        deliver(plugin_at(CLOUD), SCRUM_28, Change(OP, Goal.COMPLETED))

    assert (caught.value.id, sent(wire)) == ("transition-needs-fields", ["GET", "GET"])
    assert "Lösung (one of Fertig)" in caught.value.message


def test_an_issue_that_moved_to_a_foreign_project_is_left_alone(wire: Wire) -> None:
    wire.get(address(CLOUD), json=issue(key="SECRET-1"))

    with pytest.raises(Rejected) as caught:
        reopen(CLOUD)

    assert (caught.value.id, sent(wire)) == ("target-not-allowed", ["GET"])
    assert "SCRUM-28 is SECRET-1 now" in caught.value.message


@pytest.mark.parametrize(
    ("answer", "error_id"),
    [
        (
            {"json": {"id": "10001", "key": "SCRUM-28", "fields": {"summary": "x"}}},
            "answer-not-understood",
        ),
        ({"json": {"hello": "world"}}, "answer-not-understood"),
        ({"json": []}, "answer-not-understood"),
        ({"body": "hello"}, "answer-not-understood"),
        ({"body": "<html>Sign in</html>", "content_type": "text/html"}, "not-the-api"),
    ],
)
def test_what_does_not_answer_like_jira_is_told_as_such(
    wire: Wire, answer: dict[str, Any], error_id: str
) -> None:
    wire.get(address(CLOUD), **answer)
    with pytest.raises((Rejected, Transient)) as caught:
        reopen(CLOUD)
    assert caught.value.id == error_id


@pytest.mark.parametrize("answer", [{"json": []}, {"body": "OK"}, {"body": "<p>Sign in</p>"}])
def test_a_write_that_is_not_answered_like_jira_is_unknown(
    wire: Wire, answer: dict[str, Any]
) -> None:
    gives_issue(wire, CLOUD)
    wire.put(address(CLOUD), **answer, content_type="text/html")
    with pytest.raises(UnknownOutcome):
        reopen(CLOUD)


@pytest.mark.parametrize("answer", [{"json": {}}, {"status": 204}])
def test_an_issue_whose_key_was_not_told_is_unknown(wire: Wire, answer: dict[str, Any]) -> None:
    wire.post(f"{CLOUD}/rest/api/3/issue", **answer)
    with pytest.raises(UnknownOutcome):
        plugin_at(CLOUD).create(replace(CREATE, draft=draft()))


def test_a_comment_that_the_answer_does_not_show_yet_is_not_posted_again(wire: Wire) -> None:
    gives_issue(wire, CLOUD)
    stale = {"comments": [], "total": 0}
    wire.put(address(CLOUD), json=issue(DOING, labels=["reopened"], comment=stale))
    wire.get(address(CLOUD, "/comment"), json={"comments": [MARKED], "total": 1})
    assert reopen(CLOUD).commented
    assert sent(wire) == ["GET", "POST", "PUT", "GET"]


def test_a_created_issue_is_looked_for_among_the_newest_thousand_whatever_the_clock(
    wire: Wire,
) -> None:
    lists_issues(wire, created="2020-01-01T09:00:00.000+0000")
    hides_later_keys(wire)

    found = plugin_at(CLOUD).find_created(OP, datetime(2080, 1, 1, tzinfo=UTC))

    assert found is None
    assert sum("/search/jql" in str(call.request.url) for call in wire.calls) == 10


def lists_issues(wire: Wire, *, created: str, marked: int = 0) -> None:
    """A project of 1,200 issues, the newest first, one of them with the marker."""

    def answer(request: Any) -> tuple[int, dict[str, str], str]:
        start = int(parse_qs(urlsplit(request.url).query).get("nextPageToken", ["0"])[0])
        numbers = [1200 - place for place in range(start, start + 100)]
        page = [
            issue(key=f"SCRUM-{number}", created=created, description=_marked_at(number, marked))
            for number in numbers
        ]
        following = {"nextPageToken": str(start + 100)} if start + 100 < 1200 else {}
        return 200, {}, json.dumps({"issues": page, **following})

    address_of_search = f"{CLOUD}/rest/api/3/search/jql"
    wire.add_callback("GET", address_of_search, answer, content_type="application/json")


def hides_later_keys(wire: Wire) -> None:
    for number in (1201, 1202, 1203):
        wire.get(f"{CLOUD}/rest/api/3/issue/SCRUM-{number}", json={}, status=404)
    wire.get(f"{CLOUD}/rest/api/3/myself", json={"accountId": "1"})


def _marked_at(number: int, marked: int) -> Any:
    words = {"type": "text", "text": visible(OP) if number == marked else "Words"}
    return {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [words]}]}


def test_a_path_whose_step_moved_nothing_ends_there_without_a_comment(wire: Wire) -> None:
    gives_issue(wire, CLOUD, move(4, to={**DOING, "name": "Zwischen"}))

    outcome = reopen(CLOUD, paths={"reopen": {"Erledigt": ["Zwischen", "In Arbeit"]}})

    assert (outcome.after.state, outcome.commented) == ("Erledigt", False)
    assert ["the issue is still in 'Erledigt'" in note for note in outcome.notes] == [True]
    assert sent(wire) == ["GET", "POST", "GET", "GET", "GET"]  # it might be shown later


def test_an_answer_to_the_edit_that_cannot_be_understood_is_read_back(wire: Wire) -> None:
    gives_issue(wire, CLOUD)
    wire.put(address(CLOUD), json=issue({"name": 7, "statusCategory": []}))
    wire.get(address(CLOUD), json=issue(DOING, labels=["reopened"]))
    assert reopen(CLOUD).after.state == "In Arbeit"


@pytest.mark.parametrize("own", ["accountId", "key", "name"])
def test_whose_comments_they_are_is_told_by_any_name_that_jira_has_for_accounts(
    wire: Wire, own: str
) -> None:
    authors: tuple[dict[str, str], ...] = ({own: "me"}, {own: "another"}, {})
    listed = [
        {**MARKED, "id": str(number), "author": author}
        for number, author in enumerate(authors, start=1)
    ]
    wire.get(address(CLOUD, "/comment"), json={"comments": listed, "total": 3})
    wire.get(f"{CLOUD}/rest/api/3/myself", json={own: "me"})

    found = plugin_at(CLOUD).find_comments(SCRUM_28, OP)

    assert [one.own for one in found] == [True, False, None]
