"""Changing what an increment has to do: more work, or parts of it once again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.increments.files import front_matter
from unlatch.increments.files.amendments import (
    build_updates,
    document,
    documents_of,
    plan_amendment,
)
from unlatch.increments.files.layout import SPEC, TASKS
from unlatch.increments.model.amendment import Amended, Amendment
from unlatch.lifecycle.bodies import shown_in_bodies
from unlatch.spi.operation import Kind, Operation
from unlatch.spi.options import AS_CONFIGURED, DeliveryOptions
from unlatch.spi.text import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.increments.documents import NewTask
    from unlatch.increments.files.plans import Plan
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.workspace import Workspace

LONGEST_CHANGE = 10_000
LONGEST_TITLE = 300
MOST_TASKS = 200
_WHOLE = 100
_TARGET_KEYS = ("coverage_target", "coverageTarget")


@dataclass(frozen=True, slots=True)
class Scope:
    """What an amendment came to.

    Args:
        amended: the amendment, as it was recorded.
        total: how many tasks there are now, discarded ones left out.
        spared: links whose items are left alone, because they are about other user stories.
        coverage: the share of the code that tests are to cover, in percent, if the files name one.
    """

    amended: Amended
    total: int
    spared: tuple[Link, ...] = ()
    coverage: float | None = None

    @property
    def new(self) -> int:
        """How many of the tasks are new."""
        return len(self.amended.amendment.ids)

    @property
    def original(self) -> int:
        """How many were there before."""
        return self.total - self.new


def scope_change(change: str, tasks: Iterable[NewTask]) -> Amendment:
    """More work.

    Raises:
        UsageError: `change-missing`, `change-too-long`, `task-unusable` or `too-many-tasks`.
    """
    change = without_surrogates(change).strip()
    if not change:
        raise UsageError(
            "change-missing", "--scope is required: describe the change", hint="--scope TEXT"
        )
    if len(change) > LONGEST_CHANGE:
        raise UsageError(
            "change-too-long",
            f"the change has {len(change):,} characters; at most {LONGEST_CHANGE:,} are kept",
            hint="say it in short and put the rest into spec.md",
        )
    return Amendment(change, tuple(map(_checked, _few(tuple(tasks)))))


def _few(tasks: Sequence[NewTask]) -> Sequence[NewTask]:
    if len(tasks) > MOST_TASKS:
        raise UsageError(
            "too-many-tasks",
            f"{len(tasks)} tasks are proposed; at most {MOST_TASKS} are taken at once",
            hint="make an increment of its own: unlatch new TITLE",
        )
    return tasks


def _checked(task: NewTask) -> NewTask:
    from unlatch.increments.documents import NewTask  # noqa: PLC0415

    title = " ".join(without_surrogates(task.title).split())
    if not title or len(title) > LONGEST_TITLE:
        problem = "is empty" if not title else f"has more than {LONGEST_TITLE} characters"
        raise UsageError(
            "task-unusable", f"the title of a task {problem}", hint="name each task in one line"
        )
    return NewTask(
        title,
        without_surrogates(task.story).strip() or None if task.story else None,
        tuple(filter(None, (without_surrogates(one).strip() for one in task.criteria))),
        without_surrogates(task.description) if task.description else None,
    )


def parts_of(
    increment: Increment, *, tasks: Sequence[str], stories: Sequence[str], criteria: Sequence[str]
) -> Amendment:
    """Parts that are to be done again.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
        StoreError: `document-unreadable`.
    """
    from unlatch.increments.documents import check_parts  # noqa: PLC0415

    spec, listed = (document(increment.folder, name) for name in (SPEC, TASKS))
    parts = check_parts(spec, listed, task_ids=tasks, other_ids=(*stories, *criteria))
    return Amendment(parts=parts)


def spared_by(increment: Increment, amendment: Amendment) -> tuple[Link, ...]:
    """The links whose items an amendment leaves alone: those of stories that it does not touch."""
    from unlatch.increments.documents import touched_stories  # noqa: PLC0415

    if not amendment.parts:
        return ()
    texts = documents_of(increment)
    touched = touched_stories(texts[SPEC], texts[TASKS], amendment.parts)
    return tuple(
        link
        for link in increment.links
        if link.story is not None and link.story.casefold() not in touched
    )


def updated_by(
    workspace: Workspace, increment: Increment, amendment: Amendment
) -> tuple[Link, ...]:
    """The links whose items show check boxes that an amendment changes."""
    spared = spared_by(increment, amendment)
    return tuple(one for one in shown_in_bodies(workspace, increment) if one not in spared)


def is_known(increment: Increment, amendment: Amendment) -> bool:
    """Whether an amendment of an active increment says nothing new, as a step that CI repeats."""
    from unlatch.increments.documents import are_open  # noqa: PLC0415

    if amendment.change is None:
        texts = documents_of(increment)
        return are_open(texts[SPEC], texts[TASKS], amendment.parts)
    said = (amendment.change, amendment.tasks)
    return said in [(one.amendment.change, one.amendment.tasks) for one in increment.amended]


def plan_work(
    workspace: Workspace,
    plan: Plan,
    amendment: Amendment,
    *,
    by: str,
    reason: str | None,
    options: DeliveryOptions,
) -> tuple[Plan, Scope | None]:
    """A plan with what an amendment would change besides; None if that was changed before.

    Raises:
        StoreError: `document-unreadable`.
    """
    before, is_reopen = plan.before, plan.entry is not None
    if not is_reopen and is_known(before, amendment):
        return plan, None
    made = plan_amendment(
        before.folder, Amended(workspace.new_id(), workspace.clock(), by, amendment, reason)
    )
    more = operations_for(workspace, before, made, is_reopen=is_reopen, options=options)
    kept = plan.after.pending
    if is_reopen:
        known = {one.key for one in before.pending}
        kept = tuple(one for one in kept if one.key in known)
    after = replace(plan.after, pending=(*kept, *more), amendments=(*plan.after.amendments, made))
    return replace(plan, after=after), scope_of(after, made)


def operations_for(
    workspace: Workspace,
    increment: Increment,
    amended: Amended,
    *,
    is_reopen: bool,
    options: DeliveryOptions = AS_CONFIGURED,
) -> tuple[Operation, ...]:
    """The operations that follow from an amendment for the items.

    A reopen has one for all but the spared ones. Where the increment is active, new work is
    told on each item, and of parts that are to be done again the items of their user stories are
    reopened; what is about the increment as a whole is open as it is.
    """
    amendment = amended.amendment
    spared = spared_by(increment, amendment)
    links = [link for link in increment.links if link not in spared]
    if not is_reopen and amendment.change is None:
        links = [link for link in links if link.story is not None]
    said = amended.reason or amendment.change
    is_state = is_reopen or amendment.change is None
    at, by = amended.at, amended.by
    told = tuple(
        Operation(
            amended.id,
            Kind.REOPEN,
            link.tracker,
            link.key,
            at,
            by,
            said,
            state=is_state,
            options=options,
        )
        for link in links
    )
    updates = updated_by(workspace, increment, amendment)
    return (*told, *build_updates(workspace.new_id, updates, at=at, by=by))


def amend_active(
    workspace: Workspace,
    increment: Increment,
    amendment: Amendment,
    *,
    by: str,
    reason: str | None,
    options: DeliveryOptions = AS_CONFIGURED,
) -> tuple[Increment, Amended]:
    """Change the work of an increment that is active, and enqueue the updates of its items.

    Raises:
        StoreError: its files cannot be read or written; nothing was changed.
    """
    amended = Amended(workspace.new_id(), workspace.clock(), by, amendment, reason)
    owed = operations_for(workspace, increment, amended, is_reopen=False, options=options)
    return workspace.manager.amend(increment.id, amended, operations=owed)


def scope_of(increment: Increment, amended: Amended) -> Scope:
    """What an amendment came to, by the increment's documents as they are then."""
    from unlatch.increments.documents import progress, read_tasks  # noqa: PLC0415  (needed rarely)

    texts = documents_of(increment)
    _, total = progress(read_tasks(texts[TASKS]))
    spared = spared_by(increment, amended.amendment)
    return Scope(amended, total, spared, _coverage(increment, texts))


def _coverage(increment: Increment, texts: Mapping[str, str]) -> float | None:
    """The coverage target: of the tasks, else of the specification, else of metadata.json."""
    places = (front_matter.values(texts[TASKS]), front_matter.values(texts[SPEC]), increment.data)
    for place in places:
        for key in _TARGET_KEYS:
            if (found := _percent(place.get(key))) is not None:
                return found
    return None


def _percent(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(str(value).strip().removesuffix("%"))
    except ValueError:
        return None
    return number if 0 < number <= _WHOLE else None
