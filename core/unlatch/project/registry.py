"""The installed plugins, found by their entry points."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unlatch.errors import PluginBroken, UnlatchError, UsageError
from unlatch.increments.records.links import Shapes
from unlatch.project.deferred import defer
from unlatch.project.plugin_errors import GROUP, blaming, check_part
from unlatch.spi import SPI_VERSION, Capability, CommandToken, EnvToken, LinkShape, Manifest
from unlatch.worklog.entry_points import entry_points

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.spi import Settings, SyncPlugin


class Registry:
    @cached_property
    def _found(self) -> tuple[dict[str, Manifest], dict[str, PluginBroken]]:
        manifests: dict[str, Manifest] = {}
        broken: dict[str, PluginBroken] = {}
        for name, target in entry_points(GROUP).items():
            try:
                manifests[name] = _load_manifest(name, target)
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

    def manifest(self, name: str) -> Manifest:
        """The manifest of one plugin; UsageError `unknown-tracker`, or PluginBroken."""
        if name in self.manifests:
            return self.manifests[name]
        if name in self.broken:
            raise self.broken[name]
        known = ", ".join(self.manifests) or "none"
        message = f"unknown tracker {name!r}; installed plugins: {known}"
        raise UsageError("unknown-tracker", message, hint="unlatch plugins")


def shapes_of(manifests: Mapping[str, Manifest]) -> Shapes:
    """The keys of these trackers' links and syncedTo entries."""
    return Shapes(
        {name: manifest.link for name, manifest in manifests.items()},
        {name: manifest.synced for name, manifest in manifests.items()},
    )


def load(manifest: Manifest, target: str) -> Any:
    """The object that a manifest names as "module:object"; PluginBroken."""
    return _load(manifest.name, target)


def load_settings(manifest: Manifest) -> Any:
    """The class of the settings; PluginBroken."""
    from unlatch.project.plugin_check import settings_mistakes  # noqa: PLC0415  (rarely needed)

    found = load(manifest, manifest.settings)
    check_part(manifest.name, manifest.settings, settings_mistakes(found))
    return found


def load_plugin(manifest: Manifest) -> Any:
    """The plugin's class; UnlatchError `extra-missing`: its SDK is not installed; PluginBroken."""
    from unlatch.project.plugin_check import plugin_mistakes  # noqa: PLC0415  (rarely needed)

    if not is_installed(manifest.requires[0]):
        raise missing_extra(manifest)
    defer(manifest.deferred)
    found = load(manifest, manifest.plugin)
    check_part(manifest.name, manifest.plugin, plugin_mistakes(found, manifest.capabilities))
    return found


def open_plugin(manifest: Manifest, settings: Settings, transport: Any) -> SyncPlugin:
    """The plugin, constructed; raises as `load_plugin`."""
    made = load_plugin(manifest)
    with blaming(manifest.name, f"constructing {made.__name__}", where=manifest.plugin):
        plugin: SyncPlugin = made(settings, transport)
    return plugin


def missing_extra(manifest: Manifest) -> UnlatchError:
    from unlatch.worklog.installer import install_command  # noqa: PLC0415  (rarely needed)

    module, requirement = manifest.requires
    message = f"{manifest.title} needs a library that is not installed"
    hint = install_command(requirement)
    return UnlatchError("extra-missing", message, where=module, hint=hint)


def is_installed(module: str) -> bool:
    """Whether a library is installed, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _load_manifest(name: str, target: str) -> Manifest:
    manifest = _load(name, target)
    check_part(name, target, _mistakes(name, manifest))
    found: Manifest = manifest
    return found


def _load(plugin: str, target: str) -> Any:
    module, _, name = target.partition(":")
    with blaming(plugin, f"importing {module}", where=target):
        found = importlib.import_module(module)
    with blaming(plugin, f"loading {name} from {module}", where=target):
        return getattr(found, name)


def _mistakes(name: str, manifest: object) -> list[str]:
    if not isinstance(manifest, Manifest):
        return ["is not a Manifest"]
    if manifest.spi_version != SPI_VERSION:
        return [f"is written for interface {manifest.spi_version}; this is {SPI_VERSION}"]
    if manifest.name != name:
        return [f"has another name than its entry point: {manifest.name!r}"]
    return [f"has an invalid {field}" for field in _invalid_fields(manifest)]


def _invalid_fields(manifest: Manifest) -> Iterator[str]:
    shapes, targets = (manifest.link, manifest.synced), (manifest.settings, manifest.plugin)
    if not all(isinstance(one, LinkShape) for one in shapes):
        yield "link or synced: they are LinkShapes"
    if not all(isinstance(one, str) and ":" in one for one in targets):
        yield 'settings or plugin: they are "module:Class"'
    if not _is_requirement(manifest.requires):
        yield "requires: it is a pair of a module and the requirement that installs it"
    if not all(isinstance(one, Capability) for one in manifest.capabilities):
        yield "capabilities: they are Capabilities"
    if not all(isinstance(one, EnvToken | CommandToken) for one in manifest.tokens):
        yield "tokens: they are EnvTokens and CommandTokens"
    if not callable(manifest.label_problem):
        yield "label_problem: it is a function"


def _is_requirement(requires: object) -> bool:
    match requires:
        case (str() as module, str() as requirement):
            return bool(requirement) and all(one.isidentifier() for one in module.split("."))
    return False
