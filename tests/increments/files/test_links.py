import copy
import re
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.increments.files.making import ADO, GITHUB, JIRA, SHAPES, github, jira

from unlatch.errors import StoreError
from unlatch.increments.model.link import Base, Link
from unlatch.increments.records.link_edits import (
    add_link,
    block_at,
    point_link,
    remove_link,
    write_base,
)
from unlatch.increments.records.links import read_links, same_item
from unlatch.increments.records.unread_places import unread_places


def ado(number: int) -> Link:
    return Link("ado", str(number), ADO.format(number))


GUID = "0e9f2e1d-4a5b-4c6d-8e7f-00112233aabb"
BASE = {"local": "active", "remote": "doing", "state": "open"}

# Every shape that is known from real files, written by hand, and the items that it ties.
OLD: dict[str, tuple[dict[str, Any], list[Link]]] = {
    "github issue": ({"github": {"issue": 4, "url": GITHUB.format(4)}}, [github(4)]),
    "github synced": (
        {
            "github": {
                "issue": 4,
                "synced": "2025-11-04T13:30:00.000Z",
                "url": GITHUB.format(4),
                "closedAt": "2025-11-05",
                "closingCommentId": 99,
            }
        },
        [github(4)],
    ),
    "github without address": ({"github": {"issue": "#4"}}, [Link("github", "4")]),
    "github milestone": (
        {
            "github": {
                "milestone": 12,
                "milestone_url": "https://github.com/octo/widgets/milestone/12",
                "user_story_issues": [
                    {
                        "id": f"US-00{n}",
                        "issue_number": 16 + n,
                        "issue_url": GITHUB.format(16 + n),
                        "title": f"[FS-043][US-00{n}] x",
                    }
                    for n in (1, 2, 3)
                ],
            },
            "githubProfile": "default",
        },
        [github(n) for n in (17, 18, 19)],
    ),
    "jira epicKey": (
        {"jira": {"epicKey": "SCRUM-28", "epicId": "10113", "synced": "2025-11-10"}},
        [Link("jira", "SCRUM-28")],
    ),
    "jira issue": ({"jira": {"issue": "SCRUM-28"}}, [Link("jira", "SCRUM-28")]),
    "jira issueKey": (
        {"jira": {"issueKey": "SCRUM-28", "url": JIRA.format("SCRUM-28")}},
        [jira("SCRUM-28")],
    ),
    "jira external_sync": (
        {"external_sync": {"jira": {"issueKey": "SCRUM-28", "status": "Done"}}},
        [Link("jira", "SCRUM-28")],
    ),
    "jira external_sync epic": (
        {"external_sync": {"jira": {"epicKey": "SCRUM-28", "epicUrl": JIRA.format("SCRUM-28")}}},
        [jira("SCRUM-28")],
    ),
    "jira externalLinks": (
        {"externalLinks": {"jira": {"epicKey": "SCRUM-28"}}},
        [Link("jira", "SCRUM-28")],
    ),
    "ado item": ({"ado": {"item": 101}}, [Link("ado", "101")]),
    "ado workItemId": ({"ado": {"workItemId": 101, "url": ADO.format(101)}}, [ado(101)]),
    "ado external_sync": (
        {"external_sync": {"ado": {"workItemId": "101", "workItemUrl": ADO.format(101)}}},
        [ado(101)],
    ),
    "ado externalLinks": ({"externalLinks": {"ado": {"featureId": 101}}}, [Link("ado", "101")]),
    "github issues": (
        {
            "github": {
                "issues": [
                    {"userStory": f"US-00{n}", "number": n, "url": GITHUB.format(n)} for n in (1, 2)
                ],
                "milestone": 12,
                "lastSync": "2026-02-07T00:00:00Z",
            }
        },
        [github(n) for n in (1, 2)],
    ),
    "github issues by story": (
        {
            "externalLinks": {
                "github": {
                    "issues": {
                        f"US-00{n}": {
                            "issueNumber": n,
                            "issueUrl": GITHUB.format(n),
                            "status": "created",
                        }
                        for n in (1, 2)
                    },
                    "milestone": 95,
                    "syncedAt": "2026-02-09T18:09:51Z",
                }
            }
        },
        [github(n) for n in (1, 2)],
    ),
    "github numbers by story": (
        {"github": {"milestone": "FS-053", "user_story_issues": {"US-001": 123, "US-002": 124}}},
        [Link("github", "123"), Link("github", "124")],
    ),
    "github plain issues": (
        {"externalLinks": {"github": {"issues": ["#810", "811"]}}},
        [Link("github", "810"), Link("github", "811")],
    ),
    "github plain issues with addresses": (
        {
            "externalLinks": {
                "github": {
                    "issues": [830, 831],
                    "issue_urls": [GITHUB.format(830), GITHUB.format(831)],
                }
            }
        },
        [github(n) for n in (830, 831)],
    ),
    "github issue with its repository": (
        {
            "externalLinks": {
                "github": {
                    "issueNumber": 5,
                    "issueUrl": GITHUB.format(5),
                    "repo": "octo/widgets",
                    "state": "open",
                }
            }
        },
        [github(5)],
    ),
    "github address": ({"externalLinks": {"github": GITHUB.format(5)}}, [github(5)]),
    "github_issues": (
        {"externalLinks": {"github_issues": ["#925", 926], "github_milestone": 12}},
        [Link("github", "925"), Link("github", "926")],
    ),
    "external_ref": (
        {"external_ref": "github#octo/widgets#115", "github_issue": 115},
        [Link("github", "115")],
    ),
    "external_ref of Jira": (
        {"external_ref": "jira#SCRUM#SCRUM-28", "external_url": JIRA.format("SCRUM-28")},
        [jira("SCRUM-28")],
    ),
    "short external_ref of Jira": ({"external_ref": "jira#SCRUM-28"}, [Link("jira", "SCRUM-28")]),
    "external_ref of Azure DevOps": (
        {"external_ref": "ado#fabrikam/widgets#101"},
        [Link("ado", "101")],
    ),
    "snake case": (
        {"external_links": {"github": {"milestone": 17, "issues": [740, 741]}}},
        [Link("github", "740"), Link("github", "741")],
    ),
    "jira epic with stories": (
        {
            "externalLinks": {
                "jira": {
                    "epicKey": "SCRUM-20",
                    "epicUrl": JIRA.format("SCRUM-20"),
                    "projectKey": "SCRUM",
                    "domain": "acme.atlassian.net",
                    "userStories": {
                        "US-001": {"issueKey": "SCRUM-21", "issueUrl": JIRA.format("SCRUM-21")}
                    },
                    "issues": {"US-002": {"key": "SCRUM-22"}, "US-003": "SCRUM-23"},
                }
            }
        },
        [Link("jira", "SCRUM-22"), Link("jira", "SCRUM-23"), jira("SCRUM-21"), jira("SCRUM-20")],
    ),
    "jira issue with address": (
        {"jira": {"issue": "SCRUM-28", "url": JIRA.format("SCRUM-28")}},
        [jira("SCRUM-28")],
    ),
    "ado feature with stories": (
        {
            "externalLinks": {
                "ado": {
                    "featureId": "1366",
                    "featureUrl": ADO.format(1366),
                    "organization": "fabrikam",
                    "project": "widgets",
                    "userStories": {
                        "US-001": {
                            "workItemId": 23,
                            "workItemUrl": "https://dev.azure.com/fabrikam/_apis/wit/workItems/23",
                        }
                    },
                }
            }
        },
        [Link("ado", "23", "https://dev.azure.com/fabrikam/_apis/wit/workItems/23"), ado(1366)],
    ),
    "ado workItem": ({"ado": {"workItem": 456, "url": ADO.format(456)}}, [ado(456)]),
    "several": (
        {
            "github": {
                "issue": 4,
                "url": GITHUB.format(4),
                "items": [
                    {"issue": 4, "url": GITHUB.format(4), "base": BASE},
                    {"issue": 5, "url": GITHUB.format(5)},
                ],
            }
        },
        [github(4), github(5)],
    ),
    "a tracker that old files do not know": (
        {"other": {"ticket": "A1", "address": "https://t.example/A1"}},
        [Link("other", "A1", "https://t.example/A1")],
    ),
}


