"""The Jira plugin against an independent Data Center server.

It silently drops the `update` of an edit and has no transitions on the issue, so these tests also
show the plugin without them: a comment that the edit dropped is posted by the next attempt.
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.servers.jira820 import Jira820

from unlatch.errors import NotFound, Rejected
from unlatch.spi import Category, Change, Draft, Goal, ItemRef, Outcome, Span, visible
from unlatch.transport import for_tests
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.settings import JiraSettings

pytestmark = pytest.mark.servers

OP = "01JC0000000000000000000001"
OTHER_OP = "01JC0000000000000000000009"
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


def deliver(plugin: JiraPlugin, at: ItemRef, change: Change) -> Outcome:
    return plugin.write(plugin.read(at, change), change)


def test_a_done_issue_is_reopened_and_the_next_attempt_posts_the_comment(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    key = jira820_server.done_issue(labels=["completed", "mine"])

    first = deliver(plugin, ref(jira820_server, key), REOPEN)

    assert jira820_server.category(key) == "indeterminate"
    assert jira820_server.resolution(key) is None
    assert (first.after.category, first.commented) == (Category.DOING, False)
    assert jira820_server.comments(key) == []

    second = deliver(plugin, ref(jira820_server, key), replace(REOPEN, goal=None))

    assert second.commented
    assert jira820_server.comments(key) == [
        f"*Reopened*: it's \\{{broken\\}} \\[\\~all\\]\n\n{visible(OP)}"
    ]


def test_labels_that_the_server_drops_are_not_claimed(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    key = jira820_server.done_issue(labels=["completed", "mine"])

    outcome = deliver(plugin, ref(jira820_server, key), REOPEN)

    assert jira820_server.labels(key) == {"completed", "mine"}
    assert (set(outcome.after.labels), outcome.refused) == ({"completed", "mine"}, ())


def test_an_issue_lives_through_create_close_reopen_and_status(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    draft = Draft("0007-smart", "Smart discipline", "feature", ((Span("What it is about"),),))

    made = plugin.create(Change("01JC0000000000000000000003", draft=draft)).after
    key = made.ref.id
    closed = deliver(plugin, made.ref, Change(OTHER_OP, Goal.COMPLETED))
    resolved = jira820_server.resolution(key)
    reopened = deliver(plugin, made.ref, REOPEN)
    deliver(plugin, made.ref, REOPEN)
    again = deliver(plugin, made.ref, replace(REOPEN, comment=None))

    assert (made.category, closed.after.category, resolved) == (
        Category.TODO,
        Category.DONE,
        "Done",
    )
    assert (reopened.after.category, again.after.category) == (Category.DOING, Category.DOING)
    assert jira820_server.resolution(key) is None
    assert plugin.read(made.ref).item == again.after
    assert [OP in words for words in jira820_server.comments(key)] == [True]


def test_a_path_is_walked_step_by_step(jira820_server: Jira820) -> None:
    key = jira820_server.done_issue()
    given = dict(settings(jira820_server))
    paths = {"reopen": {"Done": ["In Progress", "In Review"]}}
    walking = JiraSettings.model_validate({**given, "paths": paths})
    transport = for_tests("jira", jira820_server.url, token=jira820_server.token)

    outcome = deliver(JiraPlugin(walking, transport), ref(jira820_server, key), REOPEN)

    assert outcome.after.state == "In Review"


def test_without_a_map_a_way_of_several_steps_is_not_guessed(jira820_server: Jira820) -> None:
    key = jira820_server.done_issue()
    given = dict(settings(jira820_server))
    far = JiraSettings.model_validate({**given, "transitions": {"reopen": "In Review"}})
    transport = for_tests("jira", jira820_server.url, token=jira820_server.token)

    with pytest.raises(Rejected) as caught:
        deliver(JiraPlugin(far, transport), ref(jira820_server, key), REOPEN)

    assert (caught.value.id, jira820_server.category(key)) == ("transition-not-offered", "done")
    assert "--allow-path" in (caught.value.hint or "")


def test_a_created_issue_is_found_and_updated(plugin: JiraPlugin) -> None:
    op = "01JC0000000000000000000002"
    draft = Draft("0007-smart", "Smart discipline", "feature", ((Span("{code} <b>"),),))

    created = plugin.create(Change(op, add_labels=("increment",), draft=draft)).after
    found = plugin.find_created(op, LONG_AGO)
    updated = deliver(plugin, created.ref, Change(op, draft=replace(draft, title="New")))

    assert (created.title, created.labels) == ("Smart discipline", ("increment",))
    assert found == created
    assert updated.after.title == "New"


@pytest.mark.sweep
def test_every_marked_comment_is_found_oldest_first_and_can_be_taken_back(
    jira820_server: Jira820, plugin: JiraPlugin
) -> None:
    key = jira820_server.open_issue()
    bodies = [visible(OP), *(f"chatter {number}" for number in range(110)), visible(OP)]
    for body in bodies:
        path = f"/issue/{key}/comment"
        jira820_server.request("POST", path, json={"body": body}).raise_for_status()

    found = plugin.find_comments(ref(jira820_server, key), OP)
    assert [int(one.id) for one in found] == sorted(int(one.id) for one in found)
    assert len(found) == 2

    plugin.retract_comment(ref(jira820_server, key), found[1])
    [left] = plugin.find_comments(ref(jira820_server, key), OP)
    assert left.id == found[0].id


def test_an_unknown_issue_is_not_found(jira820_server: Jira820, plugin: JiraPlugin) -> None:
    with pytest.raises(NotFound):
        plugin.read(ref(jira820_server, f"{jira820_server.project}-99999"))
