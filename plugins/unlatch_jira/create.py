"""Create an issue with its fields, type, and epic or parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError, Rejected
from unlatch.spi import Outcome
from unlatch_jira.api.edit import marker, property_of, title_of
from unlatch_jira.api.errors import FieldsNotOnScreen
from unlatch_jira.api.rich_text import fit, format_of, wrap_section
from unlatch_jira.send import read_back
from unlatch_jira.settings_types import CREATE
from unlatch_jira.urls import KEY, project_of
from unlatch_jira.workflow import screens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.spi import Change, Draft
    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.site import JiraSite
    from unlatch_jira.settings import JiraSettings

# The keys for an issue's parent in spec.md's front matter and metadata.json.
_EPIC = ("epicKey", "epic_key", "epic")
_PARENT = ("parent", "parentKey", "parent_key")
_TYPE = ("type", "issueType", "issue_type")
# Required fields of an issue.
_NEEDED = {"project", "issuetype", "summary", "description"}


def create(settings: JiraSettings, client: JiraClient, site: JiraSite, change: Change) -> Outcome:
    """Create an issue in the configured project, then read it.

    Raises:
        ConfigError: no project is configured.
        Rejected: `parent-unusable`, or `target-not-allowed` for a parent elsewhere.
        UnknownOutcome: it was created, but cannot be read.
    """
    if change.draft is None:
        raise ValueError("a create without a draft")
    whole = _fields(settings, site, change.draft, change.op)
    whole = {**_configured(settings, client, whole["issuetype"]["name"]), **whole}
    if change.add_labels:
        whole["labels"] = list(dict.fromkeys((*whole.get("labels", ()), *change.add_labels)))
    key, lacking = _send(client, whole, change.op)
    issue = read_back(client, key)
    refused = change.add_labels if "labels" in lacking else ()
    return Outcome(issue.item, refused=refused, notes=_notes(lacking, refused))


def _configured(settings: JiraSettings, client: JiraClient, kind: str) -> dict[str, Any]:
    """The fields of `trackers.jira.fields.create`, in the format of the create screen."""
    if not settings.fields_for(CREATE):
        return {}
    (values,) = settings.fields_for(CREATE)
    screen = client.create_screen(str(settings.target), kind)
    configured = screens.configured_fields(screen, settings, CREATE)
    labels = {label.casefold() for name, field in screen.items() for label in (name, field.name)}
    if lacking := [name for name in values if name.casefold() not in labels]:
        raise Rejected(
            "field-not-on-screen",
            f"new issues of the type {kind} have no field {', '.join(lacking)}",
            hint="correct [trackers.jira.fields.create]; it takes names and ids of fields",
        )
    if wrong := screens.wrong_values(screen, configured, settings, CREATE):
        raise Rejected(
            "field-not-on-screen",
            f"a field of new issues of the type {kind}: {'; '.join(wrong.values())}",
            hint="correct [trackers.jira.fields.create]; it takes names and ids of values",
        )
    return configured


def _send(client: JiraClient, whole: dict[str, Any], op: str) -> tuple[str, tuple[str, ...]]:
    """The new issue's key, and the fields that were left out."""
    properties = [property_of(op)]
    try:
        return client.create(whole, properties), ()
    except FieldsNotOnScreen as refusal:
        # Jira created nothing.
        lacking = tuple(name for name in whole if name in refusal.fields)
        if not lacking or _NEEDED.intersection(lacking):
            raise
    smaller = {name: value for name, value in whole.items() if name not in lacking}
    return client.create(smaller, properties), lacking


def _notes(lacking: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, ...]:
    if not lacking:
        return ()
    suffix = f" ({' '.join(labels)})" if labels else ""
    return (f"made without {', '.join(lacking)}{suffix}: not on the create screen",)


def _fields(settings: JiraSettings, site: JiraSite, draft: Draft, op: str) -> dict[str, Any]:
    if settings.target is None:
        raise ConfigError(
            ("trackers.jira.project is needed to create issues",), where="[trackers.jira]"
        )
    style = format_of(settings.version)
    body = fit(draft, lambda part: style.render((*wrap_section(part, draft.increment), marker(op))))
    return {
        "project": {"key": settings.target},
        "issuetype": {"name": type_of(settings, draft)},
        "summary": title_of(draft),
        "description": body,
        **_above(settings, site, draft.metadata),
    }


def type_of(settings: JiraSettings, draft: Draft) -> str:
    """The issue type: from the increment's files, else by the increment's type."""
    return _metadata_value(draft.metadata, _TYPE) or settings.type_for(draft.type)


def _above(settings: JiraSettings, site: JiraSite, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The field for an issue's epic or parent.

    Cloud has `parent` for both; Data Center has it for subtasks, and a custom field for epics
    (https://developer.atlassian.com/cloud/jira/platform/deprecation-notice-epic-link-and-parent-link-apis/).
    """
    epic = _key(settings, _metadata_value(metadata, _EPIC))
    parent = _key(settings, _metadata_value(metadata, _PARENT))
    field = site.find_epic_field() if epic else None
    if epic and field:
        return {field: epic, **({"parent": {"key": parent}} if parent else {})}
    above = epic or parent
    return {"parent": {"key": above}} if above else {}


def _key(settings: JiraSettings, value: str | None) -> str | None:
    if value is None:
        return None
    ref = settings.recognise(value)
    key = ref.id if ref else value.strip().upper()
    if not KEY.fullmatch(key):
        raise Rejected(
            "parent-unusable",
            f"{value[:60]!r} is not the key of a parent issue",
            hint="correct parent or epicKey in the increment's files: a key such as SCRUM-1",
        )
    if not settings.allows(settings.ref(key)):
        raise Rejected(
            "target-not-allowed",
            f"the parent {key} is in {project_of(key)}, which is not configured",
            hint="add its project to trackers.jira.projects",
        )
    return key


def _metadata_value(metadata: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    values = (metadata.get(name) for name in names)
    return next((word for word in values if isinstance(word, str) and word.strip()), None)
