"""GitHub for unlatch."""

from __future__ import annotations

from unlatch.spi import Capability, CommandToken, EnvToken, LinkShape, Manifest, Scheme

_LONGEST_LABEL = 50


def label_problem(label: str) -> str | None:
    """GitHub takes any text of up to 50 characters as a label's name."""
    if not label.strip():
        return "a label must not be empty"
    if len(label) > _LONGEST_LABEL:
        return f"GitHub takes at most {_LONGEST_LABEL} characters"
    return None


manifest = Manifest(
    name="github",
    title="GitHub",
    noun="issue",
    link=LinkShape(item="issue", url="url", number=True),
    synced=LinkShape(item="issueNumber", url="issueUrl", number=True),
    settings="unlatch_github.settings:GithubSettings",
    plugin="unlatch_github.plugin:GithubPlugin",
    requires=("github", "github"),
    capabilities=frozenset(
        {
            Capability.CREATE,
            Capability.UPDATE,
            Capability.CLOSE,
            Capability.REOPEN,
            Capability.STATUS,
            Capability.RETRACT,
        }
    ),
    tokens=(
        EnvToken("GITHUB_TOKEN", Scheme.BEARER),
        EnvToken("GH_TOKEN", Scheme.BEARER),
        CommandToken(("gh", "auth", "token", "--hostname", "{host}"), Scheme.BEARER),
    ),
    hosts=("github.com", "api.github.com"),
    host_env=("GITHUB_SERVER_URL", "GITHUB_API_URL", "GH_HOST"),
    # GitHub ends a request after 10 s (its docs, "Troubleshooting the REST API": timeouts).
    settle=10.0,
    label_problem=label_problem,
)
