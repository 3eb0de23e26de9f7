"""The plugin against npm `emulate`: a GitHub that nobody here wrote."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.servers import emulate
from tests.servers.availability import skipped_unless_available
from tests.unlatch_github.making import CREATE, OP, REOPEN, draft

from unlatch.spi import Category, Change, Goal, Result, hidden
from unlatch.transport import for_tests, measure
from unlatch_github.plugin import GithubPlugin
from unlatch_github.settings import GithubSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.emulate import EmulateGitHub

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
        outcome = plugin.reopen_issue(settings.locate(str(number), None), REOPEN)

    assert (outcome.result, meter.requests) == (Result.REOPENED, 5)
    assert server.state(number) == ("open", "reopened")
    assert server.labels(number) == {"bug", "reopened"} == set(outcome.after.labels)
    assert server.comments(number) == [
        f"**Reopened**: Bug discovered in error handling\n\n{hidden(OP)}"
    ]


def test_an_open_issue_is_closed_as_not_planned(
    server: EmulateGitHub, settings: GithubSettings, plugin: GithubPlugin
) -> None:
    number = server.open_issue()

    outcome = plugin.close_issue(settings.locate(str(number), None), Change(OP, Goal.NOT_PLANNED))

    assert server.state(number) == ("closed", "not_planned")
    assert (outcome.after.category, outcome.after.deliberate) == (Category.DROPPED, True)


def test_a_comment_of_ours_is_found_and_taken_back(
    server: EmulateGitHub, settings: GithubSettings, plugin: GithubPlugin
) -> None:
    number = server.closed_issue()
    ref = settings.locate(str(number), None)
    plugin.reopen_issue(ref, REOPEN)

    (comment,) = plugin.find_comments(ref, OP, LONG_AGO)
    plugin.retract_comment(ref, comment)

    assert server.comments(number) == []


def test_an_issue_is_created_found_and_updated(server: EmulateGitHub, plugin: GithubPlugin) -> None:
    made = plugin.create_issue(draft(), CREATE).after

    found = plugin.find_created(OP, LONG_AGO)
    updated = plugin.update_issue(made.ref, draft(title="New", body="Else"), CREATE)

    assert found is not None
    assert (found.ref, updated.after.title) == (made.ref, "New")
    assert server.labels(int(made.ref.id)) == {"increment"}
    assert server.issue(int(made.ref.id))["body"] == (
        f"<!-- unlatch:begin -->\nElse\n<!-- unlatch:end -->\n{hidden(OP)}"
    )
