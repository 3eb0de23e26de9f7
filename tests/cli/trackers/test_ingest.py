"""unlatch ingest: an event from GitHub Actions is only a hint."""

import json
import os
import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from tests.cli.project import CLOSED, OPEN, Done, Project, stamp
from tests.cli.trackers.test_sync import finished, with_issue
from tests.delivery.stage import fault, start

from unlatch_sandbox import Fault, Sandbox

__all__ = ["finished", "with_issue"]
NOW = datetime.now(UTC).replace(microsecond=0)


def payload(project: Project, action: str = "reopened", **more: Any) -> dict[str, Any]:
    """An example of the webhook's documentation, shortened."""
    issue = {
        "html_url": project.urls["github"],
        "url": "https://evil.example/api",
        "number": 4,
        "state": "closed" if action == "closed" else "open",
        "state_reason": "completed" if action == "closed" else "reopened",
        "updated_at": stamp(NOW + timedelta(hours=1)),
        "title": "Smart discipline",
        **more,
    }
    return {
        "action": action,
        "issue": issue,
        "repository": {"full_name": "octo/widgets"},
        "sender": {"login": "mona", "type": "User"},
    }


def ingest(project: Project, message: object, *options: str) -> Done:
    path = project.home / "event.json"
    raw = message if isinstance(message, bytes) else json.dumps(message).encode()
    path.write_bytes(raw)
    return project.run("ingest", "--from", "github-event", str(path), *options)


def reopened_by_hand(box: Sandbox) -> None:
    box.github.edit("octo/widgets", 4, state="open", by="mona")


def test_an_issue_reopened_by_hand_reopens_the_increment_and_the_other_items(
    finished: Project,
) -> None:
    reopened_by_hand(finished.box)
    ingest(finished, payload(finished)).ends(0)
    assert "active" == finished.metadata()["status"]
    (entry,) = finished.metadata()["reopenHistory"]
    assert "mona" == entry["reopenedBy"]
    assert "octo/widgets#4 was reopened by mona" == entry["reason"]
    assert OPEN == finished.states()
    said = finished.comments()
    assert {"github": 0, "ado": 1, "jira": 1} == {name: len(one) for name, one in said.items()}


def test_an_event_of_a_reopen_that_is_pending_on_the_item_alone_is_not_followed(
    finished: Project,
) -> None:
    finished.box.faults.add(fault("github", "comment", "drop"))
    words = ("reopen", finished.urls["github"], "--item-only", "--reason", "More")
    assert finished.run(*words).code == 3
    done = ingest(finished, payload(finished))
    assert "completed" == finished.metadata()["status"], done.said
    assert {"ado": "Closed", "jira": "Done"}.items() <= finished.states().items()
    assert "an operation on the item alone is pending" in done.out


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("cause", ["told before", "ours", "overtaken"])
def test_a_message_of_what_is_known_does_nothing(with_issue: Project, cause: str) -> None:
    if cause == "told before":
        reopened_by_hand(with_issue.box)
        assert ingest(with_issue, payload(with_issue)).code == 0
    elif cause == "ours":
        assert with_issue.run("resume", "7", "--reason", "More", "--yes").code == 0
        assert with_issue.run("sync").code == 0
    # Else it says reopened, and by now the issue is closed again, as the increment knows it.
    before = with_issue.tree()
    with_issue.box.requests.clear()
    done = ingest(with_issue, payload(with_issue))
    assert (0, []) == (done.code, with_issue.wrote()), done.said
    assert before == with_issue.tree()


def test_four_runs_for_one_message_at_once_are_all_right(finished: Project) -> None:
    reopened_by_hand(finished.box)
    event = finished.home / "event.json"
    event.write_text(json.dumps(payload(finished)))
    # All compare before one of them changes anything.
    together = threading.Barrier(4)
    meet = Fault("github", "human", times=4, action=partial(together.wait, 30))
    finished.box.faults.add(meet)

    runs = [start(finished, "ingest", "--from", "github-event", str(event)) for _ in range(4)]
    said = [run.communicate(timeout=120)[0] for run in runs]

    assert [0] * 4 == [run.returncode for run in runs], said
    assert OPEN == finished.states()
    assert 1 == len(finished.metadata()["reopenHistory"])
    assert {"github": 0, "ado": 1, "jira": 1} == {
        name: len(texts) for name, texts in finished.comments().items()
    }


