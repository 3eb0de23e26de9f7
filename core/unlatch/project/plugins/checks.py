"""Check the parts of a plugin against the interface; each mistake completes "module:Class ..."."""

import inspect
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from unlatch.spi import Capability, Settings, SyncPlugin
from unlatch.spi.tables import Table

# The methods that a capability requires.
_METHODS = {
    Capability.CREATE: ("create", "find_created"),
    Capability.RETRACT: ("retract_comment",),
    Capability.STATUS_OF_MANY: ("read_many",),
    Capability.BATCH: ("write_many",),
    Capability.LIST: ("list_items",),
    Capability.EXAMINE: ("examine",),
    Capability.COMMANDS: ("read_asked", "acknowledge"),
    Capability.RENAMES: ("present_name",),
    Capability.APPROVE: ("approve",),
    Capability.HISTORY: ("read_history",),
}
_ALL = [name for name, one in vars(SyncPlugin).items() if inspect.isfunction(one)]


def plugin_mistakes(found: object, capabilities: Collection[Capability]) -> list[str]:
    """The mistakes of a plugin's class."""
    if not isinstance(found, type) or not issubclass(found, SyncPlugin):
        return ["is not a subclass of unlatch.spi.SyncPlugin"]
    required = dict.fromkeys(sorted(SyncPlugin.__abstractmethods__), "")
    for one in sorted(capabilities):
        required |= dict.fromkeys(_METHODS.get(one, ()), f" (for {one.name})")
    lacking = [name for name in required if getattr(found, name) is getattr(SyncPlugin, name)]
    return [
        *(f"lacks the method {name}{required[name]}" for name in lacking),
        *(f"takes other arguments in {name}" for name in _ALL if not _takes(found, name)),
    ]


def _takes(found: type[SyncPlugin], name: str) -> bool:
    """Whether a method can be called with the arguments of the interface."""
    wanted, own = getattr(SyncPlugin, name).__code__, getattr(found, name)
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


def settings_mistakes(found: object) -> list[str]:
    """The mistakes of the class of a plugin's settings."""
    if isinstance(found, type) and issubclass(found, Table):
        return [*_lacking(found, found.SETTINGS)]

    from pydantic import BaseModel  # noqa: PLC0415  (slow to load)

    if not isinstance(found, type) or not issubclass(found, BaseModel):
        return ["is not a pydantic model"]
    return [*_mistakes_of_model(found.model_config), *_lacking(found, found.model_fields)]


def _mistakes_of_model(config: Mapping[str, Any]) -> Iterator[str]:
    if config.get("extra") != "forbid":
        yield 'accepts unknown settings: its model_config needs extra="forbid"'
    if not config.get("frozen"):
        yield "can be changed: its model_config needs frozen=True"


def _lacking(found: type, settings: Collection[str]) -> Iterator[str]:
    for name, one in vars(Settings).items():
        if isinstance(one, property):
            if name not in settings and not hasattr(found, name):
                yield f"lacks the property {name}"
        elif not name.startswith("_") and not callable(getattr(found, name, None)):
            yield f"lacks the method {name}"
