from typing import Any

import pytest
from pydantic import ValidationError

from unlatch.errors import ConfigError
from unlatch.spi import Goal, ItemRef
from unlatch_ado.settings import AdoSettings

CLOUD = "https://dev.azure.com/fabrikam"
ITEM = ItemRef("ado", "fabrikam/widgets", "101", f"{CLOUD}/widgets/_workitems/edit/101")


def made(**given: Any) -> AdoSettings:
    return AdoSettings.model_validate({"organization_url": CLOUD, "project": "widgets", **given})


@pytest.mark.parametrize(
    "url",
    [
        f"{CLOUD}/widgets/_workitems/edit/101",
        f"{CLOUD}/widgets/_workitems/edit/101/",
        f"{CLOUD}/widgets/_workitems/edit/101?src=mail#comments",
        "https://DEV.azure.com:443/Fabrikam/widgets/_workitems/edit/101",
        f"  {CLOUD}/widgets/_workitems/edit/00101\n",
        "https://fabrikam.visualstudio.com/widgets/_workitems/edit/101",
        "https://fabrikam.visualstudio.com/DefaultCollection/widgets/_workitems/edit/101",
        f"{CLOUD}/widgets/_workitems?id=101&_a=edit",
        f"{CLOUD}/widgets/_apis/wit/workItems/101",
        f"{CLOUD}/_apis/wit/workItems/101?api-version=7.0",
        f"{CLOUD}/6ce954b1-ce1f-45d1-b94d-e6bf2464ba2c/_apis/wit/workItems/101",
        f"{CLOUD}/widgets/_boards/board/t/Widgets%20Team/Stories/?workitem=101",
        f"{CLOUD}/widgets/_backlogs/backlog/Team/Stories?showParents=true&workitem=101",
        f"{CLOUD}/widgets/_sprints/taskboard/Team/widgets/Sprint%201?workItem=101",
        f"{CLOUD}/widgets/_queries/edit/101/?triage=true",
    ],
)
def test_recognises_the_addresses_that_browsers_show(url: str) -> None:
    assert made().recognise(url) == ITEM


@pytest.mark.parametrize(
    "url",
    [
        "",
        "101",
        "http://[::1",
        f"{CLOUD}/widgets",
        f"{CLOUD}/widgets/_workitems/edit/",
        f"{CLOUD}/widgets/_workitems/edit/101x",
        f"{CLOUD}/widgets/_workitems/edit/101/202",
        f"{CLOUD}/widgets/_boards/board?workitem=abc",
        f"{CLOUD}/widgets/_git/widgets/pullrequest/101",
        f"{CLOUD}/widgets?workitem=101",
        "https://dev.azure.com/contoso/widgets/_workitems/edit/101",
        "https://dev.azure.com.evil.example/fabrikam/widgets/_workitems/edit/101",
        "https://dev.azure.com:8443/fabrikam/widgets/_workitems/edit/101",
        "http://dev.azure.com/fabrikam/widgets/_workitems/edit/101",
        "https://dev.azure.com@evil.example/fabrikam/widgets/_workitems/edit/101",
        "https://fabrikam.visualstudio.com.evil.example/widgets/_workitems/edit/101",
        "https://fabrikam.evil.visualstudio.com/widgets/_workitems/edit/101",
        "javascript://dev.azure.com/fabrikam/widgets/_workitems/edit/101",
    ],
)
def test_takes_no_other_address_for_one_of_its_items(url: str) -> None:
    assert made().recognise(url) is None


def test_the_configured_project_is_meant_where_none_is_named() -> None:
    assert made().recognise(f"{CLOUD}/_workitems/edit/101") == ITEM
    assert made().locate("101", None) == ITEM
    assert made(project=None).locate("Fabrikam/widgets#101", None).target == "fabrikam/widgets"
    assert made().locate("999", ITEM.url) == ITEM
    assert made().name(ITEM) == "fabrikam/widgets 101"
    assert made().target == "fabrikam/widgets"
    assert made(project=None).target is None


def test_items_on_a_server_are_linked_under_its_web_address() -> None:
    server = made(
        organization_url="http://10.0.0.7:8080/tfs/DefaultCollection",
        web_url="https://tfs.example/tfs/DefaultCollection/",
    )
    url = "https://tfs.example/tfs/DefaultCollection/widgets/_workitems/edit/5"
    assert ItemRef("ado", "DefaultCollection/widgets", "5", url) == server.recognise(url)
    assert server.base_url == "http://10.0.0.7:8080/tfs/DefaultCollection"


