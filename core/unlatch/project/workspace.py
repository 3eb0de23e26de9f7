"""One project, as use cases need it, and the check of its whole configuration."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError
from unlatch.increments.files.layout import items_at, layout_at
from unlatch.increments.files.manager import MetadataManager
from unlatch.project.registry import Registry, load, shapes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from unlatch.config.config import CoreConfig, RawConfig, UserConfig
    from unlatch.increments.files.layout import Layout
    from unlatch.spi import Settings


def utc_now() -> datetime:
    """The time in whole seconds, the precision of files."""
    return datetime.now(UTC).replace(microsecond=0)


def new_ulid() -> str:
    from ulid import ULID  # noqa: PLC0415  (reading commands never make one)

    return str(ULID())


@dataclass
class Workspace:
    layout: Layout
    environ: Mapping[str, str]
    user_config: Path  # the file with the user's own configuration
    clock: Callable[[], datetime] = utc_now  # with a zone
    new_id: Callable[[], str] = new_ulid
    registry: Registry = field(default_factory=Registry)
    # The trackers' tables outside of a project, where no file configures any.
    tables: Mapping[str, Mapping[str, Any]] | None = None

    @cached_property
    def manager(self) -> MetadataManager:
        shapes = shapes_of(self.registry.manifests)
        return MetadataManager(self.layout, shapes=shapes, clock=self.clock, new_id=self.new_id)

    @cached_property
    def beside(self) -> MetadataManager:
        """The records of items beside the increments; for these records, the increments."""
        of_items = items_at(self.layout.root)
        other = layout_at(self.layout.root) if self.layout == of_items else of_items
        return replace(self, layout=other).manager

    @cached_property
    def raw_config(self) -> RawConfig:
        """The content of the configuration files, mistakes included; raises as `read_config`."""
        from unlatch.config.config import (  # noqa: PLC0415  (pydantic is slow to load)
            CoreConfig,
            RawConfig,
            read_config,
        )

        if self.tables is not None:
            return RawConfig(CoreConfig(), self.tables)
        return read_config(self.layout)

    @cached_property
    def user(self) -> UserConfig:
        """The user's own configuration; raises as `read_user_config`."""
        from unlatch.config.config import read_user_config  # noqa: PLC0415

        return read_user_config(self.user_config)

    @property
    def config(self) -> CoreConfig:
        """The core's configuration; raises as `check_config`."""
        return self._checked[0]

    @property
    def settings(self) -> Mapping[str, Settings]:
        """The settings of the configured trackers, by name; raises as `check_config`."""
        return self._checked[1]

    def check_config(self) -> None:
        """Check the configuration before anything is recorded; ConfigError lists all mistakes."""
        _ = self.user, self._checked

    @cached_property
    def _checked(self) -> tuple[CoreConfig, Mapping[str, Settings]]:
        raw = self.raw_config
        settings, problems = check_trackers(raw, self.registry)
        if problems:
            where, hint = str(self.layout.config), "unlatch doctor --settings lists the settings"
            raise ConfigError(problems, where=where, hint=hint)
        return raw.core, settings


def check_trackers(
    raw: RawConfig, registry: Registry
) -> tuple[dict[str, Settings], tuple[str, ...]]:
    """The trackers' settings by name, and every mistake in the whole configuration."""
    from unlatch.config.config import validate  # noqa: PLC0415

    settings: dict[str, Settings] = {}
    problems = list(raw.problems)
    for name, table in raw.trackers.items():
        manifest = registry.manifests.get(name)
        if manifest is None:
            problems.append(f"trackers.{name}: {_unknown(name, registry.manifests)}")
            continue
        model, found = validate(load(manifest.settings), table, prefix=f"trackers.{name}")
        problems += found
        for key, label in raw.core.labels:
            if problem := manifest.label_problem(label):
                problems.append(f"labels.{key}: {problem} (for {manifest.title})")
        if model is not None:
            settings[name] = model
    return settings, tuple(problems)


def _unknown(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (only for an error)

    installed = [*known]
    if similar := get_close_matches(name, installed, 1):
        return f"unknown tracker; did you mean [trackers.{similar[0]}]?"
    return f"unknown tracker; installed plugins: {', '.join(installed)}"
