"""Link items to increments, by name or from a file of lines ID URL."""

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any, ClassVar, NamedTuple, TypeVar

from unlatch.delivery.preview import Preview
from unlatch.errors import MistakesError, NotFound, Rejected, UnlatchError
from unlatch.increments.files.changes.plans import Plan
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.records.links import same_item
from unlatch.lifecycle.change import Outcome, Place
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.linking.link import link_items
from unlatch.project.find_increment import find_increment
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.values import dataclass

T = TypeVar("T")


@dataclass(slots=True)
class LinkChange:
    """The items to link to one increment; nothing is posted on them.

    Args:
        seen: the items, in the order in which they were named.
        added: those that are not linked yet.
        known: those that are already linked, or named twice in the file.
    """

    # Nothing is written to them.
    items: ClassVar[tuple[()]] = ()
    delivery: ClassVar[None] = None
    subject: Increment
    by: str
    seen: list[ItemSnapshot] = field(default_factory=list)
    added: list[ItemSnapshot] = field(default_factory=list)
    known: list[ItemSnapshot] = field(default_factory=list)

    def preview(self, _place: Place) -> Preview:
        """Nothing but links changes."""
        return Preview(Plan(self.subject, self.subject), ())

    def apply(self, place: Place) -> Outcome:
        """Link the items in one write."""
        after = self.subject
        if self.added:
            after = link_items(place.workspace, self.subject.id, self.added, by=self.by)
        return Outcome(self.subject, after)

    def entry(self, _outcome: Outcome) -> dict[str, Any]:
        """The items that were linked, and those that had been before."""
        return {"linked": self.added, "already": self.known}

    def add(self, item: ItemSnapshot) -> None:
        """Also link an item."""
        linked = (*self.subject.links, *(snapshot.link for snapshot in self.seen))
        is_known = any(same_item(link, item.link) for link in linked)
        (self.known if is_known else self.added).append(item)
        self.seen.append(item)


class Row(NamedTuple):
    """One line of the file: an increment and an item, as written."""

    line: int
    wanted: str
    url: str


def read_rows(text: str) -> tuple[list[Row], list[str]]:
    """Read lines of an increment and an item; returns rows and mistakes.

    Empty lines are skipped, and so is what follows a `#` between blanks. An increment of several
    words goes with an address; the name of an item can have several words, too.
    """
    rows: list[Row] = []
    mistakes: list[str] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        content = f" {line} ".partition(" # ")[0].strip()
        words = content.rsplit(None, 1) if "://" in content else content.split(None, 1)
        match words:
            case [wanted, url]:
                rows.append(Row(number, wanted, url))
            case [_]:
                mistakes.append(f"line {number}: expected ID URL")
    return rows, mistakes


def plan_links(
    workspace: Workspace, trackers: Trackers, text: str, *, where: str, by: str
) -> list[LinkChange]:
    """Read the increments and the items that a file names; nothing is written.

    Raises:
        MistakesError: `links-invalid`; every mistake is listed with its line.
        TrackerError: a tracker cannot be read at all.
    """
    rows, mistakes = read_rows(text)
    increments = _each([row.wanted for row in rows], lambda word: _read_meant(workspace, word))
    refs = _each([row.url for row in rows], trackers.item)
    links = {
        url: Link(ref.tracker, ref.id, ref.url)
        for url, ref in refs.items()
        if not isinstance(ref, UnlatchError)
    }
    seen = {
        snapshot.link: snapshot for snapshot in fetch_items(trackers, dict.fromkeys(links.values()))
    }
    for row in rows:
        if isinstance(error := increments[row.wanted], UnlatchError):
            mistakes.append(f"line {row.line}: {error.message} [{error.id}]")
        error_found = seen[links[row.url]].error if row.url in links else refs[row.url]
        if isinstance(error_found, UnlatchError):
            if row.url in links and not isinstance(error_found, NotFound | Rejected):
                raise error_found  # no mistake in the file; the other addresses would fail too
            mistakes.append(f"line {row.line}: {row.url}: {error_found.message} [{error_found.id}]")
    if mistakes:
        raise MistakesError(
            "links-invalid",
            "the file has mistakes; nothing was linked",
            problems=tuple(sorted(mistakes, key=_line_of)),
            where=where,
            hint="fix these lines, then repeat the command",
        )
    plans: dict[str, LinkChange] = {}
    for row in rows:
        increment = increments[row.wanted]
        if isinstance(increment, Increment):
            plan = plans.setdefault(increment.id, LinkChange(increment, by))
            plan.add(seen[links[row.url]])
    return [*plans.values()]


def _read_meant(workspace: Workspace, wanted: str) -> Increment:
    return workspace.manager.read(find_increment(workspace, wanted).name)


def _each(names: Iterable[str], read: Callable[[str], T]) -> dict[str, T | UnlatchError]:
    results: dict[str, T | UnlatchError] = {}
    for name in dict.fromkeys(names):
        try:
            results[name] = read(name)
        except UnlatchError as error:
            results[name] = error
    return results


def _line_of(mistake: str) -> int:
    return int(mistake.partition(":")[0].removeprefix("line "))
