"""What issues say."""

from typing import Any

import pytest
from tests.unlatch_jira.making import plugin_for, ref, sent

from unlatch.errors import TrackerError
from unlatch.spi import Background
from unlatch_sandbox import Fault, Sandbox

URL = "https://example.com/alerts/4"


def test_texts_are_read_with_one_request(box: Sandbox) -> None:
    link = {"type": "text", "text": "it", "marks": [{"type": "link", "attrs": {"href": URL}}]}
    card = {"type": "inlineCard", "attrs": {"url": f"{URL}2"}}
    body: dict[str, Any] = {
        "type": "doc",
        "version": 1,
        "content": [{"type": "paragraph", "content": [link, card]}],
    }
    keys = [
        box.jira.add_issue(summary="Slow"),
        box.jira.add_issue(summary="Broken", reporter="Cora (customer)"),
    ]
    box.jira.edit(keys[0], description=body)
    box.requests.clear()
    backgrounds = plugin_for(box).read_background([ref(box, key) for key in keys])
    assert 1 == len(sent(box))
    first, second = backgrounds.values()
    assert isinstance(first, Background)
    assert {"Slow", "it", URL, f"{URL}2"} == {*first.text.split("\n")}
    assert Background("Broken\n", is_strangers=True) == second


def test_data_center_reads_wiki_markup(server: Sandbox) -> None:
    key = server.jira.add_issue(summary="Slow", description=f"[it|{URL}]")
    (background,) = plugin_for(server).read_background([ref(server, key)]).values()
    assert Background(f"Slow\n[it|{URL}]") == background


@pytest.mark.parametrize(
    ("creator", "is_strangers"), [(None, True), (5, None), ({"displayName": "Ann"}, False)]
)
def test_an_issue_without_a_known_author(
    box: Sandbox, creator: object, is_strangers: bool | None
) -> None:
    key = box.jira.add_issue(summary="Slow")
    issue = box.jira.issue(key)
    issue["fields"] |= {"creator": creator}
    body = {"issues": [{**issue, "id": "1"}]}
    box.faults.add(Fault("jira", "status", path="bulkfetch", code=200, body=body))
    (background,) = plugin_for(box).read_background([ref(box, key)]).values()
    if is_strangers is None:
        assert isinstance(background, TrackerError)
    else:
        assert Background("Slow\n", is_strangers) == background
