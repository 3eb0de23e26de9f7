"""Every request of every SDK passes the adapter, from any thread."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.transport.faulty import Faulty, reply
from tests.transport.trackers import NAMES, opened
from tests.unlatch_ado import making as ado
from tests.unlatch_github import making as github
from tests.unlatch_jira import making as jira

from unlatch import __version__
from unlatch.errors import TrackerError
from unlatch.spi import Change, ItemRef, SyncPlugin
from unlatch.transport import measure
from unlatch_sandbox import Sandbox

Made = tuple["SyncPlugin", "list[ItemRef]", "Change"]


@pytest.fixture
def box() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def github_plugin(box: Sandbox) -> Made:
    items = [github.ref(box, github.closed_issue(box)) for _ in range(4)]
    return github.plugin_for(box), items, github.REOPEN


def ado_plugin(box: Sandbox) -> Made:
    items = [box.ado.add_work_item(state="Closed", title="Smart discipline") for _ in range(4)]
    return ado.plugin_for(box), [ado.ref(box, item) for item in items], ado.reopening()


def jira_plugin(box: Sandbox) -> Made:
    items = [jira.ref(box, jira.done_issue(box)) for _ in range(4)]
    return jira.plugin_for(box), items, jira.REOPEN


@pytest.mark.sample
@pytest.mark.parametrize(
    ("name", "make"), [("github", github_plugin), ("ado", ado_plugin), ("jira", jira_plugin)]
)
def test_requests_of_worker_threads_pass_the_adapter(
    name: str, make: Callable[[Sandbox], Made], box: Sandbox
) -> None:
    plugin, items, change = make(box)
    box.requests.clear()

    def work(item: ItemRef) -> tuple[bool, int]:
        with measure() as meter:
            outcome = plugin.write(plugin.read(item, change), change)
            return outcome.after.category.is_open, meter.requests

    with ThreadPoolExecutor(len(items)) as pool:
        outcomes = list(pool.map(work, items))

    assert [is_open for is_open, _ in outcomes] == [True] * len(items)
    assert sum(requests for _, requests in outcomes) == box.requests.count(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_request_names_unlatch_and_no_sdk(name: str) -> None:
    with Faulty(otherwise=reply(404)) as server:
        plugin, item = opened(name, server.url, token="tok")
        with pytest.raises(TrackerError):
            plugin.read(item)
        agents = {request.headers["user-agent"] for request in server.requests}
    assert agents == {f"unlatch/{__version__} (+https://pypi.org/project/unlatch/)"}