def named(links: Iterable[Link]) -> list[tuple[str, str, str | None]]:
    return [(link.tracker, link.item, link.url) for link in links]


def seen(data: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return named(read_links(data, SHAPES.links))


def items(data: dict[str, Any]) -> set[tuple[str, str]]:
    return {(link.tracker, link.item) for link in read_links(data, SHAPES.links)}


def add(data: dict[str, Any], link: Link) -> None:
    add_link(data, link, SHAPES.links[link.tracker])


def remove(data: dict[str, Any], link: Link) -> None:
    remove_link(data, link, SHAPES.links[link.tracker])


@pytest.mark.parametrize("name", OLD)
def test_every_shape_of_real_files_is_read_at_its_place(name: str) -> None:
    data, expected = OLD[name]
    assert seen(data) == named(expected)
    for link in read_links(data, SHAPES.links):
        block = block_at(data, link.path)
        values = block.values() if isinstance(block, dict) else [block]
        assert link.item in {re.split("[#/]", str(value))[-1] for value in values}


@pytest.mark.parametrize("name", OLD)
def test_each_link_can_be_taken_out_and_no_other_goes_with_it(name: str) -> None:
    before, known = OLD[name]
    for gone in known:
        data = copy.deepcopy(before)
        remove(data, gone)
        assert items(data) == {(one.tracker, one.item) for one in known if one is not gone}
    data = copy.deepcopy(before)
    for link in read_links(data, SHAPES.links):
        remove(data, link)
    assert seen(data) == []
    if name == "github milestone":
        url = "https://github.com/octo/widgets/milestone/12"
        left = {"milestone": 12, "milestone_url": url}
        assert data == {"github": left, "githubProfile": "default"}


@pytest.mark.parametrize("name", OLD)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_links_added_and_taken_out_again_leave_the_file_as_it_was(name: str, count: int) -> None:
    before, known = OLD[name]
    data = copy.deepcopy(before)
    tracker = known[0].tracker
    ids = [f"NEW-{900 + n}" if tracker == "jira" else str(900 + n) for n in range(count)]
    new = [Link(tracker, one, f"https://new.example/{one}") for one in ids]
    for link in new:
        add(data, link)
    assert items(data) == {(link.tracker, link.item) for link in (*known, *new)}
    for link in new:
        remove(data, link)
    assert seen(data) == named(known)
    if name != "several":
        assert _without_base(data) == _without_base(before)


def _without_base(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_base(value) for key, value in data.items() if key != "base"}
    return data


def test_the_first_link_is_written_plainly_and_the_second_makes_a_list() -> None:
    data: dict[str, Any] = {}
    base = Base("completed", "done", "closed")
    add(data, Link("github", "4", GITHUB.format(4), base))
    one = {"issue": 4, "url": GITHUB.format(4), "base": vars_of(base)}
    assert data == {"github": one}
    add(data, github(5))
    both = [one, {"issue": 5, "url": GITHUB.format(5)}]
    assert data == {"github": {"issue": 4, "url": GITHUB.format(4), "items": both}}


def vars_of(base: Base) -> dict[str, str]:
    return {"local": base.local, "remote": base.remote, "state": base.state}


@pytest.mark.parametrize(
    ("tracker", "block", "keys"),
    [
        ("jira", {"epicKey": "SCRUM-28", "synced": "2025-11-10"}, ["SCRUM-28"]),
        ("github", GITHUB.format(4), [GITHUB.format(4)]),
        ("github", {"issue": "octo/widgets#4"}, ["octo/widgets#4"]),
        ("github", {"items": []}, []),
    ],
)
def test_a_link_stands_beside_what_is_there(tracker: str, block: Any, keys: list[str]) -> None:
    data = {tracker: copy.deepcopy(block)}
    new = jira("SCRUM-30") if tracker == "jira" else github(5)
    add(data, new)
    assert {link.key for link in read_links(data, SHAPES.links)} == {*keys, new.key}
    if isinstance(block, dict) and keys:
        assert data[tracker].items() >= block.items()


def stories(data: dict[str, Any]) -> dict[str, str | None]:
    return {link.item: link.story for link in read_links(data, SHAPES.links)}


def test_an_item_in_several_places_is_one_link_with_all_that_they_say() -> None:
    url = GITHUB.format(4)
    data: dict[str, Any] = {
        "external_ref": "github#octo/widgets#4",
        "github": {"issue": 4, "base": BASE},
        "externalLinks": {"github": {"issues": {"US-001": {"issueNumber": 4, "issueUrl": url}}}},
    }
    (link,) = read_links(data, SHAPES.links)
    facts = (link.url, link.story, link.target, link.path, link.base is not None)
    assert facts == (url, "US-001", "octo/widgets", ("github",), True)
    remove(data, link)
    assert data == {"externalLinks": {}}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"external_ref": "github#octo/widgets#4"}, "octo/widgets#4"),
        (
            {"externalLinks": {"github": {"issueNumber": 4, "repo": "octo/gadgets"}}},
            "octo/gadgets#4",
        ),
        ({"github": {"owner": "octo", "repo": "gadgets", "issues": [4]}}, "octo/gadgets#4"),
        ({"external_ref": "ado#fabrikam/gears#4"}, "fabrikam/gears#4"),
        (
            {"ado": {"featureId": 4, "organization": "fabrikam", "project": "gears"}},
            "fabrikam/gears#4",
        ),
        ({"external_ref": "jira#SCRUM#SCRUM-4"}, "SCRUM-4"),
    ],
)
def test_a_container_that_the_file_names_goes_before_the_configured_one(
    data: dict[str, Any], name: str
) -> None:
    (link,) = read_links(data, SHAPES.links)
    assert link.key == name


