"""The tables within `[trackers.ado]`."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from unlatch.patterns import pattern
from unlatch.spi import Goal
from unlatch.spi.tables import Check, Constraint, Table, setting
from unlatch.spi.validation import web_address
from unlatch_ado.urls import place_of

# https://learn.microsoft.com/azure/devops/organizations/settings/naming-restrictions
_BARRED_IN_NAMES = pattern(r"""[\x00-\x1f/\\:*?"'<>;#$%{},+=\[\]|]""")
_BARRED_IN_PATHS = pattern(r'[\x00-\x1f\x7f:*?"<>;#$%&|+,=\[\]]')
_REFERENCE_NAME = pattern(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)+", re.ASCII)
_VERSION = pattern(r"\d{1,2}\.\d")
_LONGEST_PATH = 4000
# Fields that unlatch sets itself, and fields that only Azure DevOps sets.
_NOT_FOR_FIELDS = {
    "system.state": "name it in `states`",
    "system.tags": "name tags in [labels]",
    "system.history": "unlatch writes the comment",
    "system.title": "the title comes from the increment",
    "system.description": "the description comes from the increment",
    "system.areapath": "name it in `area_path`",
    "system.iterationpath": "name it in `iteration_path`",
    "system.workitemtype": "name it in `work_item_type` or `types`",
    "system.teamproject": "name it in `project`",
    "system.id": "it cannot be set",
    "system.rev": "it cannot be set",
}


def _url(value: str) -> str:
    web_address(re.split("[?#]", value)[0])
    return value


def _organization(value: str) -> str:
    url = _url(value).rstrip("/")
    parts = urlsplit(url)
    if parts.query or parts.fragment or re.search(r"[\s{}]", url):
        raise ValueError(f"{value!r} must end with the organization's or collection's name")
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
        raise ValueError(f"{value!r} is not a project name")
    return name


def _word(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value.strip()


def path_of(value: str) -> str:
    r"""An area or iteration path in Azure DevOps' own spelling: `Team A\Sprint 1`.

    Raises:
        ValueError: it is no such path.
    """
    nodes = [node.strip() for node in value.replace("/", "\\").strip("\\ ").split("\\")]
    if len(value) > _LONGEST_PATH or not all(nodes) or _BARRED_IN_PATHS.search(value):
        raise ValueError(f"{value[:80]!r} is not an area or iteration path")
    return "\\".join(nodes)


def _field_name(value: str) -> str:
    if not _REFERENCE_NAME.fullmatch(value):
        raise ValueError(
            f"{value!r} is not the reference name of a field, such as Custom.ReopenCause"
        )
    if value.casefold() in _NOT_FOR_FIELDS:
        raise ValueError(f"{value} is not to be set here: {_NOT_FOR_FIELDS[value.casefold()]}")
    return value


def _version(value: str) -> str:
    if not _VERSION.fullmatch(value):
        raise ValueError(f"{value!r} is not a version of the API, such as '6.0'")
    return value


def _template(value: str) -> str:
    url = _url(value)
    if re.search(r"\s", url) or re.search(r"[{}]", url.replace("{increment}", "")):
        raise ValueError(f"{value!r} may hold the one slot {{increment}}, and no blank")
    return url


Organization = Annotated[str, Check(_organization)]
Project = Annotated[str, Check(_project)]
Word = Annotated[str, Check(_word)]
NodePath = Annotated[str, Check(path_of)]
FieldName = Annotated[str, Check(_field_name)]
Version = Annotated[str, Check(_version)]
UrlTemplate = Annotated[str, Check(_template)]


_STRICT = Constraint(strict=True)
FieldValue = (
    Annotated[bool, _STRICT]
    | Annotated[int, _STRICT]
    | Annotated[float, _STRICT]
    | Annotated[str, _STRICT]
)
FieldValues = dict[FieldName, FieldValue]


class States(Table):
    """Names of states to use instead of the work item type's defaults."""

    reopened: Word | None = setting(default=None, description="State of a reopened work item")
    completed: Word | None = setting(default=None, description="State of a completed work item")
    not_planned: Word | None = setting(default=None, description="State of an abandoned work item")

    def of(self, goal: Goal) -> str | None:
        """The configured state for `goal`, if any."""
        by_goal = {
            Goal.OPEN: self.reopened,
            Goal.COMPLETED: self.completed,
            Goal.NOT_PLANNED: self.not_planned,
        }
        return by_goal[goal]

    def named(self) -> dict[Goal, tuple[str, str]]:
        """The configured settings: for each goal the setting's name and the state."""
        names = {
            Goal.OPEN: "reopened",
            Goal.COMPLETED: "completed",
            Goal.NOT_PLANNED: "not_planned",
        }
        settings = ((goal, name, self.of(goal)) for goal, name in names.items())
        return {goal: (name, state) for goal, name, state in settings if state is not None}


class Fields(Table):
    """Fields that the process requires, by their reference names."""

    create: FieldValues = setting(default={}, description="Fields of a new work item")
    reopen: FieldValues = setting(
        default={}, description="Fields that are set together with the state on a reopen"
    )
    close: FieldValues = setting(
        default={},
        description="Fields that are set together with the state on `complete` and `abandon`",
    )

    def of(self, goal: Goal) -> FieldValues:
        """The fields to set with a change of state."""
        return self.reopen if goal is Goal.OPEN else self.close


class OnReopen(Table):
    """Changes to a reopened work item's iteration, parent and assignee."""

    iteration: Literal["keep", "current"] = setting(
        default="keep",
        description="`current` moves the item out of an iteration that is over, to the current one",
    )
    parent: Literal["ignore", "report", "reopen"] = setting(
        default="report",
        description="A closed parent: `report` it, `reopen` it too, or `ignore` it",
    )
    assignee: Literal["keep", "me"] = setting(
        default="keep",
        description="`me` assigns the item to the token's account if its assignee is no longer "
        "active",
    )
