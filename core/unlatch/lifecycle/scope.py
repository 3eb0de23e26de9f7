"""Changes of an increment's work: new work, or parts to be done again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from unlatch.errors import UsageError
from unlatch.increments.files import front_matter
from unlatch.increments.files.amendments import documents_of
from unlatch.increments.files.layout import SPEC, TASKS
from unlatch.increments.files.plans import Intent, Plan, plan_amend
from unlatch.increments.files.reading import document
from unlatch.increments.model.increment import Amendment, AppliedAmendment, Increment, Link, NewTask
from unlatch.lifecycle.amended_items import operations_for, spared_by
from unlatch.project.workspace import Workspace
from unlatch.spi.text import without_surrogates

LONGEST_CHANGE = 10_000
LONGEST_TITLE = 300
MOST_TASKS = 200
_WHOLE = 100
_TARGET_KEYS = ("coverage_target", "coverageTarget")


@dataclass(frozen=True, slots=True)
class Scope:
    """An increment's work after an amendment.

    Args:
        total: the number of tasks, without discarded ones.
        spared: links whose items are not affected, because they belong to other user stories.
        coverage: the coverage target in percent, if the files name one.
    """

    amended: AppliedAmendment
    total: int
    spared: tuple[Link, ...] = ()
    coverage: float | None = None

    @property
    def new(self) -> int:
        return len(self.amended.amendment.ids)

    @property
    def original(self) -> int:
        return self.total - self.new


def scope_change(
    change: str, tasks: Iterable[NewTask], *, about: tuple[str, ...] = ()
) -> Amendment:
    """Check a change with new tasks; without any, `about` names its stories and criteria.

    Raises:
        UsageError: `change-missing`, `change-too-long`, `task-unusable` or `too-many-tasks`.
    """
    change, tasks = without_surrogates(change).strip(), tuple(tasks)
    if not change:
        raise UsageError(
            "change-missing", "--scope is required: describe the change", hint="--scope TEXT"
        )
    if len(change) > LONGEST_CHANGE:
        raise UsageError(
            "change-too-long",
            f"the change has {len(change):,} characters; at most {LONGEST_CHANGE:,} are kept",
            hint="shorten it and put the rest into spec.md",
        )
    if len(tasks) > MOST_TASKS:
        raise UsageError(
            "too-many-tasks",
            f"{len(tasks)} tasks are proposed; at most {MOST_TASKS} are taken at once",
            hint="make an increment of its own: unlatch new TITLE",
        )
    return Amendment(change, tuple(map(_checked_task, tasks)), about=() if tasks else about)


def _checked_task(task: NewTask) -> NewTask:
    title = " ".join(without_surrogates(task.title).split())
    if not title or len(title) > LONGEST_TITLE:
        problem = "is empty" if not title else f"has more than {LONGEST_TITLE} characters"
        raise UsageError(
            "task-unusable", f"the title of a task {problem}", hint="name each task in one line"
        )
    criteria = (without_surrogates(one).strip() for one in task.criteria)
    return replace(
        task,
        title=title,
        story=without_surrogates(task.story or "").strip() or None,
        criteria=tuple(filter(None, criteria)),
        description=without_surrogates(task.description or "") or None,
    )


def parts_of(
    increment: Increment, *, tasks: Sequence[str], stories: Sequence[str], criteria: Sequence[str]
) -> Amendment:
    """Parts to be done again.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
        StoreError: `document-unreadable`.
    """
    from unlatch.increments.documents.scope_change import check_parts  # noqa: PLC0415

    spec, listed = (document(increment.folder, name) for name in (SPEC, TASKS))
    parts = check_parts(spec, listed, task_ids=tasks, other_ids=(*stories, *criteria))
    return Amendment(parts=parts)


def unknown_names(increment: Increment, amendment: Amendment) -> list[str]:
    """The stories and criteria of new tasks that spec.md lacks."""
    from unlatch.increments.documents.spec import read_spec  # noqa: PLC0415

    spec = read_spec(documents_of(increment)[SPEC])
    ids = [*(one.id for one in spec.stories), *(one.id for one in spec.criteria)]
    known = {one.casefold() for one in ids}
    named = {name for names in amendment.belongings for name in names}
    return sorted(name for name in named if name.casefold() not in known)


def is_known(increment: Increment, amendment: Amendment) -> bool:
    """Whether an amendment of an active increment is known, as in a repeated CI step."""
    from unlatch.increments.documents.scope_change import are_open  # noqa: PLC0415

    if amendment.change is None:
        texts = documents_of(increment)
        return are_open(texts[SPEC], texts[TASKS], amendment.parts)
    done = (replace(one.amendment, unwritten=()) for one in increment.amended)
    tasks = ((one, tuple(replace(task, id="") for task in one.tasks)) for one in done)
    return amendment in [replace(one, tasks=planned) for one, planned in tasks]


def plan_amendment_of_active(
    workspace: Workspace, plan: Plan, intent: Intent, amendment: Amendment
) -> tuple[Plan, Scope | None]:
    """The plan with the amendment that follows it; None if it was already made.

    Raises:
        StoreError: `document-unreadable`.
    """
    before = plan.before
    if is_known(before, amendment):
        return plan, None
    amended = amended_by(intent, amendment)
    operations = operations_for(workspace, before, amended, intent.options)
    after = plan_amend(plan.after, amended, *operations).after
    return replace(plan, after=after), scope_of(after, amended.id)


def amend_active(
    workspace: Workspace, increment: Increment, intent: Intent, amendment: Amendment
) -> tuple[Increment, frozenset[str]]:
    """Change the work of an active increment, and enqueue the operations for its items.

    Returns:
        the increment, and the intents that were added.

    Raises:
        StoreError: its files cannot be read or written; nothing was changed.
    """
    amended = amended_by(intent, amendment)
    operations = operations_for(workspace, increment, amended, intent.options)
    _, after = workspace.manager.apply(
        increment.id,
        lambda before, _: plan_amend(before, amended, *operations),
        by=intent.by,
        unarchive=True,
    )
    return after, frozenset(one.op for one in operations)


def amended_by(intent: Intent, amendment: Amendment) -> AppliedAmendment:
    return AppliedAmendment(intent.op, intent.at, intent.by, amendment, intent.reason)


def scope_of(increment: Increment, amendment_id: str) -> Scope:
    """The change of an increment's work, from its documents after the change."""
    from unlatch.increments.documents.model import progress  # noqa: PLC0415  (needed rarely)
    from unlatch.increments.documents.tasks import read_tasks  # noqa: PLC0415  (needed rarely)

    amended = next(one for one in increment.amended if one.id == amendment_id)
    texts = documents_of(increment)
    _, total = progress(read_tasks(texts[TASKS]))
    spared = spared_by(increment, amended.amendment)
    return Scope(amended, total, spared, _coverage(increment, texts))


def _coverage(increment: Increment, texts: Mapping[str, str]) -> float | None:
    """The coverage target: of the tasks, else of the specification, else of metadata.json."""
    places = (front_matter.values(texts[TASKS]), front_matter.values(texts[SPEC]), increment.data)
    found = (_percent(place.get(key)) for place in places for key in _TARGET_KEYS)
    return next((one for one in found if one is not None), None)


def _percent(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(str(value).strip().removesuffix("%"))
    except ValueError:
        return None
    return number if 0 < number <= _WHOLE else None
