"""Options for an issue in the increment's files: milestone, assignees, issue type.

The files are untrusted: a value that GitHub would not accept is left out, with a note.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected
from unlatch.spi import without_controls
from unlatch.spi.text import one_line
from unlatch.values import dataclass
from unlatch_github.api.models import IssueSnapshot, Milestone, without

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_LONGEST = 255
# GitHub's maximum ("Assigning issues and pull requests to other GitHub users").
_MOST_ASSIGNEES = 10
_TYPE_KEYS = ("type", "issueType", "issue_type")


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """The valid options.

    Args:
        milestone: its number, or its title.
        left_out: descriptions of the invalid options.
    """

    milestone: int | str | None = None
    assignees: tuple[str, ...] = ()
    type: str | None = None
    left_out: tuple[str, ...] = field(default=(), compare=False)


def read_draft_options(raw: Mapping[str, Any]) -> DraftOptions:
    """Read the options from the files' metadata."""
    problems: list[str] = []
    return DraftOptions(
        milestone=_milestone(raw.get("milestone"), problems),
        assignees=_assignees(raw, problems),
        type=_type(raw, problems),
        left_out=tuple(problems),
    )


def number_of(milestone: int | str, milestones: Sequence[Milestone], *, where: str) -> int:
    """The number of the requested milestone: by its title, else by its number.

    Raises:
        Rejected: `milestone-unknown`.
    """
    wanted = str(milestone)
    title = wanted.casefold()
    # Titles may differ only in case; an open one is preferred, and then the exact one.
    by_title = [candidate for candidate in milestones if candidate.title.casefold() == title]
    if by_title:
        return min(
            by_title, key=lambda candidate: (not candidate.is_open, candidate.title != wanted)
        ).number
    if title.isdecimal() and int(title) in {candidate.number for candidate in milestones}:
        return int(title)
    names = ", ".join(candidate.title for candidate in milestones if candidate.is_open) or "none"
    raise Rejected(
        "milestone-unknown",
        f"the repository has no milestone {without_controls(str(milestone))!r}",
        where=where,
        hint=f"name one that it has (open ones: {names}), or make it",
    )


def unmet_options(
    options: DraftOptions, issue: IssueSnapshot, milestone: int | None
) -> Iterator[str]:
    """Descriptions of the options that GitHub did not apply.

    Args:
        issue: the issue after the change.
        milestone: the number of the requested milestone.
    """
    yield from options.left_out
    dropped = []
    if milestone is not None and (issue.milestone is None or issue.milestone.number != milestone):
        dropped.append("the milestone")
    if absent := without(options.assignees, issue.assignees):
        dropped.append(f"the assignment to {', '.join(absent)}")
    if options.type and (issue.item.type or "").casefold() != options.type.casefold():
        dropped.append(f"the type {options.type}")
    if dropped:
        yield f"GitHub did not take {' and '.join(dropped)}: the token may lack push access"


def _milestone(raw: Any, problems: list[str]) -> int | str | None:
    if isinstance(raw, int) and not isinstance(raw, bool) and raw > 0:
        return raw
    if raw is None or (text := _line(raw)):
        return text if raw is not None else None
    problems.append("the increment's `milestone` is neither a number nor a title; ignored")
    return None


def _assignees(raw: Mapping[str, Any], problems: list[str]) -> tuple[str, ...]:
    named = raw.get("assignees", raw.get("assignee"))
    if named is None:
        return ()
    listed = named if isinstance(named, list) else str(named).split(",")
    logins = [line.lstrip("@") for entry in listed if (line := _line(entry)) and " " not in line]
    if len(logins) < len(listed) or len(logins) > _MOST_ASSIGNEES:
        problems.append("some of the increment's `assignees` are not logins; ignored")
    return tuple(dict.fromkeys(logins))[:_MOST_ASSIGNEES]


def _type(raw: Mapping[str, Any], problems: list[str]) -> str | None:
    named = next((raw[key] for key in _TYPE_KEYS if raw.get(key) is not None), None)
    if named is None or (text := _line(named)):
        return None if named is None else text
    problems.append("the increment's issue `type` is not a name; ignored")
    return None


def _line(raw: Any) -> str | None:
    """A short line of text, else None."""
    if not isinstance(raw, str):
        return None
    text = one_line(raw)
    return text if 0 < len(text) <= _LONGEST else None
