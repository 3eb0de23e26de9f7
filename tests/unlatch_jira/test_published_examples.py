"""The example answers in Atlassian's own description of Jira Cloud are read by the plugin."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict
from tests.published import SPECS, description, published, unread

from unlatch.transport import Answer
from unlatch_jira.api.comments import Comment, CommentPage, Person
from unlatch_jira.api.errors import words
from unlatch_jira.api.json_model import parse
from unlatch_jira.api.list_models import ChangelogAnswer, IssueList
from unlatch_jira.api.models import read_issue
from unlatch_jira.api.site_models import FieldInfo, Permissions, Preview, TypeStatuses
from unlatch_jira.api.workflow_models import Status, TransitionsAnswer
from unlatch_jira.settings import JiraSettings

pytestmark = pytest.mark.skipif(not SPECS, reason="UNLATCH_SPECS names no folder of descriptions")

CLOUD = "jira_cloud_swagger-v3_2025-12-25.json"
SETTINGS = JiraSettings(site="https://your-domain.atlassian.net", project="ED")
REST = "/rest/api/3"
ISSUE = f"{REST}/issue/{{issueIdOrKey}}"
# The examples show issues without the fields that every request of the plugin names.
NOT_REQUESTED = ("at fields.summary: is missing", "at fields.status: is missing")


def _each(read: Callable[[Any], object], answers: Any) -> None:
    assert answers
    for one in answers:
        read(one)


def _issues(answer: Any) -> None:
    for one in parse(IssueList, answer).issues:
        read_issue(one, SETTINGS)


READERS: dict[str, Callable[[Any], object]] = {
    f"GET {ISSUE}": partial(read_issue, settings=SETTINGS),
    f"GET {REST}/search": _issues,
    f"POST {REST}/search": _issues,
    f"GET {REST}/search/jql": _issues,
    f"POST {REST}/search/jql": _issues,
    f"POST {REST}/issue/bulkfetch": _issues,
    f"GET {ISSUE}/transitions": partial(parse, TransitionsAnswer),
    f"GET {ISSUE}/comment": partial(parse, CommentPage),
    f"POST {ISSUE}/comment": lambda answer: parse(Comment, answer).at,
    f"GET {ISSUE}/comment/{{id}}": lambda answer: parse(Comment, answer).at,
    # The plugin expands it in an issue, under another name than it has by itself.
    f"GET {ISSUE}/changelog": lambda answer: (
        parse(ChangelogAnswer, {"changelog": {"histories": answer["values"]}}).mover
    ),
    f"GET {REST}/mypermissions": partial(parse, Permissions),
    f"GET {REST}/myself": partial(parse, Person),
    f"GET {REST}/field": partial(_each, partial(parse, FieldInfo)),
    f"GET {REST}/project/{{projectIdOrKey}}/statuses": partial(_each, partial(parse, TypeStatuses)),
    f"GET {REST}/status": partial(_each, partial(parse, Status)),
    f"POST {REST}/workflows/preview": partial(parse, Preview),
}


def test_published_answers_are_read(record_property: Callable[[str, object], None]) -> None:
    count, refused = unread(description(CLOUD), READERS)
    record_property("read", f"{count - len(refused)} of {count}")
    others = {name: why for name, why in refused.items() if not why.endswith(NOT_REQUESTED)}
    assert (others, len(refused), count) == ({}, 6, 17)


def test_the_published_issue_is_read_with_the_requested_fields() -> None:
    ((_, answer),) = published(description(CLOUD), f"GET {ISSUE}")
    answer["fields"] |= {"summary": "Main order flow broken", "status": {"name": "Done"}}
    # A list in the example, and a page of comments in every answer (schema PageOfComments).
    comments = answer["fields"].pop("comment")
    issue = read_issue(answer, SETTINGS)
    assert (issue.key, issue.item.title) == ("ED-1", "Main order flow broken")
    assert [parse(Comment, one).at.year for one in comments] == [2021]


def test_published_refusals_are_shown_in_jiras_words(
    record_property: Callable[[str, object], None],
) -> None:
    document, silent, count = description(CLOUD), {}, 0
    for method, path in _operations_on_issues(document):
        for name, body in published(document, f"{method} {path}"):
            if (status := int(name.split()[2])) < 400:
                continue
            count += 1
            raw, headers = json.dumps(body).encode(), CaseInsensitiveDict[str]()
            shown = words(Answer(method, f"{SETTINGS.site}{path}", status, headers, raw))
            said = [*body["errorMessages"], *body["errors"].values()]
            if not all(one in shown for one in said):
                silent[name] = shown
    record_property("shown", f"{count - len(silent)} of {count}")
    assert (silent, count) == ({}, 17)


def _operations_on_issues(document: dict[str, Any]) -> list[tuple[str, str]]:
    """All but the creation of many issues, whose refusals have another shape."""
    return [
        (method.upper(), path)
        for path, operations in document["paths"].items()
        for method in ("get", "post", "put", "delete")
        if method in operations and (path == f"{REST}/issue" or path.startswith(f"{REST}/issue/"))
        if path != f"{REST}/issue/bulk"
    ]
