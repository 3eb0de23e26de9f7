"""Load the parts of installed plugins, and check them."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from unlatch.errors import UnlatchError
from unlatch.project.deferred import defer
from unlatch.project.plugins.errors import blaming, check_part, importing
from unlatch.spi import (
    SPI_VERSION,
    Capability,
    CommandToken,
    EnvToken,
    LinkShape,
    Manifest,
    Option,
    Scheme,
)

# Seconds; no request of an ended connection takes effect later.
_DAY = 86_400

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.spi import Settings, SyncPlugin


def load_manifest(name: str, target: str) -> Manifest:
    """The manifest of an entry point; PluginBroken."""
    manifest = _load(name, target)
    with blaming(name, "reading its manifest", where=target):
        mistakes = _mistakes(name, manifest)
    check_part(name, target, mistakes)
    found: Manifest = manifest
    return found


def load(manifest: Manifest, target: str) -> Any:
    """The object that a manifest names as "module:object"; PluginBroken."""
    return _load(manifest.name, target)


def table_for(manifest: Manifest, url: str) -> str | None:
    """The table of a tracker in config.toml for an address that is its own; PluginBroken."""
    if manifest.from_remote is None:
        return None
    with blaming(manifest.name, "from_remote"):
        table = manifest.from_remote(url)
        if not isinstance(table, str | None):
            raise TypeError("it returned no text")
    return table


def load_settings(manifest: Manifest) -> Any:
    """The class of the settings; PluginBroken."""
    from unlatch.project.plugins.checks import settings_mistakes  # noqa: PLC0415  (rarely needed)

    found = load(manifest, manifest.settings)
    check_part(manifest.name, manifest.settings, settings_mistakes(found))
    return found


def load_plugin(manifest: Manifest) -> Any:
    """The plugin's class; UnlatchError `extra-missing`: its SDK is not installed; PluginBroken."""
    from unlatch.project.plugins.checks import plugin_mistakes  # noqa: PLC0415  (rarely needed)

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
    except Exception:  # noqa: BLE001  # of its parent, which is there, and fails when it is used
        return True


def _load(plugin: str, target: str) -> Any:
    module, _, name = target.partition(":")
    with importing(plugin, module, where=target):
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
    for what, (fits, names) in _FIELDS.items():
        yield from (f"{name}: it is {what}" for name in names if not fits(getattr(manifest, name)))


def _is_line(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and bool(value.strip())


def _is_target(value: object) -> bool:
    return isinstance(value, str) and all(value.partition(":"))


def _is_shape(value: object) -> bool:
    if not isinstance(value, LinkShape):
        return False
    return _is_line(value.item) and _is_line(value.url) and isinstance(value.number, bool)


def _is_requirement(requires: object) -> bool:
    match requires:
        case (str() as module, str() as requirement):
            return bool(requirement) and all(one.isidentifier() for one in module.split("."))
    return False


def _is_token(value: object) -> bool:
    match value:
        case EnvToken(str(), Scheme(), str() | None, not_for):
            return _are(_is_line)(not_for)
        case CommandToken(argv, Scheme()):
            return _are(_is_line)(argv)
    return False


def _is_option(value: object) -> bool:
    return isinstance(value, Option) and all(map(_is_line, (value.name, value.help, *value.kinds)))


def _is_collection(value: object) -> TypeGuard[Collection[object]]:
    return isinstance(value, Collection) and not isinstance(value, str | bytes)


def _are(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda values: _is_collection(values) and all(map(fits, values))


def _are_readers(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and all(map(_is_line, value))
        and _are(_is_target)((*value.values(),))
    )


# Each kind of value, with the fields that have it.
_FIELDS: Mapping[str, tuple[Callable[[object], bool], tuple[str, ...]]] = {
    "a line of printable text": (_is_line, ("title", "noun")),
    "a LinkShape of texts": (_is_shape, ("link", "synced")),
    '"module:Class"': (_is_target, ("settings", "plugin")),
    "a pair of a module and the requirement that installs it": (_is_requirement, ("requires",)),
    "a set of Capabilities": (_are(lambda one: isinstance(one, Capability)), ("capabilities",)),
    "a tuple of EnvTokens and CommandTokens": (_are(_is_token), ("tokens",)),
    "a tuple of texts": (_are(_is_line), ("hosts", "host_env", "secret_env", "deferred")),
    "a function": (callable, ("label_problem", "is_alone")),
    "a function, or None": (lambda one: one is None or callable(one), ("from_remote",)),
    "a number of seconds": (
        lambda one: isinstance(one, int | float) and 0 <= one < _DAY,
        ("settle",),
    ),
    "a number from 1": (lambda one: isinstance(one, int) and one > 0, ("parallel",)),
    "a tuple of Options": (_are(_is_option), ("options",)),
    'a mapping of names to "module:function"': (_are_readers, ("events",)),
    "a text": (lambda one: isinstance(one, str), ("example", "outside")),
}