def test_the_old_name_of_an_organization_means_the_same_organization() -> None:
    old = made(organization_url="https://fabrikam.visualstudio.com")
    found = old.recognise(ITEM.url)
    assert found is not None
    assert (found.target, found.id) == ("fabrikam/widgets", "101")


def test_a_project_whose_name_is_no_text_is_not_allowed() -> None:
    assert made().allows(made().ref("\ud800", "101")) is False


@pytest.mark.parametrize(
    "url",
    [
        "https://dev.azure.com/contoso/widgets/_workitems/edit/101",
        "https://evil.example/fabrikam/widgets/_workitems/edit/101",
        "https://evil.example/_workitems/edit/101",
        f"{CLOUD}/secret/_workitems/edit/101",
        f"{CLOUD}/a%2Fwidgets/_workitems/edit/101",
    ],
)
def test_items_elsewhere_are_located_but_not_allowed(url: str) -> None:
    found = made().locate("101", url)
    assert found.id == "101"
    assert made().allows(found) is False


def test_a_link_to_what_is_no_work_item_or_in_no_project_is_refused() -> None:
    with pytest.raises(ConfigError):
        made().locate("101", "https://github.com/octo/widgets/issues/101")
    with pytest.raises(ConfigError):
        made(project=None).locate("101", None)


@pytest.mark.parametrize(
    ("project", "allowed"), [("WIDGETS", True), ("Gadgets", True), ("x", False)]
)
def test_allows_items_of_the_configured_projects_only(project: str, *, allowed: bool) -> None:
    chosen = made(projects=["gadgets"])
    assert chosen.allows(chosen.ref(project, "1")) is allowed


def test_what_the_settings_say_of_types_states_places_and_links() -> None:
    chosen = made(types={"bug": "Bug"})
    assert chosen.type_for("bug") == "Bug"
    assert chosen.type_for(None) == "User Story"
    chosen = made(states={"reopened": "Active"}, states_by_type={"bug": {"reopened": "New"}})
    assert chosen.state_for(Goal.OPEN, "Bug") == "New"
    assert chosen.state_for(Goal.OPEN, "Task") == "Active"
    assert chosen.state_for(Goal.COMPLETED, "Bug") is None
    wanted = made().on_reopen
    assert (wanted.iteration, wanted.parent, wanted.assignee) == ("keep", "report", "keep")
    assert made(projects=["Widgets", "gadgets"]).places == ("widgets", "gadgets")
    link = made(back_link="https://x.example/tree/main/{increment}").link_back("0007-a/b c?")
    assert link == "https://x.example/tree/main/0007-a%2Fb%20c%3F"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"organization_url": "https://dev.azure.com"}, "must name the organization"),
        ({"organization_url": "dev.azure.com/fabrikam"}, "must begin with https://"),
        ({"organization_url": "https://me:secret@dev.azure.com/x"}, "user name or a password"),
        ({"organization_url": f"{CLOUD}?x=1"}, "must end with"),
        ({"organization_url": "https://dev.azure.com/{x}"}, "must end with"),
        ({"organization_url": "https://host:port/x"}, "not a web address"),
        ({"project": "fabrikam/widgets"}, "without the organization"),
        ({"project": " "}, "not a project name"),
        ({"projects": ["a;b"]}, "not a project name"),
        ({"work_item_type": ""}, "must not be empty"),
        ({"states": {"reopend": "Active"}}, "Extra inputs"),
        ({"organisation": "x"}, "Extra inputs"),
    ],
)
def test_says_what_is_wrong_with_a_value(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        made(**given)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:hunter2@dev.azure.com/fabrikam",
        "https://me:hunter2@dev.azure.com:port/fabrikam",
        "me:hunter2@dev.azure.com/fabrikam",
    ],
)
def test_a_token_in_an_address_is_not_repeated(address: str) -> None:
    with pytest.raises(ValidationError) as caught:
        made(organization_url=address)
    assert "hunter2" not in caught.value.errors()[0]["msg"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("back_link", "ftp://x.example/{increment}"),
        ("back_link", "https://user:secret@x.example/"),
        ("back_link", "https://x.example/{number}"),
        ("back_link", "https://x.example/a b"),
        ("area_path", ""),
        ("area_path", "a\\\\b"),
        ("iteration_path", "Sprint: 1"),
    ],
)
def test_a_wrong_place_for_new_items_is_a_mistake(setting: str, value: str) -> None:
    with pytest.raises(ValidationError, match=setting):
        made(**{setting: value})
