"""Sample items of a team with two products, for trying things without a tracker.

Some titles are on all three trackers, in one project each, so that increments can be linked to
them. Open and closed items are mixed, and one was closed deliberately.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch_sandbox import Sandbox
    from unlatch_sandbox.ado import AdoAdmin
    from unlatch_sandbox.github import GithubAdmin
    from unlatch_sandbox.jira import JiraAdmin

    Samples = Sequence[Mapping[str, Any]]

_CSV = "Rows are written in the order of the screen.\n\n- [x] Header row\n- [ ] Quoted fields\n"
_REFUSED = "We replace it with the CSV import, so we will not fix it."

_WIDGETS: Samples = (
    {
        "number": 4,
        "title": "Smart discipline",
        "state": "closed",
        "state_reason": "completed",
        "labels": ["enhancement", "completed"],
        "assignee": "octocat",
        "milestone": 1,
        "body": "Rules are read from a file and followed in all runs.",
        "comments": [
            ("mona", "The rules are followed on my machine, thanks."),
            ("github-actions[bot]", "Released in 2.0.0."),
        ],
    },
    {
        "number": 5,
        "title": "Export to CSV",
        "labels": ["enhancement"],
        "assignee": "octocat",
        "milestone": 1,
        "body": _CSV,
        "comments": [("mona", "Semicolons, please: our spreadsheet is set to German.")],
    },
    {
        "number": 6,
        "title": "Locale Audit (v36)",
        "state": "closed",
        "state_reason": "completed",
        "labels": ["i18n", "completed"],
    },
    {
        "number": 7,
        "title": "Old importer",
        "state": "closed",
        "state_reason": "not_planned",
        "labels": ["wontfix"],
        "comments": [("octocat", _REFUSED)],
    },
    {"number": 8, "title": "Login fails after a password change", "labels": ["bug"]},
    {"number": 9, "title": "Quote fields with semicolons", "pull_request": True},
)
_GADGETS: Samples = (
    {"number": 1, "title": "Photo album", "labels": ["enhancement"], "assignee": "mona"},
    {
        "number": 2,
        "title": "Thumbnails are blurred",
        "state": "closed",
        "state_reason": "completed",
        "labels": ["bug", "completed"],
        "comments": [("mona", "They are sharp now.")],
    },
)
_AGILE: Samples = (
    {"id": 100, "type": "Epic", "title": "Release 2", "state": "Active"},
    {
        "id": 101,
        "title": "Smart discipline",
        "state": "Closed",
        "tags": ["ui", "completed"],
        "assigned_to": "Dana Demo",
        "description": "<p>Rules are read from a file and followed in all runs.</p>",
        "parent": 100,
        "comments": [("Dana Demo", "<div>Accepted by the <b>customer</b>.</div>")],
    },
    {
        "id": 102,
        "title": "Export to CSV",
        "state": "Active",
        "tags": ["reports"],
        "assigned_to": "Dana Demo",
        "parent": 100,
        "comments": [("Octo Cat", "<div>The header row is done.</div>")],
    },
    {"id": 103, "title": "Locale Audit (v36)", "state": "Closed", "tags": ["i18n", "completed"]},
    {
        "id": 104,
        "title": "Old importer",
        "state": "Removed",
        "comments": [("Octo Cat", f"<div>{_REFUSED}</div>")],
    },
    {"id": 105, "type": "Bug", "title": "Login fails after a password change", "state": "Resolved"},
    {"id": 106, "type": "Task", "title": "Write the header row", "state": "Closed", "parent": 102},
)
_SCRUM: Samples = (
    {
        "id": 201,
        "type": "Product Backlog Item",
        "title": "Photo album",
        "state": "Committed",
        "tags": ["mobile"],
        "assigned_to": "Dana Demo",
    },
    {
        "id": 202,
        "type": "Bug",
        "title": "Thumbnails are blurred",
        "state": "Done",
        "tags": ["completed"],
        "comments": [("Dana Demo", "<div>Fixed with a larger size.</div>")],
    },
    {"id": 203, "type": "Task", "title": "Sort by date", "state": "In Progress", "parent": 201},
)
_JIRA: Samples = (
    {"key": "SCRUM-20", "type": "Epic", "summary": "Release 2", "status": "In Progress"},
    {
        "key": "SCRUM-28",
        "summary": "Smart discipline",
        "status": "Done",
        "labels": ["ux", "completed"],
        "assignee": "Dana Demo",
        "parent": "SCRUM-20",
        "comments": [("Dana Demo", "Shown to the customer on Friday.")],
    },
    {
        "key": "SCRUM-29",
        "summary": "Export to CSV",
        "status": "In Progress",
        "labels": ["reports"],
        "parent": "SCRUM-20",
    },
    {
        "key": "SCRUM-30",
        "summary": "Locale Audit (v36)",
        "status": "Done",
        "labels": ["i18n", "completed"],
    },
    {
        "key": "SCRUM-31",
        "summary": "Old importer",
        "status": "Done",
        "resolution": "Won't Do",
        "comments": [("Octo Cat", _REFUSED)],
    },
    {"key": "SCRUM-32", "type": "Bug", "summary": "Login fails after a password change"},
    {"key": "OPS-1", "summary": "Photo album", "status": "In Progress", "labels": ["mobile"]},
    {
        "key": "OPS-2",
        "type": "Bug",
        "summary": "Thumbnails are blurred",
        "status": "Closed",
        "labels": ["completed"],
        "comments": [("Dana Demo", "Fixed with a larger size.")],
    },
    {"key": "OPS-3", "type": "Task", "summary": "Renew the certificate", "status": "Resolved"},
)


def fill(box: Sandbox) -> int:
    """Add the sample items to a sandbox without items; their number.

    Raises:
        ValueError: the sandbox has items, and nothing was added.
    """
    with box.github.hub.store.transaction():
        if any(admin.items() for admin in (box.github, box.ado, box.jira)):
            raise ValueError("the sandbox has items already")
        _fill_github(box.github)
        _fill_ado(box.ado)
        _fill_jira(box.jira)
        return sum(len(admin.items()) for admin in (box.github, box.ado, box.jira))


def _fill_github(github: GithubAdmin) -> None:
    github.add_repository("octo/gadgets")
    github.add_milestone("Release 2")
    for repository, samples in (("octo/widgets", _WIDGETS), ("octo/gadgets", _GADGETS)):
        for sample in samples:
            options, comments = _parts(sample)
            number = github.add_issue(repository, **options)
            for user, text in comments:
                github.add_comment(repository, number, text, user)


def _fill_ado(ado: AdoAdmin) -> None:
    ado.add_project("gadgets", "Scrum")
    for project, samples in (("widgets", _AGILE), ("gadgets", _SCRUM)):
        for sample in samples:
            options, comments = _parts(sample)
            item = ado.add_work_item(project, **options)
            for user, html in comments:
                ado.add_comment(item, html, user)


def _fill_jira(jira: JiraAdmin) -> None:
    jira.add_project("OPS", workflow="classic")
    sprint = jira.add_sprint("Sprint 7")
    for sample in _JIRA:
        options, comments = _parts(sample)
        key = jira.add_issue(**options)
        for user, text in comments:
            jira.add_comment(key, text, user)
    jira.edit("SCRUM-29", sprints=[sprint])


def _parts(sample: Mapping[str, Any]) -> tuple[dict[str, Any], Sequence[tuple[str, str]]]:
    """The options of an item, and its comments: each a person and a text."""
    options = dict(sample)
    return options, options.pop("comments", ())
