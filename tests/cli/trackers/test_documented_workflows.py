"""The documented workflows for events lose none to another one, though GitHub cancels runs."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.ci.expressions import survivors
from tests.cli.project import OPEN, Project
from tests.cli.trackers.test_ingest import finished, ingest, payload

__all__ = ["finished"]
DOCS = Path(__file__).parents[3] / "docs"
Json = dict[str, Any]


def workflow(page: str, name: str) -> Json:
    """The workflow of this name on a page."""
    text = (DOCS / page).read_text("utf-8")
    blocks = re.findall(r"^```yaml\n(name: .*?)^```", text, re.MULTILINE | re.DOTALL)
    [content] = [each for each in map(yaml.safe_load, blocks) if each["name"] == name]
    return {**content, "on": content[True]}  # YAML 1.1 takes `on` for true


def comment(number: int, body: str, *, issue: int = 4, code: bool = False) -> Json:
    item = {"number": issue, "state": "closed"}
    about = {"pull_request" if code else "issue": item}
    return {"action": "created", **about, "comment": {"id": number, "body": body}}


@pytest.mark.parametrize("code", [False, True])
def test_no_comment_drops_a_command(*, code: bool) -> None:
    events = [
        comment(1, "/reopen It crashes", code=code),
        comment(2, "Thanks", code=code),
        comment(3, "It works\r\n/undo", code=code),
        comment(4, "Me too", code=code),
        comment(5, "/Close Done", code=code),
        comment(6, "Really?", code=code),
        comment(7, "/reopen", issue=5, code=code),
    ]

    run = survivors(workflow("comments.md", "Commands"), events)

    assert [1, 3, 5, 7] == sorted(event["comment"]["id"] for event in run)


def test_no_comment_in_jira_drops_another() -> None:
    commands = workflow("comments.md", "Commands")
    del commands["jobs"]["ingest"]["if"]
    events = [{"client_payload": {"comment": {"id": str(number)}}} for number in (1, 2, 3)]

    assert events == survivors(commands, events)


@pytest.mark.parametrize("group", ["unlatch", "unlatch-${{ github.event.issue.number }}"])
def test_a_group_for_several_comments_would_drop_one(group: str) -> None:
    shared = workflow("comments.md", "Commands")
    shared["concurrency"]["group"] = group
    events = [comment(1, "Hello"), comment(2, "/reopen It crashes"), comment(3, "Thanks")]

    assert [] == survivors(shared, events)


def test_with_the_documented_addition_words_on_closed_issues_are_taken_up() -> None:
    text = (DOCS / "comments.md").read_text("utf-8")
    [addition] = re.findall(r"`(\|\| github[^`]+)` at the end of its `if`", text)
    commands = workflow("comments.md", "Commands")
    commands["jobs"]["ingest"]["if"] += f" {addition}"
    words = [comment(1, "It still fails"), comment(2, "It still fails", issue=5)]
    words[1]["issue"]["state"] = "open"

    assert [1] == [event["comment"]["id"] for event in survivors(commands, words)]


def test_comments_are_taken_up_as_they_are_made() -> None:
    on = workflow("comments.md", "Commands")["on"]
    assert {"issue_comment", "pull_request_review_comment"} == on.keys()
    assert [["created"]] * 2 == [each["types"] for each in on.values()]


def test_commands_on_issues_need_no_checkout_and_may_write_to_them_alone() -> None:
    commands = workflow("comments.md", "Commands")
    steps = commands["jobs"]["ingest"]["steps"]
    assert {"issues": "write", "pull-requests": "write"} == commands["permissions"]
    assert not [step for step in steps if "checkout" in step.get("uses", "")]


def test_the_rules_of_each_project_are_settings_that_unlatch_takes(project: Project) -> None:
    text = (DOCS / "adr/0031-comments-without-a-command.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w./-]+#\d+.*?) \| (.+) \|$", text, re.MULTILINE)
    # With the second issue of kubernetes/test-infra.
    assert 12 == len(re.findall(r"#\d+", " ".join(names for names, _ in rows)))
    for _, rules in rows:
        tables = "\n".join(re.findall(r"`(\w+ = [^`]+)`", rules))
        project.configure(f"{project.box.config()}\n[comments]\n{tables}\n")
        done = project.run("sync")
        assert 0 == done.code, (tables, done.said)


@pytest.mark.sample(at=(5,))
@pytest.mark.parametrize("last", workflow("ci.md", "Issues")["on"]["issues"]["types"])
def test_the_run_that_is_left_syncs_what_the_dropped_ones_told(
    finished: Project, last: str
) -> None:
    issues = workflow("ci.md", "Issues")
    told = [payload(finished, action) for action in ("edited", "reopened", "labeled", last)]
    finished.box.github.edit("octo/widgets", 4, state="open", by="mona")

    run = survivors(issues, told)

    assert ["edited", last] == [event["action"] for event in run]
    for event in run[1:]:
        ingest(finished, event).ends(0)
    assert OPEN == finished.states()