@pytest.mark.parametrize(
    "data",
    [
        {"externalLinks": {"github": "https://github.com/octo/widgets/milestone/12"}},
        {"externalLinks": {"github": "4"}},
        {"externalLinks": {"github_milestone": 12}},
        {"github": {"issues": ["none", "12a", None, True, 1.5]}},
        {"github": {"issues": {"total": 4}}},
        {"external_ref": "gitlab#octo/widgets#4"},
        {"external_ref": "github#octo/widgets#four"},
        {"external_ref": 4},
        {"other": {"issues": ["4"]}},
    ],
)
def test_other_values_are_no_items(data: dict[str, Any]) -> None:
    assert seen(data) == []


PLAIN: list[dict[str, Any]] = [
    {"external_ref": "github#octo/widgets#4", "origin": "external"},
    {"github_issue": 4},
    {"externalLinks": {"github_issues": ["#4"]}},
    {"externalLinks": {"github": GITHUB.format(4)}},
    {"github": {"issues": ["#4"], "milestone": 12}},
]


@pytest.mark.parametrize("before", PLAIN)
def test_the_base_of_a_plain_item_gets_a_block_beside_it(before: dict[str, Any]) -> None:
    data = copy.deepcopy(before)
    base, other = Base("active", "doing", "open"), Base("completed", "done", "closed")
    for one in (base, other):
        (link,) = read_links(data, SHAPES.links)
        write_base(data, link, one, SHAPES.links["github"])
    (link,) = read_links(data, SHAPES.links)
    assert (link.item, link.base) == ("4", other)
    assert data == {**before, "github": {**before.get("github", {}), **data["github"]}}
    assert data["github"]["base"] == vars_of(other)
    remove(data, link)
    assert seen(data) == []


