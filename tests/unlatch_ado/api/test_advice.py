"""Every error that the field guide lists, met on the way, with the advice that goes with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_ado.making import plugin_for, ref, sent_requests, write_change

from unlatch.errors import (
    Conflict,
    Forbidden,
    NotFound,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.transport import Wait, for_tests
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_sandbox import Sandbox


@dataclass(frozen=True)
class Row:
    """Azure DevOps' answers, and their messages."""

    about: str
    fault: dict[str, Any]
    kind: type[TrackerError]
    id: str
    advice: tuple[str, ...]
    method: str = "PATCH"
    more: dict[str, Any] = field(default_factory=dict)


def said(message: str, key: str = "X", **more: Any) -> dict[str, Any]:
    return {"$id": "1", "message": message, "typeKey": key, "errorCode": 0, **more}


def status_fault(code: int, body: object = "", **headers: str) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"kind": "status", "code": code, "body": body, "headers": named}


SIGN_IN = "<html><title>Azure DevOps Services | Sign In</title></html>"
HTML = {"Content_Type": "text/html; charset=utf-8"}
RENEW = ("the token came from the test", "check that it is valid")
RULE = {"FieldReferenceName": "Custom.Cause"}
CAP = (
    "Work item 1 has 10001 revisions, but only work items with up to 10000 revisions are supported."
)
GONE = said("TF401232: Work item 101 does not exist, or you do not have permissions to read it.")

ROWS = [
    Row(
        "203",
        status_fault(203, SIGN_IN, **HTML),
        Unauthorised,
        "credential-expired",
        RENEW,
        "GET",
    ),
    Row("401", status_fault(401, said("TF400813: x")), Unauthorised, "credential-expired", RENEW),
    Row("401 bare", status_fault(401), Unauthorised, "credential-expired", RENEW),
    Row(
        "302",
        {"kind": "redirect", "location": "https://x.vssps.visualstudio.com/_signin?a=b"},
        Unauthorised,
        "credential-expired",
        RENEW,
        "GET",
    ),
    Row(
        "302 to Entra",
        {"kind": "redirect", "location": "https://login.microsoftonline.com/x"},
        Unauthorised,
        "credential-expired",
        RENEW,
    ),
    Row(
        "rule",
        status_fault(
            400, said("TF401320: Rule Error", "RuleValidationException", customProperties=RULE)
        ),
        Rejected,
        "rule-broken",
        ("[trackers.ado.fields.reopen]", '"Custom.Cause" = '),
    ),
    Row(
        "state",
        status_fault(
            400,
            said(
                "TF401320: Rule Error for field State.",
                "RuleValidationException",
                customProperties={"FieldReferenceName": "System.State"},
            ),
        ),
        Rejected,
        "rule-broken",
        ("`states`",),
    ),
    Row(
        "area",
        status_fault(403, said("TF237111: no permissions under the specified area path")),
        Forbidden,
        "area-not-permitted",
        ("Edit work items in this node",),
    ),
    Row(
        "missing",
        status_fault(404, GONE),
        NotFound,
        "item-not-found",
        ("recycle bin", "area"),
        "GET",
    ),
    Row(
        "plain 404",
        status_fault(404, "Page not found."),
        NotFound,
        "item-not-found",
        ("organization_url", "project"),
        "GET",
    ),
    Row(
        "too old",
        status_fault(400, said("The latest version is 5.1.", "VssVersionOutOfRangeException")),
        Rejected,
        "version-not-offered",
        ("api_version",),
        "GET",
    ),
    Row(
        "412",
        status_fault(412, said("VS403351: Test Operation failed")),
        Conflict,
        "conflict",
        (),
    ),
    Row(
        "409",
        status_fault(409, said("TF26071: changed by someone else")),
        Conflict,
        "conflict",
        (),
    ),
    Row("cap", status_fault(500, said(CAP)), Rejected, "revision-limit", ("in the browser",)),
    Row(
        "500",
        status_fault(500, said("TF400898: An Internal Error Occurred.")),
        UnknownOutcome,
        "unknown-outcome",
        ("unlatch sync",),
    ),
    Row("drop", {"kind": "drop"}, UnknownOutcome, "unknown-outcome", ("unlatch sync",)),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.about)
