"""What `[trackers.ado]` holds."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from unlatch.errors import ConfigError
from unlatch.spi import Goal, ItemRef
from unlatch_ado.addresses import Address, Place, parse, place_of, web_address

_TRACKER = "ado"
# https://learn.microsoft.com/azure/devops/organizations/settings/naming-restrictions
_BARRED_IN_NAMES = re.compile(r"""[\x00-\x1f/\\:*?"'<>;#$%{},+=\[\]|]""")
_NUMBER = re.compile(r"\d{1,10}")


def _url(value: str) -> str:
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"{value!r} is no web address") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{value!r} must begin with https://")
    if parts.username is not None or parts.password is not None:
        raise ValueError("an address must not hold a user name or a token")
    if parts.query or parts.fragment or re.search(r"[\s{}]", value):
        raise ValueError(f"{value!r} must end with the organization's or collection's name")
    return value.rstrip("/")


def _organization(value: str) -> str:
    url = _url(value)
    if not place_of(url).path:
        raise ValueError(
            f"{value!r} must name the organization (https://dev.azure.com/ORGANIZATION) "
            "or the collection (https://HOST/COLLECTION)"
        )
    return url


def _project(value: str) -> str:
    name = value.strip()
    if "/" in name:
        raise ValueError(f"{value!r} must be the project's name alone, without the organization")
    if not name or name.startswith((".", "_")) or _BARRED_IN_NAMES.search(name):
        raise ValueError(f"{value!r} is no project's name")
    return name


def _word(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value.strip()


_Organization = Annotated[str, AfterValidator(_organization)]
_Project = Annotated[str, AfterValidator(_project)]
_Word = Annotated[str, AfterValidator(_word)]


class States(BaseModel):
    """Names of states to use instead of the ones that the work item type suggests."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reopened: _Word | None = Field(None, description="The state of a reopened work item.")
    completed: _Word | None = Field(None, description="The state of a completed work item.")
    not_planned: _Word | None = Field(None, description="The state of an abandoned work item.")

    def of(self, goal: Goal) -> str | None:
        """The state that is named for `goal`, if one is."""
        by_goal = {
            Goal.OPEN: self.reopened,
            Goal.COMPLETED: self.completed,
            Goal.NOT_PLANNED: self.not_planned,
        }
        return by_goal[goal]


class AdoSettings(BaseModel):
    """Where requests to Azure DevOps go, and what its work items are called."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    organization_url: _Organization = Field(
        description="Where requests go: https://dev.azure.com/ORGANIZATION, or "
        "https://HOST/COLLECTION for Azure DevOps Server."
    )
    web_url: _Organization | None = Field(
        None, description="The address under which items are linked, if it is another one."
    )
    project: _Project | None = Field(
        None, description="The project that new work items go to, and whose items may be linked."
    )
    projects: tuple[_Project, ...] = Field(
        (), description="Further projects whose items may be linked."
    )
    work_item_type: _Word = Field(
        "User Story", description="The type of new work items (Scrum: Product Backlog Item)."
    )
    types: dict[str, _Word] = Field(
        default_factory=dict,
        description="The type of new work items by the type of the increment: {bug = 'Bug'}.",
    )
    states: States = Field(
        default_factory=lambda: States.model_validate({}),
        description="States to use instead of the ones that the work item type suggests.",
    )
    states_by_type: dict[str, States] = Field(
        default_factory=dict, description="The same for single work item types, by their names."
    )

    @property
    def base_url(self) -> str:
        """Where requests go."""
        return self.organization_url

    @property
    def web_base(self) -> str:
        """The address under which the organization's items are linked."""
        return self.web_url or self.organization_url

    @property
    def target(self) -> str | None:
        """Where new items go: "organization/project"."""
        return None if self.project is None else self._target(self.project)

    def recognise(self, url: str) -> ItemRef | None:
        """The work item that a pasted address means, or None if it is not one of ours."""
        found = self._parse(url)
        if found is None or found.place != self._place or (found.project or self.project) is None:
            return None
        return self.ref(found.project or self.project or "", found.item)

    def locate(self, item: str, url: str | None) -> ItemRef:
        """The work item that a link means: by its address, else by its number."""
        if url is not None:
            return self.recognise(url) or self._elsewhere(url)
        if not _NUMBER.fullmatch(item):
            raise _unplaced(f"{item!r} is no work item's number")
        if self.project is None:
            raise _unplaced(f"work item {item} has no address and [trackers.ado] names no project")
        return self.ref(self.project, str(int(item)))

    def allows(self, ref: ItemRef) -> bool:
        """Whether the item lies in a configured project."""
        names = (*self.projects, *([self.project] if self.project else []))
        wanted = ref.target.casefold()
        return ref.tracker == _TRACKER and wanted in {self._target(n).casefold() for n in names}

    def name(self, ref: ItemRef) -> str:
        """How people call the item: "fabrikam/widgets 101"."""
        return f"{ref.target} {ref.id}"

    def ref(self, project: str, item: str) -> ItemRef:
        """The item with that number in one of the organization's projects."""
        url = web_address(self.web_base, project, item)
        return ItemRef(tracker=_TRACKER, target=self._target(project), id=item, url=url)

    def type_for(self, increment_type: str | None) -> str:
        """The type of a work item made from an increment of that type."""
        return self.types.get(increment_type or "", self.work_item_type)

    def state_for(self, goal: Goal, work_item_type: str) -> str | None:
        """The state that is configured for `goal`, if one is; the type's own comes first."""
        by_type = {name.casefold(): states for name, states in self.states_by_type.items()}
        own = by_type.get(work_item_type.casefold())
        return (own.of(goal) if own else None) or self.states.of(goal)

    @property
    def _place(self) -> Place:
        return place_of(self.web_base)

    def _parse(self, url: str) -> Address | None:
        return parse(url, self._place)

    def _target(self, project: str) -> str:
        return f"{place_of(self.organization_url).name}/{project}"

    def _elsewhere(self, url: str) -> ItemRef:
        # The target of a foreign item holds its host, so that it equals no configured one.
        found = self._parse(url)
        if found is None:
            raise _unplaced(f"{url!r} is no address of a work item at {self.web_base}")
        host = found.place.origin.partition("://")[2]
        target = "/".join((host, *found.place.path, found.project or ""))
        return ItemRef(tracker=_TRACKER, target=target, id=found.item, url=url)


def _unplaced(problem: str) -> ConfigError:
    return ConfigError(
        (problem,), where="[trackers.ado]", hint="link it again by the address in your browser"
    )
