"""The error table, read from answers as Azure DevOps words them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict

from unlatch.errors import (
    Conflict,
    Forbidden,
    NotFound,
    Rejected,
    TrackerError,
    Unauthorised,
)
from unlatch.transport import Answer
from unlatch_ado.api.errors import explain

URL = "https://dev.azure.com/fabrikam/_apis/wit/workItems/101"


def answer(status: int, text: str = "", kind: str = "text/plain", **headers: str) -> Answer:
    sent = CaseInsensitiveDict({"Content-Type": kind, **headers})
    return Answer("PATCH", URL, status, sent, text.encode())


def wrapped(status: int, message: str, key: str = "SomeException", **more: Any) -> Answer:
    body = {"$id": "1", "message": message, "typeKey": key, "errorCode": 0, **more}
    return answer(status, json.dumps(body), "application/json; charset=utf-8")


EXPLAINED = [
    (wrapped(401, "TF400813: The user '' is not authorized."), Unauthorised, "credential-expired"),
    (answer(401), Unauthorised, "credential-expired"),
    (
        answer(401, "Access Denied: The Personal Access Token used has expired."),
        Unauthorised,
        "credential-expired",
    ),
    (
        answer(203, "<html><title>Azure DevOps Services | Sign In</title>", "text/html"),
        Unauthorised,
        "credential-expired",
    ),
    (
        answer(200, "<html><title>Sign in to your account</title>", "text/html; charset=utf-8"),
        Unauthorised,
        "credential-expired",
    ),
    (
        answer(302, Location="https://spsprodeus1.vssps.visualstudio.com/_signin?realm=x"),
        Unauthorised,
        "credential-expired",
    ),
    (
        answer(302, Location="https://login.microsoftonline.com/common/oauth2/authorize"),
        Unauthorised,
        "credential-expired",
    ),
    (wrapped(403, "TF401289: no permissions to create tags."), Forbidden, "tag-not-permitted"),
    (
        wrapped(403, "TF237111: no permissions to save work items under the area path"),
        Forbidden,
        "area-not-permitted",
    ),
    (
        wrapped(400, "TF237111: no permissions to save", "RuleValidationException"),
        Forbidden,
        "area-not-permitted",
    ),
    (wrapped(400, "TF401347: Invalid tree name given"), Rejected, "tree-path-not-found"),
    (wrapped(400, "TF51535: Cannot find field Custom.X."), Rejected, "field-not-found"),
    (wrapped(400, "TF201036: only one Parent link"), Rejected, "link-refused"),
    (
        wrapped(400, "The latest version is 5.1.", "VssVersionOutOfRangeException"),
        Rejected,
        "version-not-offered",
    ),
    (wrapped(404, "TF401232: Work item 1 does not exist"), NotFound, "item-not-found"),
    (answer(404, "Page not found."), NotFound, "item-not-found"),
    (answer(404), NotFound, "item-not-found"),
    (wrapped(404, "TF200016: The following project does not exist"), NotFound, "project-not-found"),
    (wrapped(404, "VS402323: Work item type X does not exist"), Rejected, "type-not-found"),
    (wrapped(412, "VS403351: Test Operation for path /rev failed"), Conflict, "conflict"),
    (
        wrapped(409, "TF26071: This work item has been changed by someone else"),
        Conflict,
        "conflict",
    ),
    (
        wrapped(
            500,
            "Work item 123 has 10001 revisions, but currently, when updating via the API, only "
            "work items with up to 10000 revisions are supported.",
        ),
        Rejected,
        "revision-limit",
    ),
    (wrapped(400, "TF401320: Rule Error for field Severity."), Rejected, "rule-broken"),
]


@pytest.mark.parametrize(("given", "kind", "id"), EXPLAINED)
def test_explains_the_errors_that_azure_devops_names(
    given: Answer, kind: type[TrackerError], id: str
) -> None:
    error = explain(given)
    assert error is not None
    assert (kind, id) == (type(error), error.id)


@pytest.mark.parametrize(
    "given",
    [
        answer(200, "{}", "application/json"),
        answer(204),
        answer(200, "<html>Captive portal: click to go on", "text/html"),
        answer(302, Location="https://dev.azure.com/fabrikam-renamed/_apis/wit/workItems/101"),
        wrapped(400, "VS403353: too many tags", "VssPropertyValidationException"),
        wrapped(403, "TF400733 is no permission"),
        wrapped(429, "TF400733: The request has been canceled"),
        wrapped(500, "TF400898: An Internal Error Occurred."),
        answer(502, "<html>Bad Gateway, you may need to login", "text/html"),
    ],
)
def test_leaves_the_rest_to_the_general_rules(given: Answer) -> None:
    assert explain(given) is None


def test_names_every_field_whose_rule_is_broken() -> None:
    properties = {
        "FieldReferenceName": "System.State",
        "RuleValidationErrors": [
            {"fieldReferenceName": "System.State"},
            {"fieldReferenceName": "Custom.Cause"},
            None,
        ],
    }
    error = explain(
        wrapped(400, "TF401320: x", "RuleValidationException", customProperties=properties)
    )
    assert error is not None
    assert "(System.State, Custom.Cause)" in error.message


@pytest.mark.parametrize("properties", [None, [], "x", {"RuleValidationErrors": 3}])
def test_a_broken_rule_without_fields_is_still_one(properties: object) -> None:
    error = explain(wrapped(400, "TF401320: Required", customProperties=properties))
    assert error is not None
    assert error.message.endswith("refuses the change: TF401320: Required")
