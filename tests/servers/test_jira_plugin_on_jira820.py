"""The Jira plugin against a Data Center that nobody here wrote.

It drops the `update` of an edit without a word and has no transitions on the issue, so that what
is shown here is also how the plugin does without them. The four requests of a reopen are seven: one
asks for the transitions, one looks for the comment that the edit dropped, one posts it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from unlatch.domain.text import Span
from unlatch.errors import NotFound, Rejected
from unlatch.spi import Category, Change, Draft, Goal, ItemRef, Result, visible
from unlatch.transport import for_tests, measure
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.settings import JiraSettings

if TYPE_CHECKING:
    from tests.servers.jira820 import Jira820

pytestmark = pytest.mark.servers

OP = "01JC0000000000000000000001"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
REOPEN = Change(
    op=OP,
    goal=Goal.OPEN,
    comment=((Span("Reopened", bold=True), Span(": it's {broken} [~all]")),),
    add_labels=("reopened",),
    remove_labels=("completed",),
)


def settings(server: Jira820) -> JiraSettings:
    return JiraSettings(site=server.url, project=server.project, issue_type="Epic")


@pytest.fixture
def plugin(jira820_server: Jira820) -> JiraPlugin:
    transport = for_tests("jira", jira820_server.url, token=jira820_server.token)
    return JiraPlugin(settings(jira820_server), transport)


def ref(server: Jira820, key: str) -> ItemRef:
    return settings(server).ref(key)


def test_a_done_issue_is_reopened_with_its_comment(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    key = jira820_server.done_issue(labels=["completed", "mine"])

    with measure() as meter:
        outcome = plugin.reopen_issue(ref(jira820_server, key), REOPEN)

    assert jira820_server.category(key) == "indeterminate"
    assert jira820_server.resolution(key) is None
    assert jira820_server.comments(key) == [
        f"*Reopened*: it's \\{{broken\\}} \\[\\~all\\]\n\n{visible(OP)}"
    ]
    assert outcome.result is Result.REOPENED
    assert outcome.before is not None
    assert (outcome.before.category, outcome.after.category) == (Category.DONE, Category.DOING)
    assert outcome.commented
    assert meter.requests == 7


def test_labels_that_the_server_drops_are_told_and_not_claimed(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    key = jira820_server.done_issue(labels=["completed", "mine"])

    outcome = plugin.reopen_issue(ref(jira820_server, key), REOPEN)

    assert jira820_server.labels(key) == {"completed", "mine"}
    assert (outcome.labels_added, outcome.labels_removed) == ((), ())
    assert ["+reopened -completed" in note for note in outcome.notes] == [True]


def test_an_open_issue_keeps_its_state(jira820_server: Jira820, plugin: JiraPlugin) -> None:
    key = jira820_server.open_issue()

    outcome = plugin.reopen_issue(ref(jira820_server, key), REOPEN)

    assert outcome.result is Result.ALREADY_OPEN
    assert jira820_server.category(key) == "new"
    assert len(jira820_server.comments(key)) == 1


def test_an_open_issue_is_closed_with_the_resolution(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    key = jira820_server.open_issue()

    outcome = plugin.close_issue(ref(jira820_server, key), Change(OP, Goal.COMPLETED))

    assert outcome.result is Result.CLOSED
    assert (jira820_server.category(key), jira820_server.resolution(key)) == ("done", "Done")


def test_abandoned_work_is_closed_as_such_and_stays_closed(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    key = jira820_server.open_issue()

    dropped = plugin.close_issue(ref(jira820_server, key), Change(OP, Goal.NOT_PLANNED))

    assert dropped.after.category is Category.DROPPED
    with pytest.raises(Rejected) as caught:
        plugin.reopen_issue(ref(jira820_server, key), REOPEN)
    assert caught.value.id == "deliberately-closed"
    assert jira820_server.category(key) == "done"


def test_a_created_issue_is_found_and_updated(plugin: JiraPlugin) -> None:
    op = "01JC0000000000000000000002"
    draft = Draft("0007-smart", "Smart\ndiscipline", "feature", ((Span("{code} <b>"),),))

    created = plugin.create_issue(draft, Change(op, add_labels=("increment",))).after
    found = plugin.find_created(op, LONG_AGO)
    updated = plugin.update_issue(created.ref, replace(draft, title="New"), Change(op))

    assert (created.title, created.labels) == ("Smart discipline", ("increment",))
    assert found == created
    assert (updated.result, updated.after.title) == (Result.UPDATED, "New")


def test_every_marked_comment_is_found_oldest_first_and_can_be_taken_back(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    key = jira820_server.open_issue()
    bodies = [visible(OP), *(f"chatter {number}" for number in range(110)), visible(OP)]
    for body in bodies:
        path = f"/issue/{key}/comment"
        jira820_server.request("POST", path, json={"body": body}).raise_for_status()

    found = plugin.find_comments(ref(jira820_server, key), OP, LONG_AGO)
    assert [int(one.id) for one in found] == sorted(int(one.id) for one in found)
    assert len(found) == 2

    plugin.retract_comment(ref(jira820_server, key), found[1])
    assert plugin.find_comments(ref(jira820_server, key), OP, LONG_AGO) == found[:1]


def test_an_unknown_issue_is_not_found(jira820_server: Jira820, plugin: JiraPlugin) -> None:
    with pytest.raises(NotFound):
        plugin.get_issue_status(ref(jira820_server, f"{jira820_server.project}-99999"))
