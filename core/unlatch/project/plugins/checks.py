"""Check the parts of a plugin against the interface; each mistake completes "module:Class ..."."""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeGuard

from unlatch.spi import (
    SPI_VERSION,
    Capability,
    CommandToken,
    EnvToken,
    LinkShape,
    Manifest,
    Option,
    Scheme,
    Settings,
    SyncPlugin,
)
from unlatch.spi.tables import Table

# Seconds; no request of an ended connection takes effect later.
_DAY = 86_400
# The methods that a capability requires.
_METHODS = {
    Capability.CREATE: ("create", "find_created"),
    Capability.RETRACT: ("retract_comment",),
    Capability.STATUS_OF_MANY: ("read_many",),
    Capability.BATCH: ("write_many",),
    Capability.LIST: ("list_items",),
    Capability.EXAMINE: ("examine",),
    Capability.BACKGROUND: ("read_background",),
    Capability.COMMANDS: ("read_asked", "new_comments", "acknowledge"),
    Capability.RENAMES: ("present_name",),
    Capability.APPROVE: ("approve",),
    Capability.HISTORY: ("read_history",),
}
_ALL = [name for name, attribute in vars(SyncPlugin).items() if inspect.isfunction(attribute)]


def plugin_mistakes(plugin: object, capabilities: Collection[Capability]) -> list[str]:
    """The mistakes of a plugin's class."""
    if not isinstance(plugin, type) or not issubclass(plugin, SyncPlugin):
        return ["is not a subclass of unlatch.spi.SyncPlugin"]
    required = dict.fromkeys(sorted(SyncPlugin.__abstractmethods__), "")
    for capability in sorted(capabilities):
        required |= dict.fromkeys(_METHODS.get(capability, ()), f" (for {capability.name})")
    lacking = [name for name in required if getattr(plugin, name) is getattr(SyncPlugin, name)]
    return [
        *(f"lacks the method {name}{required[name]}" for name in lacking),
        *(f"takes other arguments in {name}" for name in _ALL if not _takes(plugin, name)),
    ]


def _takes(plugin: type[SyncPlugin], name: str) -> bool:
    """Whether a method can be called with the arguments of the interface."""
    wanted, own = getattr(SyncPlugin, name).__code__, getattr(plugin, name)
    count = wanted.co_argcount + wanted.co_kwonlyargcount
    if inspect.isfunction(own) and not hasattr(own, "__wrapped__"):
        # Nearly every method; a signature takes twenty times as long.
        code = own.__code__
        if (code.co_argcount, code.co_kwonlyargcount) == (count, 0):
            return True
    try:
        inspect.signature(own).bind(*range(count))
    except TypeError:
        return False
    return True


def settings_mistakes(settings_class: object) -> list[str]:
    """The mistakes of the class of a plugin's settings."""
    if isinstance(settings_class, type) and issubclass(settings_class, Table):
        return [*_lacking(settings_class, settings_class.SETTINGS)]

    from pydantic import BaseModel  # noqa: PLC0415  (slow to load)

    if not isinstance(settings_class, type) or not issubclass(settings_class, BaseModel):
        return ["is not a pydantic model"]
    return [
        *_mistakes_of_model(settings_class.model_config),
        *_lacking(settings_class, settings_class.model_fields),
    ]


def _mistakes_of_model(config: Mapping[str, Any]) -> Iterator[str]:
    if config.get("extra") != "forbid":
        yield 'accepts unknown settings: its model_config needs extra="forbid"'
    if not config.get("frozen"):
        yield "can be changed: its model_config needs frozen=True"


def _lacking(settings_class: type, settings: Collection[str]) -> Iterator[str]:
    for name, attribute in vars(Settings).items():
        if isinstance(attribute, property):
            if name not in settings and not hasattr(settings_class, name):
                yield f"lacks the property {name}"
        elif not name.startswith("_") and not callable(getattr(settings_class, name, None)):
            yield f"lacks the method {name}"


def manifest_mistakes(name: str, manifest: object) -> list[str]:
    """The mistakes of a plugin's manifest."""
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
            return bool(requirement) and all(part.isidentifier() for part in module.split("."))
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
    "a set of Capabilities": (
        _are(lambda attribute: isinstance(attribute, Capability)),
        ("capabilities",),
    ),
    "a tuple of EnvTokens and CommandTokens": (_are(_is_token), ("tokens",)),
    "a tuple of texts": (_are(_is_line), ("hosts", "host_env", "secret_env", "deferred")),
    "a function": (callable, ("label_problem", "is_alone")),
    "a function, or None": (
        lambda attribute: attribute is None or callable(attribute),
        ("from_remote",),
    ),
    "a number of seconds": (
        lambda attribute: isinstance(attribute, int | float) and 0 <= attribute < _DAY,
        ("settle",),
    ),
    "a number from 1": (
        lambda attribute: isinstance(attribute, int) and attribute > 0,
        ("parallel",),
    ),
    "a tuple of Options": (_are(_is_option), ("options",)),
    'a mapping of names to "module:function"': (_are_readers, ("events",)),
    "a text": (lambda attribute: isinstance(attribute, str), ("example", "outside")),
}
