"""The settings in `[trackers.ado]`."""

from __future__ import annotations

import re
from functools import cached_property
from urllib.parse import quote

from unlatch.errors import ConfigError
from unlatch.spi import NO_NOTIFY, Change, Goal, ItemRef
from unlatch.spi.tables import Table, setting
from unlatch_ado.settings_types import (
    Fields,
    NodePath,
    OnReopen,
    Organization,
    Project,
    States,
    UrlTemplate,
    Version,
    Word,
)
from unlatch_ado.urls import Place, parse, place_of

_TRACKER = "ado"
# Reasons in Microsoft's processes:
# https://learn.microsoft.com/azure/devops/boards/work-items/workflow-and-state-categories
_DROPPED = (
    *("As Designed", "Cannot Reproduce", "Cut", "Deferred", "Duplicate", "Not a Bug"),
    *("Obsolete", "Rejected"),
)
_NUMBER = re.compile(r"\d{1,10}")


class AdoSettings(Table):
    """The organization and projects, and how work items map to increments."""

    organization_url: Organization = setting(
        description="Address for requests: https://dev.azure.com/ORGANIZATION, or "
        "https://HOST/COLLECTION for Azure DevOps Server"
    )
    web_url: Organization | None = setting(
        default=None, description="Address of work items in a browser, if it differs"
    )
    api_version: Version | None = setting(
        default=None,
        description="Newest version of the API to use (6.0), for a server that announces a "
        "version it does not support; by default the server's own choice",
    )
    project: Project | None = setting(
        default=None, description="Project for new work items. Its work items can be linked"
    )
    projects: tuple[Project, ...] = setting(
        default=(), description="Further projects whose work items can be linked"
    )
    work_item_type: Word = setting(
        default="User Story", description="Type of new work items (Scrum: Product Backlog Item)"
    )
    types: dict[str, Word] = setting(
        default={},
        description="Type of new work items by the type of the increment: {bug = 'Bug'}",
    )
    area_path: NodePath | None = setting(
        default=None,
        description="Area of new work items (Team A); by default the project's own. The "
        "increment's areaPath has priority",
    )
    iteration_path: NodePath | None = setting(
        default=None,
        description="Iteration of new work items; by default the project's own. The increment's "
        "iterationPath has priority",
    )
    back_link: UrlTemplate | None = setting(
        default=None,
        description="Web address that new work items link to; {increment} stands for the "
        "increment's id",
    )
    states: States = setting(
        default=States(),
        description="States that replace those chosen by category",
    )
    states_by_type: dict[str, States] = setting(
        default={}, description="The same for single work item types, by name"
    )
    fields: Fields = setting(
        default=Fields(),
        description="Values of fields that rules of the process make mandatory, by reference name",
    )
    notify: bool = setting(
        default=True,
        description="`false` suppresses the notifications of changes and new items, as "
        "`--no-notify`",
    )
    on_reopen: OnReopen = setting(
        default=OnReopen(),
        description="Further changes to a reopened work item",
    )

    triage_groups: tuple[Word, ...] = setting(
        default=(),
        description="Teams of the project, whose commands in comments count as those of people "
        "with triage",
    )
    write_groups: tuple[Word, ...] = setting(
        default=(), description="The same for write, so that they also complete increments"
    )
    dropped_reasons: tuple[Word, ...] = setting(
        default=_DROPPED,
        description="Reasons of work items that were closed without their work: only people with "
        "triage reopen these by a comment, with `--even-if-not-planned`",
    )

    @property
    def base_url(self) -> str:
        """The base address of requests."""
        return self.organization_url

    @property
    def target_base(self) -> str:
        """The address below which organizations or collections have their names."""
        place = place_of(self.organization_url)
        return "/".join((place.origin, *place.path[:-1]))

    @property
    def target(self) -> str | None:
        """The target of new items: "organization/project"."""
        return None if self.project is None else self.target_of(self.project)

    @property
    def places(self) -> tuple[str, ...]:
        """The configured projects, without duplicates."""
        names = (*([self.project] if self.project else []), *self.projects)
        return tuple({name.casefold(): name for name in reversed(names)}.values())[::-1]

    def recognise(self, url: str) -> ItemRef | None:
        """The work item at a pasted address; None if it is not of this organization."""
        address = parse(url, self._home)
        if address is None or address.place != self._home or not (address.project or self.project):
            return None
        return self.ref(address.project or self.project or "", address.item)

    def locate(self, item: str, url: str | None) -> ItemRef:
        """The work item of a link: by its address, else by its number."""
        if url is not None:
            return self.recognise(url) or self._elsewhere(url)
        target, _, number = item.rpartition("#")
        if not _NUMBER.fullmatch(number):
            raise _unplaced(f"{item!r} is not the number of a work item")
        project = target.rpartition("/")[2] or self.project
        if project is None:
            raise _unplaced(f"work item {item} has no address and [trackers.ado] names no project")
        if target and self.target_of(project).casefold() != target.casefold():
            raise _unplaced(f"{item} is not in the organization of [trackers.ado]")
        return self.ref(project, str(int(number)))

    def allows(self, ref: ItemRef) -> bool:
        """Whether the item is in a configured project."""
        named = filter(None, (self.project, *self.projects))
        targets = map(str.casefold, map(self.target_of, named))
        return ref.tracker == _TRACKER and ref.target.casefold() in targets

    def name(self, ref: ItemRef) -> str:
        """The item's name for people: "fabrikam/widgets 101"."""
        return f"{ref.target} {ref.id}"

    def ref(self, project: str, item: str) -> ItemRef:
        """The item with this number in a project of the organization."""
        url = f"{self._web_base}/{quote(project, safe='', errors='replace')}/_workitems/edit/{item}"
        return ItemRef(tracker=_TRACKER, target=self.target_of(project), id=item, url=url)

    def type_for(self, increment_type: str | None) -> str:
        """The work item type for an increment of this type."""
        return self.types.get(increment_type or "", self.work_item_type)

    def state_for(self, goal: Goal, work_item_type: str) -> str | None:
        """The configured state for `goal`, if any; the one for the type takes precedence."""
        for name, states in self.states_by_type.items():
            if name.casefold() == work_item_type.casefold() and states.of(goal):
                return states.of(goal)
        return self.states.of(goal)

    def is_silent(self, change: Change) -> bool:
        """Whether a change is sent without notifications."""
        return not self.notify or NO_NOTIFY.name in change.options.plugin

    def link_back(self, increment: str) -> str | None:
        """The configured address that a new work item of the increment links to, if any."""
        if self.back_link is None:
            return None
        return self.back_link.replace("{increment}", quote(increment, safe=""))

    def target_of(self, project: str) -> str:
        """The project's name for people: "fabrikam/widgets"."""
        return f"{place_of(self.organization_url).name}/{project}"

    @property
    def _web_base(self) -> str:
        return self.web_url or self.organization_url

    @cached_property
    def _home(self) -> Place:
        return place_of(self._web_base)

    def _elsewhere(self, url: str) -> ItemRef:
        # The target of a foreign item contains its host, so that it equals no configured one.
        address = parse(url, self._home)
        if address is None:
            raise _unplaced(f"{url!r} is not the address of a work item at {self._web_base}")
        host = address.place.origin.partition("://")[2]
        target = "/".join((host, *address.place.path, address.project or ""))
        return ItemRef(tracker=_TRACKER, target=target, id=address.item, url=url)


def _unplaced(problem: str) -> ConfigError:
    return ConfigError(
        (problem,), where="[trackers.ado]", hint="link it again by the address in your browser"
    )
