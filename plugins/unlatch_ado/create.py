"""Create a work item with one request, from the increment's files and the configuration."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected, TrackerError
from unlatch.patterns import pattern
from unlatch.spi import Outcome
from unlatch_ado.api.patch import (
    DESCRIPTION,
    HYPERLINK,
    ITERATION,
    PARENT_LINK,
    RELATED_LINK,
    TITLE,
    Link,
    Patch,
    changed_tags,
)
from unlatch_ado.description import fit, render_description, title_notes, title_of
from unlatch_ado.settings_types import path_of
from unlatch_ado.snapshot import interpret_answer
from unlatch_ado.writers import Writer, notes_on_refused, send_aloud, send_dropping_tags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.spi import Change, Draft
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.settings import AdoSettings

# Commits on GitHub name work items as "AB#101".
_NUMBER = pattern(r"(?:AB)?#?(\d{1,10})", re.IGNORECASE)
_MOST_LINKS = 20


def create(writer: Writer, change: Change) -> Outcome:
    """Create a work item in the configured project, in one request.

    Raises:
        Rejected: `target-missing`, `body-too-long`, `wish-not-understood`, `target-not-allowed`.
        TrackerError: an item to link to cannot be read; the work item was not created.
    """
    settings, draft = writer.settings, _draft_of(change.draft)
    project = settings.project
    if project is None:
        raise _no_project()
    items = writer.read_linked([number for _, number in linked_items(settings, draft)])
    patch = patch_for_new(settings, draft, change, items)
    # Asked before the creation: a later error would hide the item.
    workflow = writer.projects.workflow(project, settings.type_for(draft.type))
    notes: list[str] = []
    answer, refused = send_dropping_tags(
        patch, lambda attempt: send_aloud(attempt, partial(writer.create, project, workflow), notes)
    )
    return Outcome(
        interpret_answer(settings, writer.projects, answer).remote,
        refused=refused,
        notes=(*notes, *notes_on_refused(refused), *title_notes(draft)),
    )


def patch_for_new(
    settings: AdoSettings,
    draft: Draft,
    change: Change,
    items: Mapping[str, WorkItem | TrackerError],
) -> Patch:
    """The request that creates a work item.

    Args:
        items: the linked work items, as read.

    Raises:
        Rejected: `body-too-long`, `wish-not-understood`, `target-not-allowed`.
        TrackerError: an item to link to cannot be read.
    """
    return Patch(
        revision=None,
        fields=(
            (TITLE, title_of(draft)),
            (DESCRIPTION, fit(draft, lambda part: render_description(part, change.op))),
            *_paths(settings, draft),
            *settings.fields.create.items(),
        ),
        tags=((), changed_tags((), change)),
        links=tuple(_links(settings, draft, items)),
        is_silent=settings.is_silent(change),
    )


def linked_items(settings: AdoSettings, draft: Draft) -> tuple[tuple[str, str], ...]:
    """The work items named in the increment's files: the kind of link, and the number.

    Raises:
        Rejected: `wish-not-understood`, `target-not-allowed`.
    """
    parent, related = draft.metadata.get("parent"), draft.metadata.get("related")
    several = related if isinstance(related, list | tuple) else [related]
    named = [
        (PARENT_LINK, "parent", parent),
        *((RELATED_LINK, "related", value) for value in several),
    ]
    asked = [wish for wish in named if wish[2] not in (None, "")]
    if len(asked) > _MOST_LINKS:
        raise _not_understood("related", f"more than {_MOST_LINKS} work items")
    return tuple((kind, _number(settings, key, value)) for kind, key, value in asked)


def _number(settings: AdoSettings, key: str, value: object) -> str:
    match = None if isinstance(value, bool) else _NUMBER.fullmatch(str(value).strip())
    if match:
        return str(int(match[1]))
    ref = settings.recognise(str(value))
    if ref is None:
        raise _not_understood(key, value)
    if not settings.allows(ref):
        raise _not_allowed(settings.name(ref))
    return ref.id


def _links(
    settings: AdoSettings, draft: Draft, items: Mapping[str, WorkItem | TrackerError]
) -> list[Link]:
    links = []
    for kind, number in linked_items(settings, draft):
        item = items[number]
        if isinstance(item, TrackerError):
            raise item
        # A link also makes a new revision of its other end.
        if not settings.allows(settings.ref(item.project, number)):
            raise _not_allowed(f"{settings.target_of(item.project)} {number}")
        url = f"{settings.organization_url}/_apis/wit/workItems/{number}"
        links.append(Link(kind, url))
    back = settings.link_back(draft.increment)
    return [*links, *([Link(HYPERLINK, back, f"unlatch {draft.increment}")] if back else [])]


def _paths(settings: AdoSettings, draft: Draft) -> list[tuple[str, Any]]:
    metadata = (
        ("System.AreaPath", "areaPath", settings.area_path),
        (ITERATION, "iterationPath", settings.iteration_path),
    )
    paths = ((name, _path(draft, key) or configured) for name, key, configured in metadata)
    return [(name, _below(settings.project or "", path)) for name, path in paths if path]


def _path(draft: Draft, key: str) -> str | None:
    value = draft.metadata.get(key)
    if value in (None, ""):
        return None
    if not isinstance(value, str):
        raise _not_understood(key, value)
    try:
        return path_of(value)
    except ValueError as error:
        raise _not_understood(key, value) from error


def _below(project: str, path: str) -> str:
    """The path with the project's name, which people omit."""
    head, _, rest = path.partition("\\")
    if head.casefold() == project.casefold():
        return f"{project}\\{rest}" if rest else project
    return f"{project}\\{path}"


def _draft_of(draft: Draft | None) -> Draft:
    if draft is None:
        raise ValueError("a work item is created from a draft")
    return draft


def _no_project() -> Rejected:
    return Rejected(
        "target-missing",
        "no project is configured for new work items",
        hint="set `project` in [trackers.ado]",
    )


def _not_understood(key: str, value: object) -> Rejected:
    return Rejected(
        "wish-not-understood",
        f"the increment's files say {key} = {str(value)[:80]!r}, which is invalid for Azure DevOps",
        hint=f"correct `{key}` in metadata.json or spec.md",
    )


def _not_allowed(name: str) -> Rejected:
    return Rejected(
        "target-not-allowed",
        f"the increment's files ask for a link to {name}, which is in no configured project",
        hint="add the project to `projects` in [trackers.ado]",
    )
