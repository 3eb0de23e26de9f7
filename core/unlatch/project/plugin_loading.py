"""Load the parts of installed plugins, and check them."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch.project.deferred import defer
from unlatch.project.plugin_errors import blaming, check_part
from unlatch.spi import SPI_VERSION, Capability, CommandToken, EnvToken, LinkShape, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import Settings, SyncPlugin


def load_manifest(name: str, target: str) -> Manifest:
    """The manifest of an entry point; PluginBroken."""
    manifest = _load(name, target)
    check_part(name, target, _mistakes(name, manifest))
    found: Manifest = manifest
    return found


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
