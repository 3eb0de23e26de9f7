"""The plugin against npm `emulate`, an independent GitHub."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.servers import emulate
from tests.servers.availability import skipped_unless_available
from tests.servers.emulate import EmulateGitHub
from tests.unlatch_github.making import (
    CLOSE,
    CREATE,
    OP,
    OTHER_OP,
    REOPEN,
    act,
    create,
    draft,
    update,
)

from unlatch.errors import NotFound
from unlatch.spi import Category, Change, Goal, Snapshot, hidden
from unlatch.spi.text import Check, Checks, Heading
from unlatch.transport import for_tests, measure
from unlatch_github.plugin import GithubPlugin
from unlatch_github.settings import GithubSettings

pytestmark = pytest.mark.servers
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulateGitHub]:
    folder = tmp_path_factory.mktemp("emulate")
    with skipped_unless_available(), emulate.emulate_github(folder) as running:
        yield running


@pytest.fixture
def settings(server: EmulateGitHub) -> GithubSettings:
    return GithubSettings(api_url=server.url, web_url=server.url, repository=server.repository)


@pytest.fixture
def plugin(server: EmulateGitHub, settings: GithubSettings) -> GithubPlugin:
    return GithubPlugin(settings, for_tests("github", server.url, token=server.token))


def test_a_closed_issue_is_reopened(
    server: EmulateGitHub, settings: GithubSettings, plugin: GithubPlugin
) -> None:
    number = server.closed_issue(labels=("completed", "bug"))

    with measure() as meter:
        outcome = act(plugin, settings.locate(str(number), None), REOPEN)

    assert (outcome.after.state, meter.requests) == ("open", 5)
    assert server.state(number) == ("open", "reopened")
    assert server.labels(number) == {"bug", "reopened"} == set(outcome.after.labels)
    assert server.comments(number) == [
        f"**Reopened**: Bug discovered in error handling\n\n{hidden(OP)}"
    ]


def test_an_open_issue_is_closed_as_not_planned(
    server: EmulateGitHub, settings: GithubSettings, plugin: GithubPlugin
) -> None:
    number = server.open_issue()

    outcome = act(plugin, settings.locate(str(number), None), Change(OP, Goal.NOT_PLANNED))

    assert server.state(number) == ("closed", "not_planned")
    assert (outcome.after.category, outcome.after.deliberate) == (Category.DROPPED, True)


def test_a_comment_of_ours_is_found_and_taken_back(
    server: EmulateGitHub, settings: GithubSettings, plugin: GithubPlugin
) -> None:
    number = server.closed_issue()
    ref = settings.locate(str(number), None)
    act(plugin, ref, REOPEN)

    (comment,) = plugin.find_comments(ref, OP)
    plugin.retract_comment(ref, comment)

    assert server.comments(number) == []


def test_an_issue_is_created_found_and_updated(server: EmulateGitHub, plugin: GithubPlugin) -> None:
    made = create(plugin, draft(), CREATE).after

    found = plugin.find_created(OP, LONG_AGO)
    updated = update(plugin, made.ref, draft(title="New", body="Else"), CREATE)

    assert found is not None
    assert (found.ref, updated.after.title) == (made.ref, "New")
    assert server.labels(int(made.ref.id)) == {"increment"}
    assert server.issue(int(made.ref.id))["body"] == (
        f"<!-- unlatch:begin 0007-smart-discipline -->\nElse\n<!-- unlatch:end -->\n{hidden(OP)}"
    )


def test_an_issue_is_made_with_its_check_boxes_labels_and_assignees(
    server: EmulateGitHub, plugin: GithubPlugin
) -> None:
    checks = Checks((Check("US-001: Log in"), Check("AC-1 works", done=True, depth=1)))
    wished = replace(
        draft(),
        body=(Heading("User stories"), checks),
        metadata={"assignees": [emulate.LOGIN]},
    )

    with measure() as meter:
        outcome = create(plugin, wished, replace(CREATE, add_labels=("increment", "a/b c")))

    number = int(outcome.after.ref.id)
    assert (outcome.refused, outcome.notes, meter.requests) == ((), (), 1)
    assert server.labels(number) == {"increment", "a/b c"}
    assert outcome.after.assignee == emulate.LOGIN
    body = server.issue(number)["body"]
    assert "### User stories" in body
    assert "\n  - [x] AC" in body


def test_an_update_keeps_what_a_person_wrote_around_it(
    server: EmulateGitHub, plugin: GithubPlugin
) -> None:
    made = create(plugin, draft(), replace(CREATE, op=OTHER_OP)).after
    number = int(made.ref.id)
    body = server.issue(number)["body"]
    server.request("PATCH", f"/issues/{number}", json={"body": f"Above.\n\n{body}\n\nBelow."})

    update(plugin, made.ref, draft(body="Else"), replace(CREATE, op=OTHER_OP))

    assert server.issue(number)["body"] == (
        f"Above.\n\n{body.replace('What it is about', 'Else')}\n\nBelow."
    )


def test_an_issue_goes_through_its_whole_life(
    server: EmulateGitHub, settings: GithubSettings, plugin: GithubPlugin
) -> None:
    ref = settings.locate(str(server.open_issue(labels=("reopened",))), None)

    dropped = act(plugin, ref, replace(CLOSE, goal=Goal.NOT_PLANNED))
    reopened = act(plugin, ref, replace(REOPEN, op=OTHER_OP))
    closed = act(plugin, ref, replace(CLOSE, op=f"{OP[:-1]}9"))

    seen = [one.after.category for one in (dropped, reopened, closed)]
    assert seen == [Category.DROPPED, Category.TODO, Category.DONE]
    number = int(ref.id)
    assert (server.state(number), server.labels(number)) == (("closed", "completed"), {"completed"})
    assert len(server.comments(number)) == 3


def test_a_label_that_is_gone_already_is_no_failure(
    server: EmulateGitHub, settings: GithubSettings, plugin: GithubPlugin
) -> None:
    number = server.closed_issue(labels=("completed",))
    ref = settings.locate(str(number), None)
    server.request("DELETE", f"/issues/{number}/labels/completed")

    outcome = act(plugin, ref, REOPEN)

    assert outcome.after.labels == ("reopened",)


def test_without_graphql_many_issues_are_read_one_by_one(
    server: EmulateGitHub, settings: GithubSettings, plugin: GithubPlugin
) -> None:
    numbers = [server.open_issue(f"Number {index}") for index in range(3)]
    refs = [settings.locate(str(number), None) for number in (*numbers, 9_999)]

    with measure() as meter:
        found = plugin.read_many(refs)

    titles = [one.item.title for one in found.values() if isinstance(one, Snapshot)]
    assert titles == ["Number 0", "Number 1", "Number 2"]
    assert isinstance(found[refs[-1]], NotFound)
    assert meter.requests == 1 + len(refs)


def test_what_the_token_may_do_is_found_out(plugin: GithubPlugin) -> None:
    found = plugin.examine([])

    assert found.login == emulate.LOGIN
    assert [(place.target, place.rights["read"]) for place in found.places] == [
        (emulate.REPOSITORY, True)
    ]
