"""The model of a workflow."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch_sessions.session_model import Agent


class Dialect(StrEnum):
    CRUCIBLE_1 = "crucible-1"
    CRUCIBLE_2026 = "crucible-2026"


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Data:
    """A value that nodes pass on; `type` is None where none is named."""

    name: str
    type: str | None = None

    def __str__(self) -> str:
        return f"{self.name}::{self.type}" if self.type else self.name


@dataclass(frozen=True, slots=True)
class Branch:
    """The steps under a condition; None for that of `Otherwise`.

    Args:
        node: the name of the node to go on with; None where it says something else.
        line: its line, from 1.
    """

    condition: str | None
    text: str
    node: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Node:
    """A step.

    Args:
        level: of its heading, from 2; a deeper one is a part of the node above.
        required: a failure ends the workflow (`!`).
        optional: a failure is skipped (`?`).
        gate: a person has to approve it.
        steps: lines of its text, for people.
    """

    name: str
    line: int
    level: int = 2
    agent: Agent | None = None
    channel: str | None = None
    required: bool = False
    optional: bool = False
    parallel: bool = False
    gate: bool = False
    takes: tuple[Data, ...] = ()
    creates: tuple[Data, ...] = ()
    branches: tuple[Branch, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake; `line` is counted from 1."""

    severity: Severity
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow, and the lines of its file that could not be read."""

    title: str
    dialect: Dialect
    nodes: tuple[Node, ...]
    source: str | None = None  # the id of the session that it was codified from
    problems: tuple[Problem, ...] = field(default=())
