"""Work items as they were answered, and what the answers mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import Rejected
from unlatch.spi import Category, RemoteItem

if TYPE_CHECKING:
    from unlatch_ado.answers import WorkItem
    from unlatch_ado.projects import Projects
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Seen:
    """A work item: the tracker's words, and what they mean."""

    item: WorkItem
    remote: RemoteItem
    workflow: Workflow


def see(settings: AdoSettings, projects: Projects, item: WorkItem) -> Seen:
    """What an answer means, if it is about an item of a configured project.

    Raises:
        Rejected: `target-not-allowed`, `state-unknown`.
    """
    # Azure DevOps finds items by their number alone: the address may name a project that the item
    # has left, or never was in.
    found = settings.ref(item.project, str(item.id))
    if not settings.allows(found):
        raise Rejected(
            "target-not-allowed",
            f"the work item is in {found.target}, which is not among the configured projects",
            hint="add the project to `projects` in [trackers.ado]",
        )
    return understand(settings, projects, item)


def understand(settings: AdoSettings, projects: Projects, item: WorkItem) -> Seen:
    """What an answer means, wherever the item is.

    Raises:
        Rejected: `state-unknown`.
    """
    workflow = projects.workflow(item.project, item.type)
    category = workflow.category(item.state)
    if category is None:
        # The process was edited since the type was read.
        workflow = projects.workflow(item.project, item.type, anew=True)
        category = workflow.category(item.state)
    if category is None:
        raise Rejected(
            "state-unknown",
            f"the work item's state {item.state!r} is none of those of a {item.type}",
            hint="give it another state by hand",
        )
    return Seen(item, _remote(settings, item, category), workflow)


def _remote(settings: AdoSettings, item: WorkItem, category: Category) -> RemoteItem:
    return RemoteItem(
        ref=settings.ref(item.project, str(item.id)),
        title=item.title,
        state=item.state,
        category=category,
        type=item.type,
        deliberate=category is Category.DROPPED,
        labels=item.tags,
        assignee=item.assignee,
        revision=str(item.revision),
        updated=item.changed,
    )
