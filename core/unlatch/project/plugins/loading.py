"""Load the parts of installed plugins, and check them."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch.project.deferred import defer
from unlatch.project.plugins.errors import blaming, check_part

if TYPE_CHECKING:
    from unlatch.spi import Manifest, Settings, SyncPlugin


def load_manifest(name: str, target: str, *, is_own: bool = False) -> Manifest:
    """The manifest of an entry point; PluginBroken.

    Args:
        is_own: whether it comes with unlatch, whose tests check it.
    """
    manifest: Manifest = load(name, target)
    if not is_own:
        from unlatch.project.plugins.checks import manifest_mistakes  # noqa: PLC0415  (for others)

        with blaming(name, "reading its manifest", where=target):
            mistakes = manifest_mistakes(name, manifest)
        check_part(name, target, mistakes)
    return manifest


def table_for(manifest: Manifest, url: str) -> str | None:
    """The table of a tracker in config.toml for an address that is its own; PluginBroken."""
    if manifest.from_remote is None:
        return None
    with blaming(manifest.name, "from_remote"):
        table = manifest.from_remote(url)
        if not isinstance(table, str | None):
            raise TypeError("it returned no text")
    return table


def load_settings(manifest: Manifest, *, is_own: bool = False) -> Any:
    """The class of the settings; PluginBroken."""
    settings_class = load(manifest.name, manifest.settings)
    if not is_own:
        from unlatch.project.plugins.checks import settings_mistakes  # noqa: PLC0415  (for others)

        check_part(manifest.name, manifest.settings, settings_mistakes(settings_class))
    return settings_class


def load_plugin(manifest: Manifest, *, is_own: bool = False) -> Any:
    """The plugin's class; UnlatchError `extra-missing`: its SDK is not installed; PluginBroken."""
    if not is_installed(manifest.requires[0]):
        raise missing_extra(manifest)
    defer(manifest.deferred)
    plugin_class = load(manifest.name, manifest.plugin)
    if not is_own:
        from unlatch.project.plugins.checks import plugin_mistakes  # noqa: PLC0415  (for others)

        check_part(
            manifest.name, manifest.plugin, plugin_mistakes(plugin_class, manifest.capabilities)
        )
    return plugin_class


def open_plugin(
    manifest: Manifest, settings: Settings, transport: Any, *, is_own: bool = False
) -> SyncPlugin:
    """The plugin, constructed; UnlatchError `extra-missing`, or PluginBroken."""
    plugin_class = load_plugin(manifest, is_own=is_own)
    with blaming(manifest.name, f"constructing {plugin_class.__name__}", where=manifest.plugin):
        plugin: SyncPlugin = plugin_class(settings, transport)
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
    except Exception:  # noqa: BLE001  # of its parent, which is there, and fails when it is used
        return True


def load(plugin: str, target: str) -> Any:
    """The object that a plugin names as "module:object"; PluginBroken."""
    module, _, name = target.partition(":")
    with blaming(plugin, f"importing {module}", where=target, own=()):
        loaded = importlib.import_module(module)
    with blaming(plugin, f"loading {name} from {module}", where=target):
        return getattr(loaded, name)
