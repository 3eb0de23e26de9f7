"""The installed plugins, found by their entry points."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from unlatch.errors import PluginBroken, UsageError
from unlatch.increments.records.shapes import Shapes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from unlatch.spi import LinkShape, Manifest


class Registry:
    @cached_property
    def targets(self) -> Mapping[str, str]:
        """The manifest of each plugin, as "module:object", by the plugin's name; loads none."""
        return {name: target for name, ((target, _), *_) in self._points.items()}

    @cached_property
    def _points(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        from unlatch.worklog.entry_points import PLUGINS, installed_points  # noqa: PLC0415

        return installed_points(PLUGINS)

    def is_own(self, name: str) -> bool:
        """Whether a plugin comes with unlatch, whose tests prove that it keeps the interface."""
        from unlatch.worklog.entry_points import is_own  # noqa: PLC0415

        return any(is_own(folder) for _, folder in self._points.get(name, ()))

    @cached_property
    def _found(self) -> tuple[dict[str, Manifest], dict[str, PluginBroken]]:
        # Commands on increments without links load no plugin.
        from unlatch.project.plugins.errors import check_rivals  # noqa: PLC0415
        from unlatch.project.plugins.loading import load_manifest  # noqa: PLC0415

        manifests: dict[str, Manifest] = {}
        broken: dict[str, PluginBroken] = {}
        for name, target in self.targets.items():
            try:
                check_rivals(name, [folder for _, folder in self._points[name]])
                manifests[name] = load_manifest(name, target, is_own=self.is_own(name))
            except PluginBroken as error:
                broken[name] = error
        return manifests, broken

    @property
    def manifests(self) -> Mapping[str, Manifest]:
        return self._found[0]

    @property
    def broken(self) -> Mapping[str, PluginBroken]:
        """The errors of the unusable plugins."""
        return self._found[1]

    @property
    def offering(self) -> Mapping[str, Sequence[Manifest]]:
        """The trackers that have an option, by its name."""
        by_option: dict[str, list[Manifest]] = {}
        for manifest in self.manifests.values():
            for option in manifest.options:
                by_option.setdefault(option.name, []).append(manifest)
        return by_option

    @property
    def known_broken(self) -> Mapping[str, PluginBroken]:
        """The same, without loading anything: none before a link was read."""
        return self.broken if "_found" in vars(self) else {}

    @property
    def all_sound(self) -> bool:
        """Whether the plugins are loaded, and none is broken."""
        return "_found" in vars(self) and not self.broken

    def manifest(self, name: str) -> Manifest:
        """The manifest of one plugin; UsageError `unknown-tracker`, or PluginBroken."""
        if name in self.manifests:
            return self.manifests[name]
        if name in self.broken:
            raise self.broken[name]
        installed = ", ".join(self.manifests) or "none"
        message = f"unknown tracker {name!r}; installed plugins: {installed}"
        raise UsageError("unknown-tracker", message, hint="unlatch plugins")


def shapes_of(manifests: Mapping[str, Manifest]) -> Shapes:
    """The keys of these trackers' links and syncedTo entries."""
    return Shapes(
        {name: manifest.link for name, manifest in manifests.items()},
        {name: manifest.synced for name, manifest in manifests.items()},
    )


class InstalledShapes(Shapes):
    """Those of the installed trackers, which are looked for at the first use."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    @property
    def trackers(self) -> Collection[str]:
        return self._registry.targets

    @cached_property
    def links(self) -> Mapping[str, LinkShape]:
        return shapes_of(self._registry.manifests).links

    @cached_property
    def synced(self) -> Mapping[str, LinkShape]:
        return shapes_of(self._registry.manifests).synced
