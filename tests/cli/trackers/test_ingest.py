"""unlatch ingest: an event from GitHub Actions is only a hint."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.project import CLOSED, OPEN, Done, Project, stamp

if TYPE_CHECKING:
    from unlatch_sandbox import Sandbox

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


@pytest.fixture
def in_step(completed: Project) -> Project:
    """All sides completed and compared, so that the next change has an author."""
    assert completed.run("sync").code == 0
    completed.box.requests.clear()
    return completed


def test_an_issue_reopened_by_hand_reopens_the_increment_and_the_other_items(
    in_step: Project,
) -> None:
    reopened_by_hand(in_step.box)

    done = ingest(in_step, payload(in_step))

    assert done.code == 0, done.said
    assert "active" == in_step.metadata()["status"]
    (entry,) = in_step.metadata()["reopenHistory"]
    assert "mona" == entry["reopenedBy"]
    assert "octo/widgets#4 was reopened by mona" == entry["reason"]
    assert OPEN == in_step.states()
    said = in_step.comments()
    assert {"github": 0, "ado": 1, "jira": 1} == {name: len(one) for name, one in said.items()}


def test_the_same_message_again_does_nothing(in_step: Project) -> None:
    reopened_by_hand(in_step.box)
    assert ingest(in_step, payload(in_step)).code == 0
    before = in_step.tree()
    in_step.box.requests.clear()

    done = ingest(in_step, payload(in_step))

    assert (0, []) == (done.code, in_step.wrote()), done.said
    assert before == in_step.tree()


def test_a_message_about_what_we_did_ourselves_does_nothing(in_step: Project) -> None:
    assert in_step.run("resume", "7", "--reason", "More", "--yes").code == 0
    assert in_step.run("sync").code == 0
    before = in_step.tree()
    in_step.box.requests.clear()

    done = ingest(in_step, payload(in_step))

    assert (0, []) == (done.code, in_step.wrote()), done.said
    assert before == in_step.tree()


def test_a_message_that_was_overtaken_is_not_believed(in_step: Project) -> None:
    # It says reopened; by now the issue is closed again, as the increment knows it.
    before = in_step.tree()

    done = ingest(in_step, payload(in_step))

    assert (0, []) == (done.code, in_step.wrote()), done.said
    assert before == in_step.tree()


@pytest.fixture
def anonymous(in_step: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The same where GitHub itself does not tell who reopened an issue."""
    monkeypatch.setattr(in_step.box.github, "has_graphql", False)
    return in_step


def test_nobody_is_named_who_cannot_have_done_it(anonymous: Project) -> None:
    in_step = anonymous
    reopened_by_hand(in_step.box)
    # Somebody's reopen of long before the increment was completed, and its message only now.
    early = stamp(NOW - timedelta(days=300))

    done = ingest(in_step, payload(in_step, updated_at=early))

    assert done.code == 0, done.said
    (entry,) = in_step.metadata()["reopenHistory"]
    assert "mona" != entry["reopenedBy"]


def test_only_what_is_linked_to_the_issue_is_looked_at(in_step: Project) -> None:
    other = in_step.box.github.add_issue(title="Another", state="closed")
    url = f"{in_step.box.github.web_url}/octo/widgets/issues/{other}"
    in_step.increment("0008-other", links={"github": {"issue": other, "url": url}})
    reopened_by_hand(in_step.box)

    done = ingest(in_step, payload(in_step, html_url=url), "--json")

    assert (0, ["0008-other"]) == (done.code, done.document["event"]["increments"]), done.said
    assert CLOSED | {"github": "open"} == in_step.states()


def test_an_issue_that_nothing_is_linked_to(in_step: Project) -> None:
    url = f"{in_step.box.github.web_url}/octo/widgets/issues/99"

    done = ingest(in_step, payload(in_step, html_url=url))

    assert (0, []) == (done.code, in_step.sent())
    assert f"No increment is linked to {url}." in done.err


@pytest.mark.parametrize(
    ("message", "note"),
    [
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
    ],
)
def test_a_message_about_something_else_is_passed_over(
    in_step: Project, message: dict[str, Any], note: str
) -> None:
    done = ingest(in_step, message)

    assert (0, []) == (done.code, in_step.sent())
    assert f"Nothing to do: {note}.\n" == done.err
    told = ingest(in_step, message, "--json").document
    assert (note, []) == (told["event"]["note"], told["event"]["increments"])


