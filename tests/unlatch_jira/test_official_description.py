"""The plugin's requests and answers against Atlassian's description of version 3.

The description is not part of the project: the test runs where UNLATCH_SPECS names its folder.
docs/jira.md lists the uncovered requests; the test compares this list.
"""

import re
from dataclasses import replace

import pytest
from tests.transport.listening import (
    UNKNOWN,
    Description,
    Listening,
    document_of,
    listed_in,
    needs_specs,
)
from tests.unlatch_jira.making import (
    CLOSE,
    CREATE,
    LONG_AGO,
    OP,
    REOPEN,
    UPDATE,
    WITH_CHILDREN,
    deliver,
    draft,
    ref,
    settings_for,
    transport_for,
)

from unlatch.errors import NotFound, Rejected
from unlatch.spi import visible
from unlatch_jira.plugin import JiraPlugin
from unlatch_sandbox import Fault, Sandbox

pytestmark = needs_specs
FILE = "jira_cloud_swagger-v3_2025-12-25.json"


def test_every_request_and_answer_is_as_described(box: Sandbox) -> None:
    transport = Listening(transport_for(box))
    settings = settings_for(
        box,
        projects=["OPS", "FAR"],
        on_reopen={"sprint": "active", "parent": "reopen", "assignee": "me"},
        fields={"Root cause": "Bug"},
    )
    _live(box, JiraPlugin(settings, transport))

    description = Description(document_of(FILE), _general)
    told = {line for answer in transport.heard for line in description.wrong(answer)}
    assert {line for line in told if not line.startswith(UNKNOWN)} == set()
    assert {line.removeprefix(UNKNOWN) for line in told} == listed_in("jira.md")
    assert len(transport.heard) > 40


def _live(box: Sandbox, plugin: JiraPlugin) -> None:
    """Everything that a plugin is asked to do, and some of it in vain."""
    jira = box.jira
    jira.add_project("OPS", "required-fields")
    epic = jira.add_issue(summary="Epic", type="Epic", status="Done")
    sprint = jira.add_sprint("Sprint 4", "closed")
    jira.add_sprint("Sprint 5")
    key = jira.add_issue(
        summary="Smart", status="Done", labels=["completed"], parent=epic, sprints=[sprint]
    )
    jira.add_issue("OPS-1", summary="Part", status="Done", parent=epic)
    item = ref(box, key)
    plugin.read(item)
    plugin.read_many([item, ref(box, "SCRUM-999")], REOPEN)
    plugin.examine([item])
    deliver(plugin, item, REOPEN)
    deliver(plugin, ref(box, epic), replace(REOPEN, options=WITH_CHILDREN))
    deliver(plugin, item, CLOSE)
    wished = replace(draft(), metadata={"parent": epic})
    made = plugin.create(replace(CREATE, draft=wished)).after
    deliver(plugin, made.ref, replace(UPDATE, draft=draft(title="New", body="New")))
    box.jira.add_comment(key, visible(OP))
    assert plugin.find_created(OP, LONG_AGO) is not None
    for comment in plugin.find_comments(item, OP):
        plugin.retract_comment(item, comment)
    with pytest.raises(NotFound):
        plugin.read(ref(box, "SCRUM-999"))
    jira.add_project("FAR", "two-hops")
    jira.add_issue("FAR-1", summary="Far", status="Erledigt")
    with pytest.raises(Rejected):
        deliver(plugin, ref(box, "FAR-1"), REOPEN)
    box.faults.add(Fault("jira", "status", method="PUT", code=413, body={}))
    with pytest.raises(Rejected):
        deliver(plugin, made.ref, replace(UPDATE, draft=draft(title="Newer")))


def _general(text: str) -> str:
    text = re.sub(r"(?<=/)[A-Z]+-\d+", "KEY", text)
    return re.sub(r"(?<=/)\d+(?=/|$|\s)(?<!api/3)", "ID", text)
