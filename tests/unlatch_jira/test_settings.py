"""The settings of Jira, and the addresses of its issues."""

import pytest
from pydantic import ValidationError

from unlatch.errors import ConfigError
from unlatch.spi import ItemRef
from unlatch_jira.settings import JiraSettings
from unlatch_jira.urls import parse, problem_of, project_of

CLOUD = "https://acme.atlassian.net"


def settings(**values: object) -> JiraSettings:
    return JiraSettings.model_validate({"site": CLOUD, "project": "SCRUM", **values})


def scrum(number: int = 28, *, web: str = CLOUD) -> ItemRef:
    return ItemRef("jira", "SCRUM", f"SCRUM-{number}", f"{web}/browse/SCRUM-{number}")


@pytest.mark.parametrize(
    ("site", "given", "version", "is_cloud"),
    [
        (CLOUD, None, 3, True),
        (CLOUD, 2, 2, True),
        ("https://jira.example.com", None, 2, False),
        ("https://jira.example.com/jira", 2, 2, False),
        ("http://127.0.0.1:8080", None, 2, False),
        ("http://127.0.0.1:8080", 3, 3, True),
        ("https://evilatlassian.net", None, 2, False),
    ],
)
def test_the_version_follows_from_the_host_unless_given(
    site: str, given: int | None, version: int, *, is_cloud: bool
) -> None:
    found = settings(site=site, api_version=given)
    assert (version, is_cloud) == (found.version, found.is_cloud)


