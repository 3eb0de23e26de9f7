"""One project, as use cases need it."""

from __future__ import annotations

from dataclasses import field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError, HostNotBound, PluginBroken, UnlatchError
from unlatch.errors.known_secrets import remember_secrets
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.paths import ProjectPaths, items_at, paths_at
from unlatch.project.registry import InstalledShapes, Registry
from unlatch.values import dataclass
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from unlatch.config.config import CoreConfig, RawConfig, UserConfig
    from unlatch.increments.model.increment import Increment
    from unlatch.project.allowed_targets import AllowedTargets
    from unlatch.project.check_trackers import CheckedTrackers
    from unlatch.spi import ItemRef, Settings
    from unlatch.transport.trust import TrustedHosts


def utc_now() -> datetime:
    """The time in whole seconds, the precision of files."""
    return datetime.now(UTC).replace(microsecond=0)


@dataclass
class Workspace:
    paths: ProjectPaths
    environ: Mapping[str, str]
    # The file with the user's own configuration; None for the usual one, which is slow to find.
    user_config: Path | None = None
    clock: Callable[[], datetime] = utc_now  # with a zone
    new_id: Callable[[], str] = new_ulid
    registry: Registry = field(default_factory=Registry)
    # The trackers' tables outside of a project, where no file configures any.
    tables: Mapping[str, Mapping[str, Any]] | None = None

    @property
    def is_of_user(self) -> bool:
        """Whether the records are this user's own, outside of a project."""
        return self.tables is not None

    @cached_property
    def manager(self) -> MetadataManager:
        shapes = InstalledShapes(self.registry)
        return MetadataManager(self.paths, shapes=shapes, clock=self.clock, new_id=self.new_id)

    @cached_property
    def beside(self) -> MetadataManager:
        """The records of items beside the increments; for these records, the increments."""
        root, is_of_items = self.paths.root, self.paths.increments.name == "items"
        other = paths_at(root) if is_of_items else items_at(root)
        return replace(self, paths=other).manager

    @cached_property
    def raw_config(self) -> RawConfig:
        """The content of the configuration files, mistakes included.

        Raises:
            ConfigError: one cannot be read.
        """
        from unlatch.config.config import RawConfig, read_config  # noqa: PLC0415  (slow to load)

        if self.tables is not None:
            return RawConfig(self.user.items.core, self.tables)
        return read_config(self.paths)

    @property
    def user_file(self) -> Path:
        from unlatch.worklog.disk.user_files import user_config_file  # noqa: PLC0415

        return self.user_config or user_config_file()

    @cached_property
    def user(self) -> UserConfig:
        """The user's own configuration; ConfigError: it has mistakes."""
        from unlatch.config.config import read_user_config  # noqa: PLC0415

        return read_user_config(self.user_file)

    @cached_property
    def trusted_hosts(self) -> TrustedHosts:
        """The hosts that tokens may be sent to besides the vendors'.

        Raises:
            ConfigError: their file has mistakes.
        """
        from unlatch.transport.trust import read_trusted_hosts  # noqa: PLC0415  (for trackers)

        manifests, entries = self.registry.manifests.values(), self.user.trusted_hosts
        return read_trusted_hosts(self.environ, manifests, entries, file=str(self.user_file))

    @property
    def config(self) -> CoreConfig:
        """The core's configuration; ConfigError lists all mistakes, also those of the user's."""
        _ = self.user, self._checked
        return self.raw_config.core

    @cached_property
    def settings(self) -> Mapping[str, Settings]:
        """The settings of the configured trackers, by name; ConfigError: the files have mistakes.

        Without those of broken plugins, which hinder no other tracker.
        """
        return {
            name: settings if self.registry.is_own(name) else self._guarded(name, settings)
            for name, settings in self.own_settings.items()
        }

    def _guarded(self, name: str, settings: Settings) -> Settings:
        from unlatch.project.plugins.guard import guard_settings  # noqa: PLC0415  (slow to load)

        # Before one of them is chosen: the code of the settings may read them, too.
        places = (getattr(token, "token", None) for token in self.registry.manifest(name).tokens)
        remember_secrets(*(self.environ.get(variable, "") for variable in places if variable))
        return guard_settings(name, settings)

    @cached_property
    def own_settings(self) -> Mapping[str, Settings]:
        """The same as the plugins made them, which they get themselves."""
        if (allowed := self.allowed_targets) is None:
            return self._checked.settings
        from unlatch.project.allowed_targets import LimitedSettings  # noqa: PLC0415  (of a fleet)

        limited: dict[str, Any] = {
            name: LimitedSettings(settings, self.registry.manifest(name), allowed)
            for name, settings in self._checked.settings.items()
        }
        return limited

    @cached_property
    def allowed_targets(self) -> AllowedTargets | None:
        """The targets of this process in a fleet; UsageError `targets-invalid`."""
        if "UNLATCH_ALLOWED_TARGETS" not in self.environ:
            return None
        from unlatch.project.allowed_targets import read_allowed_targets  # noqa: PLC0415  (as above)

        return read_allowed_targets(self.environ, self.trusted_hosts.bound)

    def recognise(self, url: str) -> tuple[Mapping[str, ItemRef], Mapping[str, PluginBroken]]:
        """The item at an address by the settings of each tracker that knows it.

        A plugin that fails does not hide the item of another one.

        Returns:
            The items, and the errors of the plugins that failed, by tracker.
        """
        refs: dict[str, ItemRef] = {}
        failed: dict[str, PluginBroken] = {}
        for name, settings in self.settings.items():
            try:
                if ref := settings.recognise(url):
                    refs[name] = ref
            except PluginBroken as error:
                failed[name] = error
        return refs, failed

    @property
    def broken(self) -> Mapping[str, PluginBroken]:
        """The errors of the configured trackers' plugins, by the trackers' names."""
        return self._checked.broken

    def check_config(self) -> None:
        """Check the configuration before anything is recorded.

        ConfigError lists all mistakes. HostNotBound: a tracker's host is trusted in an entry that
        names no tracker, so that what is recorded could not be delivered.
        """
        _ = self.config
        if not self.settings or not self.trusted_hosts.unbound:
            return
        from unlatch.transport.trust import check_origin  # noqa: PLC0415  (rarely needed)

        for name, settings in self.settings.items():
            try:
                check_origin(settings.base_url, self.registry.manifest(name), self.trusted_hosts)
            except HostNotBound:
                raise
            except UnlatchError:
                continue  # the delivery to this tracker reports it

    def check_links(self, increment: Increment) -> None:
        """Refuse an increment that names items of a broken plugin: nobody else can read its links.

        PluginBroken: that plugin's.
        """
        for error in broken_links(increment, self.registry).values():
            raise error

    @cached_property
    def _checked(self) -> CheckedTrackers:
        from unlatch.project.check_trackers import check_trackers  # noqa: PLC0415

        checked = check_trackers(self.raw_config, self.registry)
        if checked.problems:
            where = self.user_file if self.is_of_user else self.paths.config
            hint = "unlatch doctor --settings"
            raise ConfigError(checked.problems, where=str(where), hint=hint)
        return checked


def broken_links(increment: Increment, registry: Registry) -> Mapping[str, PluginBroken]:
    """The errors of the broken plugins whose items an increment names, by their trackers."""
    from unlatch.increments.records.unread_places import names_any  # noqa: PLC0415  (for links)

    if registry.all_sound or not names_any(increment.data, registry.targets):
        return {}
    return {
        name: error for name, error in registry.broken.items() if names_any(increment.data, [name])
    }
