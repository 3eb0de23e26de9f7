"""The plugin's requests and answers against GitHub's description of its REST API.

The description is not part of the project: the test runs where UNLATCH_SPECS names its folder.
docs/github.md lists the uncovered requests; the test compares this list.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from tests.transport.listening import (
    UNKNOWN,
    Description,
    Listening,
    document_of,
    listed_in,
    needs_specs,
)
from tests.unlatch_github.making import (
    CLOSE,
    CREATE,
    OP,
    REOPEN,
    REPOSITORY,
    act,
    closed_issue,
    create,
    draft,
    ref,
    settings_for,
    update,
)

from unlatch.spi import Goal
from unlatch.spi.text import Check, Checks, Heading
from unlatch.transport import for_tests
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Sandbox

pytestmark = needs_specs
FILE = "github_issues_slice_octokit_openapi_23.0.2.json"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def _mend(document: dict[str, Any]) -> None:
    """Two fields are nullable by their descriptions, but their enumerations lack null."""
    document["components"]["schemas"]["issue"]["properties"]["state_reason"]["enum"].append(None)
    patch = document["paths"]["/repos/{owner}/{repo}/issues/{issue_number}"]["patch"]
    fields = patch["requestBody"]["content"]["application/json"]["schema"]["properties"]
    fields["milestone"]["oneOf"].append({"enum": [None]})


def test_every_request_and_answer_is_as_described(box: Sandbox) -> None:
    on_reopen = {"milestone": "clear", "assignee": "me", "project": "report"}
    settings = settings_for(box, on_reopen=on_reopen)
    transport = Listening(for_tests("github", settings.base_url, token=box.github.token))

    _do_everything(box, GithubPlugin(settings, transport))

    document = document_of(FILE)
    _mend(document)
    description = Description(document, _general, prefix="/api/v3", formats=["date-time"])
    told = {line for answer in transport.heard for line in description.wrong(answer)}
    assert {line for line in told if not line.startswith(UNKNOWN)} == set()
    assert {line.removeprefix(UNKNOWN) for line in told} == listed_in("github.md")


def _do_everything(box: Sandbox, plugin: GithubPlugin) -> None:
    github = box.github
    github.add_repository(REPOSITORY, private=True)
    github.add_milestone("v1", state="closed")
    wished = replace(
        draft(body="Words"),
        body=(Heading("Tasks"), Checks((Check("T-001", done=True),))),
        metadata={"milestone": "v1", "assignees": ["ann"], "type": "Bug"},
    )
    made = create(plugin, wished, CREATE).after
    more = {"milestone": 1, "assignees": ["bob"], "type": "Task"}
    update(plugin, made.ref, replace(wished, title="New", metadata=more), CREATE)
    act(plugin, made.ref, CLOSE)
    act(plugin, made.ref, REOPEN)
    act(plugin, made.ref, replace(CLOSE, goal=Goal.NOT_PLANNED, op=f"{OP[:-1]}9"))
    number = closed_issue(box)
    github.edit(REPOSITORY, number, milestone=1, assignees=[])
    act(plugin, ref(box, number), REOPEN)
    for _ in range(2):
        plugin.read(ref(box, number))
    plugin.read_many([made.ref, ref(box, number)])
    (comment,) = plugin.find_comments(ref(box, number), OP)
    plugin.retract_comment(ref(box, number), comment)
    assert plugin.find_created(OP, LONG_AGO) is not None
    plugin.examine([made.ref])


def _general(path: str) -> str:
    return re.sub(r"^/repos/[^/]+/[^/]+", "/repos/{owner}/{repo}", unquote(path))
