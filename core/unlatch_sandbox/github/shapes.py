"""GitHub's JSON: each record with the links that the official schema requires."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.clock import github_time

if TYPE_CHECKING:
    from unlatch_sandbox.github.records import (
        CommentRecord,
        IssueRecord,
        LabelRecord,
        MilestoneRecord,
    )

Json = dict[str, Any]
REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


@dataclass(frozen=True, slots=True)
class Addresses:
    """The base address of the request; PyGithub requires links to the same host and port."""

    api: str
    web: str

    @classmethod
    def at(cls, url: str) -> Addresses:
        return cls(f"{url}/api/v3", url)


def node_id(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def user_id(login: str) -> int:
    return zlib.crc32(login.encode()) % 100_000_000


_USER_LINKS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}


def is_bot(login: str) -> bool:
    return login.endswith("[bot]")


def user(login: str, at: Addresses) -> Json:
    number, url = user_id(login), f"{at.api}/users/{login}"
    return {
        "login": login,
        "id": number,
        "node_id": node_id("User", number),
        "avatar_url": f"{at.web}/avatars/{login}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{at.web}/{login}",
        **{name: url + rest for name, rest in _USER_LINKS.items()},
        "type": "Bot" if is_bot(login) else "User",
        "user_view_type": "public",
        "site_admin": False,
    }


def account(login: str, at: Addresses, since: str) -> Json:
    """The user that the token belongs to."""
    facts = ("name", "company", "blog", "location", "email", "hireable", "bio")
    counts = ("public_repos", "public_gists", "followers", "following")
    return {
        **user(login, at),
        **dict.fromkeys(facts),
        **dict.fromkeys(counts, 0),
        "name": login,
        "twitter_username": None,
        "created_at": github_time(since),
        "updated_at": github_time(since),
    }


def label(record: LabelRecord, repository: str, at: Addresses) -> Json:
    return {
        "id": record.id,
        "node_id": node_id("Label", record.id),
        "url": f"{at.api}/repos/{repository}/labels/{record.name}",
        "name": record.name,
        "color": record.color,
        "default": False,
        "description": record.description,
    }


def milestone(record: MilestoneRecord, creator: str, at: Addresses) -> Json:
    url = f"{at.api}/repos/{record.repository}/milestones/{record.number}"
    created = github_time(record.created_at)
    return {
        "id": record.id,
        "node_id": node_id("Milestone", record.id),
        "url": url,
        "html_url": f"{at.web}/{record.repository}/milestone/{record.number}",
        "labels_url": f"{url}/labels",
        "number": record.number,
        "state": record.state,
        "title": record.title,
        "description": None,
        "creator": user(creator, at),
        "open_issues": 0,
        "closed_issues": 0,
        "created_at": created,
        "updated_at": created,
        "closed_at": None if record.state == "open" else created,
        "due_on": None,
    }


def issue_type(name: str) -> Json:
    number = user_id(name)
    node = node_id("IssueType", number)
    return {"id": number, "node_id": node, "name": name, "description": None}


def issue(
    record: IssueRecord,
    labels: list[LabelRecord],
    at: Addresses,
    milestone_record: MilestoneRecord | None = None,
    *,
    association: str,
) -> Json:
    url = f"{at.api}/repos/{record.repository}/issues/{record.number}"
    kind = "pull" if record.pull_request else "issues"
    page = f"{at.web}/{record.repository}/{kind}/{record.number}"
    assignees = [user(login, at) for login in record.assignees]
    answer = {
        "id": record.id,
        "node_id": node_id("Issue", record.id),
        "url": url,
        "repository_url": f"{at.api}/repos/{record.repository}",
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": page,
        "number": record.number,
        "state": record.state,
        "state_reason": record.state_reason,
        "title": record.title,
        "body": record.body,
        "user": user(record.user, at),
        "labels": [label(entry, record.repository, at) for entry in labels],
        "assignee": next(iter(assignees), None),
        "assignees": assignees,
        "milestone": milestone_record and milestone(milestone_record, record.user, at),
        "locked": record.locked,
        "active_lock_reason": None,
        "comments": record.comments,
        "created_at": github_time(record.created_at),
        "updated_at": github_time(record.updated_at),
        "closed_at": github_time(record.closed_at) if record.closed_at else None,
        "closed_by": user(record.closed_by, at) if record.closed_by else None,
        "author_association": association,
        "performed_via_github_app": None,
    }
    return answer | _only_some(record, page, at)


def _only_some(record: IssueRecord, page: str, at: Addresses) -> Json:
    """The keys of issues with a type, and of pull requests."""
    keys: Json = {"type": issue_type(record.type)} if record.type else {}
    if record.pull_request:
        pull = f"{at.api}/repos/{record.repository}/pulls/{record.number}"
        texts = {"diff_url": f"{page}.diff", "patch_url": f"{page}.patch"}
        merged = github_time(record.merged_at) if record.merged_at else None
        keys["pull_request"] = {"url": pull, "html_url": page, **texts, "merged_at": merged}
    return keys


def comment(record: CommentRecord, at: Addresses, *, association: str) -> Json:
    place = f"{at.api}/repos/{record.repository}/{'pulls' if record.review else 'issues'}"
    return {
        "id": record.id,
        **(_on_code if record.review else _on_issue)(record, at, place),
        "url": f"{place}/comments/{record.id}",
        "user": user(record.user, at),
        "created_at": github_time(record.created_at),
        "updated_at": github_time(record.updated_at),
        "author_association": association,
        "body": record.body,
        "reactions": _reactions(record, f"{place}/comments/{record.id}/reactions"),
    }


def _on_issue(record: CommentRecord, at: Addresses, place: str) -> Json:
    page = f"{at.web}/{record.repository}/issues/{record.number}"
    return {
        "node_id": node_id("IssueComment", record.id),
        "html_url": f"{page}#issuecomment-{record.id}",
        "issue_url": f"{place}/{record.number}",
        "performed_via_github_app": None,
    }


def _on_code(record: CommentRecord, at: Addresses, place: str) -> Json:
    page = f"{at.web}/{record.repository}/pull/{record.number}#discussion_r{record.id}"
    pull = f"{place}/{record.number}"
    links = {"self": {"href": f"{place}/comments/{record.id}"}}
    return {
        "node_id": node_id("PullRequestReviewComment", record.id),
        "html_url": page,
        "pull_request_url": pull,
        "pull_request_review_id": None,
        "path": "README.md",
        "diff_hunk": "@@ -1 +1 @@",
        "commit_id": "0" * 40,
        "original_commit_id": "0" * 40,
        "_links": {**links, "html": {"href": page}, "pull_request": {"href": pull}},
    }


def _reactions(record: CommentRecord, url: str) -> Json:
    contents = [content for _, content in record.reactions]
    counts = {content: contents.count(content) for content in REACTIONS}
    return {"url": url, "total_count": len(contents), **counts}


def reaction(number: int, user_name: str, content: str, moment: str, at: Addresses) -> Json:
    """What a person added to a comment."""
    return {
        "id": number,
        "node_id": node_id("Reaction", number),
        "user": user(user_name, at),
        "content": content,
        "created_at": github_time(moment),
    }


def move(record: IssueRecord, entry: list[Any], at: Addresses) -> Json:
    """The event of a close or a reopen."""
    number, word, by, moment, why = entry
    return {
        "id": number,
        "node_id": node_id("IssueEvent", number),
        "url": f"{at.api}/repos/{record.repository}/issues/events/{number}",
        "actor": user(by, at),
        "event": word,
        "commit_id": None,
        "commit_url": None,
        "created_at": github_time(moment),
        "state_reason": why,
        "performed_via_github_app": None,
    }


def permission(login: str, role: str, at: Addresses) -> Json:
    """`permission` is the base role: read for triage, write for maintain."""
    base = {"triage": "read", "maintain": "write"}.get(role, role)
    return {"permission": base, "role_name": role, "user": {**user(login, at), "role_name": role}}
