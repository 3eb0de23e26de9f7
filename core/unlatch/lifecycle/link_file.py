"""Tying many items to many increments, as a file lists them."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unlatch.errors import MistakesError, NotFound, Rejected, UnlatchError
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.records.links import same_item
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.link import link_items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi.item import ItemRef

HEADER = ("increment", "url")
# What a spreadsheet takes for a formula (OWASP, "CSV Injection"); an apostrophe makes it a text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_TEXT = "'"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file.

    Args:
        line: its number, from 1.
        wanted: the increment, as it was written.
        url: the item's address.
    """

    line: int
    wanted: str
    url: str


@dataclass(slots=True)
class LinkPlan:
    """What is to be tied to one increment.

    Args:
        items: the items that are yet to be tied.
        known: items that are tied already, or that the file names twice.
        error: why they could not be tied, once that was tried.
    """

    increment: Increment
    items: list[ItemSnapshot] = field(default_factory=list)
    known: list[ItemSnapshot] = field(default_factory=list)
    error: UnlatchError | None = None


def read_rows(text: str) -> tuple[list[Row], list[str]]:
    """The lines of a CSV file with the columns increment and url, and the mistakes in it.

    A first line with the columns' names may be there or not; empty lines are passed over.
    """
    rows: list[Row] = []
    mistakes: list[str] = []
    for number, cells in _numbered(text.removeprefix("\ufeff").splitlines(), mistakes):
        values = [_from_text(cell.strip()) for cell in cells]
        if not any(values) or (not rows and _is_header(values)):
            continue
        if len(values) != len(HEADER) or not all(values):
            mistakes.append(f"line {number}: not an increment and an address")
        else:
            rows.append(Row(number, *values))
    return rows, mistakes


def as_text(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; `read_rows` takes it for what it was."""
    return f"{_TEXT}{cell}" if cell.lstrip(_TEXT).startswith(_FORMULA) else cell


def _from_text(cell: str) -> str:
    is_text = cell.startswith(_TEXT) and cell.lstrip(_TEXT).startswith(_FORMULA)
    return cell.removeprefix(_TEXT) if is_text else cell


def _numbered(lines: list[str], mistakes: list[str]) -> Iterator[tuple[int, list[str]]]:
    # Line by line: a quote that is never closed spoils its own line, and not all that follow.
    for number, line in enumerate(lines, 1):
        try:
            yield number, next(csv.reader([line], skipinitialspace=True, strict=True), [])
        except csv.Error as error:
            mistakes.append(f"line {number}: {error}")


def _is_header(values: list[str]) -> bool:
    return tuple(value.casefold() for value in values) == HEADER


def plan_links(
    workspace: Workspace, trackers: Trackers, text: str, *, where: str
) -> tuple[LinkPlan, ...]:
    """What a file asks to be tied, each item read; nothing is written.

    Raises:
        MistakesError: `links-invalid`; every mistake is listed with its line.
        TrackerError: a tracker could not be asked at all.
    """
    rows, mistakes = read_rows(text)
    increments = _increments(workspace, rows, mistakes)
    refs = _refs(trackers, rows, mistakes)
    links = {url: Link(ref.tracker, ref.id, ref.url) for url, ref in refs.items()}
    seen = {one.link: one for one in fetch_items(trackers, dict.fromkeys(links.values()))}
    for row in rows:
        if row.url in links and (error := seen[links[row.url]].error):
            if not isinstance(error, NotFound | Rejected):
                raise error  # the file is not to blame, and the others fare no better
            mistakes.append(f"line {row.line}: {row.url}: {error.message} [{error.id}]")
    if mistakes:
        raise MistakesError(
            "links-invalid",
            "the file has mistakes; nothing was linked",
            problems=tuple(sorted(mistakes, key=_line_of)),
            where=where,
            hint="mend these lines, then repeat the command",
        )
    return _ties(rows, increments, {url: seen[link] for url, link in links.items()})


def _line_of(mistake: str) -> int:
    return int(mistake.partition(":")[0].removeprefix("line "))


def _increments(workspace: Workspace, rows: list[Row], mistakes: list[str]) -> dict[str, Increment]:
    found: dict[str, Increment] = {}
    failed: dict[str, str] = {}
    for row in rows:
        if row.wanted not in found and row.wanted not in failed:
            try:
                found[row.wanted] = workspace.manager.read(row.wanted)
            except UnlatchError as error:
                failed[row.wanted] = f"{error.message} [{error.id}]"
        if row.wanted in failed:
            mistakes.append(f"line {row.line}: {failed[row.wanted]}")
    return found


def _refs(trackers: Trackers, rows: list[Row], mistakes: list[str]) -> dict[str, ItemRef]:
    found: dict[str, ItemRef] = {}
    for row in rows:
        try:
            found[row.url] = trackers.recognise(row.url)
        except UnlatchError as error:
            mistakes.append(f"line {row.line}: {row.url}: {error.message} [{error.id}]")
    return found


def _ties(
    rows: list[Row], increments: dict[str, Increment], seen: dict[str, ItemSnapshot]
) -> tuple[LinkPlan, ...]:
    ties: dict[str, LinkPlan] = {}
    named: dict[str, list[Link]] = defaultdict(list)
    for row in rows:
        increment, one = increments[row.wanted], seen[row.url]
        tie = ties.setdefault(increment.id, LinkPlan(increment))
        tied = (*increment.links, *named[increment.id])
        if any(same_item(known, one.link) for known in tied):
            tie.known.append(one)
        else:
            named[increment.id].append(one.link)
            tie.items.append(one)
    return tuple(ties.values())


def apply_links(workspace: Workspace, ties: Iterable[LinkPlan], *, by: str) -> None:
    """Tie what is planned, each increment in one write; one that fails keeps none from the rest."""
    for tie in ties:
        if tie.items:
            try:
                tie.increment = link_items(workspace, tie.increment.id, tie.items, by=by)
            except UnlatchError as error:
                tie.error = error
