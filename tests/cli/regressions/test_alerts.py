"""Alerts that come back: SARIF files and webhook events, in a project whose work names them."""

import hashlib
import hmac
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import NAME, Project
from tests.cli.regressions.test_regressions import Desk

POLICY = "[regressions]\npolicy = {alert = 'reopen'}\n"
HOST = "https://github.com/octo/widgets/security"
SENTRY = "https://sentry.io/organizations/octo/issues/1170820242/"
LATE = "2099-01-01T00:00:00Z"
SECRET = "a secret of both sides"
CODE = {"html_url": f"{HOST}/code-scanning/4", "updated_at": LATE, "rule": {"id": "py/eval"}}
BACK = ("reopen", "reopen")
UNSIGNED = ("suggest", "reopen")
LISTED = ("ignore", "reopen")
NOTHING = ("ignore", "nothing")


@pytest.fixture
def desk(project: Project) -> Desk:
    """A project whose finished work names an alert of each kind."""
    desk = Desk(project, POLICY)
    project.extra["UNLATCH_ALERT_SECRET"] = SECRET
    return desk


def name_alerts(desk: Desk, text: str) -> None:
    spec = desk.project.folder() / "spec.md"
    spec.write_text(f"{spec.read_text()}\n{text}\n")
    desk.commit("Say what it fixed")


def write(project: Project, content: Any, *, secret: str | None = SECRET) -> str:
    """An event in a file, signed as its sender does it."""
    file = project.home / "event.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    signature = Path(f"{file}.sig")
    signature.unlink(missing_ok=True)
    if secret is not None:
        digest = hmac.new(secret.encode(), file.read_bytes(), hashlib.sha256).hexdigest()
        signature.write_text(f"sha256={digest}\n")
    return str(file)


def github(action: str, alert: dict[str, Any], ref: str | None = "main") -> dict[str, Any]:
    place = {} if ref is None else {"ref": f"refs/heads/{ref}"}
    return {"action": action, "alert": alert, "repository": {"default_branch": "main"}, **place}


def dependabot(action: str) -> dict[str, Any]:
    package = {"package": {"ecosystem": "pip", "name": "requests"}}
    url = f"{HOST}/dependabot/3"
    return github(action, {"html_url": url, "updated_at": LATE, "dependency": package}, None)


def secret_scanning(action: str) -> dict[str, Any]:
    url = f"{HOST}/secret-scanning/2"
    alert = {"html_url": url, "secret_type": "aws_key", "secret": "AKIA-" + "X" * 20}
    return github(action, {**alert, "updated_at": LATE}, None)


def sentry(action: str, substatus: str, **issue: Any) -> dict[str, Any]:
    return {
        "action": action,
        "data": {
            "issue": {
                "id": "1170820242",
                "shortId": "WIDGETS-9",
                "title": "ReferenceError: x",
                "web_url": SENTRY,
                "status": action,
                "substatus": substatus,
                "statusDetails": {},
                "lastSeen": LATE,
                **issue,
            }
        },
    }


def own(**more: Any) -> dict[str, Any]:
    alert = {"schema": "unlatch.alert/1", "source": "monitor", "id": "5", "title": "Search is slow"}
    return {**alert, "state": "open", "wasClosed": True, "at": LATE, **more}


EVENTS = [
    (dependabot("reintroduced"), BACK),
    # Done by persons and rules.
    (dependabot("reopened"), LISTED),
    (dependabot("auto_reopened"), LISTED),
    (dependabot("created"), LISTED),
    (github("reopened", CODE), BACK),
    (github("appeared_in_branch", CODE), BACK),
    (github("appeared_in_branch", CODE, "topic"), LISTED),
    (github("reopened", CODE, None), LISTED),
    (github("reopened_by_user", CODE), LISTED),
    (github("reopened", {**CODE, "html_url": f"{HOST}/code-scanning/44"}), None),
    (secret_scanning("reopened"), BACK),
    (secret_scanning("publicly_leaked"), LISTED),
    (sentry("unresolved", "regressed"), BACK),
    (sentry("unresolved", "escalating"), LISTED),
    (sentry("archived", "archived_forever"), LISTED),
    (own(work="7"), BACK),
    (own(work="#4"), BACK),
    (own(url=SENTRY), BACK),
    (own(work="9"), None),
    (own(), None),
]


def test_events(desk: Desk) -> None:
    desk.git("remote", "add", "origin", "git@github.com:Octo/widgets.git")
    name_alerts(desk, f"{HOST}/code-scanning/4, Dependabot alert #3 ({HOST}/secret-scanning/2)")
    name_alerts(desk, f"See {SENTRY}.")
    for event, expected in EVENTS:
        [cause] = desk.read("--event", write(desk.project, event))["causes"]
        assert "AKIA" not in json.dumps(cause)
        # One that belongs to nothing known has no work.
        work, result = (NAME, expected) if expected else (None, NOTHING)
        assert ("alert", work, *result) == tuple(
            cause[key] for key in ("kind", "increment", "reaction", "effect")
        ), event


