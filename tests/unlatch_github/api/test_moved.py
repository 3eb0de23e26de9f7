"""Moved issues and repositories are reported with their new address."""

from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from tests.unlatch_github.making import (
    CREATE,
    OP,
    REOPEN,
    REPOSITORY,
    act,
    bodies,
    closed_issue,
    create,
    draft,
    ref,
    sent,
)

from unlatch.errors import Moved, NotFound, Redirected, Rejected
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Fault, Sandbox

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
GADGETS = "octo/gadgets"


@pytest.fixture
def transferred(box: Sandbox) -> tuple[int, int]:
    """The number of a transferred issue before and after."""
    box.github.add_repository(GADGETS)
    box.github.add_issue(GADGETS, title="Another")
    number = closed_issue(box)
    return number, box.github.transfer_issue(REPOSITORY, number, GADGETS)


class Listener:
    """A server that should get no request, and its requests."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                listener.asked.append((self.path, self.headers["Authorization"]))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def stranger() -> Iterator[Listener]:
    listener = Listener()
    thread = Thread(target=listener.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield listener
    listener.server.shutdown()
    thread.join()
    listener.server.server_close()


def test_a_transferred_issue_is_told_by_its_new_address(
    box: Sandbox, plugin: GithubPlugin, transferred: tuple[int, int]
) -> None:
    old, new = transferred

    with pytest.raises(Moved, match="item-moved:") as caught:
        act(plugin, ref(box, old), REOPEN)

    assert caught.value.to == f"{box.github.web_url}/{GADGETS}/issues/{new}"
    assert f"{GADGETS}#{new}" in caught.value.message
    assert caught.value.remedy == "--follow"
    assert "--follow" in (caught.value.hint or "")
    assert caught.value.where == f"{REPOSITORY}#{old}"
    assert box.github.issue(GADGETS, new)["state"] == "closed"
    assert [request.partition(" ")[0] for request in sent(box)] == ["GET", "GET"]


def test_an_issue_of_a_renamed_repository_is_served_from_its_new_place(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box, labels=("completed",))
    box.github.rename_repository(REPOSITORY, "octo/gizmos")

    assert plugin.find_comments(ref(box, number), OP) == ()
    assert plugin.read(ref(box, number)).item.ref == ref(box, number, "octo/gizmos")
    done = act(plugin, ref(box, number), REOPEN)

    assert done.after.state == box.github.issue("octo/gizmos", number)["state"] == "open"
    (comment,) = plugin.find_comments(ref(box, number), OP)
    assert [one for one in done.notes if "octo/gizmos" in one]
    plugin.retract_comment(ref(box, number), comment)
    assert plugin.find_comments(ref(box, number), OP) == ()
    assert plugin.read_history(ref(box, number)).changes


def test_a_repository_of_another_owner_is_told_by_its_new_address(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box)
    box.github.rename_repository(REPOSITORY, "mallory/widgets")

    for ask in (
        lambda: plugin.read(ref(box, number)).item,
        lambda: plugin.find_comments(ref(box, number), OP),
    ):
        with pytest.raises(Moved) as caught:
            ask()
        assert caught.value.to == f"{box.github.web_url}/mallory/widgets/issues/{number}"


def test_an_issue_transferred_to_the_same_number_of_the_same_owner_is_no_rename(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    box.github.add_repository(GADGETS)
    number = closed_issue(box)
    assert box.github.transfer_issue(REPOSITORY, number, GADGETS) == number

    with pytest.raises(Moved) as caught:
        plugin.read(ref(box, number))

    assert caught.value.to == f"{box.github.web_url}/{GADGETS}/issues/{number}"


def test_an_issue_transferred_into_a_repository_renamed_afterwards_is_found(
    box: Sandbox, plugin: GithubPlugin, transferred: tuple[int, int]
) -> None:
    box.github.rename_repository(GADGETS, "octo/gizmos")

    with pytest.raises(Moved) as caught:
        plugin.read(ref(box, transferred[0]))

    assert caught.value.to == f"{box.github.web_url}/octo/gizmos/issues/{transferred[1]}"


def test_a_new_place_that_may_not_be_seen_is_told_as_github_names_it(
    box: Sandbox, plugin: GithubPlugin, transferred: tuple[int, int]
) -> None:
    box.faults.add(Fault("github", "status", path=GADGETS, code=404, body={"message": "Not Found"}))

    with pytest.raises(NotFound, match="item-moved:") as caught:
        plugin.read(ref(box, transferred[0]))

    assert type(caught.value) is NotFound
    assert f"{GADGETS}#{transferred[1]}" in caught.value.message


@pytest.mark.parametrize(
    "location", ["", "javascript:alert(1)", "/", "//tracker.example/x", "http://127.0.0.1:1/x#y"]
)
def test_a_redirect_to_no_issue_is_told_as_one(
    box: Sandbox, plugin: GithubPlugin, location: str
) -> None:
    number = closed_issue(box)
    fault = Fault("github", "redirect", method="GET", path="issues", code=301, location=location)
    box.faults.add(fault)

    with pytest.raises(NotFound, match="item-moved:"):
        plugin.read(ref(box, number))


def test_redirects_in_circles_end(box: Sandbox, plugin: GithubPlugin) -> None:
    number = closed_issue(box)
    here = f"{box.github.api_url}/repos/{REPOSITORY}/issues/{number}"
    box.faults.add(Fault("github", "redirect", times=50, code=301, location=here))

    with pytest.raises(NotFound, match="item-moved:"):
        plugin.read(ref(box, number))

    assert len(sent(box)) < 6


@pytest.mark.parametrize("method", ["GET", "PATCH", "POST"])
def test_a_token_is_not_sent_where_a_redirect_leads(
    box: Sandbox, plugin: GithubPlugin, stranger: Listener, method: str
) -> None:
    number = closed_issue(box)
    place = f"{stranger.url}/api/v3/repos/octo/elsewhere/issues/4"
    box.faults.add(Fault("github", "redirect", method=method, code=307, location=place))

    with pytest.raises((NotFound, Redirected)):
        act(plugin, ref(box, number), REOPEN)

    assert stranger.asked == []


def test_a_token_is_not_sent_where_a_next_page_leads(
    box: Sandbox, plugin: GithubPlugin, stranger: Listener
) -> None:
    number = closed_issue(box)
    headers = {
        "Link": f'<{stranger.url}/api/v3/more?page=2>; rel="next"',
        "Content-Type": "application/json",
    }
    fault = Fault("github", "status", path="/comments", code=200, body="[]", headers=headers)
    box.faults.add(fault)

    assert plugin.find_comments(ref(box, number), OP) == ()
    assert stranger.asked == []


def test_a_repository_renamed_before_anything_is_written_takes_the_next_attempt(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box, labels=("completed",))
    _rename_at(box, "PATCH")

    with pytest.raises(Redirected, match="redirected-write:"):
        act(plugin, ref(box, number), REOPEN)

    assert box.github.issue("octo/gizmos", number)["state"] == "closed"
    assert act(plugin, ref(box, number), REOPEN).after.state == "open"


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_a_repository_renamed_in_between_is_no_success(
    box: Sandbox, plugin: GithubPlugin, method: str
) -> None:
    number = closed_issue(box, labels=("completed",))
    _rename_at(box, method)

    with pytest.raises(Redirected, match="redirected-write:") as caught:
        act(plugin, ref(box, number), REOPEN)

    assert "unlatch sync" in (caught.value.hint or "")
    assert caught.value.done is not None
    assert caught.value.done.after.state == "open"
    assert sent(box)[-1].startswith(method)


def test_nothing_is_made_in_a_renamed_repository_but_its_new_name_is_told(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    box.github.rename_repository(REPOSITORY, "octo/gizmos")

    with pytest.raises(Rejected) as caught:
        create(plugin, draft(), CREATE)
    assert (caught.value.id, caught.value.where) == ("repository-moved", REPOSITORY)
    assert '"octo/gizmos"' in (caught.value.hint or "")
    with pytest.raises(Rejected) as caught:
        plugin.find_created(OP, LONG_AGO)
    assert caught.value.id == "repository-moved"
    assert box.github.items() == []


def test_an_issue_that_became_a_discussion_is_reopened_and_takes_no_comment(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box)
    box.github.convert_to_discussion(REPOSITORY, number)

    with pytest.raises(Rejected, match="item-locked:") as caught:
        act(plugin, ref(box, number), REOPEN)

    assert "discussion" in caught.value.message
    assert bodies(box, number) == []


def _rename_at(box: Sandbox, method: str) -> None:
    def rename() -> None:
        box.github.rename_repository(REPOSITORY, "octo/gizmos")

    box.faults.add(Fault("github", "human", method=method, action=rename))