MOVED = "https://github.com/octo/gadgets/issues/9"


@pytest.mark.parametrize(
    "name", [name for name, (_, known) in OLD.items() if known[0].tracker == "github"]
)
def test_a_link_follows_its_item_in_every_shape(name: str) -> None:
    before, known = OLD[name]
    data = copy.deepcopy(before)
    link = read_links(data, SHAPES.links)[0]
    point_link(data, link, Link("github", "9", MOVED), SHAPES.links["github"])
    found = {one.url for one in read_links(data, SHAPES.links)}
    assert found == {MOVED} | {one.url for one in known[1:]}
    assert {one.story for one in read_links(data, SHAPES.links)} >= {link.story}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (github(4), github(4), True),
        (github(4), Link("github", "4"), True),
        (github(4), Link("github", "x", GITHUB.format(4).upper() + "/"), True),
        (github(4), github(4, repository="octo/gadgets"), False),
        (github(4), github(5), False),
        (Link("github", "4"), Link("ado", "4"), False),
        (github(4), Link("github", "4", target="Octo/widgets"), True),
        (github(4), Link("github", "4", target="octo/gadgets"), False),
        (github(4), Link("github", "4", target="default"), True),
        *(
            (github(4), Link("github", "4", url), is_same)
            for url, is_same in (
                ("octo/widgets/issues/4", True),
                ("repos/octo/widgets/issues/4", True),
                ("github.com/octo/widgets/issues/4", True),
                ("//www.github.com/octo/widgets/issues/4", True),
                ("https://github.com:443/octo/widgets/pull/4", True),
                ("https://gil@GitHub.com/octo/widgets/issues/4", True),
                ("https://api.github.com/repos/octo/widgets/issues/4", True),
                ("https://ghe.example/api/v3/repos/octo/widgets/issues/4", False),
                ("https://github.com:8443/octo/widgets/issues/4", False),
                ("https://github/octo/widgets/issues/4", False),
                ("ghe.example/octo/widgets/issues/4", False),
            )
        ),
        (
            Link("github", "4", "https://octo.ghe.com/octo/widgets/issues/4"),
            Link("github", "4", "https://api.octo.ghe.com/repos/octo/widgets/issues/4"),
            True,
        ),
        (
            Link("github", "4", "https://ghe.example/octo/widgets/issues/4"),
            Link("github", "4", "https://ghe.example/api/v3/repos/octo/widgets/issues/4"),
            True,
        ),
        (
            Link("ado", "4", ADO.format(4)),
            Link("ado", "4", "https://dev.azure.com/fabrikam/widgets/_apis/wit/workItems/4"),
            True,
        ),
        *(
            (Link("ado", "4", ADO.format(4)), Link("ado", "4", url), is_same)
            for url, is_same in (
                (f"https://dev.azure.com/fabrikam/{GUID}/_apis/wit/workItems/4", True),
                ("https://dev.azure.com/fabrikam/_apis/wit/workItems/4", True),
                ("https://dev.azure.com/Fabrikam/Gears%20Two/_workitems/edit/4/?a=b", True),
                ("https://dev.azure.com/fabrikam/widgets/_boards/board/t/x?workitem=4", True),
                ("https://fabrikam.visualstudio.com/DefaultCollection/w/_workitems?id=4", True),
                ("https://fabrikam.visualstudio.com/_apis/wit/workItems/4", True),
                ("https://dev.azure.com/fabrikam/_apis/wit/workItems/5", False),
                ("https://dev.azure.com/contoso/_apis/wit/workItems/4", False),
            )
        ),
        (
            Link("ado", "4", "https://tfs.example/tfs/One/w/_workitems/edit/4"),
            Link("ado", "4", "https://tfs.example/tfs/Two/_apis/wit/workItems/4"),
            False,
        ),
        (Link("jira", "scrum-28"), jira("SCRUM-28"), True),
        (Link("jira", "scrum-28"), Link("jira", "SCRUM-28"), True),
        (
            jira("SCRUM-28"),
            Link(
                "jira",
                "SCRUM-28",
                "https://acme.atlassian.net/jira/software/projects/SCRUM/boards/1"
                "?selectedIssue=SCRUM-28",
            ),
            True,
        ),
        (jira("SCRUM-28"), Link("jira", "SCRUM-28", "https://b.example/browse/SCRUM-28"), False),
    ],
)
def test_items_are_the_same_by_address_else_by_id(one: Link, other: Link, *, same: bool) -> None:
    assert (same_item(one, other), same_item(other, one)) == (same, same)


