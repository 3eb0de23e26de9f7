"""Jira for unlatch, Cloud and Data Center."""

from __future__ import annotations

from unlatch.spi import (
    NO_NOTIFY,
    VISIBILITY,
    Capability,
    EnvToken,
    LinkShape,
    Manifest,
    Option,
    Scheme,
)

_LONGEST_LABEL = 255


def label_problem(label: str) -> str | None:
    """Jira takes labels without spaces, of up to 255 characters."""
    if not label:
        return "a label must not be empty"
    if label.split() != [label]:
        return "Jira takes no spaces in labels"
    if len(label) > _LONGEST_LABEL:
        return f"Jira takes at most {_LONGEST_LABEL} characters"
    return None


manifest = Manifest(
    name="jira",
    title="Jira",
    noun="issue",
    link=LinkShape(item="issueKey", url="url"),
    synced=LinkShape(item="issueKey", url="issueUrl"),
    settings="unlatch_jira.settings:JiraSettings",
    plugin="unlatch_jira.plugin:JiraPlugin",
    requires=("jira", "unlatch[jira]"),
    # Jira rejects no request that it processes late, and does not say when it gives one up: as long
    # as GitHub.
    settle=10.0,
    labels_match_case=True,
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
        EnvToken("JIRA_API_TOKEN", Scheme.BASIC, user="JIRA_EMAIL"),
        EnvToken("JIRA_PAT", Scheme.BEARER),
    ),
    hosts=("*.atlassian.net", "api.atlassian.com"),
    host_env=("JIRA_URL", "JIRA_SERVER"),
    outside="unlatch_jira.urls:settings_for",
    label_problem=label_problem,
    events={"jira-event": "unlatch_jira.webhook:read_event"},
    options=(
        Option(
            "allow-path",
            "Let a Jira issue take up to three transitions if no single one leads to the status.",
            kinds=("reopen", "close"),
        ),
        NO_NOTIFY,
        VISIBILITY,
        Option("children", "Reopen the closed children of a Jira epic as well."),
    ),
    example='[trackers.jira]\nsite = "https://acme.atlassian.net"\nproject = "SCRUM"\n',
)
