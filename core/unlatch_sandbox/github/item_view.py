"""An issue as the sandbox's page shows items of all trackers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_sandbox.pages import CommentView, ItemView

if TYPE_CHECKING:
    from unlatch_sandbox.github.hub import Hub
    from unlatch_sandbox.github.records import IssueRecord


def item_view(hub: Hub, web_url: str, issue: IssueRecord) -> ItemView:
    repository = hub.repository(issue.repository)
    archived = repository is not None and repository.archived
    return ItemView(
        tracker="github",
        id=f"{issue.repository}#{issue.number}",
        place=issue.repository,
        title=issue.title,
        type="Pull request" if issue.pull_request else "Issue",
        state=issue.state,
        open=issue.state == "open",
        labels=issue.labels,
        assignee=", ".join(issue.assignees) or None,
        url=f"{web_url}/{issue.repository}/issues/{issue.number}",
        updated=issue.updated_at,
        notes=[
            *([f"reason {issue.state_reason}"] if issue.state_reason else []),
            *(["locked"] if issue.locked else []),
            *(["archived"] if archived else []),
        ],
        description=issue.body or "",
        comments=[CommentView(c.user, c.body, c.created_at, True) for c in hub.comments_of(issue)],
    )