@pytest.fixture
def anonymous(with_issue: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The same where GitHub itself does not tell who reopened an issue."""
    monkeypatch.setattr(with_issue.box.github, "has_graphql", False)
    return with_issue


def test_only_what_is_linked_to_the_issue_is_looked_at(finished: Project) -> None:
    other = finished.box.github.add_issue(title="Another", state="closed")
    url = f"{finished.box.github.web_url}/octo/widgets/issues/{other}"
    finished.increment("0008-other", links={"github": {"issue": other, "url": url}})
    reopened_by_hand(finished.box)
    done = ingest(finished, payload(finished, html_url=url), "--json")
    assert (0, ["0008-other"]) == (done.code, done.document["event"]["increments"]), done.said
    assert CLOSED | {"github": "open"} == finished.states()


def test_an_issue_that_nothing_is_linked_to(with_issue: Project) -> None:
    url = f"{with_issue.box.github.web_url}/octo/widgets/issues/99"
    done = ingest(with_issue, payload(with_issue, html_url=url))
    assert (0, []) == (done.code, with_issue.sent())
    assert f"No increment is linked to {url}." in done.err


PASSED_OVER: list[tuple[dict[str, Any], str]] = [
    ({"action": "opened", "pull_request": {"number": 3}}, "the event is about a pull request"),
    (
        {
            "action": "created",
            "issue": {"html_url": "https://x/pull/3", "pull_request": {"url": "https://x/3"}},
        },
        "the event is about a pull request",
    ),
    (
        {"action": "pinned", "issue": {"html_url": "https://x/y"}},
        "the action 'pinned' changes no increment",
    ),
    ({"ref": "refs/heads/main", "commits": []}, "the event is not about an issue"),
    ({"schedule": "0 * * * *"}, "the event is not about an issue"),
]


def test_a_message_about_something_else_is_passed_over(with_issue: Project) -> None:
    for message, note in PASSED_OVER:
        ingest(with_issue, message).ends(0, whole_err=f"Nothing to do: {note}.\n")
        told = ingest(with_issue, message, "--json").document["event"]
        assert (note, []) == (told["note"], told["increments"])
    assert [] == with_issue.sent()


OUTSIDE = [
    ("https://evil.example/octo/widgets/issues/4", "url-unknown"),
    ("{web}/evil/other/issues/4", "target-not-allowed"),
    ("{web}@evil.example/octo/widgets/issues/4", "url-unknown"),
    ("file:///etc/passwd", "url-unknown"),
]


def test_nothing_is_asked_for_outside_of_what_is_configured(with_issue: Project) -> None:
    before = with_issue.tree()
    for address, error in OUTSIDE:
        url = address.format(web=with_issue.box.github.web_url)
        ingest(with_issue, payload(with_issue, html_url=url)).ends(2, err=f"error[{error}]")
    ingest(
        with_issue,
        payload(with_issue, html_url=f"{with_issue.box.github.web_url}/octo/widgets/pull/4"),
    ).ends(0)
    assert (before, []) == (with_issue.tree(), with_issue.sent())


NO_MESSAGES = [
    b"",
    b"no json",
    b"[]",
    b'{"issue": 4}',
    b'{"action": "reopened", "issue": {"html_url": 4}}',
    b'{"action": "reopened", "issue": {}}',
    b'{"action": ["reopened"]}',
    b'{"action": "' + b"x" * 101 + b'"}',
    b"[" * 100_000,
    b"\xff\xfe",
]


def test_what_is_no_such_message_is_refused(with_issue: Project) -> None:
    for message in NO_MESSAGES:
        done = ingest(with_issue, message)
        said = "error[event-not-understood]: not an event of type github-event: "
        assert (2, True) == (done.code, said in done.err), message[:99]
        assert "the message" not in done.err
        assert len(done.err) < 1000
    assert [] == with_issue.sent()


def test_a_file_that_cannot_be_read_is_named(with_issue: Project) -> None:
    pipe = with_issue.home / "pipe.json"
    os.mkfifo(pipe)
    large = with_issue.home / "large.json"
    large.write_bytes(b" " * 5_000_001)
    for path, why in (
        (with_issue.home / "none.json", "the event cannot be read: "),
        (large, "more than 5,000,000 bytes"),
        (pipe, "the event cannot be read: it is not a regular"),
    ):
        with_issue.run("ingest", "--from", "github-event", str(path)).ends(
            2, err=("error[event-unreadable]", why)
        )
    assert [] == with_issue.sent()


def test_a_kind_of_message_that_nobody_reads(with_issue: Project) -> None:
    with_issue.run("ingest", "--from", "pigeon", "event.json").ends(
        2, err=("error[unknown-event-source]", "github-event")
    )


def test_a_name_that_is_meant_to_do_something(anonymous: Project) -> None:
    reopened_by_hand(anonymous.box)
    message = payload(anonymous)
    message["sender"]["login"] = "::error::x\x1b[2J\n##vso[task.complete]@all"
    done = ingest(anonymous, message, "--json").ends(0, not_out="##vso[")
    (entry,) = anonymous.metadata()["reopenHistory"]
    assert "::error::x ##vso[task.complete]@all" == entry["reopenedBy"]
    assert [] == [line for line in done.said.splitlines() if line.lstrip().startswith("::")]


def test_on_another_branch_nothing_is_pulled(with_issue: Project) -> None:
    with_issue.git("init", "--quiet", "--initial-branch", "fix")
    with_issue.configure_more(tables='[sync]\nbranch = "main"\n')
    reopened_by_hand(with_issue.box)

    done = ingest(with_issue, payload(with_issue))

    assert done.code == 0, done.said
    assert "completed" == with_issue.metadata()["status"]