@pytest.mark.parametrize(
    ("html_url", "error"),
    [
        ("https://evil.example/octo/widgets/issues/4", "url-unknown"),
        ("{web}/evil/other/issues/4", "target-not-allowed"),
        ("{web}/octo/widgets/pull/4", "url-unknown"),
        ("{web}@evil.example/octo/widgets/issues/4", "url-unknown"),
        ("file:///etc/passwd", "url-unknown"),
    ],
)
def test_nothing_is_asked_for_outside_of_what_is_configured(
    in_step: Project, html_url: str, error: str
) -> None:
    before = in_step.tree()
    url = html_url.format(web=in_step.box.github.web_url)

    done = ingest(in_step, payload(in_step, html_url=url))

    assert (2, []) == (done.code, in_step.sent())
    assert f"error[{error}]" in done.err
    assert before == in_step.tree()


@pytest.mark.parametrize(
    "message",
    [
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
    ],
    ids=range(10),
)
def test_what_is_no_such_message_is_refused(in_step: Project, message: bytes) -> None:
    done = ingest(in_step, message)

    assert (2, []) == (done.code, in_step.sent())
    assert "error[event-not-understood]: not an event of type github-event: " in done.err
    assert "the message" not in done.err
    assert len(done.err) < 1000


def test_a_file_that_is_not_there(in_step: Project) -> None:
    done = in_step.run("ingest", "--from", "github-event", str(in_step.home / "none.json"))

    assert 2 == done.code
    assert "error[event-unreadable]" in done.err


def test_a_file_that_is_too_large(in_step: Project) -> None:
    done = ingest(in_step, b" " * 5_000_001)

    assert (2, []) == (done.code, in_step.sent())
    assert "error[event-unreadable]" in done.err
    assert "more than 5,000,000 bytes" in done.err


def test_a_named_pipe_is_not_waited_for(in_step: Project) -> None:
    pipe = in_step.home / "event.json"
    os.mkfifo(pipe)

    done = in_step.run("ingest", "--from", "github-event", str(pipe))

    assert 2 == done.code
    assert "error[event-unreadable]: the event cannot be read: it is not a regular" in done.err


def test_a_kind_of_message_that_nobody_reads(in_step: Project) -> None:
    done = in_step.run("ingest", "--from", "pigeon", "event.json")

    assert 2 == done.code
    assert "error[unknown-event-source]" in done.err
    assert "github-event" in done.err


def test_the_sender_is_named_and_not_the_account_of_the_token(in_step: Project) -> None:
    in_step.box.github.edit("octo/widgets", 4, state="open", by="build-bot")

    done = ingest(in_step, payload(in_step))

    assert done.code == 0, done.said
    (entry,) = in_step.metadata()["reopenHistory"]
    assert "mona" == entry["reopenedBy"]


def test_a_name_that_is_meant_to_do_something(anonymous: Project) -> None:
    in_step = anonymous
    reopened_by_hand(in_step.box)
    message = payload(in_step)
    message["sender"]["login"] = "::error::x\x1b[2J\n##vso[task.complete]@all"

    done = ingest(in_step, message, "--json")

    assert done.code == 0, done.said
    (entry,) = in_step.metadata()["reopenHistory"]
    assert "::error::x ##vso[task.complete]@all" == entry["reopenedBy"]
    assert "##vso[" not in done.out
    assert [] == [line for line in done.said.splitlines() if line.lstrip().startswith("::")]


def test_an_issue_that_was_transferred_is_told_of(in_step: Project) -> None:
    in_step.box.github.add_repository("octo/elsewhere")
    in_step.box.github.transfer_issue("octo/widgets", 4, "octo/elsewhere")

    done = ingest(in_step, payload(in_step, "transferred"))

    assert 5 == done.code, done.said
    assert "item-moved" in done.out
    assert "completed" == in_step.metadata()["status"]


def test_an_issue_that_was_deleted_is_told_of(in_step: Project) -> None:
    url = f"{in_step.box.github.web_url}/octo/widgets/issues/98"
    links = {"github": {"issue": 98, "url": url}}
    in_step.increment("0008-gone", status="active", links=links)

    done = ingest(in_step, payload(in_step, "deleted", html_url=url))

    assert 5 == done.code, done.said
    assert "item-not-found" in done.out
    assert "active" == in_step.metadata("0008-gone")["status"]


def test_on_another_branch_nothing_is_pulled(in_step: Project) -> None:
    in_step.git("init", "--quiet", "--initial-branch", "fix")
    in_step.configure_more(tables='[sync]\nbranch = "main"\n')
    reopened_by_hand(in_step.box)

    done = ingest(in_step, payload(in_step))

    assert done.code == 0, done.said
    assert "completed" == in_step.metadata()["status"]
