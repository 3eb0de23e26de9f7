"""The installed layouts, found by their entry points."""

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from unlatch.errors import StoreError
from unlatch.increments.layouts.interface import Layout
from unlatch.worklog.entry_points import entry_points

GROUP = "unlatch.layouts"


@cache
def installed_layouts() -> tuple[Mapping[str, Layout], Mapping[str, str]]:
    """The layouts by name, and the errors of those that cannot be used."""
    layouts: dict[str, Layout] = {}
    broken: dict[str, str] = {}
    for name, target in _targets().items():
        try:
            layouts[name] = _load(name, target)
        except Exception as error:  # noqa: BLE001  # foreign code; doctor reports it
            broken[name] = _words_of(error)
    return MappingProxyType(layouts), MappingProxyType(broken)


@cache
def layout_named(name: str) -> Layout:
    """One layout, without loading others; StoreError `layout-missing`."""
    why = "it is not installed"
    if target := _targets().get(name):
        try:
            return _load(name, target)
        except Exception as error:  # noqa: BLE001  # as above
            why = _words_of(error)
    message = f"the layout {name!r} cannot be used: {why}"
    raise StoreError("layout-missing", message, hint="unlatch doctor")


@cache
def _targets() -> Mapping[str, str]:
    return entry_points(GROUP)


def _words_of(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _load(name: str, target: str) -> Layout:
    module, _, member = target.partition(":")
    layout: Layout = getattr(importlib.import_module(module), member)
    if layout.name != name:
        raise TypeError(f"the name of the layout is {layout.name!r}")
    return layout