def test_an_error_has_its_name_and_its_advice(box: Sandbox, plugin: AdoPlugin, row: Row) -> None:
    number = box.ado.add_work_item(title="x", state="Closed")
    box.faults.add(Fault("ado", method=row.method, times=2, **row.fault))
    with pytest.raises(TrackerError) as caught:
        write_change(plugin, ref(box, number))
    error = caught.value
    assert (type(error), error.id) == (row.kind, row.id)
    assert [words for words in row.advice if words not in (error.hint or "")] == []
    assert error.where
    # The library's own errors carry no status.
    assert error.status == (row.fault.get("code") or {"redirect": 302}.get(row.fault["kind"]))
    assert box.ado.work_item(number)["fields"]["System.State"] == "Closed"
    assert box.ado.comments(number) == []
    assert sent_requests(box).count("PATCH") == (0 if row.method == "GET" else 1)


def test_a_tag_that_may_not_be_made_is_left_out(box: Sandbox, plugin: AdoPlugin) -> None:
    box.ado.add_project("widgets", create_tags=False)
    outcome = write_change(plugin, ref(box, box.ado.add_work_item(title="x", state="Closed")))
    assert outcome.after.state == "Active"
    assert outcome.refused == ("reopened",)
    assert "reopened" in outcome.notes[0]


def test_the_cap_on_revisions_is_met_as_the_server_words_it(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = box.ado.add_work_item(title="x", state="Closed")
    box.ado.most_revisions = 2
    # The words name the limit; the sandbox's is lowered, to write fewer than 10,000.
    with pytest.raises(TrackerError, match="up to 2 revisions"):
        write_change(plugin, ref(box, number))


@pytest.mark.parametrize(
    ("form", "waited"), [("seconds", 7.0), ("http-date", 7.0), ("delayed", 7.0)]
)
def test_throttling_is_waited_out_and_shown(
    box: Sandbox, tmp_path: Path, form: str, waited: float
) -> None:
    waits: list[Wait] = []
    transport = for_tests(
        "ado", box.ado.organization_url, token=box.ado.token, cache=tmp_path, on_wait=waits.append
    )
    plugin = AdoPlugin(plugin_for(box)._settings, transport)
    number = box.ado.add_work_item(title="x", state="Closed")
    box.faults.add(Fault("ado", "rate-limit", method="GET", form=form, seconds=7))
    assert write_change(plugin, ref(box, number)).after.state == "Active"
    assert [round(wait.seconds) for wait in waits] == [waited]
    assert len(box.ado.comments(number)) == 1


def test_a_block_without_end_is_left_for_later(box: Sandbox, plugin: AdoPlugin) -> None:
    body = said("TF400733: The request has been canceled: exceeding usage of resource")
    fault = status_fault(429, body, Retry_After="3600")
    box.faults.add(Fault("ado", method="GET", times=9, **fault))
    number = box.ado.add_work_item(title="x", state="Closed")
    with pytest.raises(Transient, match="TF400733") as caught:
        write_change(plugin, ref(box, number))
    assert (caught.value.id, caught.value.retry_after) == ("rate-limited", 3600)


@pytest.mark.parametrize("act", ["reopen", "read"])
def test_a_hidden_item_says_where_to_look(box: Sandbox, plugin: AdoPlugin, act: str) -> None:
    box.ado.add_area("widgets\\Vault", allows="nothing")
    item = ref(box, box.ado.add_work_item(title="x", state="Closed", area="widgets\\Vault"))
    with pytest.raises(NotFound) as caught:
        write_change(plugin, item) if act == "reopen" else plugin.read(item)
    assert caught.value.id == "item-not-found"
    assert "area path" in (caught.value.hint or "")


def test_an_item_that_was_moved_says_where_it_is(box: Sandbox, plugin: AdoPlugin) -> None:
    box.ado.add_project("gadgets")
    number = box.ado.add_work_item("gadgets", title="x", state="Closed")
    with pytest.raises(Rejected, match="fabrikam/gadgets") as caught:
        write_change(plugin, ref(box, number))
    assert caught.value.id == "target-not-allowed"
    assert "`projects`" in (caught.value.hint or "")


def test_a_recycle_bin_that_cannot_be_read_changes_nothing_of_the_error(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = box.ado.add_work_item(title="x")
    box.ado.delete(number)
    box.faults.add(Fault("ado", "status", path="(?i)recyclebin", code=403, body="no"))
    with pytest.raises(NotFound) as caught:
        plugin.read(ref(box, number))
    assert caught.value.id == "item-not-found"
