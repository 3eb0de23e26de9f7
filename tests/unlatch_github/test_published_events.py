"""Every webhook payload that octokit publishes is read, and comments lead to themselves."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.unlatch_github.octokit_packages import MODULES, install_octokit

from unlatch_github.webhook import read_event

PACKAGE = MODULES / "@octokit/webhooks-examples/api.github.com/index.json"
COMMENTS = ("issue_comment", "pull_request_review_comment")


@pytest.fixture(scope="session")
def examples() -> dict[str, list[dict[str, Any]]]:
    install_octokit()
    return {each["name"]: each["examples"] for each in json.loads(PACKAGE.read_text("utf-8"))}


def created(
    examples: dict[str, list[dict[str, Any]]], body: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The examples of new comments, with other words."""
    for name in COMMENTS:
        for example in examples[name]:
            if example["action"] == "created":
                yield name, {**example, "comment": {**example["comment"], "body": body}}


def test_each_is_read(examples: dict[str, list[dict[str, Any]]]) -> None:
    counts: Counter[str] = Counter()
    for name, payloads in examples.items():
        for payload in payloads:
            event = read_event(json.dumps(payload).encode())
            assert event.note or event.url, (name, event)
            counts[name] += event.url is not None
            assert event.comment is None or name in COMMENTS

    # The others are about other things, or change neither an issue nor ask for something.
    assert {"issues": 14, "issue_comment": 5, "pull_request_review_comment": 3} == +counts


def test_a_command_in_each_new_comment_is_found(
    examples: dict[str, list[dict[str, Any]]],
) -> None:
    seen = []
    for name, payload in created(examples, "Hello\r\n/reopen It crashes"):
        event = read_event(json.dumps(payload).encode())
        is_on_code = name != "issue_comment"
        place = payload["pull_request" if is_on_code else "issue"]["html_url"]
        comment = f"{'r' if is_on_code else ''}{payload['comment']['id']}"
        assert (place, comment, None) == (event.url, event.comment, event.note)
        assert payload["repository"]["default_branch"] == event.default_branch
        seen.append(name)
    assert {"issue_comment": 5, "pull_request_review_comment": 3} == Counter(seen)


def test_words_alone_in_each_are_told_as_such(examples: dict[str, list[dict[str, Any]]]) -> None:
    for _, payload in created(examples, "It still crashes"):
        event = read_event(json.dumps(payload).encode())
        assert ("the comment has no command", True) == (event.note, event.comment is not None)
