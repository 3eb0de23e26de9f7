"""The targets of a process that the node of a fleet started with the tokens of many repositories.

The node names them in the environment. What the files of the repository say beyond that is refused:
a configuration, a link, a pending operation. It holds twice: settings allow no other item, so that
none is read, and each write of a plugin is checked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from unlatch.errors import Rejected, UsageError
from unlatch.transport.trust import credential_host
from unlatch.values import dataclass
from unlatch.worklog.json_text import load_json

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from unlatch.errors import TrackerError
    from unlatch.spi import (
        Change,
        CommentRef,
        ItemRef,
        Manifest,
        Outcome,
        RemoteItem,
        Settings,
        Snapshot,
        SyncPlugin,
    )

# The variable with a JSON object: the names of targets (`ItemRef.target`) by tracker.
ALLOWED_TARGETS = "UNLATCH_ALLOWED_TARGETS"


@dataclass(frozen=True, slots=True)
class AllowedTargets:
    """Targets by tracker, as HOST/TARGET, without case.

    TARGET alone is one on a host that the vendor or the operator names, as github.com. Where a
    vendor has a host for each customer, only the host says whose project is meant; it is that of
    the requests, as a configuration can name any address for browsers.

    Args:
        hosts: those that the operator names for trackers.
    """

    names: Mapping[str, Collection[str]]
    hosts: Mapping[str, Collection[str]]

    def has(self, manifest: Manifest, settings: Settings, target: str | None) -> bool:
        names, base = self.names.get(manifest.name, ()), _base_of(settings)
        if target is None or not names:
            return False
        # Without case, as trackers compare names.
        is_named = base in (*manifest.hosts, *self.hosts.get(manifest.name, ()))
        return (is_named and target.casefold() in names) or f"{base}/{target}".casefold() in names

    def refused(self, target: str | None, url: str | None = None) -> UsageError:
        """The error for a target that is not among them."""
        message = f"{target or 'no target'} is not among the targets that the fleet allows here"
        hint = "its operator lists the targets of each repository in fleet.toml"
        return UsageError("target-not-allowed", message, where=url, hint=hint)


def _base_of(settings: Settings) -> str:
    """The host, and the path on it, below which a target's name is the only one."""
    address = str(getattr(settings, "target_base", settings.base_url))
    return f"{credential_host(address)}{urlsplit(address).path.rstrip('/')}"


def read_allowed_targets(
    environ: Mapping[str, str], hosts: Mapping[str, Collection[str]]
) -> AllowedTargets | None:
    """The targets in the environment; None if this process may write to all configured ones.

    Args:
        hosts: those of `TrustedHosts.bound`.

    Raises:
        UsageError: `targets-invalid`.
    """
    if (given := environ.get(ALLOWED_TARGETS)) is None:
        return None
    try:
        names = {
            str(tracker): frozenset(
                str(target).casefold().removeprefix("api.") for target in targets
            )
            for tracker, targets in load_json(given).items()
        }
    except (ValueError, AttributeError, TypeError) as error:
        message = f"{ALLOWED_TARGETS} is not a JSON object with a list for each tracker"
        hint = f"""write it as '{{"github": ["octo/widgets"]}}', or unset {ALLOWED_TARGETS}"""
        raise UsageError("targets-invalid", message, hint=hint) from error
    return AllowedTargets(names, hosts)


class LimitedSettings:
    """The settings of a tracker, which allow items in some targets only."""

    def __init__(self, settings: Any, manifest: Manifest, allowed: AllowedTargets) -> None:
        self._settings, self._manifest, self._allowed = settings, manifest, allowed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._settings, name)

    def allows(self, ref: ItemRef) -> bool:
        return self.may_reach(ref.target) and bool(self._settings.allows(ref))

    def may_reach(self, target: str | None) -> bool:
        """Whether the fleet allows a target, configured or not."""
        return self._allowed.has(self._manifest, self._settings, target)

    def check(self, target: str | None, url: str | None = None) -> None:
        """Refuse requests elsewhere; Rejected `target-not-allowed`."""
        if not self.may_reach(target):
            refused = self._allowed.refused(target, url)
            error = Rejected(refused.id, refused.message, where=url, hint=refused.hint)
            error.withheld = True  # the operation is delivered once its target is allowed
            raise error


def limit_plugin(plugin: SyncPlugin, settings: LimitedSettings) -> SyncPlugin:
    """The plugin of a tracker, which writes only where its settings allow it."""
    limited: Any = _LimitedPlugin(plugin, settings)
    return limited  # type: ignore[no-any-return]  # it has the methods of the interface


class _LimitedPlugin:
    """A plugin that writes to allowed targets only: it checks each write itself."""

    def __init__(self, plugin: Any, settings: LimitedSettings) -> None:
        self._plugin, self._settings = plugin, settings

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plugin, name)

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        self._check(snapshot.item.ref)
        outcome: Outcome = self._plugin.write(snapshot, change)
        return outcome

    def create(self, change: Change) -> Outcome:
        self._settings.check(self._settings.target)
        outcome: Outcome = self._plugin.create(change)
        return outcome

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        self._settings.check(self._settings.target)
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
        self._settings.check(ref.target, ref.url)