@pytest.mark.parametrize(
    "data",
    [
        {"jira": {"issue": "scrum-61"}, "externalLinks": {"jira": {"epicKey": "SCRUM-61"}}},
        {
            "ado": {
                "workItemId": 4,
                "url": f"https://dev.azure.com/fabrikam/{GUID}/_apis/wit/workItems/4",
            },
            "externalLinks": {
                "ado": {
                    "featureId": 4,
                    "featureUrl": "https://dev.azure.com/fabrikam/widgets/_apis/wit/workItems/4",
                    "issues": [{"workItemId": 4, "url": ADO.format(4)}],
                }
            },
        },
        *(
            {"github": {"issue": one}, "external_links": {"github": {"issues": [other]}}}
            for one, other in (
                ("octo/widgets#4", {"number": 4, "url": GITHUB.format(4)}),
                ("octo/widgets#004", {"number": 4, "repo": "Octo/widgets"}),
                ("0004", GITHUB.format(4)),
                ("#4", GITHUB.format("0004")),
            )
        ),
        {
            "ado": {"workItemId": "fabrikam/widgets#4"},
            "external_sync": {"ado": {"workItemId": "004", "workItemUrl": ADO.format(4)}},
        },
    ],
)
def test_an_item_in_several_spellings_is_one_link(data: dict[str, Any]) -> None:
    (link,) = read_links(data, SHAPES.links)
    remove(data, link)
    assert seen(data) == []