def test_the_gateway_for_scoped_tokens_is_cloud_and_needs_the_address_of_issues() -> None:
    found = settings(site="https://api.atlassian.com/ex/jira/11-22", web_url=CLOUD)
    assert (found.version, found.is_cloud) == (3, True)
    assert found.base_url == "https://api.atlassian.com/ex/jira/11-22"
    assert found.recognise(f"{CLOUD}/browse/SCRUM-28") == scrum()
    with pytest.raises(ValidationError, match="web_url is needed"):
        settings(site="https://api.atlassian.com/ex/jira/11-22")
    found = settings(gateway=True, gateway_url="https://api.gov.example")
    assert found.base_url == "https://api.gov.example"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"site": "acme.atlassian.net"}, "must be a web address such as"),
        ({"site": "https://me:secret@acme.atlassian.net"}, "must not hold a user name"),
        ({"web_url": "nowhere"}, "must be a web address such as"),
        ({"project": "scrum"}, "'scrum' is not a project key"),
        ({"project": "SCRUM-28"}, "'SCRUM-28' is not a project key"),
        ({"project": 'X" OR project = "Y'}, "is not a project key"),
        ({"projects": ["OPS", "ops"]}, "'ops' is not a project key"),
        ({"api_version": 4}, "Input should be 2 or 3"),
        ({"issue_type": ""}, "at least 1 character"),
        ({"transitions_for": {"ops/Bug": {}}}, "'ops/Bug' is none of PROJECT, PROJECT/Type"),
        ({"transitions_for": {"*": {}}}, "'*' is none of PROJECT, PROJECT/Type and */Type"),
        ({"transitions_for": {"OPS/ ": {}}}, "is none of PROJECT, PROJECT/Type and */Type"),
        ({"paths": {"reopen": {"A": []}}}, "at least 1 item"),
        ({"paths": {"reopen": {"A": ["B", "C", "D", "E"]}}}, "at most 3 items"),
        ({"paths": {"close": {"A": ["B"]}}}, "Extra inputs are not permitted"),
        ({"on_reopen": {"sprint": "next"}}, "Input should be 'keep' or 'active'"),
        ({"cloud_id": "../evil"}, "is not the id of a site"),
        ({"site": "https://jira.example.com", "gateway": True}, "name it in cloud_id"),
        ({"gateway_url": "nowhere"}, "must be a web address such as"),
        ({"transitions": {"repoen": "Reopen"}}, "Extra inputs are not permitted"),
        ({"sites": CLOUD}, "Extra inputs are not permitted"),
    ],
)
def test_a_wrong_value_is_told_what_is_wrong_with_it(
    values: dict[str, object], message: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        settings(**values)
    assert [message in error["msg"] for error in caught.value.errors()] == [True]


def test_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(ValidationError) as caught:
        settings(site="https://me:hunter2@acme.atlassian.net")
    assert "hunter2" not in caught.value.errors(include_input=False)[0]["msg"]


@pytest.mark.parametrize(
    ("item", "url"), [("28", None), ("", None), ("SCRUM-28", "https://acme.atlassian.net/x")]
)
def test_what_names_no_issue_cannot_be_located(item: str, url: str | None) -> None:
    with pytest.raises(ConfigError):
        settings().locate(item, url)


def test_links_may_point_into_the_configured_projects_only() -> None:
    allowed = settings(projects=["OPS"])
    keys = ["SCRUM-1", "OPS-1", "SECRET-1", "SCRUMX-1"]
    assert [allowed.allows(allowed.locate(key, None)) for key in keys] == [True, True, False, False]
    none = settings(project=None)
    assert none.target is None
    assert not none.allows(none.locate("SCRUM-28", None))
    forged = ItemRef("jira", "SCRUM", "SECRET-1", f"{CLOUD}/browse/SECRET-1")
    assert not settings().allows(forged)
    found = settings().locate("SCRUM-28", "https://other.atlassian.net/browse/SCRUM-28")
    assert not settings().allows(found)


@pytest.mark.parametrize(
    "values",
    [
        {"gateway": True},
        {"cloud_id": "11111111-2222-4333-8444-555555555555"},
        {"site": "https://jira.acme.example", "cloud_id": "11111111-2222-4333-8444-555555555555"},
    ],
)
def test_through_the_gateway_a_site_is_cloud_and_keeps_its_address(
    values: dict[str, object],
) -> None:
    found = settings(**values)
    assert (found.base_url, found.version, found.is_cloud) == (
        "https://api.atlassian.com",
        3,
        True,
    )
    assert found.web == values.get("site", CLOUD)
    assert found.server("ID") == "https://api.atlassian.com/ex/jira/ID"


SERVER = "https://tools.example.com/jira"


@pytest.mark.parametrize(
    "url",
    [
        f"{CLOUD}/browse/SCRUM-28",
        f"{CLOUD}/browse/SCRUM-28/",
        f"{CLOUD}/browse/scrum-28",
        f"{CLOUD}/browse/SCRUM-28?focusedCommentId=10001#comment-10001",
        f"{CLOUD}/jira/software/projects/SCRUM/boards/1?selectedIssue=SCRUM-28",
        f"{CLOUD}/jira/software/c/projects/SCRUM/issues/SCRUM-28?jql=project%20%3D%20SCRUM",
        f"{CLOUD}/projects/SCRUM/issues/SCRUM-28?filter=allopenissues",
        "HTTPS://ACME.Atlassian.NET:443/browse/SCRUM-28",
        "http://acme.atlassian.net/browse/SCRUM-28",
        f"  {CLOUD}/browse/SCRUM-28\n",
    ],
)
def test_every_address_that_a_browser_shows_means_the_issue(url: str) -> None:
    found = parse(url)
    assert found is not None
    assert found.key == "SCRUM-28"
    assert found.is_below(CLOUD)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "SCRUM-28",
        f"{CLOUD}/browse/SCRUM",
        f"{CLOUD}/browse/28",
        f"{CLOUD}/browse/SCRUM-0",
        f"{CLOUD}/browse/SCRUM-28/../X-1x",
        f"{CLOUD}/jira/software/projects/SCRUM/boards/1",
        "ftp://acme.atlassian.net/browse/SCRUM-28",
        "https://me:secret@acme.atlassian.net/browse/SCRUM-28",
        "https://acme.atlassian.net:port/browse/SCRUM-28",
        "https://[acme/browse/SCRUM-28",
    ],
)
def test_what_shows_no_issue_means_none(url: str) -> None:
    assert parse(url) is None


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://evil.example/browse/SCRUM-28", CLOUD),
        ("https://acme.atlassian.net.evil.example/browse/SCRUM-28", CLOUD),
        ("https://notacme.atlassian.net/browse/SCRUM-28", CLOUD),
        ("https://acme.atlassian.net:8443/browse/SCRUM-28", CLOUD),
        ("https://tools.example.com/browse/SCRUM-28", SERVER),
        ("https://tools.example.com/jirax/browse/SCRUM-28", SERVER),
    ],
)
def test_another_sites_issue_is_not_this_sites(url: str, site: str) -> None:
    found = parse(url)
    assert found is not None
    assert not found.is_below(site)


@pytest.mark.parametrize(
    ("key", "project"),
    [("SCRUM-28", "SCRUM"), ("A_1-7", "A_1"), ("scrum-28", ""), ("SCRUM-28x", ""), ("28", "")],
)
def test_the_project_is_what_stands_before_the_number(key: str, project: str) -> None:
    assert project_of(key) == project


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("acme.atlassian.net", "such as https://acme.atlassian.net"),
        ("ftp://acme.atlassian.net", "such as https://acme.atlassian.net"),
        ("https://", "such as https://acme.atlassian.net"),
        ("https://me:secret@acme.atlassian.net", "user name or a password"),
        ("https://acme.atlassian.net?x=1", "without ? and #"),
        ("https://acme.atlassian.net:x", "not a web address"),
    ],
)
def test_a_wrong_site_is_told_what_is_wrong_with_it(url: str, part: str) -> None:
    assert part in (problem_of(url) or "")
