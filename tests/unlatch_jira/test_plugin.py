"""The effects of operations on the issue, and their requests, on Cloud and Data Center."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unlatch_jira.making import (
    CREATE,
    LONG_AGO,
    OP,
    OTHER_OP,
    REOPEN,
    comments,
    deliver,
    done_issue,
    draft,
    field,
    plugin_for,
    ref,
    resolution,
    sent,
    status,
    text,
)

from unlatch.errors import (
    ConfigError,
    Rejected,
    UnknownOutcome,
)
from unlatch.spi import Category, visible
from unlatch_jira.api.rich_text import plain
from unlatch_jira.plugin import JiraPlugin
from unlatch_sandbox import Fault, Sandbox

HOSTILE = (
    'it\'s "broken" --> $& $1 \\1 {braces} {panel} [~all] @all |x| h1. *b* _i_ -s- !img! \\\\\n'
    "* no list\nh1. no heading <script>alert(1)</script> {code} bq. ----"
)


@pytest.mark.sample(at=(4,))
@pytest.mark.parametrize(
    ("state", "resolved", "category", "deliberate"),
    [
        ("To Do", None, Category.TODO, False),
        ("In Progress", None, Category.DOING, False),
        ("Done", "Done", Category.DONE, False),
        ("Done", "Fixed", Category.DONE, False),
        ("Done", "Won't Do", Category.DROPPED, True),
        ("Done", "Won't Fix", Category.DROPPED, True),
        ("Done", "Duplicate", Category.DROPPED, True),
        # A resolution that was never cleared closes nothing.
        ("In Progress", "Won't Do", Category.DOING, False),
    ],
)
def test_the_state_means_what_its_category_says(
    box: Sandbox, *, state: str, resolved: str | None, category: Category, deliberate: bool
) -> None:
    plugin = plugin_for(box)
    key = box.jira.add_issue(summary="Smart", status=state, resolution=resolved)

    item = plugin.read(ref(box, key)).item

    assert (item.state, item.category, item.deliberate) == (state, category, deliberate)


def test_a_reopen_on_cloud_costs_three_requests(box: Sandbox, plugin: JiraPlugin) -> None:
    key = done_issue(box)

    outcome = deliver(plugin, ref(box, key), REOPEN)

    assert (status(box, key), resolution(box, key)) == ("In Progress", None)
    assert comments(box, key) == [f"Reopened: Bug discovered in error handling\n{visible(OP)}"]
    assert field(box, key, "labels") == ["mine", "reopened"]
    assert list(box.jira.properties(key)) == [f"unlatch.op.{OP}"]
    assert (outcome.after.state, outcome.after.category) == ("In Progress", Category.DOING)
    assert outcome.after.labels == ("mine", "reopened")
    assert (outcome.commented, outcome.refused, outcome.notes) == (True, (), ())
    assert outcome.comment == box.jira.comments(key)[0]["id"]
    assert sent(box) == [
        f"GET /issue/{key}",
        f"POST /issue/{key}/transitions",
        f"PUT /issue/{key}",
    ]

    [posted] = box.jira.comments(key)
    assert posted["body"]["content"][0]["content"][0] == {
        "type": "text",
        "text": "Reopened",
        "marks": [{"type": "strong"}],
    }
    assert plain({"content": posted["body"]["content"][-1:]}) == visible(OP)


def test_a_reopen_on_data_center_costs_four_requests(server: Sandbox) -> None:
    key = done_issue(server)

    outcome = deliver(plugin_for(server), ref(server, key), REOPEN)

    assert (status(server, key), resolution(server, key)) == ("In Progress", None)
    [posted] = server.jira.comments(key)
    assert posted["body"] == f"*Reopened*: Bug discovered in error handling\n\n{visible(OP)}"
    assert field(server, key, "labels") == ["mine", "reopened"]
    assert outcome.after.state == "In Progress"
    assert outcome.after.labels == ("mine", "reopened")
    assert (outcome.commented, outcome.refused, outcome.notes) == (True, (), ())
    assert outcome.comment == posted["id"]
    assert sent(server) == [
        f"GET /issue/{key}",
        f"POST /issue/{key}/transitions",
        f"PUT /issue/{key}",
        f"GET /issue/{key}",
    ]


def test_what_a_person_labelled_meanwhile_is_theirs(box: Sandbox, plugin: JiraPlugin) -> None:
    key = done_issue(box)
    person = Fault(
        "jira",
        "human",
        method="PUT",
        action=lambda: box.jira.edit(key, labels=["completed", "mine", "theirs"]),
    )
    box.faults.add(person)

    outcome = deliver(plugin, ref(box, key), REOPEN)

    assert sorted(field(box, key, "labels")) == ["mine", "reopened", "theirs"]
    assert sorted(outcome.after.labels) == ["mine", "reopened", "theirs"]


def test_a_configured_transition_that_is_missing_names_those_on_offer(box: Sandbox) -> None:
    key = done_issue(box)

    with pytest.raises(Rejected, match="transition-not-offered:") as caught:
        deliver(plugin_for(box, transitions={"reopen": "Nope"}), ref(box, key), REOPEN)

    assert "In Progress (to In Progress)" in caught.value.message
    # The map of the workflow knows no way to it either, and nothing was moved.
    assert sent(box) == [f"GET /issue/{key}", "POST /workflows/preview"]


def test_a_comment_that_comes_back_with_other_words_is_no_proof(server: Sandbox) -> None:
    key = done_issue(server)
    message = "Field 'comment' cannot be set. It is not on the appropriate screen, or unknown."
    refused = {"errorMessages": [], "errors": {"comment": message}}
    server.faults.add(Fault("jira", "status", method="PUT", code=400, body=refused))
    other = {"id": "7", "created": "2025-11-01T09:00:00.000+0000", "body": "Filtered"}
    server.faults.add(Fault("jira", "status", method="POST", path="/comment", code=201, body=other))
    with pytest.raises(UnknownOutcome):
        deliver(plugin_for(server), ref(server, key), REOPEN)


@pytest.mark.parametrize("words", ["*" * 32_000, "x" * 33_000])
def test_a_comment_that_does_not_fit_is_refused_before_anything_is_written(
    server: Sandbox, words: str
) -> None:
    key = done_issue(server)

    with pytest.raises(Rejected) as caught:
        deliver(plugin_for(server), ref(server, key), replace(REOPEN, comment=text(words)))

    assert (caught.value.id, caught.value.remedy) == ("body-too-long", "--comment short")
    assert sent(server) == [f"GET /issue/{key}"]


def test_a_created_issue_is_found_before_the_index_lists_it(
    box: Sandbox, plugin: JiraPlugin
) -> None:
    earlier = plugin.create(replace(replace(CREATE, op=OTHER_OP), draft=draft())).after
    listed = plugin.find_created(OTHER_OP, LONG_AGO)
    assert listed == earlier
    key = plugin.create(replace(CREATE, draft=draft())).after.ref.id
    # The index as it was before the second issue came.
    stale = {"issues": [box.jira.issue(earlier.ref.id)], "isLast": True}
    box.faults.add(Fault("jira", "status", path="search/jql", code=200, body=stale))

    found = plugin.find_created(OP, LONG_AGO)

    assert found is not None
    assert found.ref.id == key


def test_a_long_body_is_refused_and_a_title_kept_and_cut(either: Sandbox) -> None:
    with pytest.raises(Rejected) as caught:
        plugin_for(either).create(replace(CREATE, draft=draft(body="x" * 33_000)))
    assert (caught.value.id, sent(either)) == ("body-too-long", [])
    with pytest.raises(ConfigError):
        plugin_for(either, project=None).create(replace(CREATE, draft=draft()))
    assert sent(either) == []

    title = 'a "b" --> $& <b>x</b> {c} [~all] *d*'
    outcome = plugin_for(either).create(replace(CREATE, draft=draft(title=title)))
    assert outcome.after.title == title
    outcome = plugin_for(either).create(replace(CREATE, draft=draft(title="word " * 100)))
    assert (len(outcome.after.title), outcome.after.title[-3:]) == (255, "...")


def _paragraph(words: str) -> dict[str, Any]:
    return {"type": "paragraph", "content": [{"type": "text", "text": words}]}


def test_our_comments_are_found_whoever_posted_them_on_every_page(either: Sandbox) -> None:
    key = done_issue(either)
    plugin = plugin_for(either)
    early = either.jira.add_comment(key, f"hello\n\n{visible(OP)}", user="Bot")
    for number in range(110):
        either.jira.add_comment(key, f"chatter {number}\n\n{visible(OTHER_OP)}")
    deliver(plugin, ref(either, key), REOPEN)

    found = plugin.find_comments(ref(either, key), OP)

    assert found[0].id == early
    assert [one.own for one in found] == [False, True]
    assert found[0].created <= found[1].created
    assert plugin.find_ops(ref(either, key)) == (OP, *[OTHER_OP] * 110, OP)
