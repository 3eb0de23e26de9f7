"""GitHub for unlatch."""

from __future__ import annotations

import re

from unlatch.patterns import pattern
from unlatch.spi import Capability, CommandToken, EnvToken, LinkShape, Manifest, Option, Scheme

_LONGEST_LABEL = 50
_REMOTE = pattern(
    r"(?:https://|ssh://git@|git@)github\.com[:/](?P<name>[\w.-]+/[\w.-]+)(?:/issues/\d+)?/?$",
    re.ASCII,
)


def label_problem(label: str) -> str | None:
    """GitHub takes any text of up to 50 characters as a label's name."""
    if not label.strip():
        return "a label must not be empty"
    if label.strip() in (".", ".."):
        # Its address would name another label: no library sends the dots unchanged.
        return "GitHub's API cannot address a label of dots alone"
    if len(label) > _LONGEST_LABEL:
        return f"GitHub takes at most {_LONGEST_LABEL} characters"
    return None


def is_alone(url: str) -> bool:
    """Whether an address is a pull request's."""
    return "/pull/" in url


def from_remote(url: str) -> str | None:
    """The configuration for a git remote, or an issue, on github.com."""
    match = _REMOTE.match(url)
    if match is None:
        return None
    repository = match["name"].removesuffix(".git").rstrip("/")
    return f'[trackers.github]\nrepository = "{repository}"\n'


manifest = Manifest(
    name="github",
    title="GitHub",
    noun="issue",
    link=LinkShape(item="issue", url="url", number=True),
    synced=LinkShape(item="issueNumber", url="issueUrl", number=True),
    settings="unlatch_github.settings:GithubSettings",
    plugin="unlatch_github.plugin:GithubPlugin",
    requires=("github", "unlatch[github]"),
    capabilities=frozenset(
        {
            Capability.CREATE,
            Capability.UPDATE,
            Capability.CLOSE,
            Capability.REOPEN,
            Capability.STATUS,
            Capability.LABELS,
            Capability.RETRACT,
            Capability.STATUS_OF_MANY,
            Capability.LIST,
            Capability.EXAMINE,
            Capability.HISTORY,
            Capability.BACKGROUND,
            Capability.COMMANDS,
            Capability.RENAMES,
        }
    ),
    tokens=(
        EnvToken("GH_ENTERPRISE_TOKEN", Scheme.BEARER, not_for=("github.com", "*.ghe.com")),
        EnvToken("GITHUB_TOKEN", Scheme.BEARER),
        EnvToken("GH_TOKEN", Scheme.BEARER),
        CommandToken(("gh", "auth", "token", "--hostname", "{host}"), Scheme.BEARER),
    ),
    hosts=("github.com", "api.github.com"),
    host_env=("GITHUB_SERVER_URL", "GITHUB_API_URL", "GH_HOST"),
    # `gh help environment`.
    secret_env=("GITHUB_ENTERPRISE_TOKEN",),
    # GitHub ends a request after 10 s (its docs, "Troubleshooting the REST API": timeouts).
    settle=10.0,
    label_problem=label_problem,
    is_alone=is_alone,
    events={"github-event": "unlatch_github.webhook:read_event"},
    example='[trackers.github]\nrepository = "octo/widgets"\n',
    from_remote=from_remote,
    # It imports all classes for GitHub's objects; we only use the requester.
    deferred=("github",),
    options=(
        Option(
            "project-status",
            "Set this status in the GitHub projects of the issues, where the token may.",
            metavar="NAME",
        ),
    ),
    outside="unlatch_github.outside:settings_for",
)
