"""Install into agents' files and uninstall, as a plan that is shown before it is applied."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import remove_file, replace_file, writing
from unlatch.worklog.disk.safe_open import make_folders, remove_empty
from unlatch_agents.install.planning import FileChange, KeptEntry, Planning
from unlatch_agents.install.written import Written, changing_record, read_written, save_written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch_agents.install.catalog import Agent, Target


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """A plan.

    Args:
        agents: those for which a file changes.
        record: the entries that are ours afterwards.
        kept: the entries that stay though others are wanted, or none.
        failed: the agents that cannot be changed, and why; nothing of them is in the plan.
    """

    target: Target
    agents: tuple[Agent, ...]
    files: tuple[FileChange, ...]
    record: tuple[Written, ...]
    kept: tuple[KeptEntry, ...]
    failed: tuple[tuple[Agent, UnlatchError], ...]


def plan_install(agents: Iterable[Agent], target: Target) -> InstallPlan:
    """Plan to install, or to update; StoreError `agent-record-unreadable`."""
    return _plan(agents, target, Planning.install)


def plan_uninstall(agents: Iterable[Agent], target: Target) -> InstallPlan:
    """Plan to remove all unmodified entries; StoreError: a file cannot be read."""
    return _plan(agents, target, Planning.uninstall)


def _plan(
    agents: Iterable[Agent], target: Target, step: Callable[[Planning, Agent], None]
) -> InstallPlan:
    planning = Planning(target)
    files = planning.files()
    changed, failed = [], []
    for agent in agents:
        attempt = deepcopy(planning)  # another agent may use the same file
        try:
            step(attempt, agent)
            after = attempt.files()
        except UnlatchError as error:
            failed.append((agent, error))
            continue
        if after != files:
            changed.append(agent)
        planning, files = attempt, after
    record, kept = tuple(planning.record), tuple(dict.fromkeys(planning.kept))  # agents share files
    return InstallPlan(target, tuple(changed), files, record, kept, tuple(failed))


def apply_plan(plan: InstallPlan, replan: Callable[[], InstallPlan]) -> InstallPlan:
    """Carry out a plan; another command may have done a part of it meanwhile.

    Args:
        replan: makes the plan again, now that no other command can change these files.

    Returns:
        The plan that was carried out, with the agents for which it failed.

    Raises:
        StoreError: `agent-file-changed` if files changed in another way; `not-writable`.
    """
    with changing_record():
        now = replan()
        if len(now.failed) != len(plan.failed) or not all(
            change in plan.files for change in now.files
        ):
            message = "files of agents were changed meanwhile; nothing was written"
            raise StoreError("agent-file-changed", message, hint="run the command again")
        return _carry_out(now)


def _carry_out(plan: InstallPlan) -> InstallPlan:
    """Write the files; an agent with one that cannot be written has failed."""
    name, after = plan.target.name, set(plan.record)
    # Both, so that after a crash every entry is in the record.
    both = dict.fromkeys((*read_written(name), *plan.record))
    save_written(name, both)
    errors: dict[str, UnlatchError] = {}
    written = []
    for change in plan.files:
        try:
            _write(change)
            written.append(change)
        except StoreError as error:
            errors |= {entry.agent: error for entry in both if entry.path == change.path}
            after |= {entry for entry in both if entry.path == change.path}
    save_written(name, [entry for entry in both if entry in after])
    done = tuple(agent for agent in plan.agents if agent.name not in errors)
    failed = tuple((agent, errors[agent.name]) for agent in plan.agents if agent.name in errors)
    return replace(plan, agents=done, files=tuple(written), failed=(*plan.failed, *failed))


def _write(change: FileChange) -> None:
    if change.after is None:
        remove_file(change.path)
        if change.path.parent.name.startswith("unlatch-"):
            with suppress(OSError):  # the user has other files there
                remove_empty(change.path.parent)
                remove_empty(change.path.parent.parent)
        return
    with writing(change.path), suppress(FileExistsError):
        make_folders(change.path.parent)
    replace_file(change.path, change.after)
