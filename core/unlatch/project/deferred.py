"""Import parts of a library without running the packages around them.

`github.Requester` is a tenth of PyGithub, but Python runs the whole of `github` before it.
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType
from typing import Any


class _Deferred(ModuleType):
    """A module that runs when a name is used that it does not have."""

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":  # the import system asks whether it is a package
            raise AttributeError(name)
        if hasattr(self, "__path__") and find_spec(f"{self.__name__}.{name}"):
            return import_module(f"{self.__name__}.{name}")
        with _running:
            if isinstance(self, _Deferred) and (spec := self.__spec__) and spec.loader:
                self.__class__ = ModuleType  # type: ignore[assignment]  # for good
                spec.loader.exec_module(self)
        return getattr(self, name)


_running = RLock()


def defer(names: Iterable[str]) -> None:
    """Run these modules only when something in them is used; those already imported stay."""
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None:
            made = module_from_spec(spec)
            made.__class__ = _Deferred
            sys.modules[name] = made
