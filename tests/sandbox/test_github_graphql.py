"""The sandbox's GraphQL reads issues, and refuses unknown queries."""

from collections.abc import Callable
from typing import Any

import pytest
import requests

from unlatch_sandbox import Sandbox

Query = Callable[..., Any]


@pytest.fixture
def query(box: Sandbox) -> Query:
    """Asks GraphQL, and returns its answer."""

    def ask(text: str, **variables: Any) -> Any:
        return requests.post(
            f"{box.github.web_url}/api/graphql",
            json={"query": text, "variables": variables},
            headers={"Authorization": f"Bearer {box.github.token}"},
            timeout=10,
        ).json()

    return ask


@pytest.fixture(autouse=True)
def issue(box: Sandbox) -> None:
    admin = box.github
    admin.add_milestone("v1")
    admin.add_issue(
        number=4,
        title="Smart",
        state="closed",
        state_reason="duplicate",
        labels=["a", "b"],
        assignee="ann",
        milestone=1,
    )
    admin.put_in_project("octo/widgets", 4, "Roadmap", "Done")


def _asked(fields: str) -> str:
    return (
        'query ($o: String!, $n: Int!) { it: repository(owner: $o, name: "widgets") {'
        f" issueOrPullRequest(number: $n) {{ __typename ... on Issue {{ {fields} }} }} }} }}"
    )


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ("title state", {"title": "Smart", "state": "CLOSED"}),
        ("stateReason", {"stateReason": "NOT_PLANNED"}),
        ("stateReason(enableDuplicate: true)", {"stateReason": "DUPLICATE"}),
        ("issueType { name }", {"issueType": None}),
        ("labels(first: 1) { nodes { name } }", {"labels": {"nodes": [{"name": "a"}]}}),
        ("who: assignees(first: 9) { nodes { login } }", {"who": {"nodes": [{"login": "ann"}]}}),
        ("milestone { number state }", {"milestone": {"number": 1, "state": "OPEN"}}),
        (
            """projectItems(first: 5) { nodes { project { title }
            status: fieldValueByName(name: "Status") {
            ... on ProjectV2ItemFieldSingleSelectValue { name } } } }""",
            {
                "projectItems": {
                    "nodes": [{"project": {"title": "Roadmap"}, "status": {"name": "Done"}}]
                }
            },
        ),
    ],
)
def test_an_issues_fields_are_told(query: Query, fields: str, value: dict[str, Any]) -> None:
    answer = query(_asked(fields), o="octo", n=4)

    assert answer == {"data": {"it": {"issueOrPullRequest": {"__typename": "Issue", **value}}}}


def test_what_is_missing_is_null_beside_what_is_there(box: Sandbox, query: Query) -> None:
    admin = box.github
    pull = admin.add_issue(title="P", pull_request=True)
    admin.add_repository("octo/gadgets")
    moved = admin.transfer_issue("octo/widgets", admin.add_issue(title="T"), "octo/gadgets")
    text = (
        'query ($n: Int!) { here: repository(owner: "octo", name: "widgets")'
        " { four: issue(number: 4) { number } other: issue(number: $n) { number } } "
        'gone: repository(owner: "octo", name: "nothing") { nameWithOwner } }'
    )

    answers = {number: query(text, n=number) for number in (99, pull, moved + 5)}

    for answer in answers.values():
        assert answer["data"] == {"here": {"four": {"number": 4}, "other": None}, "gone": None}
        assert [(error["type"], error["path"]) for error in answer["errors"]] == [
            ("NOT_FOUND", ["here", "other"]),
            ("NOT_FOUND", ["gone"]),
        ]


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "{ viewer { login } }",
        "mutation { closeIssue }",
        "query { viewer { login }",
        "query { viewer { mood } }",
        "query { viewer }",
        "query { nothing { x } }",
        "query { viewer { ...lost } }",
        _asked("labels { nodes { name } }").replace("$o", '"octo"').replace("$n", "4"),
        'query { repository(owner: {}, name: "x") { nameWithOwner } }',
    ],
)
def test_what_is_not_known_is_an_error_and_no_data(query: Query, text: str) -> None:
    answer = query(text)

    assert list(answer) == ["errors"]
