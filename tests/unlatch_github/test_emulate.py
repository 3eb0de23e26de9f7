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
from unlatch.spi import Category, Goal, Snapshot, hidden
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


@pytest.mark.sweep
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
