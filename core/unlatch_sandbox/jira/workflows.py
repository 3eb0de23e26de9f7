"""Workflows as tables: a new team's board, the classic one, and some difficult ones."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


# The transition keeps the resolution, as many custom ones do.
KEPT = "(kept)"
# The stand-in's custom fields, the same in every workflow.
ROOT_CAUSE, SPRINT, EPIC_LINK = "customfield_10050", "customfield_10020", "customfield_10014"
CAUSES: Mapping[str, str] = MappingProxyType({"Bug": "10100", "Misunderstanding": "10101"})


@dataclass(frozen=True, slots=True)
class Category:
    id: int
    key: str
    name: str
    color: str


NEW = Category(2, "new", "To Do", "blue-gray")
INDETERMINATE = Category(4, "indeterminate", "In Progress", "yellow")
DONE = Category(3, "done", "Done", "green")


@dataclass(frozen=True, slots=True)
class Status:
    """`editable` is whether issues in it may be edited (the property jira.issue.editable)."""

    id: str
    name: str
    category: Category
    editable: bool = True


@dataclass(frozen=True, slots=True)
class Transition:
    """`screen` names the fields that it can set; none without a screen (None).

    `resolution` is the resolution after the transition: a name, None to clear it, or KEPT.
    `required` names fields of the screen that must not be empty afterwards; `validated` those that
    a validator wants, which the screen does not show, and perhaps the comment.
    """

    id: str
    name: str
    to: str
    sources: tuple[str, ...] | None = None
    screen: tuple[str, ...] | None = None
    resolution: str | None = None
    required: tuple[str, ...] = ()
    validated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workflow:
    name: str
    statuses: tuple[Status, ...]
    transitions: tuple[Transition, ...]
    # Fields of the create screen that new issues need.
    needed: tuple[str, ...] = ()

    @property
    def first(self) -> Status:
        return self.statuses[0]

    def status(self, name: str) -> Status:
        for status in self.statuses:
            if status.name == name:
                return status
        names = ", ".join(s.name for s in self.statuses)
        raise ValueError(f"the {self.name} workflow has no status {name!r}; it has {names}")

    def open_from(self, status: str) -> list[Transition]:
        return [t for t in self.transitions if t.sources is None or status in t.sources]

    def resolution_in(self, status: str) -> str | None:
        """The usual resolution of an issue in this status."""
        resolutions = (t.resolution for t in self.transitions if t.to == status)
        return next((resolution for resolution in resolutions if resolution != KEPT), None)


_CLOSING = ("resolution", "comment", "assignee")
_UNRESOLVED = ("Open", "In Progress", "Reopened")

WORKFLOWS: Mapping[str, Workflow] = MappingProxyType(
    {
        "simplified": Workflow(
            "simplified",
            (
                Status("10000", "To Do", NEW),
                Status("10001", "In Progress", INDETERMINATE),
                Status("10002", "Done", DONE),
            ),
            (
                Transition("11", "To Do", "To Do"),
                Transition("21", "In Progress", "In Progress"),
                Transition("31", "Done", "Done", resolution="Done"),
            ),
        ),
        "classic": Workflow(
            "classic",
            (
                Status("1", "Open", NEW),
                Status("3", "In Progress", INDETERMINATE),
                Status("4", "Reopened", NEW),
                Status("5", "Resolved", DONE),
                Status("6", "Closed", DONE),
            ),
            (
                Transition("4", "Start Progress", "In Progress", ("Open", "Reopened")),
                Transition("301", "Stop Progress", "Open", ("In Progress",)),
                Transition("5", "Resolve Issue", "Resolved", _UNRESOLVED, _CLOSING, "Fixed"),
                Transition("2", "Close Issue", "Closed", _UNRESOLVED, _CLOSING, "Fixed"),
                Transition("701", "Close Issue", "Closed", ("Resolved",), ("comment",), "Fixed"),
                Transition("3", "Reopen Issue", "Reopened", ("Resolved", "Closed"), ("comment",)),
            ),
        ),
        # Every path back includes an approval, which counts as done.
        "two-hops": Workflow(
            "two-hops",
            (
                Status("20001", "Offen", NEW),
                Status("20002", "In Arbeit", INDETERMINATE),
                Status("20003", "Wartet auf Freigabe", DONE),
                Status("20004", "Erledigt", DONE),
            ),
            (
                Transition("41", "Beginnen", "In Arbeit", ("Offen", "Wartet auf Freigabe")),
                Transition("51", "Abschließen", "Erledigt", ("In Arbeit",), resolution="Done"),
                Transition(
                    "61", "Freigabe erbitten", "Wartet auf Freigabe", ("Erledigt",), None, "Done"
                ),
            ),
        ),
        "required-fields": Workflow(
            "required-fields",
            (
                Status("30001", "To Do", NEW),
                Status("30002", "Done", DONE),
            ),
            (
                Transition("31", "Finish", "Done", ("To Do",), resolution="Done"),
                Transition(
                    "41", "Reopen", "To Do", ("Done",), (ROOT_CAUSE,), required=(ROOT_CAUSE,)
                ),
            ),
        ),
        # What its validators want is not in the screens' metadata.
        "validators": Workflow(
            "validators",
            (
                Status("70001", "To Do", NEW),
                Status("70002", "Done", DONE),
            ),
            (
                Transition(
                    "31",
                    "Finish",
                    "Done",
                    ("To Do",),
                    ("resolution", "comment"),
                    "Done",
                    validated=("comment",),
                ),
                Transition(
                    "41",
                    "Reopen",
                    "To Do",
                    ("Done",),
                    (ROOT_CAUSE, "comment"),
                    validated=(ROOT_CAUSE, "comment"),
                ),
            ),
            needed=(ROOT_CAUSE,),
        ),
        "keeps-resolution": Workflow(
            "keeps-resolution",
            (
                Status("40001", "To Do", NEW),
                Status("40002", "Done", DONE),
            ),
            (
                Transition("31", "Finish", "Done", ("To Do",), resolution="Done"),
                Transition("41", "Reopen", "To Do", ("Done",), (ROOT_CAUSE,), resolution=KEPT),
            ),
        ),
        # Names do not tell transitions apart: not those that lead elsewhere, nor those that lead
        # to the same category.
        "shared-names": Workflow(
            "shared-names",
            (
                Status("60001", "To Do", NEW),
                Status("60002", "Doing", INDETERMINATE),
                Status("60003", "Done", DONE),
                Status("60004", "Archived", DONE),
            ),
            (
                Transition("21", "Finish", "Doing", ("To Do",)),
                Transition("31", "Finish", "Done", ("To Do", "Doing"), resolution="Done"),
                Transition("41", "Move", "Archived", ("Done",), resolution=KEPT),
                Transition("51", "Move", "To Do", ("Done",)),
                Transition("61", "Reopen", "To Do", ("Done",)),
                Transition("71", "Reopen", "Doing", ("Done",)),
                Transition("81", "REOPEN", "To Do", ("Done",)),
            ),
        ),
        "closed-for-edits": Workflow(
            "closed-for-edits",
            (
                Status("50001", "To Do", NEW),
                Status("50002", "Locked", DONE, editable=False),
            ),
            (
                Transition("31", "Finish", "Locked", ("To Do",), resolution="Done"),
                Transition("41", "Reopen", "To Do", ("Locked",)),
            ),
        ),
    }
)

RESOLUTIONS: Mapping[str, str] = MappingProxyType(
    {
        "Fixed": "1",
        "Won't Fix": "2",
        "Duplicate": "3",
        "Incomplete": "4",
        "Cannot Reproduce": "5",
        "Done": "10000",
        "Won't Do": "10001",
    }
)
ISSUE_TYPES: Mapping[str, str] = MappingProxyType(
    {"Epic": "10000", "Story": "10001", "Task": "10002", "Sub-task": "10003", "Bug": "10004"}
)
