from __future__ import annotations

import pytest

from unlatch_jira.urls import parse, problem_of, project_of

CLOUD = "https://acme.atlassian.net"
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


def test_a_context_path_belongs_to_the_site() -> None:
    found = parse(f"{SERVER}/secure/RapidBoard.jspa?rapidView=1&selectedIssue=SCRUM-28")
    assert found is not None
    assert found.is_below(SERVER)


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


@pytest.mark.parametrize("url", [CLOUD, SERVER, "http://127.0.0.1:8080", f"{CLOUD}/"])
def test_a_right_site_has_no_problem(url: str) -> None:
    assert problem_of(url) is None
