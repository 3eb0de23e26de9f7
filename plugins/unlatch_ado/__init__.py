"""Azure DevOps for unlatch."""

from __future__ import annotations

from unlatch.spi import NO_NOTIFY, Capability, CommandToken, EnvToken, LinkShape, Manifest, Scheme

# The Entra id of Azure DevOps, the same in every tenant (facts: "Auth").
_ENTRA_RESOURCE = "499b84ac-1321-427f-aa17-267ca6975798"
_LONGEST_TAG = 400


def label_problem(label: str) -> str | None:
    """Azure DevOps separates tags by semicolon (and reads a comma as one)."""
    if not label.strip():
        return "a tag must not be empty"
    if ";" in label or "," in label:
        return "a tag must not hold a semicolon or a comma"
    if len(label) > _LONGEST_TAG:
        return f"Azure DevOps takes at most {_LONGEST_TAG} characters"
    return None


manifest = Manifest(
    name="ado",
    title="Azure DevOps",
    noun="work item",
    link=LinkShape(item="workItemId", url="url", number=True),
    synced=LinkShape(item="workItemId", url="workItemUrl", number=True),
    settings="unlatch_ado.settings:AdoSettings",
    plugin="unlatch_ado.plugin:AdoPlugin",
    requires=("azure.devops", "unlatch[ado]"),
    capabilities=frozenset(
        {
            Capability.CREATE,
            Capability.UPDATE,
            Capability.CLOSE,
            Capability.REOPEN,
            Capability.STATUS,
            Capability.LABELS,
            Capability.STATUS_OF_MANY,
            Capability.LIST,
            Capability.BATCH,
            Capability.EXAMINE,
            Capability.HISTORY,
            Capability.APPROVE,
            Capability.BACKGROUND,
            Capability.COMMANDS,
        }
    ),
    tokens=(
        EnvToken("AZURE_DEVOPS_EXT_PAT", Scheme.BASIC),
        EnvToken("SYSTEM_ACCESSTOKEN", Scheme.BEARER),
        CommandToken(
            (
                "az",
                "account",
                "get-access-token",
                "--resource",
                _ENTRA_RESOURCE,
                "--query",
                "accessToken",
                "--output",
                "tsv",
            ),
            Scheme.BEARER,
        ),
    ),
    hosts=("dev.azure.com", "*.visualstudio.com"),
    host_env=("SYSTEM_COLLECTIONURI",),
    label_problem=label_problem,
    events={"ado-event": "unlatch_ado.webhook:read_event"},
    options=(NO_NOTIFY,),
    # msrest imports them for tokens that we do not use; azure.core is only there for an exception.
    deferred=("oauthlib.oauth2", "requests_oauthlib", "azure.core"),
    outside="unlatch_ado.urls:settings_for",
    example=(
        "[trackers.ado]\n"
        'organization_url = "https://dev.azure.com/fabrikam"\n'
        'project = "widgets"\n'
        'work_item_type = "User Story"\n'
    ),
)
