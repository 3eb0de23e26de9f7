"""The check of a project's whole configuration, with the settings of its trackers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from unlatch.errors import PluginBroken
from unlatch.project.plugins.errors import blaming, broken_plugin
from unlatch.project.plugins.loading import load_settings
from unlatch.spi import Capability

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch.config.config import RawConfig
    from unlatch.project.registry import Registry
    from unlatch.spi import Manifest, Settings


class CheckedTrackers(NamedTuple):
    settings: Mapping[str, Settings]  # of the usable trackers, by name
    problems: tuple[str, ...]  # every mistake in the whole configuration
    broken: Mapping[str, PluginBroken]  # the errors in the plugins of configured trackers


def check_trackers(raw: RawConfig, registry: Registry) -> CheckedTrackers:
    """Check the whole configuration."""
    settings: dict[str, Settings] = {}
    problems, broken = list(raw.problems), dict[str, PluginBroken]()
    for name, table in raw.trackers.items():
        if name not in registry.manifests and name not in registry.broken:
            problems.append(f"trackers.{name}: {_unknown(name, registry.manifests)}")
            continue
        try:
            labels, is_own = raw.core.labels.names, registry.is_own(name)
            model, mistakes = read_settings(registry.manifest(name), table, labels, is_own=is_own)
        except PluginBroken as error:
            broken[name] = error
            continue
        problems += mistakes
        if model is not None:
            settings[name] = model
    return CheckedTrackers(settings, tuple(problems), broken)


def read_settings(
    manifest: Manifest,
    table: Mapping[str, Any],
    labels: Iterable[tuple[str, str]] = (),
    *,
    is_own: bool = False,
) -> tuple[Settings | None, tuple[str, ...]]:
    """The settings in a tracker's table, or all mistakes in it and in the configured labels.

    PluginBroken: the plugin cannot be used.
    """
    from unlatch.config.config import validate  # noqa: PLC0415

    model = load_settings(manifest, is_own=is_own)
    with blaming(manifest.name, f"reading [trackers.{manifest.name}]", where=manifest.settings):
        settings, problems = validate(model, table, prefix=f"trackers.{manifest.name}")
        for key, label in labels if Capability.LABELS in manifest.capabilities else ():
            problem = manifest.label_problem(label)
            if not isinstance(problem, str | None):
                raise TypeError("label_problem returned no text")
            if problem:
                problems += (f"labels.{key}: {problem} (for {manifest.title})",)
        if settings and not isinstance(settings.base_url, str):
            raise broken_plugin(manifest.name, "base_url is not a string", where=manifest.settings)
    return settings, problems


def _unknown(name: str, trackers: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (only for an error)

    installed = [*trackers]
    if similar := get_close_matches(name, installed, 1):
        return f"unknown tracker; did you mean [trackers.{similar[0]}]?"
    return f"unknown tracker; installed plugins: {', '.join(installed)}"
