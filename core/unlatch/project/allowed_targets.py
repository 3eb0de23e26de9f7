"""The targets of a process that the node of a fleet started with the tokens of many repositories.

The node names them in the environment. What the files of the repository say beyond that is refused:
a configuration, a link, a pending operation. It holds twice: settings allow no other item, so that
none is read, and each write of a plugin is checked again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected, UsageError
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from unlatch.errors import TrackerError
    from unlatch.spi import (
        Change,
        CommentRef,
        ItemRef,
        Outcome,
        RemoteItem,
        Snapshot,
        SyncPlugin,
    )

# The variable with a JSON object: the names of targets (`ItemRef.target`) by tracker.
ALLOWED_TARGETS = "UNLATCH_ALLOWED_TARGETS"


@dataclass(frozen=True, slots=True)
class AllowedTargets:
    """Targets by tracker; trackers compare their names without case."""

    names: Mapping[str, Collection[str]]

    def has(self, tracker: str, target: str | None) -> bool:
        return target is not None and target.casefold() in self.names.get(tracker, ())

    def check(self, tracker: str, target: str | None, url: str | None = None) -> None:
        """Refuse requests elsewhere; Rejected `target-not-allowed`."""
        if not self.has(tracker, target):
            refused = self.refused(target, url)
            error = Rejected(refused.id, refused.message, where=url, hint=refused.hint)
            error.withheld = True  # the operation is delivered once its target is allowed
            raise error

    def refused(self, target: str | None, url: str | None) -> UsageError:
        """The error for a target that is not among them."""
        message = f"{target or 'no target'} is not among the targets that the fleet allows here"
        hint = "its operator lists the targets of each repository in fleet.toml"
        return UsageError("target-not-allowed", message, where=url, hint=hint)


def read_allowed_targets(environ: Mapping[str, str]) -> AllowedTargets | None:
    """The targets in the environment; None if this process may write to all configured ones.

    Raises:
        UsageError: `targets-invalid`.
    """
    if (given := environ.get(ALLOWED_TARGETS)) is None:
        return None
    try:
        names = {
            str(tracker): frozenset(str(target).casefold() for target in targets)
            for tracker, targets in json.loads(given).items()
        }
    except (ValueError, AttributeError, TypeError) as error:
        message = f"{ALLOWED_TARGETS} is not a JSON object with a list for each tracker"
        hint = f"""write it as '{{"github": ["octo/widgets"]}}', or unset {ALLOWED_TARGETS}"""
        raise UsageError("targets-invalid", message, hint=hint) from error
    return AllowedTargets(names)


class LimitedSettings:
    """The settings of a tracker, which allow items in some targets only."""

    def __init__(self, settings: Any, allowed: AllowedTargets) -> None:
        self._settings, self._allowed = settings, allowed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._settings, name)

    def allows(self, ref: ItemRef) -> bool:
        return self._allowed.has(ref.tracker, ref.target) and bool(self._settings.allows(ref))


def limit_plugin(
    plugin: SyncPlugin, name: str, target: str | None, allowed: AllowedTargets
) -> SyncPlugin:
    """The plugin of a tracker, limited to some targets; `target` is that of new items."""
    limited: Any = _LimitedPlugin(plugin, name, target, allowed)
    return limited  # type: ignore[no-any-return]  # it has the methods of the interface


class _LimitedPlugin:
    """A plugin that writes to some targets only, whatever its caller has checked."""

    def __init__(self, plugin: Any, name: str, target: str | None, allowed: AllowedTargets) -> None:
        self._plugin, self._name, self._target, self._allowed = plugin, name, target, allowed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plugin, name)

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        self._check(snapshot.item.ref)
        outcome: Outcome = self._plugin.write(snapshot, change)
        return outcome

    def create(self, change: Change) -> Outcome:
        self._check_own()
        outcome: Outcome = self._plugin.create(change)
        return outcome

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        self._check_own()
        item: RemoteItem | None = self._plugin.find_created(op, since)
        return item

    def write_many(self, wanted: Sequence[tuple[Snapshot, Change]]) -> Sequence[Any]:
        errors: dict[int, TrackerError] = {}
        for number, (snapshot, _) in enumerate(wanted):
            try:
                self._check(snapshot.item.ref)
            except Rejected as error:
                errors[number] = error
        allowed = [part for number, part in enumerate(wanted) if number not in errors]
        results = iter(self._plugin.write_many(allowed) if allowed else ())
        return [errors.get(number) or next(results) for number in range(len(wanted))]

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        self._check(ref)
        self._plugin.retract_comment(ref, comment)

    def acknowledge(self, ref: ItemRef, comment: str) -> None:
        self._check(ref)
        self._plugin.acknowledge(ref, comment)

    def _check(self, ref: ItemRef) -> None:
        self._allowed.check(ref.tracker, ref.target, ref.url)

    def _check_own(self) -> None:
        """Check the place of new items."""
        self._allowed.check(self._name, self._target)
