"""The project's own rules for making an increment active."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from unlatch.increments.files.locks import ACTIVE, store_lock
from unlatch.increments.model.status import Status
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.increments.model.policies import RuleViolation
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ActivationOptions:
    """The options that concern the rules.

    Args:
        category: the kind of reason.
        is_asked: whether a prompt will ask for a missing category.
    """

    category: str | None = None
    force: bool = False
    is_asked: bool = False


@dataclass(frozen=True, slots=True)
class Approval:
    """A change of status that the rules allow.

    Args:
        category: the kind of reason, as it is recorded.
        forced: the ids of the violations that were overridden, to be recorded.
        warnings: violations to show, the overridden ones included.
    """

    category: str | None = None
    forced: tuple[str, ...] = ()
    warnings: tuple[UnlatchError, ...] = ()


# The increments of a project by folder; a command that activates many reads them once.
WipSnapshot: TypeAlias = "dict[Path, Increment | BrokenIncrement]"
DEFAULT_ACTIVATION = ActivationOptions()
APPROVED = Approval()


@contextmanager
def lock_activation(workspace: Workspace) -> Iterator[WipSnapshot | None]:
    """Lock increment activation; yields None if the project has no limits."""
    if not workspace.config.limits.rules.is_limited:
        yield None
        return
    with store_lock(workspace.paths, ACTIVE):
        yield {increment.folder: increment for increment in workspace.manager.list()}


@contextmanager
def allow_activation(
    workspace: Workspace,
    increment: Increment,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
    *,
    wip: WipSnapshot | None = None,
) -> Iterator[Approval]:
    """Let an increment become active within this context, if the rules allow it.

    If the number of active increments is limited, commands that add to it wait for each other here,
    so that two cannot take the last place. Pausing and completing only make room and do not need
    this lock. It is taken before the increments' own locks.

    Args:
        wip: the count, from a caller that already holds the lock.

    Raises:
        UnlatchError: a limit or a rule of the project forbids it, or is not known.
    """
    is_limited = workspace.config.limits.rules.is_limited and wip is None
    with store_lock(workspace.paths, ACTIVE) if is_limited else nullcontext():
        now = workspace.manager.read(increment.id)
        yield check_activation(workspace, now, activation, wip=wip)


def check_activation(
    workspace: Workspace,
    increment: Increment,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
    *,
    wip: WipSnapshot | None = None,
) -> Approval:
    """Check that an increment may become active now.

    Raises:
        StoreError: `wip-limit`, `reopen-too-late` or `reopened-too-often`.
        UsageError: `category-missing` or `category-unknown`.
        ConfigError: the configuration has mistakes, so that the rules are not known.
    """
    # A move that activates nothing does without the rules.
    from unlatch.increments.model.limits import limit_violations  # noqa: PLC0415
    from unlatch.increments.model.policies import Policy  # noqa: PLC0415
    from unlatch.increments.model.reopen_rules import category_of, reopen_violations  # noqa: PLC0415

    category = category_of(activation.category, workspace.config.reopen.rules)
    if increment.status is Status.ACTIVE:
        return APPROVED  # nothing is added; a repeated CI step must not be refused
    violations: list[RuleViolation] = []
    limits = workspace.config.limits.rules
    if limits.is_limited:
        everything = workspace.manager.list() if wip is None else wip.values()
        violations += limit_violations(increment, everything, limits)
    if increment.status is Status.COMPLETED:
        rules = workspace.config.reopen.rules
        if activation.is_asked:
            rules = replace(rules, category_required=False)
        violations += reopen_violations(increment, rules, category=category, now=workspace.clock())
    refusals = [violation for violation in violations if violation.policy is Policy.REFUSE]
    if refusals and not activation.force:
        raise _joined(refusals, increment)
    return Approval(
        category if increment.status is Status.COMPLETED else None,
        forced=tuple(dict.fromkeys(violation.error.id for violation in refusals)),
        warnings=tuple(violation.error for violation in violations),
    )


def _joined(refusals: list[RuleViolation], increment: Increment) -> UnlatchError:
    """One error with every refusal, so that the user sees all of them at once."""
    errors = [violation.error for violation in refusals]
    hints = [*(error.hint for error in errors if error.hint), "or --force, which is recorded"]
    message = "; ".join(error.message for error in errors)
    first = errors[0]
    return type(first)(first.id, message, where=increment.id, hint="; ".join(hints))
