"""A repository in GitHub's JSON, with the links that the official schema requires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_sandbox.clock import github_time
from unlatch_sandbox.github.shapes import Addresses, Json, node_id, user

if TYPE_CHECKING:
    from unlatch_sandbox.github.records import RepositoryRecord

_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_COUNTS = (
    "forks",
    "forks_count",
    "network_count",
    "size",
    "stargazers_count",
    "subscribers_count",
    "watchers",
    "watchers_count",
)


def shape_of(record: RepositoryRecord, open_issues: int, at: Addresses) -> Json:
    url, page = f"{at.api}/repos/{record.full_name}", f"{at.web}/{record.full_name}"
    created = github_time(record.created_at)
    return {
        "id": record.id,
        "node_id": node_id("Repository", record.id),
        "name": record.name,
        "full_name": record.full_name,
        "owner": user(record.owner, at),
        "private": record.private,
        "html_url": page,
        "description": None,
        "fork": False,
        "url": url,
        **{name: url + rest for name, rest in _LINKS.items()},
        **dict.fromkeys(_COUNTS, 0),
        **_clone_links(record, page),
        "homepage": None,
        "language": None,
        "license": None,
        "default_branch": "main",
        "open_issues": open_issues,
        "open_issues_count": open_issues,
        "has_issues": record.has_issues,
        **dict.fromkeys(("has_projects", "has_wiki", "has_pages", "has_discussions"), False),
        "archived": record.archived,
        "disabled": False,
        "visibility": "private" if record.private else "public",
        "pushed_at": created,
        "created_at": created,
        "updated_at": created,
        "permissions": {
            "admin": False,
            "maintain": False,
            "push": record.push,
            "triage": record.push,
            "pull": True,
        },
    }


def _clone_links(record: RepositoryRecord, page: str) -> Json:
    host = page.split("/")[2].split(":", maxsplit=1)[0]
    return {
        "clone_url": f"{page}.git",
        "git_url": f"git://{host}/{record.full_name}.git",
        "ssh_url": f"git@{host}:{record.full_name}.git",
        "svn_url": page,
        "mirror_url": None,
    }