def test_a_number_in_files_of_the_work_counts_in_the_repository_of_the_project(
    desk: Desk,
) -> None:
    name_alerts(desk, "Found by Code scanning alert #4")
    tracker = desk.project.box.github.web_url
    cases = [
        (f"{tracker}/octo/widgets", NAME),
        (f"{tracker}/octo/gadgets", None),
        ("https://github.com/octo/widgets", None),
        ("https://github.com/acme/widgets", NAME),
    ]
    for repository, work in cases:
        if repository.endswith("acme/widgets"):
            desk.git("remote", "add", "origin", "https://github.com/acme/widgets.git")
        alert = {**CODE, "html_url": f"{repository}/security/code-scanning/4"}
        [cause] = desk.read("--event", write(desk.project, github("reopened", alert)))["causes"]
        assert work == cause["increment"], repository


def test_an_event_without_a_time_counts_once(desk: Desk) -> None:
    # As in GitHub's published example.
    name_alerts(desk, f"{HOST}/code-scanning/4")
    example = {**CODE, "created_at": "2020-07-22T14:06:31Z", "dismissed_at": None}
    del example["updated_at"]
    event = write(desk.project, github("reopened", example))
    # What is seen in the very second of the completion has no place before or after it.
    time.sleep(1.01 - time.time() % 1)
    desk.apply("--event", event).ends(0, "completed -> active")
    before = desk.comments
    for _ in range(2):
        desk.apply("--event", event).ends(0)
        desk.commit("Go on")
    desk.complete()
    desk.apply("--event", event).ends(0)
    assert ("completed", before) == (desk.project.metadata()["status"], desk.comments)


def test_an_alert_from_before_the_completion_is_no_cause(desk: Desk) -> None:
    name_alerts(desk, f"{HOST}/code-scanning/4")
    event = github("reopened", {**CODE, "updated_at": "2020-01-01T00:00:00Z"})
    [cause] = desk.read("--event", write(desk.project, event))["causes"]
    assert (NAME, *NOTHING) == (cause["increment"], cause["reaction"], cause["effect"])
    assert "it was there when the work was completed" == cause["why"]


def test_an_alert_belongs_to_the_work_whose_commit_fixed_it(desk: Desk) -> None:
    for fixed, work in ((desk.fix, NAME), (desk.fix[:10], NAME), ("0" * 40, None)):
        details = {"inCommit": {"repository": "octo/widgets", "commit": fixed}}
        event = sentry("unresolved", "regressed", statusDetails=details)
        [cause] = desk.read("--event", write(desk.project, event))["causes"]
        assert work == cause["increment"]


def test_an_event_that_nobody_signed_only_suggests_and_our_own_is_refused(desk: Desk) -> None:
    name_alerts(desk, f"{HOST}/code-scanning/4")
    event = github("reopened", CODE)
    [cause] = desk.read("--event", write(desk.project, event, secret=None))["causes"]
    assert (*UNSIGNED, "the event is not signed") == (
        cause["reaction"],
        cause["effect"],
        cause["why"],
    )
    for content, secret in ((event, "another"), (own(work="7"), None), (own(work="7"), "another")):
        file = write(desk.project, content, secret=secret)
        done = desk.apply("--event", file).ends(4, err="alert-unsigned")
        assert SECRET not in done.said
    del desk.project.extra["UNLATCH_ALERT_SECRET"]
    desk.apply("--event", write(desk.project, own(work="7"))).ends(4, err="alert-unsigned")
    assert "completed" == desk.project.metadata()["status"]


def test_an_event_reopens_once_and_a_closed_alert_suggests_completing(desk: Desk) -> None:
    # Long enough ago, in whole seconds.
    file = desk.project.folder() / "metadata.json"
    content = {**desk.project.metadata(), "completedAt": "2026-01-01T00:00:00Z"}
    file.write_text(json.dumps(content))
    name_alerts(desk, f"{HOST}/code-scanning/4")
    event = write(desk.project, github("reopened", {**CODE, "updated_at": now()}))
    desk.apply("--event", event).ends(0, "completed -> active")
    before = desk.comments
    desk.commit("Reopen")
    desk.apply("--event", event).ends(0)
    assert before == desk.comments
    desk.apply("--event", write(desk.project, github("reopened", CODE))).ends(0)
    assert len(before) + 1 == len(desk.comments)
    assert "it came back once" in desk.comments[-1]
    desk.commit("Note")

    fixed = github("fixed", {**CODE, "updated_at": "2099-03-01T00:00:00Z"})
    [completing] = desk.read("--event", write(desk.project, fixed))["completing"]
    assert NAME == completing["id"]


def now() -> str:
    return datetime.now(UTC).isoformat()


