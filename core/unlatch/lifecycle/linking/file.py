"""Link many items to many increments from a CSV file."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import TypeVar

from unlatch.errors import MistakesError, NotFound, Rejected, UnlatchError
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.records.links import same_item
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.linking.csv_rows import read_rows
from unlatch.lifecycle.linking.link import link_items
from unlatch.project.find_increment import find_increment
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.values import dataclass

T = TypeVar("T")


@dataclass(slots=True)
class LinkPlan:
    """The items to link to one increment.

    Args:
        items: the items that are not linked yet.
        known: items that are already linked, or named twice in the file.
        error: the cause, if they could not be linked.
    """

    increment: Increment
    items: list[ItemSnapshot] = field(default_factory=list)
    known: list[ItemSnapshot] = field(default_factory=list)
    error: UnlatchError | None = None


def plan_links(
    workspace: Workspace, trackers: Trackers, text: str, *, where: str
) -> tuple[LinkPlan, ...]:
    """Read the increments and the items that a file names; nothing is written.

    Raises:
        MistakesError: `links-invalid`; every mistake is listed with its line.
        TrackerError: a tracker cannot be read at all.
    """
    rows, mistakes = read_rows(text)
    increments = _each([row.wanted for row in rows], lambda one: _read_meant(workspace, one))
    refs = _each([row.url for row in rows], trackers.item)
    links = {
        url: Link(ref.tracker, ref.id, ref.url)
        for url, ref in refs.items()
        if not isinstance(ref, UnlatchError)
    }
    seen = {one.link: one for one in fetch_items(trackers, dict.fromkeys(links.values()))}
    for row in rows:
        if isinstance(error := increments[row.wanted], UnlatchError):
            mistakes.append(f"line {row.line}: {error.message} [{error.id}]")
        found = seen[links[row.url]].error if row.url in links else refs[row.url]
        if isinstance(found, UnlatchError):
            if row.url in links and not isinstance(found, NotFound | Rejected):
                raise found  # no mistake in the file; the other addresses would fail too
            mistakes.append(f"line {row.line}: {row.url}: {found.message} [{found.id}]")
    if mistakes:
        raise MistakesError(
            "links-invalid",
            "the file has mistakes; nothing was linked",
            problems=tuple(sorted(mistakes, key=_line_of)),
            where=where,
            hint="fix these lines, then repeat the command",
        )
    plans: dict[str, LinkPlan] = {}
    for row in rows:
        increment = increments[row.wanted]
        if isinstance(increment, Increment):
            plan = plans.setdefault(increment.id, LinkPlan(increment))
            _add(plan, seen[links[row.url]])
    return tuple(plans.values())


def plan_same(increments: Iterable[Increment], seen: Sequence[ItemSnapshot]) -> list[LinkPlan]:
    """Plan to link items that were read to each of several increments; nothing is written."""
    plans = [LinkPlan(one) for one in increments]
    for plan in plans:
        for one in seen:
            _add(plan, one)
    return plans


def _read_meant(workspace: Workspace, wanted: str) -> Increment:
    return workspace.manager.read(find_increment(workspace, wanted).name)


def _each(names: Iterable[str], read: Callable[[str], T]) -> dict[str, T | UnlatchError]:
    found: dict[str, T | UnlatchError] = {}
    for name in dict.fromkeys(names):
        try:
            found[name] = read(name)
        except UnlatchError as error:
            found[name] = error
    return found


def _add(plan: LinkPlan, item: ItemSnapshot) -> None:
    linked = (*plan.increment.links, *(one.link for one in plan.items))
    is_known = any(same_item(link, item.link) for link in linked)
    (plan.known if is_known else plan.items).append(item)


def _line_of(mistake: str) -> int:
    return int(mistake.partition(":")[0].removeprefix("line "))


def apply_links(workspace: Workspace, plans: Iterable[LinkPlan], *, by: str) -> None:
    """Link the items, each increment in one write; one that fails does not stop the rest."""
    for plan in plans:
        if plan.items:
            try:
                plan.increment = link_items(workspace, plan.increment.id, plan.items, by=by)
            except UnlatchError as error:
                plan.error = error
