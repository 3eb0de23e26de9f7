"""One project, as use cases need it, and the check of its whole configuration."""

from __future__ import annotations

from dataclasses import field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unlatch.errors import ConfigError, PluginBroken
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.paths import items_at, paths_at
from unlatch.project.plugin_errors import blaming, broken_plugin
from unlatch.project.registry import Registry, load_settings, shapes_of
from unlatch.spi import Capability
from unlatch.values import dataclass
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from unlatch.config.config import CoreConfig, RawConfig, UserConfig
    from unlatch.increments.files.paths import ProjectPaths
    from unlatch.spi import Manifest, Settings


def utc_now() -> datetime:
    """The time in whole seconds, the precision of files."""
    return datetime.now(UTC).replace(microsecond=0)


@dataclass
class Workspace:
    paths: ProjectPaths
    environ: Mapping[str, str]
    # The file with the user's own configuration: asked for when it is needed, as that is slow.
    user_config: Path | Callable[[], Path]
    clock: Callable[[], datetime] = utc_now  # with a zone
    new_id: Callable[[], str] = new_ulid
    registry: Registry = field(default_factory=Registry)
    # The trackers' tables outside of a project, where no file configures any.
    tables: Mapping[str, Mapping[str, Any]] | None = None

    @cached_property
    def manager(self) -> MetadataManager:
        shapes = shapes_of(self.registry.manifests)
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
        return self.user_config if isinstance(self.user_config, Path) else self.user_config()

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
        raw = self.raw_config
        checked = check_trackers(raw, self.registry)
        if checked.problems:
            where, hint = str(self.paths.config), "unlatch doctor --settings"
            raise ConfigError(checked.problems, where=where, hint=hint)
        for error in checked.broken:
            raise error
        return raw.core, checked.settings


class CheckedTrackers(NamedTuple):
    settings: Mapping[str, Settings]  # of the usable trackers, by name
    problems: tuple[str, ...]  # every mistake in the whole configuration
    broken: tuple[PluginBroken, ...] = ()  # the errors in the plugins of configured trackers


def check_trackers(raw: RawConfig, registry: Registry) -> CheckedTrackers:
    """Check the whole configuration."""
    settings: dict[str, Settings] = {}
    problems, broken = list(raw.problems), []
    for name, table in raw.trackers.items():
        if name not in registry.manifests and name not in registry.broken:
            problems.append(f"trackers.{name}: {_unknown(name, registry.manifests)}")
            continue
        try:
            model, found = read_settings(registry.manifest(name), table, raw.core.labels)
        except PluginBroken as error:
            broken.append(error)
            continue
        problems += found
        if model is not None:
            settings[name] = model
    return CheckedTrackers(settings, tuple(problems), tuple(broken))


def read_settings(
    manifest: Manifest, table: Mapping[str, Any], labels: Iterable[tuple[str, str]] = ()
) -> tuple[Settings | None, tuple[str, ...]]:
    """The settings in a tracker's table, or all mistakes in it and in the configured labels.

    PluginBroken: the plugin cannot be used.
    """
    from unlatch.config.config import validate  # noqa: PLC0415

    model = load_settings(manifest)
    with blaming(manifest.name, f"reading [trackers.{manifest.name}]", where=manifest.settings):
        settings, problems = validate(model, table, prefix=f"trackers.{manifest.name}")
        for key, label in labels if Capability.LABELS in manifest.capabilities else ():
            if problem := manifest.label_problem(label):
                problems += (f"labels.{key}: {problem} (for {manifest.title})",)
        if settings and not isinstance(settings.base_url, str):
            raise broken_plugin(manifest.name, "base_url is not a string", where=manifest.settings)
    return settings, problems


def _unknown(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (only for an error)

    installed = [*known]
    if similar := get_close_matches(name, installed, 1):
        return f"unknown tracker; did you mean [trackers.{similar[0]}]?"
    return f"unknown tracker; installed plugins: {', '.join(installed)}"
