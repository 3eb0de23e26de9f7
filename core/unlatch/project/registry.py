"""The installed plugins, found by their entry points."""

import importlib
import importlib.util
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.records.links import Shapes
from unlatch.project.entry_points import entry_points
from unlatch.spi import SPI_VERSION, Manifest

GROUP = "unlatch.plugins"


class Registry:
    @cached_property
    def _found(self) -> tuple[dict[str, Manifest], dict[str, str]]:
        manifests: dict[str, Manifest] = {}
        broken: dict[str, str] = {}
        for name, target in entry_points(GROUP).items():
            try:
                manifests[name] = _checked(name, load(target))
            except Exception as error:  # noqa: BLE001  # foreign code; doctor reports it
                broken[name] = f"{type(error).__name__}: {error}"
        return manifests, broken

    @property
    def manifests(self) -> Mapping[str, Manifest]:
        return self._found[0]

    @property
    def broken(self) -> Mapping[str, str]:
        """The errors of the unusable plugins."""
        return self._found[1]

    def manifest(self, name: str) -> Manifest:
        """The manifest of one plugin; UsageError `unknown-tracker`."""
        if name in self.manifests:
            return self.manifests[name]
        known = ", ".join(self.manifests) or "none"
        message = f"unknown tracker {name!r}; installed plugins: {known}"
        raise UsageError("unknown-tracker", message, hint="unlatch plugins")


def shapes_of(manifests: Mapping[str, Manifest]) -> Shapes:
    """The keys of these trackers' links and syncedTo entries."""
    return Shapes(
        {name: manifest.link for name, manifest in manifests.items()},
        {name: manifest.synced for name, manifest in manifests.items()},
    )


def load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def load_plugin(manifest: Manifest) -> Any:
    """The plugin's class; UnlatchError `extra-missing` if its SDK is not installed."""
    if not is_installed(manifest.requires[0]):
        raise missing_extra(manifest)
    return load(manifest.plugin)


def missing_extra(manifest: Manifest) -> UnlatchError:
    module, requirement = manifest.requires
    message = f"{manifest.title} needs a library that is not installed"
    hint = f"pipx inject unlatch '{requirement}'  (or: pip install '{requirement}')"
    return UnlatchError("extra-missing", message, where=module, hint=hint)


def is_installed(module: str) -> bool:
    """Whether a library is installed, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _checked(name: str, manifest: object) -> Manifest:
    if not isinstance(manifest, Manifest):
        raise TypeError(f"the entry point {name} is not a Manifest")
    if manifest.spi_version != SPI_VERSION:
        raise TypeError(f"written for interface {manifest.spi_version}; this is {SPI_VERSION}")
    if manifest.name != name:
        raise TypeError(f"the name in the manifest is {manifest.name!r}")
    return manifest
