"""One project, as use cases need it."""

from __future__ import annotations

from dataclasses import field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.paths import items_at, paths_at
from unlatch.project.registry import InstalledShapes, Registry
from unlatch.values import dataclass
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from unlatch.config.config import CoreConfig, RawConfig, UserConfig
    from unlatch.increments.files.paths import ProjectPaths
    from unlatch.spi import Settings


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

    @cached_property
    def manager(self) -> MetadataManager:
        shapes = InstalledShapes(self.registry)
        return MetadataManager(self.paths, shapes=shapes, clock=self.clock, new_id=self.new_id)

    @cached_property
    def beside(self) -> MetadataManager:
        """The records of items beside the increments; for these records, the increments."""
        of_items = items_at(self.paths.root)
        other = paths_at(self.paths.root) if self.paths == of_items else of_items
        return replace(self, paths=other).manager

    @cached_property
    def raw_config(self) -> RawConfig:
        """The content of the configuration files, mistakes included; raises as `read_config`."""
        from unlatch.config.config import (  # noqa: PLC0415  (slow to load)
            CoreConfig,
            RawConfig,
            read_config,
        )

        if self.tables is not None:
            return RawConfig(CoreConfig(), self.tables)
        return read_config(self.paths)

    @property
    def user_file(self) -> Path:
        from unlatch.worklog.disk.user_files import user_config_file  # noqa: PLC0415

        return self.user_config or user_config_file()

    @cached_property
    def user(self) -> UserConfig:
        """The user's own configuration; raises as `read_user_config`."""
        from unlatch.config.config import read_user_config  # noqa: PLC0415

        return read_user_config(self.user_file)

    @property
    def config(self) -> CoreConfig:
        """The core's configuration; raises as `check_config`."""
        return self._checked[0]

    @property
    def settings(self) -> Mapping[str, Settings]:
        """The settings of the configured trackers, by name; raises as `check_config`."""
        return self._checked[1]

    def check_config(self) -> None:
        """Check the configuration before anything is recorded; ConfigError lists all mistakes.

        PluginBroken: the plugin of a configured tracker cannot be used.
        """
        _ = self.user, self._checked

    @cached_property
    def _checked(self) -> tuple[CoreConfig, Mapping[str, Settings]]:
        from unlatch.project.check_trackers import check_trackers  # noqa: PLC0415

        raw = self.raw_config
        checked = check_trackers(raw, self.registry)
        if checked.problems:
            where, hint = str(self.paths.config), "unlatch doctor --settings"
            raise ConfigError(checked.problems, where=where, hint=hint)
        for error in checked.broken:
            raise error
        return raw.core, checked.settings
