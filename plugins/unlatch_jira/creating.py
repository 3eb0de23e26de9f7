"""What a new issue is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError, Rejected
from unlatch.spi import PlannedRequest
from unlatch_jira.addresses import KEY, project_of
from unlatch_jira.edit import title_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.spi import Change, Draft
    from unlatch_jira.settings import JiraSettings
    from unlatch_jira.site import JiraSite

# How an increment's files call what its issue belongs to: spec.md's front matter and metadata.json.
_EPIC = ("epicKey", "epic_key", "epic")
_PARENT = ("parent", "parentKey", "parent_key")
_TYPE = ("type", "issueType", "issue_type")


def fields_of(
    settings: JiraSettings, site: JiraSite, draft: Draft, description: Any
) -> dict[str, Any]:
    """The fields of a new issue.

    Raises:
        ConfigError: no project is configured.
        Rejected: `parent-unusable`, or `target-not-allowed` for a parent elsewhere.
    """
    project = settings.target
    if project is None:
        raise ConfigError(
            ("trackers.jira.project is needed to create issues",), where="[trackers.jira]"
        )
    return {
        "project": {"key": project},
        "issuetype": {"name": type_of(settings, draft)},
        "summary": title_of(draft),
        "description": description,
        **_above(settings, site, draft.wishes),
    }


def type_of(settings: JiraSettings, draft: Draft) -> str:
    """The type of the issue: what the increment's files say, else by the increment's type."""
    return _wish(draft.wishes, _TYPE) or settings.type_for(draft.type)


def _above(settings: JiraSettings, site: JiraSite, wishes: Mapping[str, Any]) -> dict[str, Any]:
    """The field that ties an issue to its epic or its parent.

    Cloud has `parent` for both; Data Center has it for subtasks, and a field of each site's own for
    epics (https://developer.atlassian.com/cloud/jira/platform/deprecation-notice-epic-link-and-parent-link-apis/).
    """
    epic = _key(settings, _wish(wishes, _EPIC))
    parent = _key(settings, _wish(wishes, _PARENT))
    field = site.find_epic_field() if epic else None
    if epic and field:
        return {field: epic, **({"parent": {"key": parent}} if parent else {})}
    above = epic or parent
    return {"parent": {"key": above}} if above else {}


def _key(settings: JiraSettings, wish: str | None) -> str | None:
    if wish is None:
        return None
    found = settings.recognise(wish)
    key = found.id if found else wish.strip().upper()
    if not KEY.fullmatch(key):
        raise Rejected(
            "parent-unusable",
            f"{wish[:60]!r} names no issue that a new one could belong to",
            hint="correct parent or epicKey in the increment's files: a key such as SCRUM-1",
        )
    if not settings.allows(settings.ref(key)):
        raise Rejected(
            "target-not-allowed",
            f"the parent {key} lies in {project_of(key)}, which is not configured",
            hint="add its project to trackers.jira.projects",
        )
    return key


def _wish(wishes: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    found = (wishes.get(name) for name in names)
    return next((word for word in found if isinstance(word, str) and word.strip()), None)


def plan_create(
    settings: JiraSettings, api: str, draft: Draft, change: Change
) -> tuple[PlannedRequest, ...]:
    """The requests that make an issue, in order."""
    there = f"{api}/issue"
    what = f"create an issue of the type {type_of(settings, draft)} in {settings.target}"
    new = f"{there}/NEW-KEY"
    return (
        PlannedRequest("POST", there, what),
        PlannedRequest("GET", new, "read the issue"),
        *(
            [PlannedRequest("POST", f"{new}/comment", "post the comment")]
            if change.comment is not None
            else []
        ),
    )