NO_BASES: tuple[Any, ...] = (None, "x", [], {}, {"local": "active"}, {**BASE, "remote": 4})


@pytest.mark.parametrize(
    ("base", "read"),
    [(BASE, Base("active", "doing", "open")), *((other, None) for other in NO_BASES)],
)
def test_a_base_is_read_with_its_link_or_left_out(base: object, read: Base | None) -> None:
    (link,) = read_links({"github": {"issue": 4, "base": base, "url": 7}}, SHAPES.links)
    assert (link.base, link.url) == (read, None)


@pytest.mark.parametrize(
    "block",
    [
        None, 4, "4", True, [], [{"issue": 4}], {}, {"issue": None}, {"issue": True},
        {"issue": 4.5}, {"issue": ""}, {"issue": " # "}, {"issue": {}}, {"issue": [4]},
        {"items": None}, {"items": 3}, {"items": [None, 4, "x", []]}, {"items": {"issue": 4}},
        {"user_story_issues": "none"}, {"url": GITHUB.format(4)},
    ],
)  # fmt: skip
def test_what_is_no_link_is_none(block: object) -> None:
    assert [] == seen({"github": block}) == seen({"externalLinks": {"github": block}})


UNREAD: list[tuple[str, Any]] = [
    *(("github", {"issue": one}) for one in ("TBD", 0, -3, "0", "4.5", "\u00b2", "9" * 5000)),
    ("github", {"issue": 49, "url": GITHUB.format(50)}),
    ("github", {"issue": 49, "url": "https://github.com/octo/widgets/pull/9"}),
    ("github", "#37"),
    ("ado", {"workItemId": "TBD"}),
    ("ado", {"workItemId": 4, "url": "https://dev.azure.com/fabrikam/_apis/wit/workItems/5"}),
    ("jira", {"issue": "TBD", "url": JIRA.format("")}),
    ("jira", {"issueKey": "SCRUM-2", "url": JIRA.format("SCRUM-28")}),
    ("GitHub", {"Issue": 4}),
    ("azure_devops", {"workItemId": 4}),
    ("Azure DevOps", 4),
]


@pytest.mark.parametrize(("name", "block"), UNREAD)
def test_a_word_that_is_no_items_id_is_reported(name: str, block: Any) -> None:
    data = {name: block, "externalLinks": {name: block}}
    assert seen(data) == []
    unread = [path for one in SHAPES.links for path in unread_places(data, one, SHAPES.links[one])]
    assert {(name,), ("externalLinks", name)} == {*unread}


@pytest.mark.parametrize(
    "value", ["#5", 5, ["5"], [5, "#5"], GITHUB.format(5), [GITHUB.format(5)], None, [], "", 0]
)
def test_a_link_takes_the_place_of_an_empty_value_or_one_that_names_it(value: Any) -> None:
    data: dict[str, Any] = {"github": value, "x": 1}
    add(data, github(5))
    assert data == {"github": {"issue": 5, "url": GITHUB.format(5)}, "x": 1}


@pytest.mark.parametrize("block", ["none", 4, [4, 5], {"items": {}}, {"issue": 4, "items": "x"}])
def test_a_link_is_not_written_over_what_is_no_link_block(block: object) -> None:
    data = {"github": copy.deepcopy(block)}
    with pytest.raises(StoreError) as caught:
        add(data, github(5))
    assert caught.value.id == "metadata-invalid"
    assert data == {"github": block}


keys = st.sampled_from(
    ["github", "jira", "external_sync", "externalLinks", "items", "user_story_issues", "x"]
) | st.sampled_from(["issue", "number", "url", "epicKey", "issueKey", "base"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(keys, json_values, max_size=5))
def test_whatever_stands_there_is_read_and_every_link_can_be_taken_out(
    data: dict[str, Any],
) -> None:
    for _ in range(20):
        if not (found := read_links(data, SHAPES.links)):
            break
        remove(data, found[0])
    assert read_links(data, SHAPES.links) == ()