OTHERS = [
    "{",
    "[]",
    "{}",
    "[" * 100_000,
    github("reopened", {"html_url": "https://github.com/octo"}),
    github("reopened", {}),
    own(at="yesterday"),
    own(work="7", more="a key of a later version"),
]


def test_other_events_are_errors(desk: Desk) -> None:
    for content in OTHERS:
        file = write(desk.project, content)
        desk.project.run("regressions", "--event", file).ends(2, err="event-not-understood")


def sarif(desk: Desk, name: str, *results: dict[str, Any], **run: Any) -> str:
    file = desk.project.home / name
    driver = {"tool": {"driver": {"name": "bandit"}}}
    file.write_text(json.dumps({"runs": [{**driver, **run, "results": results}]}))
    return str(file)


def result(url: str, line: int, **more: Any) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": "search.txt"}, "region": {"startLine": line}}
    return {
        "ruleId": "plugins.B307",
        "message": {"text": "eval"},
        "locations": [{"physicalLocation": place}],
        "workItemUris": [url],
        **more,
    }


def test_a_sarif_result_that_was_away_reopens_the_work_that_it_names(desk: Desk) -> None:
    url = desk.project.urls["github"]
    clean = sarif(desk, "clean.sarif")
    head = desk.change("search.txt", "slow\neval()\n", "Search by eval")
    dirty = sarif(desk, "dirty.sarif", result(url, 2))
    both = ("--sarif", clean, "--commit-of", f"{clean}={head}~1", "--sarif", dirty)
    [cause] = desk.read("--sarif", dirty)["causes"]
    assert (NAME, "suggest", "no earlier report shows that it was away") == (
        cause["increment"],
        cause["reaction"],
        cause["why"],
    )
    [cause] = desk.read(*both)["causes"]
    assert (NAME, *BACK) == (cause["increment"], cause["reaction"], cause["effect"])
    assert ("search.txt:2", head) == (cause["place"], cause["commit"])

    # The line moved: it is the same alert.
    desk.apply(*both).ends(0, "completed -> active")
    moved = desk.change("search.txt", "slow\n\n\neval()\n", "Add lines")
    dirty = sarif(desk, "dirty.sarif", result(url, 4))
    assert [NOTHING] == [
        (cause["reaction"], cause["effect"])
        for cause in desk.read("--sarif", dirty, "--commit-of", f"{dirty}={moved}")["causes"]
    ]


def test_results_without_a_rule_are_told_apart_by_their_messages(desk: Desk) -> None:
    # As typos writes them (findings/typos-nameless-alerts.sh).
    url = desk.project.urls["github"]
    words = ("`teh` should be `the`", "`adress` should be `address`")
    head = desk.change("search.txt", "teh adress\n", "Search by address")
    both = [result(url, 1, message={"markdown": word}, baselineState="new") for word in words]
    for alert in both:
        del alert["ruleId"]
    file = sarif(desk, "typos.sarif", *both, tool={"driver": {"name": "typos"}})
    causes = desk.read("--sarif", file)["causes"]
    expected = {(f"typos in search.txt:1: {word}", head) for word in words}
    assert expected == {(cause["evidence"], cause["commit"]) for cause in causes}


def test_an_accepted_result_is_no_cause(desk: Desk) -> None:
    url = desk.project.urls["github"]
    accepted = {"suppressions": [{"kind": "inSource"}]}
    file = sarif(desk, "a.sarif", result(url, 1, **accepted), result(url, 2, kind="pass"))
    assert [] == desk.read("--sarif", file)["causes"]


def test_rule_and_place_alone_belong_to_nothing_known(desk: Desk) -> None:
    file = sarif(desk, "a.sarif", result("https://example.com/4", 1, baselineState="new"))
    [cause] = desk.read("--sarif", file)["causes"]
    assert (None, *NOTHING, "it belongs to nothing known") == (
        cause["increment"],
        cause["reaction"],
        cause["effect"],
        cause["why"],
    )


def test_an_unreadable_file_makes_its_alerts_unknown_and_not_closed(desk: Desk) -> None:
    url = desk.project.urls["github"]
    desk.change("search.txt", "slow\neval()\n", "Search by eval")
    dirty = sarif(desk, "dirty.sarif", result(url, 2, baselineState="new"))
    desk.apply("--sarif", dirty).ends(0, "completed -> active")
    head = desk.commit("Reopen")
    place = {"physicalLocation": {"artifactLocation": {"uri": "search.txt"}}}
    notified = [{"toolConfigurationNotifications": [{"locations": [place]}]}]
    later = sarif(desk, "later.sarif", invocations=notified)
    both = ("--sarif", dirty, "--commit-of", f"{dirty}={head}~1", "--sarif", later)
    assert [] == desk.read(*both)["completing"]
    later = sarif(desk, "later.sarif")
    assert [NAME] == [each["id"] for each in desk.read(*both)["completing"]]
