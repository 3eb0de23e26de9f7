"""Webhooks of the three trackers, over real HTTP."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import pytest
from tests.unlatch_fleet.serving import (
    GADGETS,
    SECRET,
    WIDGETS,
    Queue,
    Serving,
    about,
    serving,
    signature,
)

from unlatch_fleet.serve import listening

ORGANIZATION = "https://dev.azure.com/fabrikam"
GUID = "33333333-2222-4333-8444-555555555555"


@pytest.fixture(scope="module")
def running() -> Iterator[Serving]:
    with serving() as server:
        yield server


@pytest.fixture
def server(running: Serving) -> Serving:
    running.queue.writes.clear()
    return running


def basic(password: bytes, user: str = "anyone") -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(user.encode() + b':' + password).decode()}"}


ISSUE = json.dumps(about()).encode()
OTHER = json.dumps(about(5)).encode()
JIRA = json.dumps(
    {
        "webhookEvent": "jira:issue_updated",
        "issue": {"key": "SCRUM-28", "self": "https://acme.atlassian.net/rest/api/2/issue/10"},
        "changelog": {"items": [{"field": "status"}]},
    }
).encode()


def work_item(fields: dict[str, Any], at: str = ORGANIZATION) -> bytes:
    resource = {
        "id": 5,
        "rev": 5,
        "fields": {"System.State": {"newValue": "Active"}},
        "url": f"{at}/_apis/wit/workItems/7/updates/5",
        "revision": {"fields": fields},
    }
    return json.dumps({"id": GUID, "eventType": "workitem.updated", "resource": resource}).encode()


ADO = work_item({"System.TeamProject": "Widgets"})


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        ("acme", ISSUE, {}),
        ("acme", ISSUE, signature(OTHER)),
        ("acme", ISSUE, signature(ISSUE + b"\n")),
        ("acme", ISSUE, signature(ISSUE, key=b"another secret of 20")),
        ("acme", ISSUE, signature(ISSUE, "X_Hub_Signature")),
        ("acme", ISSUE, {"X_Hub_Signature_256": "sha256=\xe9"}),
        ("acme", ISSUE, basic(SECRET)),
        ("acme", b"{", signature(ISSUE)),
        (f"acme/{quote(SECRET)}", ISSUE, signature(ISSUE)),
        ("acme/", ISSUE, signature(ISSUE)),
        ("nobody", ISSUE, signature(ISSUE)),
        ("", ISSUE, signature(ISSUE)),
        ("site", JIRA, signature(JIRA)),
        ("rule", JIRA, signature(JIRA, "X_Hub_Signature")),
        ("rule/a%20secret%20of%20the%20test", JIRA, {}),
        ("rule/a%20secret%20of%20the%20tests/", JIRA, {}),
        ("fabrikam", ADO, {}),
        ("fabrikam", ADO, basic(b"")),
        ("fabrikam", ADO, {"Authorization": "Basic a"}),
        ("fabrikam", ADO, {"Authorization": "Basic \xe9"}),
        ("fabrikam", ADO, {"Authorization": f"Bearer {SECRET.decode()}"}),
    ],
)
def test_without_the_secret_there_is_one_answer_and_nothing_is_counted(
    server: Serving, path: str, body: bytes, headers: dict[str, str]
) -> None:
    before = server.ask("/metrics").body

    answer = server.ask(f"/webhooks/{path}", body, **headers)

    assert 401 == answer.status
    assert server.ask("/webhooks/nobody", b"").timeless == answer.timeless
    assert server.ask("/webhooks/acme").timeless == answer.timeless
    assert (before, []) == (server.ask("/metrics").body, server.queue.writes)


PUSH = {"X_GitHub_Event": "push"}


def push(ref: str, repository: str = "octo/widgets") -> dict[str, Any]:
    return {"ref": ref, "repository": {"full_name": repository, "default_branch": "main"}}


@pytest.mark.parametrize(
    ("message", "headers", "expected", "concerned"),
    [
        (about(), {}, "queued", [WIDGETS]),
        (about(repository="Octo/PLANS"), {}, "queued", [GADGETS]),
        (about(repository="octo/unknown"), {}, "not listed", []),
        (about(action="assigned"), {}, "nothing to do", []),
        (
            {**about(action="created"), "comment": {"id": 1, "body": "/reopen"}},
            {},
            "nothing to do",
            [],
        ),
        ({"zen": "Hi"}, {"X_GitHub_Event": "ping"}, "nothing to do", []),
        (push("refs/heads/main"), PUSH, "queued", [WIDGETS]),
        (push("refs/heads/topic"), PUSH, "nothing to do", []),
        (push("refs/tags/main"), PUSH, "nothing to do", []),
        (push("refs/heads/main", "octo/gadgets"), PUSH, "nothing to do", []),
        (push("refs/heads/release", "octo/Gadgets"), PUSH, "queued", [GADGETS]),
        (push("refs/heads/main", "octo/unknown"), PUSH, "not listed", []),
    ],
)
def test_messages_of_github_concern_repositories(
    server: Serving, message: object, headers: dict[str, str], expected: str, concerned: list[str]
) -> None:
    answer = server.deliver(message, **headers)

    assert (202, f"{expected}\n") == (answer.status, answer.text)
    assert concerned == server.queue.writes


@pytest.mark.parametrize(
    ("path", "body", "headers", "concerned"),
    [
        ("site", JIRA, signature(JIRA, "X_Hub_Signature"), [WIDGETS, GADGETS]),
        ("rule/a%20secret%20of%20the%20tests", JIRA, {}, [WIDGETS, GADGETS]),
        ("fabrikam", ADO, basic(SECRET), [WIDGETS]),
        ("fabrikam", work_item({"System.TeamProject": "Else"}), basic(SECRET), []),
        # Without the project's name, all projects of the organization.
        ("fabrikam", work_item({}, f"{ORGANIZATION}/{GUID}"), basic(SECRET), [WIDGETS, GADGETS]),
        ("fabrikam", work_item({}, "https://dev.azure.com/other"), basic(SECRET), []),
    ],
)
def test_messages_of_jira_and_azure_devops_concern_repositories(
    server: Serving, path: str, body: bytes, headers: dict[str, str], concerned: list[str]
) -> None:
    answer = server.ask(f"/webhooks/{path}", body, **headers)

    assert 202 == answer.status
    assert concerned == server.queue.writes


@pytest.mark.parametrize("body", [b"{", b"[]", b"payload=%7B%7D", b"\xff", b'{"issue": 4}'])
def test_a_message_that_is_none_is_refused(server: Serving, body: bytes) -> None:
    assert 400 == server.deliver(body).status
    assert [] == server.queue.writes


def test_the_metrics_have_no_name_of_an_unlisted_repository(server: Serving) -> None:
    assert "not listed\n" == server.deliver(about(repository="octo/nowhere")).text

    metrics = server.ask("/metrics").text

    assert 'webhooks_total{result="not listed",webhook="acme"}' in metrics
    assert "nowhere" not in metrics


def test_a_delivery_is_noted_only_with_its_unit() -> None:
    with serving() as server:
        server.queue.is_away = True
        assert 503 == server.deliver(about(), X_GitHub_Delivery="1").status
        assert 503 == server.ask("/healthz").status
        server.queue.is_away = False
        answers = [server.deliver(about(), X_GitHub_Delivery="1").text for _ in range(2)]
        # The id of another body is another message: no signature covers the id.
        answers += [server.deliver(about(5), X_GitHub_Delivery="1").text]

        assert ["queued\n", "known already\n", "queued\n"] == answers
        assert ["The database is away: fleet-database-away", "It is back."] == [
            line.partition(": the")[0] for line in server.told
        ]


def test_without_an_id_each_message_counts() -> None:
    with serving() as server:
        assert ["queued\n"] * 2 == [server.deliver(about()).text for _ in range(2)]


def test_a_flood_about_one_repository_delays_no_other() -> None:
    may_write = threading.Event()
    queue = Queue(may_write={WIDGETS: may_write})
    with serving(queue) as server, ThreadPoolExecutor(60) as clients:
        flood = [
            clients.submit(server.deliver, about(), X_GitHub_Delivery=str(n)) for n in range(60)
        ]
        while WIDGETS not in queue.writes:
            time.sleep(0.01)
        # The database does not answer the flood; all the others are enqueued meanwhile.
        for number in range(20):
            answer = server.deliver(about(number + 1, "octo/plans"), X_GitHub_Delivery=f"p{number}")
            assert "queued\n" == answer.text
        may_write.set()

        assert {"queued\n"} == {message.result().text for message in flood}
        assert 20 == queue.writes.count(GADGETS)
        # One more write answers all that came during the first.
        assert queue.writes.count(WIDGETS) <= 3
        assert 60 + 20 == len(queue.noted)


def test_slow_clients_block_nobody_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MOST", 50)
    monkeypatch.setattr(listening, "LONGEST", 3.0)
    head = b"POST /webhooks/acme HTTP/1.1\r\nHost: localhost\r\n"
    with serving() as server:
        slow = [socket.create_connection(server.port, timeout=20) for _ in range(120)]
        for number, connection in enumerate(slow):
            connection.sendall(head if number % 2 else head + b"Content-Length: 9\r\n\r\n{")

        started = time.monotonic()
        assert "queued\n" == server.deliver(about()).text
        assert time.monotonic() - started < 2

        endings = []
        for connection in slow:
            with connection:
                try:
                    endings.append(connection.recv(10))
                except ConnectionError:
                    endings.append(b"")
        assert [b""] * 120 == endings


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_large_body_is_refused_before_it_is_read_whole(server: Serving, is_chunked: bool) -> None:
    body = b" " * (1024 * 1024) + ISSUE
    parts = iter([body[:1000], body[1000:]]) if is_chunked else body

    assert 413 == server.ask("/webhooks/acme", parts, **signature(body)).status
    largest = ISSUE + b" " * (1024 * 1024 - len(ISSUE))
    assert 202 == server.ask("/webhooks/acme", largest, **signature(largest)).status
