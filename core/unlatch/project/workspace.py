"""One project with everything that use cases need of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError
from unlatch.increments.files.manager import MetadataManager
from unlatch.project.registry import Registry, load, shapes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from unlatch.config.config import CoreConfig, RawConfig, UserConfig
    from unlatch.increments.files.layout import Layout
    from unlatch.spi import Settings


def utc_now() -> datetime:
    """The time, in whole seconds as files keep it."""
    return datetime.now(UTC).replace(microsecond=0)


def new_ulid() -> str:
    """A ULID for a new intent or event."""
    from ulid import ULID  # noqa: PLC0415  (reading commands never make one)

    return str(ULID())


@dataclass
class Workspace:
    """One project.

    Args:
        layout: where its files lie.
        environ: the environment variables.
        user_config: the file with the user's own configuration.
        clock: tells the time, with a zone.
        new_id: makes ULIDs.
    """

    layout: Layout
    environ: Mapping[str, str]
    user_config: Path
    clock: Callable[[], datetime] = utc_now
    new_id: Callable[[], str] = new_ulid
    registry: Registry = field(default_factory=Registry)

    @cached_property
    def manager(self) -> MetadataManager:
        """The increments."""
        shapes = shapes_of(self.registry.manifests)
        return MetadataManager(self.layout, shapes=shapes, clock=self.clock, new_id=self.new_id)

    @cached_property
    def raw_config(self) -> RawConfig:
        """What the configuration files say, mistakes included.

        Raises:
            ConfigError: a file cannot be read.
        """
        from unlatch.config.config import read_config  # noqa: PLC0415  (pydantic is slow to load)

        return read_config(self.layout)

    @cached_property
    def user(self) -> UserConfig:
        """The user's own configuration.

        Raises:
            ConfigError: it has mistakes.
        """
        from unlatch.config.config import read_user_config  # noqa: PLC0415

        return read_user_config(self.user_config)

    @property
    def config(self) -> CoreConfig:
        """The core's configuration.

        Raises:
            ConfigError: anything in the configuration is wrong; all mistakes are listed.
        """
        return self._checked[0]

    @property
    def settings(self) -> Mapping[str, Settings]:
        """The settings of the trackers that are configured, by name.

        Raises:
            ConfigError: anything in the configuration is wrong; all mistakes are listed.
        """
        return self._checked[1]

    def check_config(self) -> None:
        """Make sure that the configuration has no mistakes, before anything is recorded.

        Raises:
            ConfigError: it has; all are listed.
        """
        _ = self.user, self._checked

    @cached_property
    def _checked(self) -> tuple[CoreConfig, Mapping[str, Settings]]:
        from unlatch.project.configuration import check_config  # noqa: PLC0415

        raw = self.raw_config
        settings, problems = check_config(raw, self.registry, load)
        if problems:
            raise ConfigError(
                problems, where=str(self.layout.config), hint="unlatch doctor explains each setting"
            )
        return raw.core, settings
