"""The error table, read from answers as Azure DevOps words them, with the advice for each."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict
from tests.unlatch_ado.making import plugin_for, ref, sent_requests, write_change

from unlatch.errors import (
    Conflict,
    Forbidden,
    NotFound,
    Redirected,
    Rejected,
    TrackerError,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.transport import Answer, Wait, for_tests
from unlatch_ado.api.errors import explain
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox


@dataclass(frozen=True)
class Row:
    """Azure DevOps' answers, and their messages."""

    fault: dict[str, Any]
    kind: type[TrackerError]
    id: str
    advice: tuple[str, ...] = ()
    method: str = "PATCH"


def said(message: str, key: str = "X", **more: Any) -> dict[str, Any]:
    return {"$id": "1", "message": message, "typeKey": key, "errorCode": 0, **more}


def status_fault(code: int, body: object = "", **headers: str) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"kind": "status", "code": code, "body": body, "headers": named}


def redirect(location: str) -> dict[str, Any]:
    return {"kind": "redirect", "location": location}


def rule(field: str) -> dict[str, Any]:
    properties = {"FieldReferenceName": field}
    return said("TF401320: Rule Error", "RuleValidationException", customProperties=properties)


SIGN_IN = "<html><title>Azure DevOps Services | Sign In</title></html>"
HTML = {"Content_Type": "text/html; charset=utf-8"}
EXPIRED = "credential-expired"
RENEW = ("the token came from the test", "check that it is valid")
CAP = (
    "Work item 1 has 10001 revisions, but only work items with up to 10000 revisions are supported."
)
GONE = said("TF401232: Work item 101 does not exist, or you do not have permissions to read it.")

ROWS = {
    "203": Row(status_fault(203, SIGN_IN, **HTML), Unauthorised, EXPIRED, RENEW, "GET"),
    "401": Row(status_fault(401, said("TF400813: x")), Unauthorised, EXPIRED, RENEW),
    "401 bare": Row(status_fault(401), Unauthorised, EXPIRED, RENEW),
    "302": Row(
        redirect("https://x.vssps.visualstudio.com/_signin?a=b"),
        *(Unauthorised, EXPIRED, RENEW, "GET"),
    ),
    "302 to Entra": Row(
        redirect("https://login.microsoftonline.com/x"), Unauthorised, EXPIRED, RENEW
    ),
    "302 to elsewhere": Row(redirect("https://x.example/y"), Redirected, "redirected-write"),
    "400": Row(status_fault(400, "nonsense"), Rejected, "tracker-rejected"),
    "rule": Row(
        status_fault(400, rule("Custom.Cause")),
        *(Rejected, "rule-broken", ("[trackers.ado.fields.reopen]", '"Custom.Cause" = ')),
    ),
    "state": Row(status_fault(400, rule("System.State")), Rejected, "rule-broken", ("`states`",)),
    "403": Row(status_fault(403, "no"), Forbidden, "forbidden"),
    "area": Row(
        status_fault(403, said("TF237111: no permissions under the specified area path")),
        *(Forbidden, "area-not-permitted", ("Edit work items in this node",)),
    ),
    "missing": Row(
        status_fault(404, GONE), NotFound, "item-not-found", ("recycle bin", "area"), "GET"
    ),
    "plain 404": Row(
        status_fault(404, "Page not found."),
        *(NotFound, "project-not-found", ("organization_url", "project"), "GET"),
    ),
    "too old": Row(
        status_fault(400, said("The latest version is 5.1.", "VssVersionOutOfRangeException")),
        *(Rejected, "version-not-offered", ("api_version",), "GET"),
    ),
    "412": Row(
        status_fault(412, said("VS403351: Test Operation failed")),
        Conflict,
        "conflict",
        ("unlatch sync",),
    ),
    "409": Row(
        status_fault(409, said("TF26071: changed by others")),
        Conflict,
        "conflict",
        ("unlatch sync",),
    ),
    "cap": Row(status_fault(500, said(CAP)), Rejected, "revision-limit", ("in the browser",)),
    "500": Row(
        status_fault(500, said("TF400898: An Internal Error Occurred.")),
        *(UnknownOutcome, "unknown-outcome", ("unlatch sync",)),
    ),
    **{
        kind: Row({"kind": kind}, UnknownOutcome, "unknown-outcome", ("unlatch sync",))
        for kind in ("drop", "truncate")
    },
}


@pytest.mark.sample(at=(8,))
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_an_error_has_its_name_and_its_advice(box: Sandbox, plugin: AdoPlugin, row: Row) -> None:
    number = box.ado.add_work_item(title="x", state="Closed")
    box.faults.add(Fault("ado", method=row.method, times=2, **row.fault))
    with pytest.raises(TrackerError) as caught:
        write_change(plugin, ref(box, number))
    error = caught.value
    assert (type(error), error.id) == (row.kind, row.id)
    assert [words for words in row.advice if words not in (error.hint or "")] == []
    assert error.where
    if row.fault["kind"] != "truncate":
        # The library's own errors carry no status.
        assert error.status == (row.fault.get("code") or {"redirect": 302}.get(row.fault["kind"]))
        assert box.ado.work_item(number)["fields"]["System.State"] == "Closed"
        assert box.ado.comments(number) == []
    assert sent_requests(box).count("PATCH") == (0 if row.method == "GET" else 1)


def test_the_cap_on_revisions_is_met_as_the_server_words_it(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = box.ado.add_work_item(title="x", state="Closed")
    box.ado.most_revisions = 2
    # The words name the limit; the sandbox's is lowered, to write fewer than 10,000.
    with pytest.raises(TrackerError, match="up to 2 revisions"):
        write_change(plugin, ref(box, number))


@pytest.mark.parametrize("form", ["seconds", "http-date", "delayed"])
def test_throttling_is_waited_out_and_shown(box: Sandbox, tmp_path: Path, form: str) -> None:
    waits: list[Wait] = []
    transport = for_tests(
        "ado", box.ado.organization_url, token=box.ado.token, cache=tmp_path, on_wait=waits.append
    )
    plugin = AdoPlugin(plugin_for(box)._settings, transport)
    number = box.ado.add_work_item(title="x", state="Closed")
    box.faults.add(Fault("ado", "rate-limit", method="GET", form=form, seconds=7))
    assert write_change(plugin, ref(box, number)).after.state == "Active"
    assert [round(wait.seconds) for wait in waits] == [7]
    assert len(box.ado.comments(number)) == 1


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
    (answer(404, "Page not found."), NotFound, "project-not-found"),
    (answer(404), NotFound, "project-not-found"),
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
            {"fieldReferenceName": "System.Reason"},
            None,
        ],
    }
    error = explain(
        wrapped(400, "TF401320: x", "RuleValidationException", customProperties=properties)
    )
    assert error is not None
    assert "(System.State, Custom.Cause, System.Reason)" in error.message
    assert '"Custom.Cause" = "...", "System.Reason" = "..."' in (error.hint or "")


@pytest.mark.parametrize("properties", [None, [], "x", {"RuleValidationErrors": 3}])
def test_a_broken_rule_without_fields_is_still_one(properties: object) -> None:
    error = explain(wrapped(400, "TF401320: Required", customProperties=properties))
    assert error is not None
    assert error.message.endswith("refuses the change: TF401320: Required")
