"""Whether the project's own rules let an increment become active."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unlatch.increments.files.locks import ACTIVE, store_lock
from unlatch.increments.model.limits import against_limits
from unlatch.increments.model.reopening import against_reopening, category_of
from unlatch.increments.model.rule_violation import Policy
from unlatch.increments.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.increments.model.rule_violation import RuleViolation
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ActivationOptions:
    """What was typed that bears on the rules.

    Args:
        category: the kind of reason.
        force: go on in spite of what the rules refuse; that is recorded.
        is_asked: whether a category that is missing will be asked for.
    """

    category: str | None = None
    force: bool = False
    is_asked: bool = False


@dataclass(frozen=True, slots=True)
class Approval:
    """That an increment may become active, and on what terms.

    Args:
        category: the kind of reason, as it is to be recorded.
        forced: the ids of the refusals that were overridden.
        warnings: what a person should know, the overridden refusals included.
    """

    category: str | None = None
    forced: tuple[str, ...] = ()
    warnings: tuple[UnlatchError, ...] = ()


DEFAULT_ACTIVATION = ActivationOptions()
FREE = Approval()


class WipSnapshot:
    """The increments of a project, counted once by a command that makes many of them active.

    Args:
        found: all of them, as they were when the count began.
    """

    def __init__(self, found: Iterable[Increment | BrokenIncrement]) -> None:
        self._found = {one.folder: one for one in found}

    @property
    def found(self) -> list[Increment | BrokenIncrement]:
        """All increments, as they are now."""
        return list(self._found.values())

    def note(self, before: Increment, after: Increment) -> None:
        """Count an increment as it is by now; it may have left the archive."""
        self._found.pop(before.folder, None)
        self._found[after.folder] = after


@contextmanager
def lock_activation(workspace: Workspace) -> Iterator[WipSnapshot | None]:
    """Keep others from making increments active meanwhile; None where nothing limits them."""
    if not workspace.config.limits.rules.is_limited:
        yield None
        return
    with store_lock(workspace.layout, ACTIVE):
        yield WipSnapshot(workspace.manager.list())


@contextmanager
def allow_activation(
    workspace: Workspace,
    increment: Increment,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
    *,
    census: WipSnapshot | None = None,
) -> Iterator[Approval]:
    """Let an increment become active within, if the rules allow it.

    Where the number of active increments is limited, commands that add to it wait for each other
    here: each counts what the one before it made active, so that two cannot take the last place.
    The lock is another one than the increments' own, and is taken before them; pausing and
    completing only make room, and do not need it.

    Args:
        census: the count of whoever keeps the others waiting already.

    Raises:
        StoreError: `wip-limit`, `reopen-too-late` or `reopened-too-often`.
        UsageError: `category-missing` or `category-unknown`.
        ConfigError: the configuration has mistakes, so that the rules are not known.
    """
    limited = workspace.config.limits.rules.is_limited and census is None
    with store_lock(workspace.layout, ACTIVE) if limited else nullcontext():
        yield check_activation(
            workspace, workspace.manager.read(increment.id), activation, census=census
        )


def check_activation(
    workspace: Workspace,
    increment: Increment,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
    *,
    census: WipSnapshot | None = None,
) -> Approval:
    """The terms on which an increment may become active now.

    Raises:
        StoreError: `wip-limit`, `reopen-too-late` or `reopened-too-often`.
        UsageError: `category-missing` or `category-unknown`.
        ConfigError: the configuration has mistakes, so that the rules are not known.
    """
    category = category_of(activation.category, workspace.config.reopen.rules)
    if increment.status is Status.ACTIVE:
        return FREE  # nothing is added; a step that CI repeats must not be refused
    terms = Approval(category if increment.status is Status.COMPLETED else None)
    violations = _violations(workspace, increment, category, census, is_asked=activation.is_asked)
    if not violations:
        return terms
    refusals = [one for one in violations if one.policy is Policy.REFUSE]
    if refusals and not activation.force:
        raise _joined(refusals, increment)
    return replace(
        terms,
        forced=tuple(dict.fromkeys(one.error.id for one in refusals)),
        warnings=tuple(one.error for one in violations),
    )


def _violations(
    workspace: Workspace,
    increment: Increment,
    category: str | None,
    census: WipSnapshot | None,
    *,
    is_asked: bool,
) -> list[RuleViolation]:
    found: list[RuleViolation] = []
    limits = workspace.config.limits.rules
    if limits.is_limited:
        everything = census.found if census else workspace.manager.list()
        found += against_limits(increment, everything, limits)
    if increment.status is Status.COMPLETED:
        rules = workspace.config.reopen.rules
        if is_asked:
            rules = replace(rules, category_required=False)
        found += against_reopening(increment, rules, category=category, now=workspace.clock())
    return found


def _joined(refusals: list[RuleViolation], increment: Increment) -> UnlatchError:
    """One error that tells every refusal, so that none comes as a surprise after the other."""
    first = refusals[0].error
    hints = [one.error.hint for one in refusals if one.error.hint]
    return type(first)(
        first.id,
        "; ".join(one.error.message for one in refusals),
        where=increment.id,
        hint="; ".join([*hints, "or --force, which is recorded"]),
    )
